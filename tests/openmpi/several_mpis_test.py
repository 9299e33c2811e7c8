#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One build for MPICH and Open MPI: scan takes the measurement library that fits the program.

usage: several_mpis_test.py SOURCE BUILD MPICC MPIEXEC     (exit status 77: the build found no Open MPI)
MPICC and MPIEXEC are those of MPICH.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD, MPICC, MPIEXEC = sys.argv[1:5]
OWN = os.path.join(BUILD, "lib", "liblatecomer.so")
FURTHER = os.path.join(BUILD, "lib", "latecomer", "openmpi", "liblatecomer.so")
SETTINGS = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "OMPI_MCA_hwloc_base_binding_policy": "none"}
COMPILERS = {"mpich": MPICC, "openmpi": "mpicc.openmpi"}
LAUNCHERS = {"mpich": MPIEXEC, "openmpi": "mpiexec.openmpi"}
# Rank 0 comes late to a barrier in a region of latecomer.h.
APP = os.path.join(SOURCE, "tests", "install", "user", "app.c")
LAYER = """
#include <mpi.h>
#include <stdio.h>
int MPI_Barrier(MPI_Comm comm) {
  puts("layer");
  fflush(stdout);
  return PMPI_Barrier(comm);
}
"""
# Loads an MPI library, and calls functions of the process, as those of a plugin are called.
LOADER = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
mpi = ctypes.CDLL(None)
is_mpich = "mpich" in sys.argv[1]
world = ctypes.c_int(0x44000000) if is_mpich else ctypes.byref(ctypes.c_char.in_dll(library, "ompi_mpi_comm_world"))
mpi.MPI_Init(None, None)
mpi.MPI_Barrier(world)
mpi.MPI_Finalize()
"""


def run(*words, **environment):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("LATECOMER_")}
    return subprocess.run(words, capture_output=True, text=True, timeout=100, env=dict(clean, **SETTINGS, **environment))


class SeveralMpis(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder, cls.programs, cls.layers = scratch.name, {}, {}
        layer = os.path.join(scratch.name, "layer.c")
        with open(layer, "w") as f:
            f.write(LAYER)
        for mpi, compiler in COMPILERS.items():
            cls.programs[mpi] = os.path.join(scratch.name, "app_" + mpi)
            cls.layers[mpi] = os.path.join(scratch.name, "layer_%s.so" % mpi)
            for words in (["-g", "-I", os.path.join(SOURCE, "tracer", "include"), "-o", cls.programs[mpi], APP, "-ldl"],
                          ["-shared", "-fPIC", "-o", cls.layers[mpi], layer]):
                done = run(compiler, *words)
                if done.returncode != 0:
                    raise AssertionError(done.stderr)

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = scratch.name
        self.experiment = os.path.join(scratch.name, "experiment")

    def scan(self, *words, status=0):
        done = run(sys.executable, os.path.join(BUILD, "bin", "scan"), "--yield", "-e", self.experiment, *words)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def script(self, *words):
        path = os.path.join(self.directory, "script")
        with open(path, "w") as f:
            f.write("#!/bin/sh\nexec %s\n" % " ".join(words))
        os.chmod(path, 0o755)
        return path

    def check_app(self, ranks=2):
        """Checks the report of app.c: rank 0 came 0.1 s late, in the region that the program names."""
        shown = run(os.path.join(BUILD, "bin", "latecomer"), "show", "--json", self.experiment)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        shown = json.loads(shown.stdout)
        self.assertEqual(shown["run"]["ranks"], ranks)
        waits = [wait for wait in shown["wait_states"] if "meeting" in json.dumps(wait.get("call_paths", ""))]
        self.assertTrue(waits, shown["wait_states"])
        self.assertGreater(max(wait["seconds"] for wait in waits), 0.05)

    def preloaded(self, *words):
        done = run(sys.executable, os.path.join(BUILD, "bin", "scan"), "-n", "-e", self.experiment, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        word = next(word for word in done.stdout.split() if word.startswith("LD_PRELOAD="))
        return word[len("LD_PRELOAD="):].split(":"), done.stdout

    def test_the_library_that_fits(self):
        for mpi, libraries in (("mpich", [OWN]), ("openmpi", [FURTHER])):
            with self.subTest(mpi):
                found, plan = self.preloaded(LAUNCHERS[mpi], "-n", "2", self.programs[mpi])
                self.assertEqual(found, libraries)
                # The analyzer belongs to MPICH, so it has MPICH's launcher.
                launcher = plan.splitlines()[1].split()[0]
                self.assertNotIn("openmpi", launcher)
                self.assertRegex(run(launcher, "--version").stdout, "HYDRA|MPICH")
        found, _ = self.preloaded(LAUNCHERS["mpich"], "-n", "2", self.script("anything"))
        self.assertEqual(found, [OWN, FURTHER])

    def test_programs_of_both(self):
        for mpi in COMPILERS:
            with self.subTest(mpi):
                self.assertEqual(self.scan("--overwrite", LAUNCHERS[mpi], "-n", "2", self.programs[mpi]).stdout, "met\n")
                self.check_app()

    def test_scripts_of_both(self):
        """scan cannot know the MPI, so both libraries are there. One passes all calls on."""
        for mpi in COMPILERS:
            with self.subTest(mpi):
                script = self.script(self.programs[mpi])
                self.assertEqual(self.scan("--overwrite", LAUNCHERS[mpi], "-n", "2", script).stdout, "met\n")
                self.check_app()
                self.assertNotIn("other_mpi", os.listdir(self.experiment))

    def test_profiling_layers_of_the_program(self):
        """They come after both libraries, and are called once."""
        for mpi in COMPILERS:
            with self.subTest(mpi):
                script = self.script("env", 'LD_PRELOAD="$LD_PRELOAD:%s"' % self.layers[mpi], self.programs[mpi])
                done = self.scan("--overwrite", LAUNCHERS[mpi], "-n", "2", script)
                self.assertEqual(sorted(done.stdout.split()), ["layer", "layer", "met"])
                self.check_app()

    def test_mpi_that_is_loaded_later(self):
        program = os.path.join(self.directory, "loader.py")
        with open(program, "w") as f:
            f.write(LOADER)
        for mpi in COMPILERS:
            with self.subTest(mpi):
                linked = run("ldd", self.programs[mpi]).stdout
                library = next(line.split()[2] for line in linked.splitlines() if line.split()[0].startswith("libmpi"))
                self.scan("--overwrite", LAUNCHERS[mpi], "-n", "2", sys.executable, program, library)
                shown = run(os.path.join(BUILD, "bin", "latecomer"), "show", "--json", self.experiment)
                self.assertEqual(json.loads(shown.stdout)["run"]["ranks"], 2)

    def test_a_killed_program_of_the_other_mpi(self):
        """latecomer-repair reads the records of both."""
        program = os.path.join(self.directory, "ends")
        done = run(COMPILERS["openmpi"], "-w", "-o", program, os.path.join(SOURCE, "tests", "scan", "ends.c"))
        self.assertEqual(done.returncode, 0, done.stderr)
        done = run(sys.executable, os.path.join(BUILD, "bin", "scan"), "-e", self.experiment, LAUNCHERS["openmpi"], "-n", "2",
                   program, "kill")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("did not reach MPI_Finalize", done.stderr)
        self.assertTrue(os.path.exists(os.path.join(self.experiment, "analysis.cubex")), done.stderr)

    def test_launcher_of_another_mpi(self):
        done = self.scan(LAUNCHERS["mpich"], "-n", "2", self.programs["openmpi"], status=2)
        self.assertIn("every process would be a run of its own", done.stderr)
        self.assertIn("start it with mpiexec.openmpi", done.stderr)


if __name__ == "__main__":
    if not os.path.exists(FURTHER) or None in map(shutil.which, ("mpicc.openmpi", "mpiexec.openmpi")):
        print("skipped: Open MPI (mpicc.openmpi, mpiexec.openmpi) is not installed")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
