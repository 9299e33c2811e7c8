#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Call paths of programs in Python have the functions of the script, with files and lines.

python_test.py ctypes|mpi4py: how the program calls MPI. ctypes needs no package.
"""
import collections
import json
import os
import re
import sys
import tempfile
import unittest

from support import LATECOMER, MPIEXEC, regions, run, scan

HERE = os.path.dirname(os.path.abspath(__file__))
JOB, SOLVER = os.path.join(HERE, "python_job.py"), os.path.join(HERE, "python_solver.py")
CHURN = os.path.join(HERE, "python_churn.py")
HOW = sys.argv.pop() if sys.argv[-1] in ("ctypes", "mpi4py") else "ctypes"
CALLS = ("MPI_Init_thread", "MPI_Barrier", "MPI_Finalize")
IS_OPEN_MPI = "openmpi" in MPIEXEC or "Open MPI" in run([MPIEXEC, "--version"]).stdout


def version(python):
    done = run([python, "-c", "import sys; print(*sys.version_info[:2])"])
    return tuple(map(int, done.stdout.split())) if done.returncode == 0 else None


def has_mpi4py(python):
    done = run([python, "-c", "from mpi4py import MPI; print(MPI.get_vendor()[0])"])
    return done.stdout == ("Open MPI\n" if IS_OPEN_MPI else "MPICH\n")


def interpreters():
    """Interpreters of different versions, of those that are known."""
    found = {}
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and (3, 8) <= version(python) < (3, 14):
            if HOW == "ctypes" or has_mpi4py(python):
                found.setdefault(version(python), python)
    return found


def line_of(file, text):
    with open(file, encoding="utf-8") as source:
        return next(number for number, line in enumerate(source, 1) if line.strip().startswith(text))


def entered(experiment):
    """By location: the call path of each region that is entered, as "function file:line" from the outermost on."""
    anchor = os.path.join(experiment, "traces.otf2")
    known = regions(anchor)
    found, stacks = {}, {}
    for line in run(["otf2-print", anchor]).stdout.splitlines():
        match = re.match(r'(ENTER|LEAVE) +(\d+) .*Region: ".*" <(\d+)>', line)
        if not match:
            continue
        stack = stacks.setdefault(match[2], [])
        if match[1] == "LEAVE":
            stack.pop()
            continue
        name, file, number = known[match[3]]
        stack.append(name if file in ("", "MPI") else "%s %s:%d" % (name, file, number))
        found.setdefault(match[2], []).append(tuple(stack))
    return found


def tree(experiment):
    """By location: visits of each call path."""
    return {location: dict(collections.Counter(paths)) for location, paths in entered(experiment).items()}


class Python(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.experiment = os.path.join(scratch.name, "experiment")

    def record(self, python, *arguments, options=(), ranks=2, program=JOB):
        done = scan("--yield", "--overwrite", *options, "-e", self.experiment, MPIEXEC, "-n", str(ranks), python,
                    program, "mpi4py" if HOW == "mpi4py" else os.environ["MPI_LIBRARY"], *arguments,
                    env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("is not known", done.stdout + done.stderr)
        return done.stdout

    def names(self, number):
        """Names and places of the program's functions in a version."""
        qualified = number >= (3, 11)

        def function(name, scope="", file=JOB, keyword="def "):
            return "%s %s:%d" % (scope + name if qualified else name, file, line_of(file, keyword + name))
        found = {name: function(name) for name in
                 ("numbers", "uneven", "nested", "deep", "größe", "key", "work", "main")}
        begin = 1 if number >= (3, 10) else 2  # before 3.10 a module begins with its first statement
        found.update(module="<module> %s:%d" % (JOB, begin), inner=function("inner", "nested.<locals>."),
                     solver="<module> %s:%d" % (SOLVER, begin), string="<module> <string>:1",
                     first="first <string>:1", second="second <string>:1")
        for name in ("step", "exchange"):
            found[name] = function(name, "Solver.", SOLVER)
        place = line_of(SOLVER, "[barrier()")
        found["list"] = "%s<listcomp> %s:%d" % ("Solver.exchange.<locals>." if qualified else "", SOLVER, place)
        return found

    def expected(self, number):
        n = self.names(number)
        main = (n["module"], n["main"])
        work = main + (n["work"],)
        exchange = work + (n["step"], n["exchange"])
        inlined = number >= (3, 12)  # list comprehensions
        visits = {
            (n["module"],): 1,
            (n["module"], n["solver"]): 1,
            (n["module"], n["solver"], "MPI_Init_thread"): 1,
            main: 1,
            work: 1,
            # The generator is resumed from the same line; solver.step() is called in between.
            work + (n["numbers"],): 2,
            work + (n["numbers"], "MPI_Barrier"): 2,
            work + (n["step"],): 2,
            work + (n["step"], "MPI_Barrier"): 2,
            exchange: 2,
            (exchange if inlined else exchange + (n["list"],)) + ("MPI_Barrier",): 2,
            work + (n["uneven"],): 1,
            work + (n["uneven"], "MPI_Barrier"): 1,
            # inner() is called in two lines, so it has two visits in one of nested().
            work + (n["nested"],): 1,
            work + (n["nested"], n["inner"]): 2,
            work + (n["nested"], n["inner"], "MPI_Barrier"): 2,
            work + (n["deep"],) * 1: 1,
            work + (n["deep"],) * 2: 1,
            work + (n["deep"],) * 3: 1,
            work + (n["deep"],) * 4: 1,
            work + (n["deep"],) * 4 + ("MPI_Barrier",): 1,
            work + (n["größe"],): 1,
            work + (n["größe"], "MPI_Barrier"): 1,
            work + (n["key"],): 1,
            work + (n["key"], "MPI_Barrier"): 1,
            # Two lines of work() run code in strings. Nothing is known between the calls of one line.
            work + (n["string"],): 2,
            work + (n["string"], "MPI_Barrier"): 2,
            work + (n["string"], n["first"]): 1,
            work + (n["string"], n["first"], "MPI_Barrier"): 1,
            work + (n["string"], n["second"]): 1,
            work + (n["string"], n["second"], "MPI_Barrier"): 1,
            main + ("MPI_Finalize",): 1,
        }
        if not inlined:
            visits[exchange + (n["list"],)] = 2
        return visits

    def test_functions_of_the_script(self):
        for number, python in interpreters().items():
            with self.subTest(python):
                # mpi4py initializes MPI before it imports modules of Python, and so reads files.
                self.record(python, options=("--files", "off") if HOW == "mpi4py" else ())
                found = tree(self.experiment)
                expected = self.expected(number)
                for location in ("0", "1"):
                    self.maxDiff = None
                    # mpi4py calls other functions on its own.
                    visits = {path: count for path, count in found[location].items()
                              if not path[-1].startswith("MPI_") or path[-1] in CALLS}
                    self.assertEqual(visits, expected)
                shown = run([LATECOMER, "show", "--metric", "visits", "--callpath", "work", self.experiment])
                names = [self.names(number)[key].split()[0] for key in ("work", "numbers", "step", "exchange")]
                rows = re.findall(r"^ *\d+ +[\d.]+( +)(\S+)$", shown.stdout, re.M)
                depth = {name: len(blanks) for blanks, name in reversed(rows)}
                self.assertEqual([depth[name] - depth["work"] for name in names], [0, 2, 2, 4], shown.stdout)
                self.assertRegex(run([LATECOMER, "show", self.experiment]).stdout, r"cause: .*\bwork\b")

    def test_threads_of_python(self):
        for number, python in interpreters().items():
            with self.subTest(python):
                self.record(python, "threads")
                found = tree(self.experiment)
                paths = [path for path, visits in found["4294967296"].items() if path[-1] == "MPI_Barrier"]
                self.assertEqual(len(paths), 1)
                names = [function.split()[0] for function in paths[0]]
                qualified = number >= (3, 11)
                thread = "Thread." if qualified else ""
                self.assertEqual(names, [thread + "_bootstrap", thread + "_bootstrap_inner", thread + "run",
                                         "numbers", "MPI_Barrier"])
                self.assertRegex(paths[0][0], r"/threading\.py:\d+$")
                self.assertEqual(paths[0][3], self.names(number)["numbers"])

    def test_functions_that_come_and_go(self):
        """Python itself says for each call which functions are active. Their memory is used again and again."""
        for python in interpreters().values():
            with self.subTest(python):
                wanted = self.experiment + ".txt"
                self.record(python, wanted, ranks=1, program=CHURN)
                with open(wanted, encoding="utf-8") as file:
                    expected = [tuple(line.rstrip("\n").split("\t")) for line in file]
                found = [path[:-1] for path in entered(self.experiment)["0"] if path[-1] == "MPI_Barrier"]
                self.assertEqual(len(expected), 503)
                self.assertEqual(found, expected)

    def test_samples(self):
        """uneven() computes, after a call of MPI in step() and before its own."""
        for number, python in interpreters().items():
            with self.subTest(python):
                if "without samples of the computation" in self.record(python, options=("--sample", "1000")):
                    self.skipTest("the kernel refuses samples")
                contexts = re.findall(r'^CALLING_CONTEXT_SAMPLE +0 .*?Context: "(.*?)"',
                                      run(["otf2-print", os.path.join(self.experiment, "traces.otf2")]).stdout, re.M)
                self.assertFalse([c for c in contexts if "Eval" in c or "python3" in c])
                name = "uneven" if number >= (3, 11) else "<Python>"
                self.assertGreater(sum(c.startswith(name) for c in contexts), len(contexts) / 2, contexts)
                shown = run([LATECOMER, "show", "--metric", "comp", "--callpath", "work/" + name, self.experiment])
                self.assertRegex(shown.stdout, r"(?m)  %s$" % name)
                if number >= (3, 11):
                    lines = json.loads(run([LATECOMER, "json", self.experiment]).stdout)["extras"]["computation"]["lines"]
                    self.assertEqual(lines[0]["function"], "uneven")
                    self.assertIn(lines[0]["line"], (line_of(JOB, "for i in range(2_000_000)"), line_of(JOB, "total += i")))

    def test_without_call_paths(self):
        self.record(next(iter(interpreters().values())), options=("--no-callpath",))
        self.assertEqual({len(path) for visits in tree(self.experiment).values() for path in visits}, {1})


if __name__ == "__main__":
    if interpreters():
        unittest.main()
    elif HOW == "mpi4py":
        print("skipped: no mpi4py for this MPI")
    else:
        sys.exit("no interpreter of a known version")
