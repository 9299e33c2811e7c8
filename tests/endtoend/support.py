# SPDX-License-Identifier: BSD-3-Clause
"""Helpers of the end-to-end tests: running scan, reading archives."""
import os
import re
import subprocess
import sys

SCAN, BUILD, MPIEXEC = (os.environ[name] for name in ("SCAN", "BUILD", "MPIEXEC"))
ANALYZER = os.path.join(BUILD, "bin", "latecomer-analyzer")
LATECOMER = os.path.join(BUILD, "bin", "latecomer")


def app(name):
    return os.path.join(BUILD, "apps", name)


def run(words, timeout=120, **more):
    return subprocess.run(words, capture_output=True, text=True, timeout=timeout, **more)


def scan(*words, **more):
    return run([sys.executable, SCAN] + list(words), **more)


def analyze(experiment, processes, report):
    return run([MPIEXEC, "-n", str(processes), ANALYZER, "-q", "-o", report, experiment])


def regions(anchor):
    """Regions of an archive by id: (name, file, first line); the file is empty if it is unknown."""
    found = {}
    for line in run(["otf2-print", "-G", anchor]).stdout.splitlines():
        match = re.match(r'REGION +(\d+)  Name: "(.*?)" <\d.*File: (?:"(.*?)"|UNDEFINED).*, Begin: (\d+)', line)
        if match:
            found[match[1]] = (match[2], match[3] or "", int(match[4]))
    return found


def quality(shown):
    """Counts of data quality by name. Shared cores are left out because they depend on the
    machine."""
    return {note["name"]: note["count"] for note in shown["quality"] if note["name"] != "shared_cores"}


def python_with_otf2():
    """The interpreter that has OTF2's own module. Debian installs it for its own interpreter, which
    may be another one."""
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import otf2"], capture_output=True).returncode == 0:
            return python
    sys.exit("no Python module otf2: install python3-otf2")


def need_app(name):
    if not os.path.exists(app(name)):
        print("skipped: %s was not built (no Fortran compiler for this MPI)" % name)
        sys.exit(0)
