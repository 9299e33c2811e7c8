#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An installation moved to another directory, and programs built with it by pkg-config and by
CMake."""
import glob
import json
import os
import shlex
import subprocess
import tempfile
import unittest

BUILD, CMAKE, GENERATOR, MPICC, MPIEXEC, LIBDIR = (
    os.environ[name] for name in ("BUILD", "CMAKE", "GENERATOR", "MPICC", "MPIEXEC", "LIBDIR"))
USER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "user")
APP = os.path.join(USER, "app.c")


class Installation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        first, cls.prefix = (os.path.join(scratch.name, name) for name in ("first", "prefix"))
        cls.environment = {
            name: value for name, value in os.environ.items()
            if not name.startswith(("LATECOMER_", "CMAKE_", "LD_"))}
        cls.environment["PKG_CONFIG_PATH"] = os.path.join(cls.prefix, LIBDIR, "pkgconfig")
        cls.run_here(CMAKE, "--install", BUILD, "--prefix", first, directory=scratch.name)
        os.rename(first, cls.prefix)

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = scratch.name

    @classmethod
    def run_here(cls, *words, directory, **environment):
        done = subprocess.run(words, cwd=directory, capture_output=True, text=True, timeout=120,
                              env=dict(cls.environment, **environment))
        if done.returncode != 0:
            raise AssertionError("%s: status %d\n%s%s" % (shlex.join(words), done.returncode,
                                                          done.stdout, done.stderr))
        return done

    def run_words(self, *words, **environment):
        return self.run_here(*words, directory=self.directory, **environment)

    def tool(self, name):
        return os.path.join(self.prefix, "bin", name)

    def flags(self, *options):
        return shlex.split(self.run_words("pkg-config", *options, "latecomer").stdout)

    def compile(self, *flags):
        self.run_words(MPICC, "-o", "app", APP, *flags)

    def latecomer(self, *words):
        return self.run_words(self.tool("latecomer"), *words).stdout

    def check_experiment(self, experiment):
        """Rank 1 waited for rank 0 in the region that the program has named, and waited once."""
        waits = json.loads(self.latecomer("show", "--json", experiment))["wait_states"]
        barrier = next(wait for wait in waits if wait["metric"] == "mpi_barrier_wait")
        self.assertGreater(barrier["ranks"][0]["seconds"], 0.02)
        self.assertEqual(barrier["ranks"][0]["rank"], 1)
        self.assertEqual(barrier["call_paths"][0]["call_path"][-2:], ["meeting", "MPI_Barrier"])

    def events(self, experiment):
        processes = json.loads(self.latecomer("info", "--json", experiment))["processes"]
        return [process["locations"][0]["events"] for process in processes]

    def check_linked_program(self, program):
        """A program linked with the library records without scan, and the same with it. The number of samples varies."""
        done = self.run_words(MPIEXEC, "-n", "2", program, LATECOMER_EXPERIMENT_DIRECTORY="own",
                              LATECOMER_OVERWRITE="1", LATECOMER_SAMPLE="off")
        self.assertEqual(done.stdout, "met\n")
        self.run_words(MPIEXEC, "-n", "2", self.tool("latecomer-analyzer"), "--quiet", "own")
        self.check_experiment("own")
        self.run_words(self.tool("scan"), "--overwrite", "--sample", "off", "-e", "scanned", MPIEXEC, "-n", "2", program)
        self.check_experiment("scanned")
        self.assertEqual(self.events("scanned"), self.events("own"))

    def test_scan(self):
        self.compile(*self.flags("--cflags"))  # the header, no library
        done = self.run_words(self.tool("scan"), MPIEXEC, "-n", "2", "./app")
        self.assertEqual(done.stdout, "met\n")
        self.assertIn("Wait at Barrier", done.stderr)
        self.assertIn("report: latecomer_app_2_trace/analysis.cubex", done.stderr)
        self.check_experiment("latecomer_app_2_trace")
        for command in ("show", "info"):
            self.assertIn("2 ranks", self.latecomer(command, "latecomer_app_2_trace"))
        self.assertIn("Late Sender", self.latecomer("explain", "mpi_latesender"))

    def test_nothing_of_the_build_is_used(self):
        self.assertRegex(self.run_words(self.tool("scan"), "--version").stdout, r"^scan \d+\.\d+\.\d+\n$")
        line = self.run_words(self.tool("scan"), "-n", "--yield", MPIEXEC, "-n", "2", "/bin/echo").stdout
        further = glob.glob(os.path.join(self.prefix, LIBDIR, "latecomer", "*", "liblatecomer.so"))
        built = glob.glob(os.path.join(BUILD, "lib", "latecomer", "*", "liblatecomer.so"))
        self.assertEqual(len(further), len(built))  # those for further MPIs
        self.assertEqual(line.count(self.prefix), 3 + len(further), line)  # two libraries, the analyzer
        self.assertNotIn(BUILD, line)

    def test_pages_and_completion(self):
        for program in ("latecomer", "latecomer-analyzer", "scan"):
            for path in ("share/man/man1/%s.1", "share/bash-completion/completions/%s",
                         "share/zsh/site-functions/_%s", "share/fish/vendor_completions.d/%s.fish"):
                with open(os.path.join(self.prefix, path % program)) as file:
                    text = file.read()
                if text.startswith("source (status dirname)/"):  # fish: one file completes all of them
                    beside = text.split("/")[-1].strip()
                    with open(os.path.join(self.prefix, os.path.dirname(path), beside)) as file:
                        text = file.read()
                self.assertIn(program.replace("-", "\\-") if "man" in path.split("/")[1] else program, text)
                self.assertNotIn(BUILD, text)
        self.assertTrue(os.path.exists(os.path.join(self.prefix, "share/man/man7/latecomer-metrics.7")))

    def test_pkg_config(self):
        self.compile(*self.flags("--cflags", "--libs"),
                     "-Wl,-rpath," + os.path.join(self.prefix, LIBDIR))
        self.check_linked_program("./app")

    def test_cmake_package(self):
        self.run_words(CMAKE, "-G", GENERATOR, "-S", USER, "-B", "user", "-DCMAKE_PREFIX_PATH=" + self.prefix,
                       "-DMPI_C_COMPILER=" + MPICC)
        self.run_words(CMAKE, "--build", "user")
        for library in ("latecomer", "latecomer_static"):
            with self.subTest(library):
                self.check_linked_program("user/with_" + library)


if __name__ == "__main__":
    unittest.main()
