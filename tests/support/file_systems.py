# SPDX-License-Identifier: BSD-3-Clause
"""File systems that only some processes see: a private tmpfs for each, in a separate mount
namespace."""
import os
import subprocess
import sys

SKIPPED = 77


class Impossible(Exception):
    """Mounting is not possible on this machine."""


class FileSystem:
    """A tmpfs at `place` (an existing directory) for the processes that are started through it. Its
    contents live until close(), which a `with` statement calls."""

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
        """Runs a command that sees the file system; its current directory is /."""
        return subprocess.run(self.enter + list(words), capture_output=True, text=True, check=False,
                              timeout=100, **more)

    def names(self, directory):
        """Names of files in a directory of this file system; None if there is no such directory."""
        done = self.run("ls", "-A", directory)
        return sorted(done.stdout.split()) if done.returncode == 0 else None

    def copy(self, directory, target):
        """Copies a directory to a file system that all processes see. `target` must not be on this
        one."""
        with subprocess.Popen(self.enter + ["tar", "-C", directory, "-c", "."],
                              stdout=subprocess.PIPE) as tar:
            os.mkdir(target)
            subprocess.run(["tar", "-C", target, "-x"], stdin=tar.stdout, check=True)

    def close(self):
        """Unmounts the file system; may be called again."""
        self.holder.stdin.close()
        self.holder.wait()
        self.holder.stdout.close()
        self.holder.stderr.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def skip_if_impossible(place):
    """Ends the test with the status for skipped tests if nothing can be mounted."""
    try:
        FileSystem(place).close()
    except (Impossible, FileNotFoundError) as why:
        print("skipped: %s" % why)
        sys.exit(SKIPPED)
