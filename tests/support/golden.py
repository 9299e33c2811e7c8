#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Golden transcripts: runs the commands of a transcript and compares what they print.

  golden.py TRANSCRIPT [--bin DIR]... [--in DIR] [--replace REGEX TEXT]... [--update]

A transcript is what a user would see. Lines "$ COMMAND" are run by the shell, one after the other, in the
directory --in (default: a fresh one) with the folders --bin first in PATH; what they print on both
channels follows, and "[exit N]" if the status is not 0. Lines before the first command are comments.
--replace is applied to the output before it is compared (times, names of temporary files).
--update, or the environment variable UPDATE_GOLDEN=1, writes the transcript anew: read the change!
"""
import argparse
import difflib
import os
import re
import subprocess
import sys
import tempfile


def run(command, directory, environment):
    done = subprocess.run(command, shell=True, cwd=directory, env=environment, timeout=100,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    text = done.stdout.decode("utf-8", "replace")
    if text and not text.endswith("\n"):
        text += "\n[no line feed at the end]\n"
    return text + ("[exit %d]\n" % done.returncode if done.returncode else "")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("transcript")
    parser.add_argument("--bin", action="append", default=[])
    parser.add_argument("--in", dest="directory")
    parser.add_argument("--replace", nargs=2, action="append", default=[])
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()

    with open(arguments.transcript) as file:
        expected = file.readlines()
    environment = dict(os.environ, LC_ALL="C.UTF-8", COLUMNS="100")
    environment["PATH"] = os.pathsep.join(
        [os.path.abspath(b) for b in arguments.bin] + [environment["PATH"]])
    actual = []
    for line in expected:
        if line.startswith("$ "):
            break
        actual.append(line)
    with tempfile.TemporaryDirectory() as fresh:
        for line in expected:
            if not line.startswith("$ "):
                continue
            text = run(line[2:].rstrip("\n"), arguments.directory or fresh, environment)
            for pattern, replacement in arguments.replace:
                text = re.sub(pattern, replacement, text)
            actual += [line] + text.splitlines(keepends=True)

    if not any(line.startswith("$ ") for line in expected):
        sys.exit("%s: no command in it" % arguments.transcript)
    if actual == expected:
        return 0
    sys.stdout.writelines(difflib.unified_diff(expected, actual, "expected", "printed"))
    if arguments.update or os.environ.get("UPDATE_GOLDEN") == "1":
        with open(arguments.transcript, "w") as file:
            file.writelines(actual)
        print("%s: updated" % arguments.transcript)
        return 0
    print("\n%s differs; if the new text is right: UPDATE_GOLDEN=1 ctest -R golden"
          % arguments.transcript)
    return 1


if __name__ == "__main__":
    sys.exit(main())
