#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs that end well, and the files that scan keeps of them."""
import json
import os
import re
import shlex
import subprocess
import sys
import unittest

from support import ENDS, MPIEXEC, SCAN, ScanTest


class Runs(ScanTest):
    def test_files_of_an_experiment(self):
        done = self.run_ends(options=["--buffer-size", "512K"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(os.listdir(self.experiment)), [
            "MANIFEST.md", "analysis.cubex", "analysis.stat", "latecomer.cfg", "scan.log", "traces",
            "traces.def", "traces.otf2"])
        named = re.findall(r"^\| `([^`/]+)/?` \|", self.text("MANIFEST.md"), re.M)
        self.assertEqual(sorted(named + ["MANIFEST.md"]), sorted(os.listdir(self.experiment)))
        log = self.text("scan.log")
        for part in ("running " + MPIEXEC, "ended with status 0", "analysis: ", "report: "):
            self.assertIn(part, log)
        cost = r"measuring cost (about|less than) .* % of the processor time: [0-9,]+ events of \d+ ns, .* kB"
        self.assertRegex(log, cost)
        self.assertRegex(done.stderr, "scan: " + cost)
        shell = ". %s && echo $LATECOMER_BUFFER_SIZE,$LATECOMER_TIMER" % self.file("latecomer.cfg")
        self.assertEqual(subprocess.run(["sh", "-c", shell], capture_output=True, text=True).stdout,
                         "512K,\n")
        self.assertIn("# LATECOMER_TIMER was not set (default: auto)", self.text("latecomer.cfg"))

    def test_modes(self):
        """Modes follow the user's umask, whatever the program does with its own, even in an archive
        that the program makes itself."""
        self.addCleanup(os.umask, os.umask(0o027))
        for way in ("umask", "umask_first"):
            done = self.run_ends(way, options=["--overwrite"])
            self.assertEqual(done.returncode, 0, done.stderr)
            for folder, _, files in os.walk(self.experiment):
                self.assertEqual(os.stat(folder).st_mode & 0o777, 0o750, folder)
                for name in files:
                    self.assertEqual(os.stat(os.path.join(folder, name)).st_mode & 0o777, 0o640, name)

    def test_memory_is_shown(self):
        done = self.run_ends(options=["-v", "--buffer-size", "64K"])
        self.assertRegex(done.stderr, r"recording to .*/experiment, timer \w+, memory of each thread for records 64 KiB\n")

    def test_streams_pass_through(self):
        done = self.run_ends("echo", "a b", "$HOME", "'x'", "", input="from stdin\n")
        self.assertEqual(done.stdout, "from stdin\n[a b][$HOME]['x'][]\n")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_directory_with_spaces(self):
        self.experiment = os.path.join(self.directory, "two words", "it's mine")
        self.assertEqual(self.run_ends().returncode, 0)
        self.assertTrue(os.path.exists(self.file("analysis.cubex")))
        self.assertEqual(self.scan("-a", self.experiment).returncode, 0)

    def script(self, *lines):
        path = os.path.join(self.directory, "script")
        with open(path, "w") as file:
            file.write("\n".join(("#!/bin/sh",) + lines))
        os.chmod(path, 0o755)
        return path

    def test_several_programs_in_one_run(self):
        script = self.script("%s -n 1 %s" % (MPIEXEC, ENDS), "%s -n 2 %s many" % (MPIEXEC, ENDS))
        for option in ("--overwrite", "--overwrite", "--next"):  # each time another run
            done = self.scan("--yield", option, "-e", self.experiment, script)
            self.assertEqual(done.returncode, 0, done.stderr)
            second = self.experiment + ("_2" if option == "--overwrite" else "_3_2")
            self.assertEqual(done.stderr.count("not the first MPI program"), 1, done.stderr)
            self.assertIn("scan -a " + second, done.stderr)
            self.assertIn("scan_ends: 1 rank", done.stderr)
            self.assertEqual(self.scan("-a", second).returncode, 0)
        self.assertEqual(len([name for name in os.listdir(self.directory) if name.startswith("experiment")]), 4)

    def test_a_program_that_starts_another_one(self):
        script = self.script("for v in $(env | grep -oE '^(OMPI|PMIX|ORTE)_[^=]*' | grep -v ALLOW_RUN); do unset $v; done",
                             "exec %s -n 1 %s" % (MPIEXEC, ENDS))
        done = self.run_ends("nested", script, ranks="1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("scan -a %s_2 analyzes it" % self.experiment), 1, done.stderr)
        self.assertEqual(done.stdout, "the other one ended with 0\n")
        self.assertEqual(self.scan("-a", self.experiment + "_2").returncode, 0)

    def test_repeated_runs(self):
        # The directory of an earlier day has the same name but does not belong to the baseline.
        os.makedirs(os.path.join(self.directory, "experiment_9"))
        done = self.run_ends(options=["-R", "4"])
        self.assertEqual(done.returncode, 0, done.stderr)
        suggested = re.search(r"scan: 4 runs; .*: (latecomer check .*)", done.stderr).group(1)
        self.assertTrue(suggested.endswith(" experiment_[1-4]"), suggested)
        shell = subprocess.run("ls -d " + suggested.split()[-1], shell=True, cwd=self.directory, capture_output=True, text=True)
        self.assertEqual(shell.stdout.split(), ["experiment_%d" % i for i in (1, 2, 3, 4)])
        one = self.run_ends(options=["-R", "1", "--overwrite"])
        self.assertIn("scan: 1 run; how much they differ: latecomer check --write-baseline baseline.json experiment_1\n", one.stderr)

    def test_a_failed_run_ends_the_others(self):
        program, count = os.path.join(self.directory, "app"), os.path.join(self.directory, "count")
        with open(program, "w") as file:
            file.write("#!/bin/sh\necho >> %s\n[ $(wc -l < %s) -lt 2 ] && exec %s\nexit 5\n" % (count, count, ENDS))
        os.chmod(program, 0o755)
        done = self.scan("-R", "4", "-e", self.experiment, MPIEXEC, "-n", "1", program)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("scan: run 2 of 4 failed; the 2 others are not started; complete: experiment_1\n", done.stderr)
        self.assertNotIn("--write-baseline", done.stderr)
        self.assertEqual(sorted(os.listdir(self.directory)), ["app", "count", "experiment_1"])

    def test_what_is_wrong_is_said_before_the_first_run(self):
        done = self.scan("-R", "3", "--timer", "sundial", MPIEXEC, "-n", "1", ENDS)
        self.check_refused(done, 2, "--timer sundial")

    def test_a_partial_run_is_no_part_of_a_baseline(self):
        """A message is never received: the program ends well, and its trace has an operation
        without a partner."""
        done = self.run_ends("unreceived", ranks="1", options=["-R", "2"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("scan: the result is partial, the lines above say why\n"), 2, done.stderr)
        self.assertIn("scan: 2 of 2 runs are partial, and no part of a baseline: experiment_1 experiment_2\n", done.stderr)
        self.assertNotIn("--write-baseline", done.stderr)

    def test_options_of_the_analyzer(self):
        wanted = "--eager-limit 4096 --min-latency 1us,300us --memory 4G --scalasca-compatible"
        done = self.run_ends(options=wanted.split())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(" --quiet %s %s\n" % (wanted, self.experiment), self.text("scan.log"))

    def test_progress_where_the_terminal_is(self):
        self.run_ends()
        self.assertNotIn("--progress", self.text("scan.log"))
        ours, theirs = os.openpty()
        subprocess.run([sys.executable, SCAN, "-a", self.experiment], stderr=theirs, stdout=subprocess.DEVNULL, check=True)
        os.close(theirs)
        os.close(ours)
        self.assertIn("--quiet --progress ", self.text("scan.log"))

    def test_several_programs(self):
        done = self.scan("--yield", "-e", self.experiment, MPIEXEC, "-n", "1", ENDS, ":", "-n", "2", ENDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("3 ranks", done.stderr)

    def test_single_process_without_launcher(self):
        done = self.scan(ENDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 rank,", done.stderr)
        self.assertEqual(os.listdir(self.directory), ["latecomer_scan_ends_1_trace"])

    def test_the_archive_and_the_report_say_how_scan_was_called(self):
        done = self.scan("--yield", "-e", self.experiment, MPIEXEC, "-n", "2", ENDS, "it's")
        self.assertEqual(done.returncode, 0, done.stderr)
        launch = shlex.join(["scan", "--yield", "-e", self.experiment, MPIEXEC, "-n", "2", ENDS, "it's"])
        info, exported = (subprocess.run([os.path.join(os.path.dirname(SCAN), "latecomer"), word, self.experiment],
                                         capture_output=True, text=True, check=True).stdout
                          for word in ("info", "json"))
        self.assertIn(launch + "\n", info)
        self.assertEqual(json.loads(exported)["context"]["launch"], launch)
        done = self.scan("-e", "long", MPIEXEC, "-n", "1", ENDS, "x" * 100000)
        self.assertEqual(done.returncode, 0, done.stderr)

    @unittest.skipUnless(os.environ["STATIC_RECORDING"], "no static MPI library here")
    def test_static_program_records_itself(self):
        done = self.scan("-e", self.experiment, MPIEXEC, "-n", "2", os.environ["STATIC_RECORDING"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 ranks", done.stderr)
        self.assertNotIn("LD_PRELOAD", self.text("scan.log"))
        done = self.scan("--yield", MPIEXEC, "-n", "1", os.environ["STATIC_RECORDING"])
        self.assertIn("--yield does not reach", done.stderr)

    def test_unknown_launcher(self):
        done = self.scan("--yield", "-A", "3", "-e", self.experiment,
                         os.path.join(os.environ["LAUNCHERS"], "mylauncher"), "--please", "2", "--", ENDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 ranks", done.stderr)
        self.assertIn("-A is not used", done.stderr)
        self.assertIn("mylauncher --please 2 %s" % os.path.dirname(os.environ["SCAN"]),
                      self.text("scan.log"))

    def test_name_of_the_directory(self):
        for _ in range(2):
            self.assertEqual(self.scan("--yield", "--next", MPIEXEC, "-n", "2", ENDS).returncode, 0)
        self.assertEqual(sorted(os.listdir(self.directory)),
                         ["latecomer_scan_ends_2_trace", "latecomer_scan_ends_2_trace_2"])

    def test_libraries_of_the_user_stay(self):
        """The user's own preloaded library comes after ours."""
        done = self.scan("-n", ENDS, environment={"LD_PRELOAD": "libdl.so.2"})
        self.assertRegex(done.stdout, r"LD_PRELOAD=\S*liblatecomer.so:libdl.so.2 ")

    def test_settings_of_a_host_are_not_passed_on(self):
        """The host of scan may belong to another metahost than the hosts of the program."""
        done = self.scan("-n", "--timer", "monotonic", ENDS, environment={
            "LATECOMER_METAHOST_ID": "1", "LATECOMER_NODE": "n", "LATECOMER_BUFFER_SIZE": "1M"})
        for part in ("LATECOMER_TIMER=monotonic", "LATECOMER_BUFFER_SIZE=1M"):
            self.assertIn(part, done.stdout)
        for part in ("METAHOST", "NODE"):
            self.assertNotIn(part, done.stdout)

    def test_suggestion_to_yield(self):
        many = str(len(os.sched_getaffinity(0)) + 1)
        self.assertIn("--yield", self.scan(MPIEXEC, "-n", many, ENDS).stderr)
        self.assertNotIn("--yield", self.run_ends(ranks=many).stderr)

    def test_more_ranks_than_cores(self):
        many = str(len(os.sched_getaffinity(0)) + 1)
        for options in ([], ["--yield"]):
            done = self.scan(*options, "--overwrite", MPIEXEC, "-n", many, ENDS)
            self.assertIn("scan: %s ranks share " % many, done.stderr)
            self.assertIn("not representative", done.stderr)
        self.assertNotIn("representative", self.scan(MPIEXEC, "-n", "1", ENDS).stderr)

    def test_more_analysis_processes_than_ranks(self):
        done = self.run_ends(options=["-A", "3"])
        self.assertIn("scan: -A 3: the run has 2 ranks", done.stderr)
        for number, warned in (("3", True), ("2", False)):
            done = self.scan("-A", number, "-a", self.experiment)
            self.assertEqual("-A 3: the run has 2 ranks" in done.stderr, warned, done.stderr)

    def test_options_without_effect(self):
        done = self.scan("-q", "--sync", "all", "-A", "2", MPIEXEC, "-n", "1", ENDS)
        self.assertEqual((done.returncode, done.stderr), (
            0, "scan: --sync, --analysis-processes have no effect with --quiet: nothing is recorded\n"))
        self.assertEqual(self.run_ends().returncode, 0)
        done = self.scan("-v", "-a", self.experiment)
        self.assertIn("scan: --verbose has no effect with --analyze", done.stderr)
        done = self.run_ends(options=["--overwrite", "--next"])
        self.assertIn("scan: --overwrite has no effect with --next", done.stderr)

    def test_quiet_measures_nothing(self):
        for options in (["-q"], ["-q", "--yield"]):
            done = self.scan(*options, MPIEXEC, "-n", "1", ENDS)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(os.listdir(self.directory), [])

    def test_dry_run_runs_nothing(self):
        for words in ([], ["-q"], ["-e", "x"]):
            done = self.scan("-n", *words, MPIEXEC, "-n", "2", ENDS, "a b")
            self.assertEqual(done.returncode, 0)
            self.assertIn("'a b'", done.stdout)
            self.assertEqual(os.listdir(self.directory), [])

    def test_corrected_archive(self):
        done = self.run_ends(options=["--write-corrected", "corrected"])
        self.assertIn("scan: the trace with corrected times: corrected\n", done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        again = self.scan("--write-corrected", "new/again", "-a", self.experiment)
        self.assertEqual(again.returncode, 0, again.stderr)
        for name in ("corrected", "new/again"):
            place = os.path.join(self.directory, name)
            self.assertTrue(os.path.exists(os.path.join(place, "traces.otf2")))
            self.assertEqual(self.scan("-a", place).returncode, 0)
        done = self.scan("--write-corrected", "new/again", "-a", self.experiment)
        self.check_refused(done, 2, "new/again: exists already")

    def test_analyze_existing(self):
        self.assertEqual(self.run_ends().returncode, 0)
        reports = []
        for words in (["-a", self.experiment], ["-A", "3", "-a", self.experiment],
                      ["-a", self.experiment, MPIEXEC, "-n", "2"], ["-a", self.experiment, MPIEXEC]):
            os.remove(self.file("analysis.cubex"))
            done = self.scan(*words)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(self.file("analysis.cubex"), "rb") as f:
                reports.append(f.read())
        self.assertEqual(len(set(reports)), 1)
        self.assertIn(" -n 3 ", self.text("scan.log"))

    def test_clean(self):
        done = self.run_ends(options=["--clean"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("scan: --clean: the trace is deleted, the report stays", done.stderr)
        named = re.findall(r"^\| `([^`/]+)/?` \|", self.text("MANIFEST.md"), re.M)
        self.assertEqual(sorted(named + ["MANIFEST.md"]), sorted(os.listdir(self.experiment)))
        self.assertIn("The trace was deleted", self.text("MANIFEST.md"))
        latecomer = os.path.join(os.path.dirname(SCAN), "latecomer")
        self.assertEqual(subprocess.run([latecomer, "show", self.experiment], capture_output=True).returncode, 0)
        said = ("error: %s: the trace is not here any more (scan --clean deletes it), but the report is\n"
                "hint:  latecomer show %s prints it; scan --overwrite -e %s mpiexec -n 4 ./program records anew\n")
        name = "experiment"
        for words in ([SCAN, "-a", name], [SCAN, "-n", "-a", name], [latecomer, "info", name]):
            done = subprocess.run(words, capture_output=True, text=True, cwd=self.directory, env=self.environment)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (3, "", said % (name, name, name)))
        self.assertTrue(os.path.exists(self.file("analysis.cubex")))

    def test_clean_keeps_what_is_partial(self):
        done = self.run_ends("exit", options=["--clean"])
        # The status of the launcher depends on a race: 0, 1, or 9 if it kills the other rank. Ours
        # is the same.
        said = re.search(r"^scan: the program ended with status (\d+)$", done.stderr, re.M)
        self.assertEqual(done.returncode, int(said[1]) if said else 0, done.stderr)
        self.assertIn("scan: --clean: the trace stays, since the result is partial", done.stderr)
        self.assertTrue(os.path.exists(self.file("traces.otf2")))
        done = self.scan("--clean", "-a", self.experiment)
        self.assertIn("the trace stays", done.stderr)
        self.assertTrue(os.path.exists(self.file("traces.otf2")))

    def test_expectation(self):
        """The expected cost of a run comes from an earlier one."""
        self.assertEqual(self.run_ends().returncode, 0)
        for options in ((), ("--overwrite",), ("--next",)):
            done = self.run_ends(options=["-n", *options])
            self.assertEqual(done.returncode, 0)
            self.assertNotIn("error", done.stderr)
            found = [line for line in done.stderr.splitlines() if "expected" in line]
            self.assertEqual(len(found), 3, done.stderr)
            self.assertRegex(found[0], r"as of the earlier run: a trace of about [0-9.]+ kB, \d+ events")
            self.assertRegex(found[1], r"measuring costs (about|less than) [0-9.]+ % of the processor time")
            self.assertRegex(found[2], r"takes about \d+ MB of memory and (less than a second|about \d+ s)")
        self.assertIn("earlier run on 2 ranks: ", self.run_ends(ranks="4", options=["-n"]).stderr)

    def test_analysis_that_the_system_ends(self):
        """Imitates a lack of memory: the analyzer is killed and cannot print anything itself."""
        self.assertEqual(self.run_ends().returncode, 0)
        root = os.path.join(self.directory, "installed")
        os.makedirs(os.path.join(root, "bin"))
        os.symlink(os.path.realpath(SCAN), os.path.join(root, "bin", "scan"))
        os.symlink(os.path.join(os.path.dirname(SCAN), "latecomer"), os.path.join(root, "bin", "latecomer"))
        def analysis_that(does):
            with open(os.path.join(root, "bin", "latecomer-analyzer"), "w") as f:
                f.write("#!/bin/sh\n%s\n" % does)
            os.chmod(f.name, 0o755)
            return subprocess.run([os.path.join(root, "bin", "scan"), "-a", self.experiment], capture_output=True,
                                  text=True, timeout=100, env=self.environment)

        crashed = analysis_that("kill -SEGV $$")
        for _ in range(5):  # a process that ends at once may make MPICH's launcher end with an error of its own
            if "process manager error" in crashed.stderr:
                crashed = analysis_that("kill -SEGV $$")
        self.assertGreater(crashed.returncode, 4)
        self.assertRegex(crashed.stderr, r"scan: the analysis crashed \(status \d+\), which is an error in Latecomer")
        done = analysis_that("kill -KILL $$")
        self.assertGreater(done.returncode, 4)
        self.assertRegex(done.stderr, r"scan: the analysis was ended from outside \(status \d+\), as the system does when "
                                      "memory runs out; the trace is complete. ")
        self.assertIn("scan -a %s analyzes it again" % self.experiment, done.stderr)

    def test_page_does_not_outlive_its_report(self):
        self.assertEqual(self.run_ends().returncode, 0)
        latecomer = os.path.join(os.path.dirname(SCAN), "latecomer")
        done = subprocess.run([latecomer, "html", self.experiment], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.text("MANIFEST.md").count("| `report.html` |"), 1)
        named = re.findall(r"^\| `([^`/]+)/?` \|", self.text("MANIFEST.md"), re.M)
        self.assertEqual(sorted(named + ["MANIFEST.md"]), sorted(os.listdir(self.experiment)))
        subprocess.run([latecomer, "html", self.experiment, "--overwrite"], capture_output=True, check=True)
        self.assertEqual(self.text("MANIFEST.md").count("| `report.html` |"), 1)
        self.assertEqual(self.scan("-a", self.experiment).returncode, 0)
        self.assertFalse(os.path.exists(self.file("report.html")))
        self.assertNotIn("report.html", self.text("MANIFEST.md"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
