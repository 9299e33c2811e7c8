#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs instrumented programs with the library preloaded and checks the call paths they record.

Programs that are killed leave their records, which most tests use.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PARSER = argparse.ArgumentParser(usage=__doc__)
for option in ("--mpiexec", "--library", "--programs", "--ranks"):
    PARSER.add_argument(option, required=True)
ARGS = PARSER.parse_args()
RANKS = int(ARGS.ranks)


def place(paradigm, file, text):
    """'compiler calls.c:17': the place of the line with `text` in a program's source."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", file)
    with open(source, encoding="utf-8") as lines:
        number = next(n for n, line in enumerate(lines, 1) if text in line)
    return f"{paradigm} {file}:{number}"


MAIN = place("compiler", "calls.c", "int main")
FOO = place("compiler", "calls.c", "void foo")
BAR = place("compiler", "calls.c", "void bar")
TINY = place("compiler", "calls.c", "void tiny")
PHASE = place("user", "calls.c", "LATECOMER_REGION(phase")


def run(program, mode, directory, **environment):
    command = [ARGS.mpiexec, "-n", ARGS.ranks, os.path.join(ARGS.programs, program), mode]
    env = {k: v for k, v in os.environ.items() if not k.startswith("LATECOMER_")}
    env.update(LD_PRELOAD=ARGS.library, LATECOMER_EXPERIMENT_DIRECTORY=directory, **environment)
    return subprocess.run(command, env=env, timeout=100, text=True, capture_output=True,
                          check=False)


class ProgramsTest(unittest.TestCase):
    def setUp(self):
        self.base = tempfile.mkdtemp(prefix="latecomer.")
        self.directory = os.path.join(self.base, "experiment")

    def tearDown(self):
        shutil.rmtree(self.base)

    def file(self, name, text):
        path = os.path.join(self.base, name)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def calls(self, program, **environment):
        """Path -> (visits, place) of the last rank in a run that ends by SIGKILL."""
        shutil.rmtree(self.directory, ignore_errors=True)
        run(program, "kill", self.directory, **environment)
        dump = subprocess.run([os.path.join(ARGS.programs, "calls_dump"), self.directory],
                              text=True, capture_output=True, check=True)
        self.assertNotIn("problem", dump.stdout)
        found = {}
        for line in dump.stdout.splitlines():
            name, path, visits, place = line.split("\t")
            if name == f"{RANKS - 1}.0":
                found[path] = (int(visits), place)
        self.assertTrue(found, dump.stderr)
        return found

    def archive(self):
        """Path -> (visits, paradigm, file, line) of the last rank in the archive."""
        anchor = os.path.join(self.directory, "traces.otf2")
        regions, found, stack = {}, {}, []
        for line in subprocess.run(["otf2-print", "-G", anchor], text=True, capture_output=True,
                                   check=True).stdout.splitlines():
            match = re.match(r'REGION +(\d+)  Name: "(.*?)" <.* Paradigm: "?(\w+)"?.*'
                             r'File: (?:"(.*?)"|UNDEFINED).*, Begin: (\d+)', line)
            if match:
                number, name, paradigm, file, begin = match.groups()
                regions[number] = (name, paradigm, os.path.basename(file or ""), int(begin))
        for line in subprocess.run(["otf2-print", anchor], text=True, capture_output=True,
                                   check=True).stdout.splitlines():
            match = re.match(r'(ENTER|LEAVE) +(\d+) .*Region: ".*" <(\d+)>', line)
            if not match or int(match.group(2)) != RANKS - 1:
                continue
            if match.group(1) == "LEAVE":
                stack.pop()
                continue
            name, *place = regions[match.group(3)]
            stack.append(name)
            path = "/".join(stack)
            found[path] = (found.get(path, (0,))[0] + 1, *place)
        return found

    def test_archives_have_the_call_paths(self):
        def compiled(text):
            return "COMPILER", "calls.c", int(place("", "calls.c", text).split(":")[1])
        foo, bar, tiny = compiled("void foo"), compiled("void bar"), compiled("void tiny")
        phase = "USER", "calls.c", int(PHASE.split(":")[1])
        expected = {
            "main": (1, *compiled("int main")),
            "main/foo": (1, *foo),
            "main/foo/bar": (3, *bar),
            "main/foo/tiny": (1, *tiny),
            "main/MPI_Init": (1, "MPI", "MPI", 0),
            "main/phase one": (1, *phase),
            "main/phase one/foo": (1, *foo),
            "main/phase one/foo/bar": (3, *bar),
            "main/phase one/foo/tiny": (1, *tiny),
            "main/phase one/MPI_Barrier": (1, "MPI", "MPI", 0),
        }
        run("user_calls", "kill", self.directory)
        repair = subprocess.run([os.path.join(ARGS.programs, "latecomer-repair"), self.directory],
                                text=True, capture_output=True, check=False)
        self.assertIn(repair.returncode, (0, 4), repair.stderr)
        self.assertEqual(self.archive(), expected)
        shutil.rmtree(self.directory)
        run("user_calls", "end", self.directory)
        expected["main/MPI_Finalize"] = (1, "MPI", "MPI", 0)
        self.assertEqual(self.archive(), expected)

    def test_own_regions_take_the_place_of_stacks(self):
        # The call path consists of main only from the first region on: main is active to the end.
        run("user_phases", "end", self.directory)
        mpi = ("MPI", "MPI", 0)
        found = self.archive()
        lines = {path: found.pop(path)[3] for path in ("main", "main/set_up", "main/work")}
        self.assertEqual(found, {
            "main/set_up/MPI_Init": (1, *mpi),
            "main/set_up/MPI_Comm_rank": (1, *mpi),
            "main/work/MPI_Barrier": (1, *mpi),
            "main/phase": (1, "USER", "phases.c",
                           int(place("", "phases.c", "LATECOMER_REGION(phase").split(":")[1])),
            "main/phase/MPI_Barrier": (1, *mpi),
            "main/MPI_Barrier": (1, *mpi),
            "main/MPI_Finalize": (1, *mpi),
        })
        for path, text in (("main", "int main"), ("main/set_up", "void set_up"), ("main/work", "void work")):
            self.assertEqual(lines[path], int(place("", "phases.c", text).split(":")[1]))

    def test_functions_have_names_files_and_lines(self):
        for program in "user_calls", "user_calls_fixed":
            found = self.calls(program)
            self.assertEqual(found, {
                "main": (1, MAIN),
                "main/foo": (1, FOO),
                "main/foo/bar": (3, BAR),
                "main/foo/tiny": (1, TINY),
                "main/MPI_Init": (1, "mpi"),
                "main/phase one": (1, PHASE),
                "main/phase one/foo": (1, FOO),
                "main/phase one/foo/bar": (3, BAR),
                "main/phase one/foo/tiny": (1, TINY),
                "main/phase one/MPI_Barrier": (1, "mpi"),
            })

    def test_cxx_names_are_demangled_and_constructors_come_first(self):
        found = self.calls("user_objects")
        paths = list(found)
        early = [p for p in paths if p.endswith("app::Early::Early()/app::Early::prepare()")]
        self.assertEqual(len(early), 1, paths)
        self.assertFalse(early[0].startswith("main"))
        work = "main/app::work()/work scope/"
        self.assertEqual(found[work + "app::fail()/fail"][1], place("user", "objects.cpp", "LATECOMER_FUNCTION"))
        self.assertEqual(found[work + "int app::twice<int>(int)"],
                         (1, place("compiler", "objects.cpp", "T twice(")))
        self.assertEqual(found["main"], (1, place("compiler", "objects.cpp", "int main")))

    @unittest.skipUnless(os.path.exists(os.path.join(ARGS.programs, "user_modules")), "no Fortran")
    def test_fortran_names_are_those_of_the_source(self):
        found = self.calls("user_modules")
        main = next(iter(found)) + "/modules"
        self.assertEqual(found[main], (1, place("compiler", "modules.F90", "program modules")))
        self.assertEqual(found[main + "/sweep/solver::step"],
                         (1, place("compiler", "modules.F90", "subroutine step")))
        self.assertEqual(found[main + "/inner/MPI_Barrier"][0], 1)
        # Recording was off during the second call.
        self.assertNotIn(main + "/solver::step", found)

    def test_filter_leaves_out_functions_and_regions(self):
        path = self.file("filter.txt", "SCOREP_REGION_NAMES_BEGIN\n EXCLUDE * \n INCLUDE main ba?"
                                       "\nSCOREP_REGION_NAMES_END\n")
        found = self.calls("user_calls", LATECOMER_FILTER=path)
        self.assertEqual(found, {
            "main": (1, MAIN),
            "main/bar": (6, BAR),
            "main/MPI_Init": (1, "mpi"),
            "main/MPI_Barrier": (1, "mpi"),
        })

    def test_filter_knows_source_files_and_mangled_names(self):
        path = self.file("filter.txt", "SCOREP_FILE_NAMES_BEGIN\n EXCLUDE */programs/*.c\n"
                                       "SCOREP_FILE_NAMES_END\n")
        self.assertEqual(list(self.calls("user_calls", LATECOMER_FILTER=path)),
                         ["MPI_Init", "MPI_Barrier"])
        path = self.file("filter.txt", "SCOREP_REGION_NAMES_BEGIN\n EXCLUDE MANGLED _ZN3app4failEv"
                                       "\nSCOREP_REGION_NAMES_END\n")
        found = self.calls("user_objects", LATECOMER_FILTER=path)
        self.assertIn("main/app::work()/work scope/fail", found)

    def test_wrong_filter_ends_the_run_with_one_message(self):
        path = self.file("filter.txt", "# none\nEXCLUDE foo\n")
        done = run("user_calls", "end", self.directory, LATECOMER_FILTER=path)
        self.assertEqual(done.returncode, 2)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 2, done.stderr)
        self.assertTrue(lines[0].startswith(f"error: filter {path}:2: 'EXCLUDE' stands outside"),
                        lines[0])
        self.assertTrue(lines[1].startswith("hint:  "), lines[1])

    def test_missing_filter_is_named(self):
        done = run("user_calls", "end", self.directory, LATECOMER_FILTER="/nowhere/filter")
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot read the filter file /nowhere/filter: No such file", done.stderr)

    def test_runs_that_end_are_undisturbed(self):
        for program in "user_calls", "user_objects", "user_modules":
            if not os.path.exists(os.path.join(ARGS.programs, program)):
                continue
            shutil.rmtree(self.directory, ignore_errors=True)
            done = run(program, "end", self.directory)
            self.assertEqual((done.returncode, done.stderr), (0, ""), program)
            # The programs also run without the library, and with recording switched off.
            shutil.rmtree(self.directory, ignore_errors=True)
            done = run(program, "end", self.directory, LATECOMER_ENABLE="0")
            self.assertEqual((done.returncode, done.stderr), (0, ""), program)
            self.assertFalse(os.path.exists(self.directory))
            plain = subprocess.run(
                [ARGS.mpiexec, "-n", ARGS.ranks, os.path.join(ARGS.programs, program)],
                timeout=100, text=True, capture_output=True, check=False)
            self.assertEqual((plain.returncode, plain.stderr), (0, ""), program)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
