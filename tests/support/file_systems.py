# SPDX-License-Identifier: BSD-3-Clause
"""File systems that only some processes see: a private tmpfs each, in a mount namespace of its own."""
import os
import subprocess
import sys

SKIPPED = 77


class Impossible(Exception):
    """Nothing can be mounted here."""


class FileSystem:
    """A tmpfs at `place` (an existing directory) for the processes that are started through it.

    What is in it lives until close(), which a `with` statement calls."""

    def __init__(self, place, options="size=100m"):
        script = 'mount -t tmpfs -o "$1" tmpfs "$0" && echo ready && exec cat'
        for user in ([], ["-r"]):
            self.holder = subprocess.Popen(
                ["unshare"] + user + ["-m", "sh", "-c", script, place, options],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            if self.holder.stdout.readline() == "ready\n":
                self.enter = ["nsenter", "-t", str(self.holder.pid), "-m"]
                self.enter += ["-U", "--preserve-credentials"] if user else []
                return
            self.close()
        raise Impossible("nothing can be mounted here")

    def run(self, *words, **more):
        """A command that sees it; its current directory is /."""
        return subprocess.run(self.enter + list(words), capture_output=True, text=True, check=False,
                              timeout=100, **more)

    def names(self, directory):
        """Names of files in a directory, as seen here; None if there is no such directory."""
        done = self.run("ls", "-A", directory)
        return sorted(done.stdout.split()) if done.returncode == 0 else None

    def copy(self, directory, target):
        """Copies a directory to where everybody sees it (`target` must not be on this file system)."""
        with subprocess.Popen(self.enter + ["tar", "-C", directory, "-c", "."],
                              stdout=subprocess.PIPE) as tar:
            os.mkdir(target)
            subprocess.run(["tar", "-C", target, "-x"], stdin=tar.stdout, check=True)

    def close(self):
        """It may have been closed before."""
        self.holder.stdin.close()
        self.holder.wait()
        self.holder.stdout.close()
        self.holder.stderr.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def skip_if_impossible(place):
    """Ends the test with the status for skipped tests where nothing can be mounted."""
    try:
        FileSystem(place).close()
    except (Impossible, FileNotFoundError) as why:
        print("skipped: %s" % why)
        sys.exit(SKIPPED)
