# SPDX-License-Identifier: BSD-3-Clause
"""Helpers of the experiments: running scan in the testbed, reading reports, writing tables."""
import json
import os
import platform
import subprocess
import sys
import tarfile

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
BUILD = os.environ.get("LATECOMER_BUILD", os.path.join(ROOT, "build", "release"))
MPIEXEC = os.environ.get("MPIEXEC", "mpiexec.mpich")


class Failed(Exception):
    pass


def run(words):
    """Runs a command and returns its output; fails with its error messages."""
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed("%s: status %d\n%s" % (" ".join(words), done.returncode, done.stderr))
    return done.stdout


def record(description, options, scan_options, ranks, app, *arguments):
    """Runs an application in the testbed under scan."""
    run([sys.executable, os.path.join(BUILD, "bin", "testbed"), "--description",
         os.path.join(HERE, description)] + options +
        ["--", sys.executable, os.path.join(BUILD, "bin", "scan")] + scan_options +
        [MPIEXEC, "-n", str(ranks), os.path.join(BUILD, "apps", app)] + list(arguments))


def latecomer(*words):
    return json.loads(run([os.path.join(BUILD, "bin", "latecomer")] + list(words)))


def extras(report):
    """The JSON member of a report."""
    with tarfile.open(report) as archive:
        return json.load(archive.extractfile("latecomer.json"))


def machine():
    load = os.getloadavg()[0]
    return "%s, %d cores, load %.1f at the end" % (platform.machine(), os.cpu_count(), load)


def table(head, rows):
    lines = [head, ["---"] * len(head)] + [[str(cell) for cell in row] for row in rows]
    return "\n".join("| %s |" % " | ".join(line) for line in lines)


def write(path, text):
    """Prints the text, and writes it between the two marks of a document if there is one."""
    print(text)
    if path is None:
        return
    with open(path) as f:
        before, _, rest = f.read().partition("<!-- measured -->\n")
        _, _, after = rest.partition("<!-- end of measured -->\n")
    with open(path, "w") as f:
        f.write(before + "<!-- measured -->\n" + text + "\n<!-- end of measured -->\n" + after)
