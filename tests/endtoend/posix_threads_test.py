#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""POSIX threads: each wait is as long as the program itself measured, at the right call, with the right cause."""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

from support import LATECOMER, MPIEXEC, analyze, quality, regions, run, scan

PROGRAM = os.environ["POSIX_WAITS"]
CONFORM = os.environ["POSIX_CONFORM"]
OBJECTS = os.environ["POSIX_OBJECTS"]
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "posix_waits.c")
# Name in the program: metric, and function that waits.
WAITS = {
    "mutex": ("pthread_lock_contention_mutex_lock", "pthread_mutex_lock"),
    "rwlock": ("pthread_lock_contention_rwlock", "pthread_rwlock_wrlock"),
    "condition": ("pthread_condition_wait", "pthread_cond_wait"),
    "semaphore": ("pthread_semaphore_wait", "sem_wait"),
    "barrier": ("pthread_barrier_wait", "pthread_barrier_wait"),
    "join": ("pthread_join_wait", "pthread_join"),
    "spin": ("pthread_lock_contention_mutex_lock", "pthread_spin_lock"),
    "mtx": ("pthread_lock_contention_mutex_lock", "mtx_lock"),
    "cnd": ("pthread_condition_wait", "cnd_wait"),
    "thrd_join": ("pthread_join_wait", "thrd_join"),
}


def quality_notes(experiment):
    return json.loads(run([LATECOMER, "show", "--json", experiment]).stdout)["quality"]


def line_of(text):
    """Line of a text in the source of the program."""
    with open(SOURCE) as f:
        return [i for i, line in enumerate(f, 1) if text in line][0]


class PosixThreads(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = scratch.name

    def record(self, *words, **variables):
        experiment = os.path.join(self.directory, "experiment")
        done = scan("--yield", "-e", experiment, *words, cwd=self.directory, env=dict(os.environ, **variables))
        self.assertEqual(done.returncode, 0, done.stderr)
        return experiment, done

    def test_waits(self):
        experiment, done = self.record("--keep-records", MPIEXEC, "-n", "2", PROGRAM)
        measured = {name: (int(least) / 1e9, int(most) / 1e9)
                    for name, least, most in re.findall(r"^(\w+) (\d+) (\d+)$", done.stdout, re.M)}
        self.assertEqual(set(measured), set(WAITS), done.stdout)
        found = collections.Counter()
        for row in run([LATECOMER, "csv", experiment]).stdout.splitlines():
            if not row.startswith("pthread_"):
                continue
            metric, path, _, _, rank, thread, value, _ = row.split(",")
            if rank == "0":
                found[metric, path.rsplit("/", 1)[-1], thread] += float(value)
        for name, (metric, function) in WAITS.items():
            call = "%s @posix_waits.c:%d" % (function, line_of("%s(" % function + {
                "mutex": "&lock);  // waits", "rwlock": "&shared);  // waits", "condition": "&condition, &lock);  // waits",
                "semaphore": "&semaphore) != 0) {  // waits", "barrier": "&barrier);  // waits",
                "join": "thread, NULL);  // waits", "spin": "&spin);  // waits", "mtx": "&iso_lock);  // waits",
                "cnd": "&iso_condition, &iso_lock);  // waits", "thrd_join": "thread, NULL);  // waits"}[name]))
            value = found[metric, call, "0"]
            least, most = measured[name]
            # Threads of a busy machine lose their core between the clock reading and the call, so the lower bound is
            # weak. The upper one is certain, but for the clocks' resolution.
            self.assertGreater(value, least / 2, (name, call, found))
            self.assertLess(value, most + 1e-4, (name, call, found))
        shown = json.loads(run([LATECOMER, "show", "--json", experiment]).stdout)
        self.assertEqual([name for name in quality(shown) if name != "switches_lost"], [])
        reports = []
        for processes in (1, 2, 3):
            report = os.path.join(self.directory, "report")
            self.assertEqual(analyze(experiment, processes, report).returncode, 0)
            with open(report, "rb") as f:
                reports.append(f.read())
        self.assertEqual(reports.count(reports[0]), 3)

    def test_records(self):
        experiment, _ = self.record(MPIEXEC, "-n", "2", PROGRAM)
        text = run(["otf2-print", os.path.join(experiment, "traces.otf2")]).stdout
        for event in ("THREAD_CREATE", "THREAD_BEGIN", "THREAD_WAIT", "THREAD_END"):
            self.assertEqual(len(re.findall(r"^%s " % event, text, re.M)), 2 * 10, event)
        # The holder that was waited for, and the thread that waited.
        self.assertEqual(text.count("THREAD_ACQUIRE_LOCK"), text.count("THREAD_RELEASE_LOCK"))
        self.assertGreaterEqual(text.count("THREAD_ACQUIRE_LOCK"), 2 * 2 * 3)

    def test_threads_made_before_mpi_init(self):
        """The thread that waits has records, that it is late to the join as well; the others are counted."""
        experiment, done = self.record(MPIEXEC, "-n", "1", os.environ["EARLY_THREADS"])
        text = run(["otf2-print", os.path.join(experiment, "traces.otf2")]).stdout
        for event, count in (("THREAD_CREATE", 0), ("THREAD_BEGIN", 1), ("THREAD_END", 1), ("THREAD_WAIT", 1),
                             ("THREAD_ACQUIRE_LOCK", 2)):
            self.assertEqual(len(re.findall(r"^%s " % event, text, re.M)), count, event)
        rows = run([LATECOMER, "csv", experiment]).stdout
        self.assertRegex(rows, r"pthread_lock_contention_mutex_lock,[^,]*wait_later/pthread_mutex_lock @early_threads.c:16,")
        self.assertRegex(rows, r"pthread_join_wait,[^,]*/pthread_join @early_threads.c:40,")
        notes = {note["name"]: note for note in quality_notes(experiment)}
        self.assertEqual(notes["early_threads"]["count"], 1)
        self.assertIn("thread that was made before MPI_Init without records", " ".join((done.stdout + done.stderr).split()))

    def test_threads_off(self):
        experiment, done = self.record("--threads", "off", MPIEXEC, "-n", "2", PROGRAM)
        notes = {note["name"]: note for note in quality_notes(experiment)}
        self.assertEqual(notes["threads_off"]["count"], 2)
        self.assertIn("processes have had up to 11 threads, of which nothing is recorded (--threads off)",
                      notes["threads_off"]["text"])
        self.assertIn("(--threads off)", " ".join((done.stdout + done.stderr).split()))
        names = [name for name, _, _ in regions(os.path.join(experiment, "traces.otf2")).values()]
        # Samples may lie in the functions of the C library.
        self.assertFalse([name for name in names if re.match(r"(pthread|mtx|cnd|thrd|sem)_\w+ @", name)], names)

    def without(self, *words):
        """The program without the measurement library."""
        return subprocess.run([MPIEXEC, "-n", "1", *words], cwd=self.directory, capture_output=True, text=True,
                              errors="replace", timeout=120, check=False)

    def test_results_are_those_without_recording(self):
        bare = self.without(CONFORM)
        self.assertEqual(bare.returncode, 0, bare.stderr)
        self.assertIn("64 threads: 64", bare.stdout)
        _, done = self.record(MPIEXEC, "-n", "1", CONFORM)
        # Threads that cancel and those that are cancelled write at the same time. The output of scan is there, too.
        known = set(bare.stdout.splitlines())
        lines = [line for line in done.stdout.splitlines() if line in known]
        self.assertEqual(sorted(lines), sorted(bare.stdout.splitlines()), done.stdout)

    def test_many_threads(self):
        experiment, done = self.record(MPIEXEC, "-n", "1", CONFORM, "many", "2000")
        self.assertIn("2000 threads: 2000", done.stdout)
        text = run(["otf2-print", os.path.join(experiment, "traces.otf2")]).stdout
        self.assertEqual(len(re.findall(r"^THREAD_BEGIN ", text, re.M)), 2000)
        self.assertEqual(len(re.findall(r"^THREAD_END ", text, re.M)), 2000)
        # Threads share the locations of those that have ended: as many as there were at the same time.
        self.assertLessEqual(len(os.listdir(os.path.join(experiment, "traces"))), 2 * (1 + 16))

    def test_more_objects_than_there_is_room_for(self):
        """Waits for objects that find no room in the table are counted, and nothing is recorded twice."""
        experiment, done = self.record(MPIEXEC, "-n", "1", CONFORM, "objects", "20000")
        self.assertIn("20000 of 20000 waits timed out", done.stdout)
        text = run(["otf2-print", os.path.join(experiment, "traces.otf2")]).stdout
        recorded = len(re.findall(r"^ENTER .*pthread_cond_timedwait", text, re.M))
        lost = re.search(r"LATECOMER::LOST::WAITS_OF_THREADS +(\d+)\n", run([LATECOMER, "info", experiment]).stdout)
        self.assertLessEqual(recorded, 16384)
        self.assertGreater(recorded, 16384 / 2)
        self.assertEqual(recorded + int(lost[1]), 20000)
        notes = [note["text"] for note in quality_notes(experiment) if note["count"] == int(lost[1])]
        self.assertIn("waits of threads", " ".join(notes))
        self.assertIn("waits of threads", done.stdout + done.stderr)

    def test_exit_in_a_thread(self):
        experiment = os.path.join(self.directory, "experiment")
        done = scan("--yield", "-e", experiment, MPIEXEC, "-n", "1", CONFORM, "exit", cwd=self.directory)
        self.assertNotEqual(done.returncode, 0)
        analyzed = scan("-a", experiment)
        self.assertIn("pthread_cond_wait", run([LATECOMER, "csv", experiment]).stdout, analyzed.stderr)

    def test_cxx(self):
        experiment, done = self.record(MPIEXEC, "-n", "2", OBJECTS)
        self.assertIn("ok", done.stdout)
        with open(os.path.splitext(SOURCE)[0].replace("posix_waits", "posix_objects.cpp")) as f:
            line = [i for i, text in enumerate(f, 1) if "// waits" in text][0]
        rows = run([LATECOMER, "csv", experiment]).stdout
        self.assertIn("pthread_cond_wait @posix_objects.cpp:%d" % line, rows)
        self.assertNotIn("libstdc++", rows)

    @unittest.skipUnless("OPENMP_WAITS" in os.environ, "no OpenMP")
    def test_only_waits(self):
        """Loops and critical sections of OpenMP are left out, barriers are not."""
        experiment, _ = self.record("--threads", "waits", MPIEXEC, "-n", "1", os.environ["OPENMP_WAITS"])
        names = {name.split(" @")[0] for name, _, _ in regions(os.path.join(experiment, "traces.otf2")).values()}
        self.assertLessEqual({"!$omp parallel", "!$omp barrier", "!$omp implicit barrier"}, names)
        self.assertFalse({"!$omp for", "!$omp critical", "!$omp critical sblock", "!$omp sections"} & names, names)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
