#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs of Open MPI: recorded by the library for it, analyzed by the build with MPICH.

usage: openmpi_test.py SOURCE BUILD     (exit status 77: the build found no Open MPI)
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD = sys.argv[1:3]
LIBRARY = os.path.join(BUILD, "lib", "latecomer", "openmpi", "liblatecomer.so")
TOOLS = {name: shutil.which(name + ".openmpi") for name in ("mpicc", "mpiexec")}
SETTINGS = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def run(*words, timeout=100, **environment):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("LATECOMER_")}
    return subprocess.run(words, capture_output=True, text=True, timeout=timeout,
                          env=dict(clean, **SETTINGS, **environment))


class OpenMpi(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = scratch.name
        self.experiment = os.path.join(self.directory, "experiment")

    def compiled(self, source):
        program = os.path.join(self.directory, "program")
        done = run(TOOLS["mpicc"], "-O1", "-g", "-w", "-o", program, "-I", os.path.join(SOURCE, "tracer", "include"),
                   os.path.join(SOURCE, source), "-lm", "-ldl")
        self.assertEqual(done.returncode, 0, done.stderr)
        return program

    def record(self, ranks, *words):
        done = run(TOOLS["mpiexec"], "--oversubscribe", "-n", str(ranks), "-x", "LD_PRELOAD=" + LIBRARY,
                   *words, LATECOMER_EXPERIMENT_DIRECTORY=self.experiment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def analyzed(self):
        anchor = os.path.join(self.experiment, "traces.otf2")
        silent = run("otf2-print", "-A", "--silent", anchor)
        self.assertEqual((silent.returncode, silent.stderr), (0, ""))
        done = run(sys.executable, os.path.join(BUILD, "bin", "scan"), "-a", self.experiment)
        self.assertEqual(done.returncode, 0, done.stderr)
        shown = run(os.path.join(BUILD, "bin", "latecomer"), "show", "--json", self.experiment)
        shown = json.loads(shown.stdout)
        return {q["name"]: q["count"] for q in shown["quality"] if q["name"] != "shared_cores"}, shown

    def test_messages_collectives_and_call_paths(self):
        self.assertEqual(self.record(3, self.compiled("tests/endtoend/less.c"), "pcontrol"), "done\n")
        quality, shown = self.analyzed()
        self.assertEqual(quality, {"recording_pauses": 3, "edge_messages": 16, "edge_collectives": 5})
        paths = {tuple(w["call_path"]) for w in shown["wait_states"] if "call_path" in w}
        text = json.dumps(shown)
        self.assertTrue("pcontrol" in text and "step" in text, paths)

    def test_requests_of_all_kinds(self):
        self.assertEqual(self.record(4, self.compiled("tests/endtoend/less.c"), "requests"), "done\n")
        quality, _ = self.analyzed()
        self.assertEqual(set(quality), {"recording_pauses", "edge_messages", "edge_collectives"})

    def test_application(self):
        output = self.record(3, self.compiled("tests/apps/cg.c"))
        plain = run(TOOLS["mpiexec"], "--oversubscribe", "-n", "3", os.path.join(self.directory, "program"))
        same = [re.sub(r"[0-9.]+ s\b", "T", text) for text in (output, plain.stdout)]
        self.assertEqual(*same)
        quality, shown = self.analyzed()
        self.assertEqual(quality, {})
        self.assertGreater(shown["seconds"]["mpi"], 0)

    def test_spawned_processes(self):
        """Spawned processes have their own experiment, beside that of their parent."""
        program = self.compiled("tests/openmpi/spawned.c")
        for number in ("", "_2"):
            done = run(TOOLS["mpiexec"], "--oversubscribe", "-n", "1", "-x", "LD_PRELOAD=" + LIBRARY, program,
                       LATECOMER_EXPERIMENT_DIRECTORY=self.experiment, LATECOMER_OVERWRITE="1")
            self.assertEqual((done.returncode, done.stdout), (0, "done\n"), done.stderr)
            self.assertIn("processes that MPI_Comm_spawn started are recorded by themselves: scan -a %s_spawned%s "
                          % (self.experiment, number), done.stderr)
        parents = self.analyzed()
        self.assertEqual(parents[0], {})
        self.experiment += "_spawned"
        quality, shown = self.analyzed()
        self.assertEqual(quality, {})
        self.assertEqual(shown["run"]["ranks"], 2)
        events = run("otf2-print", os.path.join(self.experiment, "traces.otf2")).stdout
        self.assertEqual(len(re.findall(r'^ENTER .*"MPI_Allreduce"', events, re.M)), 20)

    def fortran(self, source):
        if shutil.which("mpif90.openmpi") is None:
            self.skipTest("no Fortran compiler for Open MPI")
        # Debian's libmpi.so belongs to the default MPI, so Open MPI's own directory comes first.
        place = run(TOOLS["mpicc"], "--showme:libdirs").stdout.split()[0]
        program = os.path.join(self.directory, os.path.basename(source)[:-4])
        done = run("mpif90.openmpi", "-cpp", "-O1", "-w", "-fallow-argument-mismatch", "-J", self.directory,
                   "-L" + place, "-I", os.path.join(SOURCE, "tests", "mpi"), "-o", program,
                   os.path.join(SOURCE, source))
        self.assertEqual(done.returncode, 0, done.stderr)
        return program

    def test_fortran_entry_points(self):
        """Every function of mpif.h, mpi and mpi_f08 is wrapped, even under the names that other
        compilers use."""
        def symbols(library):
            return {line.split()[-1] for line in run("nm", "-D", "--defined-only", library).stdout.splitlines()}
        # These functions need no recording: times, arithmetic on addresses, and those that only
        # prevent reordering.
        others = re.compile(r"w?time|wtick|aint_(add|diff)|f_sync_reg|sizeof_|.*_(null_copy|null_delete|dup)_fn|"
                            "conversion_fn_null|fortran_", re.I)
        place, ours, functions = run(TOOLS["mpicc"], "--showme:libdirs").stdout.split()[0], symbols(LIBRARY), 0
        for layer in ("mpifh", "usempif08"):
            path = os.path.join(place, "libmpi_%s.so" % layer)
            if not os.path.exists(path):
                self.skipTest("no Fortran for Open MPI")
            theirs = symbols(path)
            # A function of MPI has a twin in the profiling interface. MPI_X_f are internal to Open
            # MPI.
            wanted = {name for name in theirs if re.match("mpi_", name, re.I) and not others.match(name[4:])
                      and ("p" + name if name[0] == "m" else "P" + name) in theirs
                      and not re.search("_f(08)?$", name)}
            functions += len(wanted)
            self.assertEqual(sorted(wanted - ours), [])
        self.assertGreater(functions, 1500)

    def test_fortran_before_2008(self):
        """Runs the checks of tests/mpi, which know how many records there must be."""
        for layer in ("mpif", "mpi", "own_layer"):
            with self.subTest(layer):
                program = self.fortran("tests/mpi/fortran_%s.f90" % layer)
                self.experiment = program + ".experiment"
                expected = program + ".records"
                self.assertEqual(self.record(3, "-x", "CONFORM_RECORDS=" + expected, program), "ok\n")
                self.assertEqual(self.analyzed()[0], {})
                self.check_records(expected)

    def test_fortran_2008(self):
        program = self.fortran("tests/apps/wave.f90")
        self.assertEqual(self.record(3, program).split(), ["wave:", "ok"])
        quality, shown = self.analyzed()
        self.assertEqual(quality, {})
        printed = run("otf2-print", os.path.join(self.experiment, "traces.otf2")).stdout
        kinds = re.findall(r"^([A-Z_]+) +\d+ +\d+ ", printed, re.M)
        self.assertGreater(kinds.count("MPI_ISEND"), 100)
        self.assertEqual(kinds.count("MPI_ISEND"), kinds.count("MPI_IRECV"))

    def check_records(self, expected):
        printed = run("otf2-print", os.path.join(self.experiment, "traces.otf2")).stdout
        kinds = re.findall(r"^([A-Z_]+) +\d+ +\d+ ", printed, re.M)
        with open(expected) as lines:
            for kind, count in (line.split() for line in lines):
                if kind not in ("ENTER", "LEAVE"):
                    self.assertEqual(kinds.count(kind), int(count), kind)

    def test_killed(self):
        program = self.compiled("tests/scan/ends.c")
        run(TOOLS["mpiexec"], "--oversubscribe", "-n", "2", "-x", "LD_PRELOAD=" + LIBRARY, program, "kill",
            LATECOMER_EXPERIMENT_DIRECTORY=self.experiment)
        done = run(sys.executable, os.path.join(BUILD, "bin", "scan"), "-a", self.experiment)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("did not reach MPI_Finalize", done.stderr)


if __name__ == "__main__":
    if None in TOOLS.values() or not os.path.exists(LIBRARY):
        print("skipped: Open MPI (mpicc.openmpi, mpiexec.openmpi) is not installed")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
