#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The rest of a run to which something happens: before MPI_Init ends, in the middle, in
MPI_Finalize.

usage: survival_test.py FAULT SCAN MPIEXEC DOOMED

However a run ends, nothing hangs and no process is left. There is either a report or one message
that says why not. If processes die, the archive has all that they have recorded. If only the disk
or the directory is lost, the program continues and gives its right result.
"""
import collections
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import unittest

FAULT, SCAN, MPIEXEC, DOOMED = sys.argv[1:5]
AT_END = FAULT.endswith("_at_end")  # the others are inside PMPI_Finalize: the only moment
FAULT = FAULT[:-len("_at_end")] if AT_END else FAULT
RANKS, STEPS, SECONDS, SKIPPED = 3, 600, 100, 77
RESULT = "result %d\n" % (sum(RANKS * i for i in range(STEPS)) % 1000003)
INSIDE = "LATECOMER_TEST_INSIDE"  # in its own mount namespace
LATECOMER = os.path.join(os.path.dirname(SCAN), "latecomer")
STEP = 377  # after many pieces of records, and in the middle of one
DEADLY = FAULT not in ("none", "full", "removed")
SENT_FROM_OUTSIDE = {"sigterm_mpiexec": signal.SIGTERM, "sigterm_scan": signal.SIGTERM,
                     "kill_scan": signal.SIGKILL}
# This script runs between scan and the launcher and notes the launcher's status, which scan has
# to pass on.
NOTING = """#!/usr/bin/env bash
%(launcher)s "$@"
status=$?
echo $status >> %(note)s
exit %(says)s
"""


class Run:
    """One run under scan; `directory` is on the file system that may become full."""

    def __init__(self, directory, fault, moment, point, says="$status"):
        self.notes = os.path.join(directory, "notes")
        self.experiment = os.path.join(directory, "place", "experiment")
        os.makedirs(self.notes)
        os.makedirs(os.path.dirname(self.experiment), exist_ok=True)
        self.name = "%s at %s %d" % (fault, moment, point)
        launcher = MPIEXEC if fault in ("sigterm_scan", "kill_scan") else self.noting(directory, says)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("LATECOMER_")}
        started = time.monotonic()
        self.running = subprocess.Popen(
            [sys.executable, SCAN, "--yield", "--files", "on", "--buffer-size", "4K", "-e", self.experiment, launcher, "-n",
             str(RANKS), DOOMED, fault, moment, str(point), self.notes, self.experiment],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, cwd=directory,
            start_new_session=True)
        if fault in SENT_FROM_OUTSIDE:
            self.send(SENT_FROM_OUTSIDE[fault], fault.endswith("mpiexec"))
        self.output, self.errors = self.until_its_end()
        self.status, self.seconds = self.running.returncode, time.monotonic() - started

    def until_its_end(self):
        """(output, errors). Open MPI's launcher, told to end, may wait forever for one of its own
        locks. Then it is ended here, with a message, unless a process of the program still
        exists."""
        try:
            return self.running.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            processes = [line.split() for line in subprocess.run(
                ["ps", "-s", str(self.running.pid), "-o", "pid=,stat=,comm="],
                capture_output=True, text=True, check=True).stdout.splitlines()]
            # Processes that have ended, and that the launcher has not waited for, do not count.
            session = {pid: name for pid, stat, name, *_ in processes if stat[0] != "Z"}
            launchers = [pid for pid, name in session.items() if name in ("orterun", "mpiexec.openmpi"[:15])]
            if FAULT not in SENT_FROM_OUTSIDE or "openmpi" not in MPIEXEC or not launchers or \
                    os.path.basename(DOOMED)[:15] in session.values():
                raise
        print("%s: Open MPI's launcher, alone, did not end within %d s" % (self.name, SECONDS))
        for pid in launchers:
            os.kill(int(pid), signal.SIGKILL)
        return self.running.communicate(timeout=SECONDS)

    def noting(self, directory, says):
        """A launcher with the same name. It notes how each of its starts ends, and exits with that
        status or another one."""
        path = os.path.join(directory, os.path.basename(MPIEXEC))
        with open(path, "w") as script:
            script.write(NOTING % {"launcher": shlex.quote(MPIEXEC), "says": says,
                                   "note": shlex.quote(os.path.join(self.notes, "launcher"))})
        os.chmod(path, 0o755)
        return path

    def launcher_status(self):
        """Status of the launcher for the program; it is started again for the analysis."""
        with open(os.path.join(self.notes, "launcher")) as file:
            return int(file.readline())

    def send(self, number, to_launcher):
        until = time.monotonic() + 100
        while not os.path.exists(os.path.join(self.notes, "happened.1")):
            if time.monotonic() > until or self.running.poll() is not None:
                return  # the test will notice that it never happened
            time.sleep(0.02)
        pid = self.running.pid
        for _ in range(2 if to_launcher else 0):  # the noting script, and the launcher
            pid = int(subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True,
                                     check=True).stdout.split()[0])
        os.kill(pid, number)

    def number(self, name, rank):
        with open(os.path.join(self.notes, "%s.%d" % (name, rank)), "rb") as file:
            return int.from_bytes(file.read(8), "little")

    def happened(self):
        return any(name.startswith("happened") for name in os.listdir(self.notes))

    def points(self):
        """Number of calls inside MPI_Init and MPI_Finalize that rank 1 made."""
        with open(os.path.join(self.notes, "points.1")) as file:
            return dict(zip(("init", "finalize"), map(int, file.read().split())))

    def has(self, name):
        return os.path.exists(os.path.join(self.experiment, name))

    def left_behind(self):
        """Processes of the run that are left. If scan was killed, they get a moment to end."""
        until = time.monotonic() + (100 if FAULT == "kill_scan" else 0)
        while True:
            left = subprocess.run(["pgrep", "-fa", self.notes], capture_output=True, text=True).stdout
            if not left or time.monotonic() > until:
                return left
            time.sleep(0.1)

    def calls(self):
        """{(rank, function): number of enters} in the archive, which must be clean."""
        anchor = os.path.join(self.experiment, "traces.otf2")
        done = subprocess.run(["otf2-print", anchor], capture_output=True, text=True)
        if done.returncode != 0 or "error" in done.stderr:
            raise AssertionError("%s: %s" % (self.name, done.stderr))
        return collections.Counter(
            (int(rank), name) for rank, name in
            re.findall(r'^ENTER +(\d+) .*Region: "(MPI_\w+)"', done.stdout, re.M))


class Survival(unittest.TestCase):
    def start(self, fault, moment="between", point=STEP, says="$status"):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        if fault == "full":
            place = os.path.join(scratch.name, "place")
            os.mkdir(place)
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", place], check=True)
            self.addCleanup(subprocess.run, ["umount", place], check=True)
        run = Run(scratch.name, fault, moment, point, says)
        self.assertEqual(run.left_behind(), "", run.name)
        if fault != "none":
            self.assertTrue(run.happened(), run.name + " never happened: " + run.errors)
        return run

    def moments(self):
        """(moment, point): begin, middle and end of MPI_Init and of MPI_Finalize, and one step in
        between."""
        found = self.start("none").points()
        chosen = [("between", STEP)]
        for moment, last in found.items():
            self.assertGreater(last, 3, "the measurement's calls are not seen")
            chosen += [(moment, point) for point in sorted({1, 2, last // 2, last - 1, last})]
        if FAULT == "mpi_abort":
            end = chosen.pop()  # separate test
            chosen = [end] if AT_END else chosen
        if FAULT in ("exit", "mpi_abort") and not AT_END:
            # MPICH's launcher waits forever for a process that ends like that before it is known.
            chosen.remove(("init", 1))
        return chosen

    def analyze_again(self, run):
        """Runs the analysis again with `scan -a`."""
        return subprocess.run([sys.executable, SCAN, "-a", run.experiment], capture_output=True, text=True,
                              timeout=SECONDS)

    def one_message(self, text, run):
        """A failure is reported at most once."""
        self.assertIn(len(re.findall(r"^error: ", text, re.M)), (0, 1), run.name + text)

    def test_nothing_happens(self):
        if FAULT != "none":
            return
        run = self.start("none")
        self.assertEqual((run.status, run.output), (0, RESULT), run.errors)
        calls = run.calls()
        for rank in range(RANKS):
            self.assertEqual(calls[rank, "MPI_Allreduce"], STEPS)
        self.assertFalse(run.has("records"))

    def test_death(self):
        if not DEADLY:
            return
        for moment, point in self.moments():
            with self.subTest(moment=moment, point=point):
                self.check_death(self.start(FAULT, moment, point), moment)

    def check_death(self, run, moment):
        self.check_status(run, moment)
        self.check_what_is_left(run, moment)

    def check_what_is_left(self, run, moment):
        self.one_message(run.errors, run)
        if not run.has("analysis.cubex") and (run.has("traces.otf2") or run.has("records")):
            # No analysis was made: the run was interrupted, or scan itself was killed. Or all
            # processes have reached MPI_Finalize and the launcher's status is 0: then scan assumes
            # that no archive can be written.
            self.assertTrue(FAULT in ("sigterm_scan", "kill_scan") or "; the records are kept: " in run.errors,
                            run.name + ": " + run.errors)
            again = self.analyze_again(run)
            self.one_message(again.stderr, run)
            if moment != "init":
                self.assertIn(again.returncode, (0, 4), run.name + ": " + again.stderr)
        if run.has("analysis.cubex"):
            self.check_report(run, moment)
        else:
            self.assertEqual(moment, "init", run.name + ": no report: " + run.errors)

    def check_status(self, run, moment):
        """Compares the status with the launcher's. MPICH's may be 0 after SIGTERM: then the summary
        says that the result is partial."""
        if FAULT in ("sigterm_scan", "kill_scan"):
            self.assertNotEqual(run.status, 0, run.name)
        elif run.launcher_status() != 0:
            self.assertEqual(run.status, run.launcher_status(), run.name + ": " + run.errors)
        else:
            self.assertEqual(FAULT, "sigterm_mpiexec", "the launcher says 0: " + run.name)
            self.check_hidden_death(run, moment)

    def check_hidden_death(self, run, moment):
        """Checks a run whose launcher reports no failure."""
        self.assertEqual(run.status, 3 if "no trace yet" in run.errors else 0, run.name + ": " + run.errors)
        self.assertEqual("scan: the result is partial" in run.errors, "\npartial: " in run.errors, run.errors)
        if run.has("analysis.cubex") and "\npartial: " not in run.errors:
            self.assertEqual(moment, "finalize", run.name)
            calls = run.calls()
            for rank in range(RANKS):
                self.assertEqual((calls[rank, "MPI_Allreduce"], calls[rank, "MPI_Finalize"]), (STEPS, 1), run.name)

    def test_launcher_that_hides_a_death(self):
        if FAULT != "sigterm_mpiexec":
            return
        for moment, point in self.moments():
            with self.subTest(moment=moment, point=point):
                run = self.start(FAULT, moment, point, says="0")
                self.check_hidden_death(run, moment)
                self.check_what_is_left(run, moment)

    def check_report(self, run, moment):
        shown = subprocess.run([LATECOMER, "show", run.experiment], capture_output=True, text=True)
        self.assertEqual(shown.returncode, 0, run.name + shown.stderr)
        if moment == "init":
            return
        # No recorded event is lost: the archive has every completed step, and perhaps the one after
        # it.
        calls = run.calls()
        for rank in range(RANKS):
            steps = run.number("steps", rank)
            self.assertGreaterEqual(steps, STEP - 1, run.name)
            for function in ("MPI_Sendrecv", "MPI_Allreduce"):
                self.assertIn(calls[rank, function] - steps, (0, 1), run.name + " " + function)

    def test_disk_full(self):
        if FAULT != "full":
            return
        for moment, point in self.moments():
            with self.subTest(moment=moment, point=point):
                run = self.start("full", moment, point)
                if run.status == 2:  # refused before the program computed anything
                    self.assertEqual((moment, run.output), ("init", ""), run.errors)
                    self.assertIn("No space left on device", run.errors)
                    self.one_message(run.errors, run)
                    continue
                self.assertEqual(run.output, RESULT, run.name + ": " + run.errors)
                self.one_message(run.errors, run)
                if "No space left on device" not in run.errors:
                    # The space that the records no longer need was enough for the archive.
                    self.assertEqual((moment, run.status), ("finalize", 0), run.errors)
                self.check_when_there_is_room(run, moment)

    def check_when_there_is_room(self, run, moment):
        os.remove(os.path.join(os.path.dirname(run.experiment), "filling"))
        again = self.analyze_again(run)
        self.assertIn(again.returncode, (0, 4), run.name + ": " + again.stderr)
        calls = run.calls()
        for rank in range(RANKS):
            if moment == "finalize":
                self.assertEqual(calls[rank, "MPI_Allreduce"], STEPS, run.name)
            elif moment == "between":
                self.assertGreaterEqual(calls[rank, "MPI_Allreduce"], STEP - 50, run.name)
                self.assertLess(calls[rank, "MPI_Allreduce"], STEPS, run.name)
            # Unrecorded events are counted.
        if moment == "between":
            self.assertRegex(run.errors, r"warning: \d+ records \(\d+ bytes\) of ranks 0-2 could not be")

    def test_directory_removed(self):
        if FAULT != "removed":
            return
        for moment, point in self.moments():
            with self.subTest(moment=moment, point=point):
                run = self.start("removed", moment, point)
                if run.status == 2:
                    self.assertEqual((moment, run.output), ("init", ""), run.errors)
                    self.one_message(run.errors, run)
                    continue
                self.assertEqual(run.output, RESULT, run.name + ": " + run.errors)
                self.one_message(run.errors, run)
                if moment == "init" and run.has("analysis.cubex"):
                    self.assertEqual(run.calls()[1, "MPI_Allreduce"], STEPS)  # made again
                else:
                    self.assertEqual((run.status, run.has("analysis.cubex")), (0, False), run.errors)
                    self.assertIn("warning: experiment directory %s was removed" % run.experiment, run.errors)


def in_own_mount_namespace():
    for unshare in (["unshare", "-m"], ["unshare", "-r", "-m"]):
        if subprocess.run(unshare + ["mount", "-t", "tmpfs", "tmpfs", "/mnt"],
                          capture_output=True).returncode == 0:
            os.environ[INSIDE] = "1"
            return subprocess.run(unshare + [sys.executable] + sys.argv).returncode
    print("skipped: nothing can be mounted here")
    return SKIPPED


if __name__ == "__main__":
    if AT_END and "openmpi" in MPIEXEC:
        # This happens without any measurement in one of eight runs: MPI_Abort while the others are
        # in MPI_Finalize.
        print("skipped: Open MPI's launcher may wait for ever, or crash, where MPI_Abort meets MPI_Finalize")
        sys.exit(SKIPPED)
    if FAULT == "full" and INSIDE not in os.environ:
        sys.exit(in_own_mount_namespace())
    unittest.main(argv=sys.argv[:1])
