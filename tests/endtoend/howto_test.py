#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The commands of docs/howto run unchanged, and the options in all of them exist."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from launching import is_open_mpi  # noqa: E402
from support import BUILD, MPIEXEC, app

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
HOWTO = os.path.join(ROOT, "docs", "howto")
FORTRAN = os.environ["FORTRAN"]


def pages():
    return sorted(name for name in os.listdir(HOWTO) if name.endswith(".md"))


def text_of(page):
    with open(os.path.join(HOWTO, page)) as file:
        return file.read()


def commands(page):
    """Commands in the code blocks of a page."""
    return [line.strip() for line in text_of(page).splitlines() if re.match(r" {4,}(scan|latecomer|mpi\w+) ", line)]


class HowTo(unittest.TestCase):
    def run_page(self, page, program, statuses=(0,)):
        """Runs the commands in a directory with ./app, with our programs and an mpiexec in PATH."""
        with tempfile.TemporaryDirectory() as scratch:
            tools = os.path.join(scratch, "bin")
            os.mkdir(tools)
            for name, program_of_mpi in (("mpiexec", MPIEXEC), ("mpif90", FORTRAN)):
                with open(os.path.join(tools, name), "w") as file:
                    file.write("#!/bin/sh\nexec %s \"$@\"\n" % program_of_mpi)
                os.chmod(os.path.join(tools, name), 0o755)
            for source in program:
                shutil.copy(source, scratch)
            os.rename(os.path.join(scratch, os.path.basename(program[0])), os.path.join(scratch, "app"))
            path = [tools, os.path.join(BUILD, "bin"), os.environ["PATH"]]
            environment = dict(os.environ, PATH=os.pathsep.join(path), LD_PRELOAD=os.path.join(BUILD, "lib", "liblatecomer-yield.so"))
            for command in commands(page):
                if is_open_mpi(MPIEXEC):
                    command = re.sub(r" -env (\S+) (\S+)", r" -x \1=\2", command)
                done = subprocess.run(command, shell=True, cwd=scratch, env=environment, capture_output=True, text=True,
                                      timeout=120)
                self.assertIn(done.returncode, statuses if command.startswith("latecomer check now") else (0,),
                              command + "\n" + done.stdout + done.stderr)
            return len(commands(page))

    def test_continuous_integration(self):
        # The program is too short to be judged; other tests check the verdicts.
        self.assertEqual(self.run_page("ci.md", [app("compute_gsum")], statuses=(0, 1)), 5)

    def test_large_traces(self):
        self.assertEqual(self.run_page("large-traces.md", [app("compute_gsum")]), 5)

    def test_metacomputer(self):
        self.assertEqual(self.run_page("metacomputer.md", [app("coupled")]), 4)

    def test_fortran(self):
        source = os.path.join(ROOT, "tests", "apps", "wave.f90")
        if not FORTRAN or not os.path.exists(app("wave")):
            self.skipTest("no Fortran compiler for this MPI")
        self.assertEqual(self.run_page("fortran.md", [app("wave"), source]), 3)

    def test_what_if(self):
        self.assertEqual(self.run_page("what-if.md", [app("compute_gsum")]), 3)

    def test_options_exist(self):
        count = 0
        for page in pages():
            for program, options in re.findall(r"\b(scan|latecomer-analyzer|latecomer [a-z-]+)\b([^`\n]*)",
                                               text_of(page)):
                words = program.split()
                own = re.split(r" (?:srun|mpiexec|mylauncher|\./)", options)[0]  # the options after it are not ours
                wanted = set(re.findall(r"(?<=\s)--[a-z][a-z-]*", own))
                if not wanted:
                    continue
                done = subprocess.run([os.path.join(BUILD, "bin", words[0]), *words[1:], "--help"],
                                      capture_output=True, text=True, timeout=200)
                self.assertEqual(done.returncode, 0, (page, program))
                for option in wanted:
                    count += 1
                    self.assertRegex(done.stdout, r"(?<![\w-])%s(?![\w-])" % option, page)
        self.assertGreater(count, 8)


if __name__ == "__main__":
    unittest.main(verbosity=2)
