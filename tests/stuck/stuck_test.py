#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs that hang in known ways, and what latecomer stuck says about them.

usage: stuck_test.py GROUP SCAN MPIEXEC HANGS
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

GROUP, SCAN, MPIEXEC, HANGS = sys.argv[1:5]
STUCK = os.path.join(os.path.dirname(SCAN), "latecomer")
# A rank that exits without MPI_Finalize must not take the others with it.
LAUNCHER = ["--mca", "orte_abort_on_non_zero_status", "0"] if "openmpi" in MPIEXEC else ["-disable-auto-cleanup"]
SECONDS = 60  # until a run hangs, on an overloaded machine
LINE = r"\(hangs\.c:\d+\)"

# Kind: number of ranks, exit status, sentences that the findings must have (patterns), and none that they must not.
KINDS = {
    "deadlocks": {
        "two_receives": (2, 1, [r"ranks 0 and 1 wait for each other: both are in MPI_Recv from the other " + LINE]),
        "ring_of_sends": (3, 1, [r"ranks 0-2 wait for each other in a circle: 0 for 1, 1 for 2, 2 for 0; all are in "
                                 r"MPI_Ssend " + LINE]),
        "large_sends": (2, 1, [r"ranks 0 and 1 wait for each other: both are in MPI_Send to the other " + LINE]),
        "missing_rank": (3, 1, [r"ranks 0 and 1 wait for each other: rank 0 is in MPI_Allreduce on MPI_COMM_WORLD " + LINE +
                                r", rank 1 is in MPI_Recv from 0, tag 5 " + LINE]),
        "from_itself": (2, 1, [r"rank 0 is in MPI_Recv from 0, tag 5 " + LINE + ", which is itself"]),
        "waitall": (3, 1, [r"rank 0 is in MPI_Barrier .*rank 1 is in MPI_Waitall for a receive from 0, tag 5"]),
        "probes": (2, 1, [r"ranks 0 and 1 wait for each other: both are in MPI_Probe from the other"]),
        "polls": (2, 1, [r"ranks 0 and 1 wait for each other: both poll with MPI_Test"]),
        "two_communicators": (2, 1, [r"ranks 0 and 1 wait for each other: rank 0 is in MPI_Barrier on first " + LINE +
                                     r", rank 1 is in MPI_Barrier on second " + LINE]),
        "fence": (2, 1, [r"rank 0 is in MPI_Win_fence on window 1 of MPI_COMM_WORLD .*, rank 1 is in MPI_Recv from 0"]),
        "nonblocking_barrier": (2, 1, [r"rank 0 is in MPI_Wait for MPI_Ibarrier on MPI_COMM_WORLD .*, rank 1 is in MPI_Recv"]),
        "locks": (2, 1, [r"rank 0: threads 0 and 1 wait for locks of each other: thread 0 is in pthread_mutex_lock "
                         r"@hangs.c:\d+, called by main > locks " + LINE + r", whose lock thread 1 holds; thread 1 is in "
                         r"pthread_mutex_lock @hangs.c:\d+, called by lock_backwards " + LINE +
                         ", whose lock thread 0 holds"]),
        "half": (4, 1, [r"ranks 0 and 2 wait for each other: rank 0 is in MPI_Barrier on a communicator of 2 ranks "]),
    },
    "mismatches": {
        "wrong_tag": (2, 1, [r"rank 0 is in MPI_Recv from 1, tag 5 .*, rank 1 is in MPI_Ssend to 0, tag 6 .*: the tags differ"]),
        "lost_tag": (2, 1, [r"ranks 0 and 1 wait for each other: rank 0 is in MPI_Recv from 1, tag 5"]),
        "other_root": (2, 1, [r"different calls as operation 1 of MPI_COMM_WORLD: rank \d is in MPI_Bcast with root \d"]),
        "any_source": (3, 1, [r"rank 0 is in MPI_Recv from any rank, tag 5"]),
        "finalized": (2, 1, [r"rank 0 is in MPI_Recv from 1, tag 5 " + LINE + r", which has left \(MPI_Finalize\)"]),
        "exited": (3, 1, [r"rank 0 is in MPI_Recv from 1, tag 5 " + LINE + r", which has (exited without MPI_Finalize|died)"]),
    },
    "no_deadlocks": {
        "holder_in_mpi": (2, 0, [r"rank 0: thread 0 is in pthread_mutex_lock @hangs.c:\d+, called by main > "
                                 r"holder_in_mpi " + LINE + r", whose lock thread 1 holds, which is in MPI_Recv from 1, "
                                 r"tag 5, called by receive_with_lock " + LINE]),
        "computes": (3, 0, [r"rank 1 is in no MPI call for .* s, since MPI_Comm_size.*, ranks 0, 2 wait in MPI_Barrier "
                            r"on MPI_COMM_WORLD " + LINE + " for it"]),
        "moves": (2, 0, []),
    },
}


class Hanging:
    """A run under scan that hangs, and that is ended at the end of the block."""

    def __init__(self, kind, ranks, *options, program=HANGS):
        self.directory = tempfile.TemporaryDirectory()
        self.experiment = os.path.join(self.directory.name, "experiment")
        environment = {k: v for k, v in os.environ.items() if not k.startswith("LATECOMER_")}
        self.running = subprocess.Popen(
            [sys.executable, SCAN, "--yield", *options, "-e", self.experiment, MPIEXEC, *LAUNCHER, "-n", str(ranks), program,
             kind],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.running.poll() is None:
            self.running.send_signal(signal.SIGTERM)
            try:
                self.running.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(self.running.pid, signal.SIGKILL)
                self.running.communicate()
        self.directory.cleanup()

    def ask(self, *options):
        return subprocess.run([STUCK, "stuck", *options, self.experiment], capture_output=True, text=True, timeout=SECONDS,
                              check=False)

    def until(self, good):
        """Asks until `good(status, answer)` holds; returns the last answer."""
        end = time.monotonic() + SECONDS
        while True:
            done = self.ask("--json")
            answer = json.loads(done.stdout) if done.returncode in (0, 1, 4) else None
            if (answer and good(done.returncode, answer)) or time.monotonic() > end:
                return done.returncode, answer
            time.sleep(0.2)


def sentences(answer):
    return [finding["text"] for finding in answer["findings"]] if answer else []


class Kinds(unittest.TestCase):
    def check(self, kind, ranks, status, patterns):
        def good(found, answer):
            return found == status and all(any(re.search(p, s) for s in sentences(answer)) for p in patterns) and \
                (patterns or all(rank["moved"] for rank in answer["ranks"]))
        with Hanging(kind, ranks) as run:
            found, answer = run.until(good)
            self.assertIsNotNone(answer, run.ask().stderr)
            self.assertTrue(good(found, answer), "%s: status %d, %s\n%s" % (
                kind, found, json.dumps(sentences(answer), indent=1), run.ask().stdout))
            self.assertIsNone(run.running.poll(), "asking does not end the run")


def add(kind, expected):
    setattr(Kinds, "test_" + kind, lambda self: self.check(kind, *expected))


OPENMP = os.environ.get("HANGS_OPENMP", "").split()  # programs, one for each runtime
# Kind: calls of thread 1 and of thread 0, which are marked in the source.
LOCKS = {"locks": ("omp_set_lock", "omp_set_lock"), "nest_locks": ("omp_set_nest_lock", "omp_set_nest_lock"),
         "criticals": (r"!\$omp critical", r"!\$omp critical"), "mixed": (r"!\$omp critical", "pthread_mutex_lock"),
         "mutexes": ("pthread_mutex_lock", "pthread_mutex_lock")}


def marked_line(kind, mark):
    """Line with the mark in the function."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hangs_openmp.c")
    function = ""
    with open(source, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            function = (re.findall(r"^static void (\w+)\(void\)", line) + [function])[0]
            if function == kind and "/* %s */" % mark in line:
                return number
    raise KeyError((kind, mark))


class ThreadLocks(unittest.TestCase):
    """Threads of a killed process: who holds what is named while it hangs, by what the records say afterwards, and in
    the report."""

    def check(self, program, kind):
        one, other = LOCKS[kind]
        pattern = (r"rank 0: threads 0 and 1 wait for locks of each other: thread 0 is in %s @hangs_openmp.c:%d, called by main "
                   r"> %s.*, whose lock thread 1 holds; thread 1 is in %s @hangs_openmp.c:%d.*, whose lock thread 0 holds" % (
                       other, marked_line(kind, "other"), kind, one, marked_line(kind, "one")))
        with Hanging(kind, 2, program=program) as run:
            status, answer = run.until(lambda status, answer: status == 1 and any(
                re.search(pattern, text) for text in sentences(answer)))
            self.assertEqual(status, 1, answer)
            self.assertRegex("\n".join(sentences(answer)), pattern)
            os.killpg(run.running.pid, signal.SIGKILL)
            run.running.communicate()
            status, answer = run.until(lambda status, answer: not answer["running"])
            self.assertEqual(status, 1)
            self.assertRegex("\n".join(sentences(answer)), pattern)
            done = subprocess.run([sys.executable, SCAN, "--yield", "-a", run.experiment], capture_output=True, text=True,
                                  check=False, timeout=2 * SECONDS)
            shown = subprocess.run([STUCK, "show", "--json", run.experiment], capture_output=True, text=True, check=False)
            notes = {note["name"]: note["text"] for note in json.loads(shown.stdout or "{}").get("quality", [])}
            self.assertIn("lock_circles", notes, done.stdout + done.stderr + shown.stderr)
            self.assertRegex(notes["lock_circles"], pattern)


def add_locks(number, program, kind):
    setattr(ThreadLocks, "test_%s_%d" % (kind, number), lambda self: self.check(program, kind))


class Unasked(unittest.TestCase):
    def test_a_hint_once_when_nothing_moves(self):
        with Hanging("two_receives", 2, "--hang", "1s") as run:
            run.until(lambda status, _: status == 1)
            line = run.running.stderr.readline()
            while line and "nothing has moved" not in line:
                line = run.running.stderr.readline()
            self.assertRegex(line, r"^scan: nothing has moved for [\d.]+ s: latecomer stuck \S+ says who waits for whom$")

    def test_an_answer_to_sigusr1(self):
        with Hanging("two_receives", 2, "--hang", "off") as run:
            run.until(lambda status, _: status == 1)
            run.running.send_signal(signal.SIGUSR1)
            line = run.running.stderr.readline()
            while line and "wait for each other" not in line:
                line = run.running.stderr.readline()
            self.assertIn("stuck: ranks 0 and 1 wait for each other: both are in MPI_Recv from the other", line)
            self.assertIsNone(run.running.poll())

    def test_last_words_of_a_run_that_is_interrupted(self):
        with Hanging("two_receives", 2) as run:
            run.until(lambda status, _: status == 1)
            run.running.send_signal(signal.SIGTERM)
            _, errors = run.running.communicate(timeout=SECONDS)
            self.assertEqual(run.running.returncode, 143)
            self.assertIn("stuck: ranks 0 and 1 wait for each other: both are in MPI_Recv from the other", errors)
            with open(os.path.join(run.experiment, "scan.log"), encoding="utf-8") as f:
                self.assertIn("ranks 0 and 1 wait for each other", f.read())

    def test_files_that_are_left_by_killed_processes(self):
        with Hanging("two_receives", 2) as run:
            run.until(lambda status, _: status == 1)
            copy = os.path.join(run.directory.name, "copy")
            shutil.copytree(run.experiment, copy)
            os.killpg(run.running.pid, signal.SIGKILL)
            run.running.communicate()
            for directory in (run.experiment, copy):
                run.experiment = directory
                status, answer = run.until(lambda status, answer: not answer["running"])
                self.assertEqual(status, 1)
                self.assertIn("ranks 0 and 1 wait for each other", " ".join(sentences(answer)))
            self.check_damaged(run, copy)

    def check_damaged(self, run, copy):
        """Whatever is in the files: no crash, and no endless output."""
        records = os.path.join(copy, "records")
        for name in sorted(os.listdir(records)):
            path = os.path.join(records, name)
            with open(path, "rb") as f:
                whole = f.read()
            for place in list(range(0, 120, 7)) + list(range(500, 700, 9)) + list(range(1280, 1420, 8)) + [1500, 4095, 4096, 5000]:
                for value in (b"\xff" * 8, b"\x00" * 8, b"\x7f\xfe\x01\x80\xff\xff\xff\x7f"):
                    with open(path, "wb") as f:
                        f.write(whole[:place] + value + whole[place + 8:])
                    self.check_answer(run, "%s at %d" % (name, place))
            for length in (0, 100, 600, 4096, 4100):
                with open(path, "wb") as f:
                    f.write(whole[:length])
                self.check_answer(run, "%s cut at %d" % (name, length))
            os.unlink(path)
            self.check_answer(run, "without %s" % name)
            with open(path, "wb") as f:
                f.write(whole)

    def check_answer(self, run, what):
        done = run.ask()
        self.assertIn(done.returncode, (0, 1, 3, 4), "%s: %s" % (what, done.stderr[-500:]))
        self.assertLess(len(done.stdout), 20000, what)

    def test_ranks_that_cannot_be_seen(self):
        with Hanging("missing_rank", 4) as run:
            run.until(lambda status, _: status == 1)
            copy = os.path.join(run.directory.name, "copy")
            shutil.copytree(run.experiment, copy)
            for rank in (2, 3):
                os.unlink(os.path.join(copy, "records", "%d.0.rec" % rank))
                os.unlink(os.path.join(copy, "records", "%d.def" % rank))
            run.experiment = copy
            done = run.ask()
            self.assertIn("note:  2 of 4 ranks cannot be seen from here: ranks 2, 3\n", done.stdout)

    def test_nothing_to_ask(self):
        with tempfile.TemporaryDirectory() as directory:
            done = subprocess.run([STUCK, "stuck", directory], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 3)
            self.assertRegex(done.stderr, r"\Aerror: .*\nhint:  .*\n\Z")


if __name__ == "__main__":
    if GROUP in KINDS:
        for name, values in KINDS[GROUP].items():
            add(name, values)
        suite = unittest.defaultTestLoader.loadTestsFromTestCase(Kinds)
    elif GROUP == "thread_locks":
        for number_, program_ in enumerate(OPENMP):
            for kind_ in LOCKS:
                add_locks(number_, program_, kind_)
        suite = unittest.defaultTestLoader.loadTestsFromTestCase(ThreadLocks)
    else:
        suite = unittest.defaultTestLoader.loadTestsFromTestCase(Unasked)
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
