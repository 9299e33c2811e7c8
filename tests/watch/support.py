# SPDX-License-Identifier: BSD-3-Clause
"""Helpers of tests that watch programs: running one under scan, and reading what latecomer watch says."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

SCAN, MPIEXEC, PROGRAMS = (os.environ[name] for name in ("SCAN", "MPIEXEC", "PROGRAMS"))
LATECOMER = os.path.join(os.path.dirname(SCAN), "latecomer")
SECONDS = 300  # for a run on an overloaded machine
METRICS = ["mpi_barrier_wait", "mpi_wait_nxn", "mpi_latebroadcast", "mpi_earlyreduce", "mpi_late_contributor",
           "mpi_latesender", "mpi_latereceiver"]


def latecomer(*words, **options):
    return subprocess.run([LATECOMER, *words], capture_output=True, text=True, timeout=SECONDS, check=False, **options)


class Run:
    """A program that is recorded by scan, and ended at the end of the block."""

    def __init__(self, program, *words, ranks=4, options=("-t",), **more):
        self.directory = tempfile.TemporaryDirectory()
        self.experiment = os.path.join(self.directory.name, "experiment")
        environment = {k: v for k, v in os.environ.items() if not k.startswith("LATECOMER_")} | more
        self.scan = subprocess.Popen(
            [sys.executable, SCAN, "--yield", *options, "-e", self.experiment, MPIEXEC, "-n", str(ranks),
             os.path.join(PROGRAMS, program), *words],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, cwd=self.directory.name,
            start_new_session=True)

    def __enter__(self):
        return self

    def path(self, name):
        return os.path.join(self.directory.name, name)

    def watch(self, *words, **options):
        return latecomer("watch", "--wait", "60", "--schedule", "normal", *words, self.experiment, **options)

    def watching(self, *words, interval="0.1"):
        """A process that watches, and prints lines of JSON."""
        return Watching(["--wait", "60", "--schedule", "normal", "--json", "--interval", interval, *words, self.experiment])

    def end(self):
        output, _ = self.scan.communicate(timeout=SECONDS)
        return self.scan.returncode, output

    def kill(self):
        """Kills scan, the launcher and the program, which may be in a session of its own."""
        processes = processes_of(self.experiment)
        os.killpg(self.scan.pid, signal.SIGKILL)
        for process in processes:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def __exit__(self, *_):
        if self.scan.poll() is None:
            self.kill()
        self.scan.communicate()
        self.directory.cleanup()


class Watching:
    """A process that watches; it is ended at the end of the block."""

    def __init__(self, words):
        self.process = subprocess.Popen([LATECOMER, "watch", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def lines(self):
        end = time.monotonic() + SECONDS
        for line in self.process.stdout:
            if time.monotonic() > end:
                raise AssertionError("nothing came within %d s; last: %s" % (SECONDS, line))
            yield line
        raise AssertionError("it has ended: " + self.process.stderr.read())

    def until(self, condition):
        """The first state that fulfils a condition."""
        return next(state for state in map(json.loads, self.lines()) if condition(state))

    def end(self):
        """Reads on to its end: exit status, lines, errors."""
        output, errors = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, output.splitlines(), errors


def processes_of(experiment):
    """Processes that have mapped records of this experiment."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            with open("/proc/%s/maps" % name, encoding="utf-8", errors="replace") as maps:
                if os.path.realpath(experiment) + "/records/" in maps.read():
                    found.append(int(name))
        except OSError:
            pass
    return found
