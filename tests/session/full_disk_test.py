#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records onto a small tmpfs: the program never notices, and losses are counted exactly.

usage: full_disk_test.py MPIEXEC PROBE DUMP      (exit status 77: mounting is not possible here)
"""
import os
import re
import subprocess
import sys
import tempfile

MPIEXEC, PROBE, DUMP = sys.argv[1:4]
EXPECTED = {0: 300008, 1: 30, 2: 3000}  # records of session_probe per thread
SKIPPED = 77


def in_own_mount_namespace():
    """Starts this script again in a namespace where it may mount; the mounts vanish with it."""
    os.environ["LATECOMER_TEST_MOUNT"] = "1"
    tries = [["unshare", "-m"], ["unshare", "-r", "-m"]]
    for unshare in tries:
        if subprocess.run(unshare + ["true"], capture_output=True, check=False).returncode == 0:
            sys.exit(subprocess.run(unshare + [sys.executable] + sys.argv, check=False).returncode)
    print("skipped: no mount namespaces here")
    sys.exit(SKIPPED)


def run(directory, size, ranks):
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", directory],
                      check=False).returncode != 0:
        print("skipped: mounting is not allowed here")
        sys.exit(SKIPPED)
    env = {k: v for k, v in os.environ.items() if not k.startswith("LATECOMER_")}
    env["LATECOMER_EXPERIMENT_DIRECTORY"] = directory + "/experiment"
    env["LATECOMER_KEEP_RECORDS"] = "1"
    return subprocess.run([MPIEXEC, "-n", str(ranks), PROBE], env=env, timeout=100, text=True,
                          capture_output=True, check=False)


def check(condition, text):
    if not condition:
        sys.exit(f"failed: {text}")


def main():
    with tempfile.TemporaryDirectory() as directory:
        # The disk becomes full while the program runs: 2 processes want 4 MB each.
        done = run(directory, "3m", 2)
        check(done.returncode == 0, f"the program noticed: {done.returncode} {done.stderr}")
        dump = subprocess.run([DUMP, directory + "/experiment"], text=True, capture_output=True,
                              check=True).stdout
        total_lost = 0
        for line in dump.splitlines():
            found = re.match(r"\S+rec rank=\d+ thread=(\d) records=(\d+) damages=(\d+) lost=(\d+)",
                             line)
            if found:
                thread, records, damages, lost = map(int, found.groups())
                check(damages == 0, line)
                check(records + lost == EXPECTED[thread], line)
                total_lost += lost
        check(total_lost > 0, f"nothing was lost: {dump}")
        check(dump.count("complete=1") == 2, f"the logs are not complete: {dump}")
        warning = re.search(r"warning: (\d+) records .* No space left on device", done.stderr)
        # The sum includes threads whose file could not be made.
        check(warning and int(warning[1]) >= total_lost, done.stderr)
        subprocess.run(["umount", directory], check=True)

        # The disk is full from the beginning: the run is refused before anything is computed.
        done = run(directory, "64k", 2)
        check(done.returncode == 2, f"status {done.returncode} {done.stderr}")
        lines = done.stderr.splitlines()
        check(len(lines) == 2 and "No space left on device" in lines[0], done.stderr)
        subprocess.run(["umount", directory], check=True)


if __name__ == "__main__":
    if "LATECOMER_TEST_MOUNT" not in os.environ:
        in_own_mount_namespace()
    main()
