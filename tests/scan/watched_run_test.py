#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scan --watch: the program runs as without it, whatever happens to the agent, and nothing is left but the report."""
import glob
import json
import os
import signal
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
from support import ENDS, MPIEXEC, SCAN, ScanTest  # noqa: E402

LATECOMER = os.path.join(os.path.dirname(SCAN), "latecomer")


def agents_of(experiment):
    """Ids of the agents that watch an experiment."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as f:
                words = f.read().split(b"\0")
        except OSError:
            continue
        if words[0].endswith(b"latecomer-watch") and os.fsencode(experiment) in words:
            found.append(int(path.split("/")[2]))
    return found


def files_of(experiment):
    """Number of record files that the agents of an experiment have opened."""
    found = 0
    for agent in agents_of(experiment):
        for path in glob.glob("/proc/%d/fd/*" % agent):
            try:
                found += os.readlink(path).endswith(".rec")
            except OSError:
                pass
    return found


class WatchedRun(ScanTest):
    def setUp(self):
        super().setUp()
        self.memory = os.path.join(self.directory, "memory")
        os.mkdir(self.memory)
        self.environment["LATECOMER_WATCH_DIRECTORY"] = self.memory

    def report(self):
        return json.loads(self.text("watch.json"))

    def check_nothing_left(self):
        self.assertEqual(os.listdir(self.memory), [])
        self.assertEqual(agents_of(self.experiment), [])
        self.assertEqual(sorted(os.listdir(self.experiment)),
                         ["analysis.cubex", "latecomer.cfg", "scan.log", "watch.json"])

    def test_a_run_is_watched_and_leaves_a_report(self):
        command = [MPIEXEC, "-n", "2", "sh", "-c", 'echo said; exec "$0" well', ENDS]
        plain = subprocess.run(command, capture_output=True, text=True, timeout=100)
        self.assertEqual(plain.stdout, "said\nsaid\n")
        done = self.scan("--yield", "--watch", "-e", self.experiment, *command)
        self.assertEqual((done.returncode, done.stdout), (plain.returncode, plain.stdout), done.stderr)
        self.assertIn("watching: latecomer watch ", done.stderr)
        self.assertRegex(done.stderr, r"watched 2 of 2 ranks: \d+ records\n")
        for path in self.report()["paths"][:3]:
            self.assertIn(" s in %s" % path["path"], done.stderr)
        self.assertEqual(self.report()["size"], 2)
        self.assertEqual(self.report()["left_out"]["records_lost"], 0)
        self.check_nothing_left()
        self.assertIn("report: latecomer show ", done.stderr)
        shown = self.latecomer("show", self.experiment)
        self.assertIn("scan_ends well: 2 ranks, 1 node, run time ", shown)
        self.assertIn("2 ranks were watched, not traced", shown)
        self.assertIn("exists already", self.latecomer("profile", self.experiment, status=2))

    def test_trace_and_watch_at_once(self):
        file = os.path.join(self.directory, "go on")
        run = self.start("-t", "--watch", way=("until", file))
        with open(file, "w"):
            pass
        _, errors = run.communicate(timeout=100)
        self.assertEqual(run.returncode, 0, errors)
        self.assertEqual(self.report()["size"], 2)
        for name in ("traces.otf2", "analysis.cubex", "MANIFEST.md"):
            self.assertTrue(os.path.exists(self.file(name)), name)
        self.assertIn("`watch.json`", self.text("MANIFEST.md"))

    def test_hints_after_the_end(self):
        """The records are gone, and the commands say what is left."""
        done = self.run_ends("well", options=("--watch",))
        self.assertEqual(done.returncode, 0, done.stderr)
        latecomer = os.path.join(os.path.dirname(SCAN), "latecomer")

        def hint(command):
            asked = subprocess.run([latecomer, command, self.experiment], capture_output=True, text=True, timeout=100)
            self.assertEqual(asked.returncode, 3, asked.stderr)
            return asked.stderr.split("hint:  ")[1]
        seen = "the run was only watched: watch.json has what was seen, "
        for command in ("watch", "stuck"):
            self.assertEqual(hint(command), seen + "and latecomer show %s shows it\n" % self.experiment)
        os.remove(self.file("analysis.cubex"))
        make = seen + "latecomer profile %s makes a report of it, and latecomer show %s shows that\n" % (
            self.experiment, self.experiment)
        for command in ("watch", "stuck", "show"):
            self.assertEqual(hint(command), make)

    def test_status_of_a_program_that_fails(self):
        done = self.run_ends("exit3", options=("--watch",))
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("the program ended with status 3", done.stderr)
        self.check_nothing_left()

    def test_a_rank_that_is_killed(self):
        done = self.run_ends("kill", options=("--watch",))
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(self.report()["size"], 2)
        self.check_nothing_left()

    def test_further_programs_leave_nothing(self):
        script = '"$0" -n 2 "$1" well && "$0" -n 2 "$1" well'
        done = self.scan("--yield", "--watch", "-e", self.experiment, "--", "sh", "-c", script, MPIEXEC, ENDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("is not the first MPI program of this run, and is watched by itself: latecomer watch ", done.stderr)
        self.assertIn("watched 2 of 2 ranks: ", done.stderr)
        self.check_nothing_left()
        self.assertEqual(os.listdir(self.experiment + "_2"), ["latecomer.cfg"])

    def test_a_refused_run_keeps_what_was_there(self):
        done = self.run_ends("well", options=("--keep-records",))
        self.assertEqual(done.returncode, 0, done.stderr)
        kept = sorted(os.listdir(self.file("records")))
        self.environment["LATECOMER_BUFFER_SIZE"] = "nonsense"
        done = self.run_ends("well", options=("--watch", "--overwrite"))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(sorted(os.listdir(self.file("records"))), kept)
        self.assertEqual(os.listdir(self.memory), [])

    def start(self, *options, way=("sleep",)):
        """A run that goes on for a minute, unless it is interrupted; returns when all its ranks are watched."""
        run = subprocess.Popen([sys.executable, SCAN, "--yield", *options, "-e", self.experiment, MPIEXEC, "-n", "2",
                                ENDS, *way], env=self.environment, cwd=self.directory, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        until = time.monotonic() + 60
        while time.monotonic() < until and files_of(self.experiment) < 2:
            time.sleep(0.05)
        return run

    def test_an_agent_that_is_killed(self):
        run = self.start("--watch")
        for agent in agents_of(self.experiment):
            os.kill(agent, signal.SIGKILL)
        self.assertIsNone(run.poll())
        run.send_signal(signal.SIGTERM)
        _, errors = run.communicate(timeout=100)
        self.assertEqual(run.returncode, 128 + signal.SIGTERM)
        self.assertIn("the agent that watched the run was ended by signal 9; the run went on without it", errors)
        self.assertEqual(os.listdir(self.memory), [])
        self.assertFalse(os.path.exists(self.file("records")))

    def test_who_waits_in_a_run_that_hangs(self):
        """latecomer stuck knows that the processes live, though their records are elsewhere in memory."""
        run = self.start("--watch")
        done = subprocess.run([LATECOMER, "stuck", self.experiment], capture_output=True, text=True, timeout=100)
        run.send_signal(signal.SIGTERM)
        run.communicate(timeout=100)
        self.assertNotIn("none of them runs here any more", done.stdout)
        self.assertIn("2 ranks", done.stdout)

    def test_an_interrupted_run(self):
        run = self.start("--watch")
        run.send_signal(signal.SIGTERM)
        _, errors = run.communicate(timeout=100)
        self.assertIn("interrupted; there is no trace, since the program was only watched", errors)
        self.check_nothing_left()

    def test_interrupted_from_the_keyboard(self):
        """All processes of the terminal get the signal. The agent still reads everything."""
        run = self.start("--watch")
        os.killpg(run.pid, signal.SIGINT)
        _, errors = run.communicate(timeout=100)
        self.assertIn("watched 2 of 2 ranks: ", errors)
        self.assertTrue(self.report()["ended"], errors)
        self.check_nothing_left()

    def test_without_room_in_memory(self):
        self.environment["LATECOMER_WATCH_DIRECTORY"] = os.path.join(self.directory, "missing")
        done = self.run_ends("well", options=("--watch",))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("since there is no room in", done.stderr)
        self.assertIn("watched 2 of 2 ranks: ", done.stderr)
        self.check_nothing_left()

    def test_what_does_not_go_together(self):
        self.check_refused(self.scan("--watch", "-q", MPIEXEC, "-n", "1", ENDS, "well"), 2, "--quiet")

    def test_several_runs_make_a_baseline(self):
        done = self.scan("--yield", "--watch", "-R", "2", "-e", self.experiment, MPIEXEC, "-n", "2", ENDS, "well")
        self.assertEqual(done.returncode, 0, done.stderr)
        runs = [self.experiment + "_1", self.experiment + "_2"]
        self.assertIn("latecomer check --write-baseline baseline.json ", done.stderr)
        baseline = os.path.join(self.directory, "baseline.json")
        self.latecomer("check", "--write-baseline", baseline, *runs)
        self.latecomer("check", runs[0], "--baseline", baseline, "--fail", "waiting>+1000s")
        self.assertIn("MPI", self.latecomer("diff", *runs))
        self.assertEqual(os.listdir(self.memory), [])

    def latecomer(self, *words, status=0):
        """What it prints: errors if it has failed."""
        done = subprocess.run([LATECOMER, *words], capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(done.returncode, status, (words, done.stdout, done.stderr))
        return done.stderr if status else done.stdout

    def test_what_is_no_statistics_of_a_run(self):
        file = os.path.join(self.directory, "w.json")
        self.assertIn("cannot read", self.latecomer("profile", file, status=3))
        self.assertIn("cannot read", self.latecomer("profile", self.directory, status=3))
        for text in ("", "{}", "[]", '{"format": "latecomer watch 0"}', '{"format": "latecomer watch 1", "ranks": 3}'):
            with open(file, "w", encoding="utf-8") as f:
                f.write(text)
            self.assertIn("no statistics of a run that was watched", self.latecomer("profile", file, status=3))
        os.mkfifo(os.path.join(self.directory, "watch.json"))
        self.assertIn("cannot read", self.latecomer("profile", self.directory, status=3))
        self.assertFalse(os.path.exists(os.path.join(self.directory, "analysis.cubex")))

    def test_options_without_effect(self):
        """They are about a trace, which is not made; and the other way round."""
        done = self.run_ends("well", options=("--watch", "--sample", "50", "--keep-records", "--eager-limit", "8", "--clean"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("scan: --sample, --keep-records, --eager-limit, --clean have no effect with --watch: there is no trace "
                      "(-t --watch makes one)\n", done.stderr)
        done = self.run_ends("well", options=("--watch", "--watch-size", "2M", "--overwrite"))
        self.assertNotIn("no effect", done.stderr)
        done = self.run_ends("well", options=("--watch-size", "2M", "--overwrite"))
        self.assertIn("scan: --watch-size has no effect if there is a trace: it has all records\n", done.stderr)

    def test_a_dry_run(self):
        done = self.scan("--watch", "-n", "-e", self.experiment, MPIEXEC, "-n", "2", ENDS, "well")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 1)
        self.assertIn("LATECOMER_WATCH=only", done.stdout)
        self.assertEqual(os.listdir(self.memory), [])


if __name__ == "__main__":
    unittest.main()
