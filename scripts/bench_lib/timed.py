# SPDX-License-Identifier: BSD-3-Clause
"""Runs commands and tells wall time, processor time, and what else used the machine meanwhile."""

import os
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

# Cores that other work may use. A machine at rest uses about a hundredth of a core.
MOST_OTHER_LOAD = 0.1


class Failed(Exception):
    pass


@dataclass
class Timed:
    wall: float
    processor: float  # of the command and all processes that it started
    other: float  # processor seconds of all other work on the machine in that time
    output: str


def busy_seconds(path="/proc/stat"):
    """Seconds that all cores together were busy or taken by the VM host, since the machine started."""
    fields = Path(path).read_text().split("\n", 1)[0].split()[1:]
    user, nice, system, _idle, _wait, irq, softirq, steal = (int(f) for f in fields[:8])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def run(command, **options):
    """Runs a command to its end; a status other than 0 is Failed."""
    command = [str(c) for c in command]
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        busy = busy_seconds()
        begin = time.perf_counter()
        child = subprocess.Popen(command, stdout=out, stderr=err, **options)
        # Processes that were waited for count in the usage of the one that waited.
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - begin
        child.returncode = os.waitstatus_to_exitcode(status)
        processor = usage.ru_utime + usage.ru_stime
        other = max(0.0, busy_seconds() - busy - processor)
        out.seek(0)
        err.seek(0)
        if child.returncode != 0:
            raise Failed(f"{' '.join(command)}: status {child.returncode}\n{out.read()}{err.read()}")
        return Timed(wall, processor, other, out.read())


def other_load(runs):
    """Cores that other work used during these runs."""
    wall = sum(r.wall for r in runs)
    return sum(r.other for r in runs) / wall if wall > 0 else 0.0
