#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs that scan refuses before anything starts: one message, status 2, and no files."""
import os
import unittest

from support import ENDS, MPIEXEC, ScanTest


class Refused(ScanTest):
    def tearDown(self):
        self.assertFalse(os.path.exists(self.experiment))

    def refused(self, *words, parts, **more):
        done = self.scan("-e", self.experiment, *words, **more)
        self.check_refused(done, 2, *parts)
        self.assertEqual(done.stdout, "")

    def test_launcher_missing(self):
        self.refused("/nowhere/mpiexec", "-n", "2", ENDS, parts=["launcher /nowhere/mpiexec: not found"])

    def test_launcher_is_no_program(self):
        path = os.path.join(self.directory, "mpiexec")
        with open(path, "wb") as f:
            f.write(b"\x7fELF but not really")
        os.chmod(path, 0o755)
        done = self.scan("-e", "here", path, "-n", "2", ENDS)
        self.check_refused(done, 2, path, "cannot be started")
        self.assertFalse(os.path.exists(os.path.join(self.directory, "here")))

    def test_program_missing(self):
        self.refused(MPIEXEC, "-n", "2", "./nowhere", parts=["program ./nowhere: not found"])

    def test_program_of_second_part_missing(self):
        self.refused(MPIEXEC, "-n", "1", ENDS, ":", "-n", "1", "./nowhere", parts=["./nowhere: not found"])

    def test_program_without_path(self):
        os.symlink(ENDS, os.path.join(self.directory, "ends"))
        self.refused(MPIEXEC, "-n", "2", "ends", parts=["ends: not found", "give a path: ./ends"])

    def test_program_is_directory(self):
        self.refused(MPIEXEC, "-n", "2", self.directory, parts=["is a directory"])

    def test_program_not_executable(self):
        plain = os.path.join(self.directory, "plain")
        with open(plain, "w") as f:
            f.write("no program")
        self.refused(MPIEXEC, "-n", "2", plain, parts=["not executable", "chmod +x"])

    def test_nothing_to_run(self):
        self.refused(parts=["no program to run"])
        self.refused(MPIEXEC, "-n", "2", parts=["no program found"])

    def test_unknown_option(self):
        self.refused("--nonsense", ENDS, parts=["nonsense", "scan --help"])

    def test_option_misspelt(self):
        self.refused("--anlyze", "x", ENDS, parts=["--anlyze", "do you mean --analyze?"])

    def test_values_of_settings(self):
        for words, parts in (
                (["--sync", "hierachical"], ["--sync hierachical", "do you mean hierarchical?"]),
                (["--sync-interval", "5 minutes"], ["--sync-interval 5 minutes", "5min"]),
                (["--sync-interval", "9999999999999999h"], ["--sync-interval", "5min"]),
                (["--buffer-size", "0"], ["--buffer-size 0", "64K"]),
                (["--buffer-size", "1T"], ["--buffer-size 1T"]),
                (["--timer", ""], ["--timer", "empty"]),
                (["-A", ""], ["-A", "empty"])):
            with self.subTest(words):
                self.refused(*words, MPIEXEC, "-n", "2", ENDS, parts=parts)
        self.refused(MPIEXEC, "-n", "2", ENDS, environment={"LATECOMER_SYNC_INTERVAL": "soon"},
                     parts=["LATECOMER_SYNC_INTERVAL=soon"])

    def test_counters(self):
        for text, parts in (
                ("instrutions", ["no counter 'instrutions'", "do you mean instructions", "scan --counters list"]),
                ("cycles,", ["no counter ''"]),
                ("page-faults,page-faults", ["page-faults comes twice"]),
                (",".join("a%d=4:c1" % i for i in range(9)), ["9 counters, at most 8"]),
                ("nothing=99:1", ["counter nothing: "]),
                ("nothing=99:x", ["no counter 'nothing=99:x'"])):
            with self.subTest(text):
                self.refused("--counters", text, MPIEXEC, "-n", "2", ENDS, parts=parts)
        self.refused(MPIEXEC, "-n", "2", ENDS, environment={"LATECOMER_COUNTERS": "cycle"}, parts=["do you mean cycles"])
        self.refused("--counters", "page-faults", "--compat", "scalasca25", MPIEXEC, "-n", "2", ENDS,
                     parts=["exclude each other"])

    def test_list_of_counters(self):
        done = self.scan("--counters", "list")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"(?m)^     page-faults +Page faults$")
        self.assertRegex(done.stdout, r"(?m)^  (--|  ) PAPI_TOT_INS +Instructions executed$")

    def test_contradictions(self):
        self.refused("-q", "-t", MPIEXEC, "-n", "2", ENDS, parts=["exclude each other"])
        self.refused("-q", "-a", "x", parts=["exclude each other"])
        self.refused("-q", "--write-corrected", "x", MPIEXEC, "-n", "2", ENDS, parts=["exclude each other"])

    def test_place_of_the_corrected_archive(self):
        there = os.path.join(self.directory, "there")
        os.mkdir(there)
        inside = os.path.join(self.experiment, "corrected")
        for place, part in ((there, there + ": exists already"), ("there", there + ": exists already"),
                            (inside, "in the experiment itself"), (self.experiment, "in the experiment itself"),
                            ("", "empty")):
            for dry in ([], ["-n"]):
                with self.subTest(place, dry=dry):
                    self.refused(*dry, "--write-corrected", place, MPIEXEC, "-n", "2", ENDS, parts=[part])
        self.assertEqual(os.listdir(self.directory), ["there"])

    def test_bad_number_of_processes(self):
        self.refused("-A", "many", MPIEXEC, "-n", "2", ENDS, parts=["-A many"])

    def test_static_program(self):
        for name in ("STATIC", "STATIC_PIE"):
            self.refused(MPIEXEC, "-n", "2", os.environ[name], parts=["statically linked", "Static programs"])
        self.refused(MPIEXEC, "-n", "1", os.environ["STATIC"], ":", "-n", "1", os.environ["STATIC_PIE"], parts=["statically linked"])

    def test_part_that_is_static(self):
        done = self.scan("-n", "-e", "new", MPIEXEC, "-n", "1", os.environ["STATIC"], ":", "-n", "1", ENDS)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_launcher_of_another_mpi(self):
        ours = os.path.basename(os.path.realpath(MPIEXEC))
        other, families = ("mpiexec.hydra", ("MPICH", "Open MPI")) if ours == "orterun" else ("orterun", ("Open MPI", "MPICH"))
        path = os.path.join(self.directory, other)
        with open(path, "w") as f:
            f.write("#!/bin/sh\nexit 5\n")
        os.chmod(path, 0o755)
        link = os.path.join(self.directory, "mpiexec")
        os.symlink(path, link)
        self.refused(link, "-n", "2", ENDS,
                     parts=["that of %s (" % families[0], "uses %s" % families[1], "start it with "])

    def test_program_of_another_mpi(self):
        self.use_one_mpi()
        other = "MPICH" if "openmpi" in MPIEXEC else "Open MPI"
        self.refused(MPIEXEC, "-n", "2", os.environ["OTHER_MPI"], parts=["uses " + other, "several-mpis.md"])

    def test_filter_file_missing(self):
        self.refused("-f", "nowhere.filter", MPIEXEC, "-n", "2", ENDS, parts=["nowhere.filter: not found"])

    def test_filter_is_judged_before_the_run(self):
        self.refused("-f", self.directory, MPIEXEC, "-n", "2", ENDS, parts=[self.directory + ": Is a directory"])
        path = os.path.join(self.directory, "wrong.filter")
        with open(path, "w") as f:
            f.write("SCOREP_REGION_NAMES_BEGIN\n  EXCLUDE foo\n  EXCLUD bar\nSCOREP_REGION_NAMES_END\n")
        for option in ((), ("-n",)):
            self.refused(*option, "-f", path, MPIEXEC, "-n", "2", ENDS, parts=["filter %s:3: 'EXCLUD': EXCLUDE is meant?" % path])

    def test_recording_switched_off(self):
        self.refused(MPIEXEC, "-n", "2", ENDS, environment={"LATECOMER_ENABLE": "0"},
                     parts=["LATECOMER_ENABLE=0", "scan -q"])

    def test_place_that_nobody_can_write(self):
        done = self.scan("-e", "/proc/experiment", MPIEXEC, "-n", "2", ENDS)
        self.check_refused(done, 2, "/proc")

    def test_analysis_of_nothing(self):
        self.check_refused(self.scan("-a", "nowhere"), 3, "nowhere: no such experiment")
        self.check_refused(self.scan("-a", __file__), 3, "a file, not an experiment", "scan -a " + os.path.dirname(__file__))
        self.check_refused(self.scan("-a", self.directory, "launch"), 2, "launch: not a launcher")
        os.mkdir(os.path.join(self.directory, "empty"))
        self.check_refused(self.scan("-n", "-a", "empty"), 3, "empty: no trace was recorded here")


class Existing(ScanTest):
    def test_dry_run(self):
        """A dry run prints the commands and obstacles. With an option that helps, it prints the
        effect of that."""
        os.makedirs(self.file("traces"))
        done = self.run_ends(options=["-n"])
        self.assertEqual((done.returncode, done.stderr), (0, "scan: the experiment %s exists already: a run would be refused "
                                                          "without --overwrite or --next\n" % self.experiment))
        self.assertIn("LATECOMER_EXPERIMENT_DIRECTORY=" + self.experiment + " ", done.stdout)
        done = self.run_ends(options=["-n", "--overwrite"])
        self.assertEqual((done.returncode, done.stderr),
                         (0, "scan: the experiment that is in %s would be removed first\n" % self.experiment))
        done = self.run_ends(options=["-n", "--next"])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("LATECOMER_EXPERIMENT_DIRECTORY=" + self.experiment + "_2 ", done.stdout)
        self.assertEqual(os.listdir(self.experiment), ["traces"])

    def test_page_is_a_part_of_an_experiment(self):
        """A page of latecomer html does not prevent the replacement of the experiment."""
        os.makedirs(self.file("traces"))
        with open(self.file("report.html"), "w") as f:
            f.write("<!DOCTYPE html>")
        done = self.run_ends(options=["-n", "--overwrite"])
        self.assertEqual((done.returncode, done.stderr),
                         (0, "scan: the experiment that is in %s would be removed first\n" % self.experiment))

    def test_experiment(self):
        os.makedirs(self.file("traces"))
        self.check_refused(self.run_ends(), 2, "exists already", "--next", "--overwrite")
        self.assertEqual(os.listdir(self.experiment), ["traces"])

    def test_other_directory(self):
        os.makedirs(self.experiment)
        with open(self.file("thesis.tex"), "w") as f:
            f.write("years of work")
        for options in ([], ["--overwrite"]):
            self.check_refused(self.run_ends(options=options), 2, "not an experiment directory")
            self.assertEqual(os.listdir(self.experiment), ["thesis.tex"])

    def test_file(self):
        with open(self.experiment, "w") as f:
            f.write("years of work")
        self.check_refused(self.run_ends(options=["--overwrite"]), 2, "not an experiment directory")
        self.assertTrue(os.path.isfile(self.experiment))


if __name__ == "__main__":
    unittest.main()
