#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scan --watch: the program runs as without it, whatever happens to the agent, and nothing is left but the report."""
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
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


def uses(directory):
    """True if a process has mapped a file of a directory."""
    for path in glob.glob("/proc/[0-9]*/maps"):
        try:
            with open(path, "rb") as f:
                if os.fsencode(directory) + b"/" in f.read():
                    return True
        except OSError:
            continue
    return False


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
                         ["MANIFEST.md", "analysis.cubex", "latecomer.cfg", "scan.log", "watch.json"])
        for name in ("analysis.cubex", "latecomer.cfg", "scan.log", "watch.json"):
            self.assertIn("| `%s` | " % name, self.text("MANIFEST.md"))

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
        self.assertTrue(self.report()["partial"])
        self.assertNotEqual(self.report()["unfinished"], [])
        self.assertIn("did not reach MPI_Finalize: ", done.stderr)
        shown = json.loads(subprocess.run([LATECOMER, "show", "--json", self.experiment], capture_output=True, text=True,
                                          timeout=100, check=False).stdout)
        self.assertTrue(shown["partial"])
        self.assertIn("unfinished_processes", [note["name"] for note in shown["quality"]])
        checked = subprocess.run([LATECOMER, "check", self.experiment, "--fail", "waiting>99%"], capture_output=True, text=True,
                                 timeout=100, check=False)
        self.assertEqual(checked.returncode, 1, checked.stdout)
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

    def test_profile_replaces_only_its_own_report(self):
        done = self.run_ends("well", options=("--watch",))
        self.assertEqual(done.returncode, 0, done.stderr)
        before = self.text("watch.json")
        self.assertIn("would be replaced by the report that is made of it", self.latecomer(
            "profile", "-o", self.file("watch.json"), "--overwrite", self.experiment, status=2))
        self.assertEqual(self.text("watch.json"), before)
        # Files that show an earlier report do not stay beside a new one.
        self.latecomer("html", self.experiment)
        with open(self.file("analysis.stat"), "w", encoding="utf-8") as f:
            f.write("of an earlier report")
        self.assertTrue(os.path.exists(self.file("report.html")))
        self.latecomer("profile", "--overwrite", self.experiment)
        self.check_nothing_left()
        # The report of a trace tells more.
        file = os.path.join(self.directory, "go on")
        run = self.start("-t", "--watch", "--overwrite", way=("until", file))
        with open(file, "w"):
            pass
        _, errors = run.communicate(timeout=100)
        self.assertEqual(run.returncode, 0, errors)
        self.assertIn("is for the report of the trace, which tells more",
                      self.latecomer("profile", "--overwrite", self.experiment, status=2))
        other = os.path.join(self.directory, "other.cubex")
        self.latecomer("profile", "-o", other, self.experiment)
        self.assertIn("the run was only watched",
                      self.latecomer("check", other, "--fail", "efficiency<80%", status=3))
        os.remove(self.file("watch.json"))
        self.assertIn("has no watch.json", self.latecomer("profile", self.experiment, status=3))
        # A comparison leaves out metrics that only one of them tells.
        changes = json.loads(self.latecomer("diff", "--json", other, self.experiment))
        told = json.loads(self.latecomer("json", other))["extras"]["tells"]
        self.assertLessEqual({one["metric"] for one in changes["changes"]}, set(told))
        self.assertLessEqual({one["metric"] for one in changes["totals"]}, set(told))
        self.assertNotIn("causes", changes)
        self.assertEqual(sum("only watched; not compared" in note for note in changes["notes"]), 1)

    def test_what_needs_a_trace(self):
        """There never was one."""
        done = self.run_ends("well", options=("--watch",))
        self.assertEqual(done.returncode, 0, done.stderr)
        for words in (["what-if", "--latency", "x0.5"], ["timeline", "-o", "t.json"], ["info"], ["clocks"]):
            said = subprocess.run([LATECOMER, words[0], self.experiment, *words[1:]], capture_output=True, text=True,
                                  timeout=100, check=False)
            self.assertNotEqual(said.returncode, 0, said.stdout)
            self.assertIn("only watched", said.stderr)
            self.assertIn("scan -t --watch records a trace", said.stderr)
        self.check_refused(self.scan("-a", self.experiment), 3, "this run was only watched", "scan -t --watch records")
        self.assertIn("the run was only watched", self.latecomer("show", "--by", "time", self.experiment, status=3))
        for words in (["show", "--metric", "efficiency", self.experiment],
                      ["check", self.experiment, "--fail", "efficiency<80%"]):
            self.assertIn("does not tell efficiency: the run was only watched\nhint:  scan -t --watch records a trace",
                          self.latecomer(*words, status=3))

    def test_waits_that_are_not_known(self):
        """Records of all ranks were lost from the beginning: what scan writes then is null, and no check of it is good."""
        done = self.run_ends("well", options=("--watch",))
        self.assertEqual(done.returncode, 0, done.stderr)
        report = self.report()
        for rank in report["ranks"]:
            rank.update(known_ns=0, waiting_ns=None, caused_ns=None, recent_waiting_ns=None, unseen_ns=10**10,
                        waits=dict.fromkeys(rank["waits"]))
        report.update(waiting_ns=None, time_ns=0, paths=[], partial=True)
        report["left_out"]["records_lost"] = 5
        with open(self.file("watch.json"), "w", encoding="utf-8") as f:
            json.dump(report, f)
        self.latecomer("profile", "--overwrite", self.experiment)
        shown = subprocess.run([LATECOMER, "show", self.experiment], capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertRegex(shown.stdout, r"\n +waiting +not known\n")
        self.assertRegex(shown.stdout, r"\n +not recorded +20\.")  # of both ranks
        self.assertIn("How long ranks waited is not known: records were lost.", shown.stdout)
        as_json = json.loads(subprocess.run([LATECOMER, "show", "--json", self.experiment], capture_output=True, text=True,
                                            timeout=100, check=False).stdout)
        self.assertIsNone(as_json["seconds"]["waiting"])
        self.assertIn("does not tell waiting: records were lost",
                      self.latecomer("check", self.experiment, "--fail", "waiting>90%", status=3))
        self.assertIn("does not tell", self.latecomer("check", self.experiment, "--fail", "mpi_latesender>1s", status=3))

    def test_after_scan_was_killed(self):
        """Messages name what works, and the next scan removes what is left in memory."""
        del self.environment["LATECOMER_WATCH_DIRECTORY"]
        run = self.start("--watch")
        link = next(os.path.join(self.file("records"), name) for name in os.listdir(self.file("records"))
                    if name.endswith(".rec"))
        memory = os.path.dirname(os.readlink(link))
        self.assertTrue(memory.startswith("/dev/shm/latecomer-watch-"), memory)
        until = time.monotonic() + 60
        while time.monotonic() < until and not os.path.exists(self.file("watch.json")):
            time.sleep(0.05)
        self.assertTrue(os.path.exists(self.file("watch.json")))
        # A scan that lives is left alone.
        other = self.experiment + "_2"
        self.assertEqual(self.scan("--yield", "--watch", "-e", other, MPIEXEC, "-n", "1", ENDS, "well").returncode, 0)
        self.assertTrue(os.path.exists(memory))
        run.kill()
        run.communicate(timeout=100)
        until = time.monotonic() + 60
        while time.monotonic() < until and (agents_of(self.experiment) or uses(memory)):
            time.sleep(0.05)
        hint = self.latecomer("show", self.experiment, status=3)
        self.assertIn("latecomer profile %s makes a report of what was seen" % self.experiment, hint)
        self.assertNotIn("repair", hint)
        self.latecomer("profile", self.experiment)
        # A directory without a mark of its owner stays.
        not_ours = tempfile.mkdtemp(prefix="latecomer-watch-", dir="/dev/shm")
        self.addCleanup(shutil.rmtree, not_ours)
        done = self.scan("--yield", "--watch", "--overwrite", "-e", other, MPIEXEC, "-n", "1", ENDS, "well")
        self.assertIn("removed the records of a run whose scan was killed: " + memory, done.stderr)
        self.assertFalse(os.path.exists(memory))
        self.assertTrue(os.path.exists(not_ours))

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
        self.assertIn("has no watch.json: its run was not watched", self.latecomer("profile", self.directory, status=3))
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
        self.assertNotIn("--watch-size", done.stderr)
        done = self.run_ends("well", options=("--watch", "--watch-size", "1", "--overwrite"))
        self.assertIn("scan: --watch-size 1: each thread gets 64 KiB, the least that is possible\n", done.stderr)
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
