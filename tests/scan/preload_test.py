#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Libraries that are preloaded beside the measurement library: the user's, wherever they are given,
and sanitizers."""
import os
import sys
import unittest

from support import ENDS, MPIEXEC, ScanTest

sys.path.insert(0, os.environ["SCRIPTS"])
sys.dont_write_bytecode = True
from scan_lib import preload  # noqa: E402
from scan_lib.analysis import launch  # noqa: E402
from scan_lib.command import Command  # noqa: E402

SANITIZED, SANITIZED_OPTIONS, SANITIZED_STATIC = (
    os.environ[name] for name in ("SANITIZED", "SANITIZED_OPTIONS", "SANITIZED_STATIC"))


class LibrariesOfTheUser(ScanTest):
    def setUp(self):
        super().setUp()
        before = os.environ.pop("LD_PRELOAD", None)
        self.addCleanup(lambda: os.environ.update({"LD_PRELOAD": before}) if before else os.environ.pop("LD_PRELOAD", None))

    def joined(self, line, part=0):
        command = Command(line.split())
        return preload.joined(["OURS"], command, command.segments[part])

    def test_given_to_the_launcher(self):
        for line in ("mpiexec -env LD_PRELOAD X -n 2 ./app", "mpiexec -n 2 -genv LD_PRELOAD X ./app", "mpiexec -genv LD_PRELOAD=X -n 2 ./app",
                     "mpirun -x LD_PRELOAD=X -n 2 ./app", "mpiexec -genv LD_PRELOAD Y -env LD_PRELOAD X ./app",
                     "mpiexec -env A B -env LD_PRELOAD X ./app", "mpiexec -env LD_PRELOAD Y -env LD_PRELOAD X ./app",
                     "srun --export=ALL,LD_PRELOAD=X,A=B -n 2 ./app", "srun --export LD_PRELOAD=X ./app", "aprun -e LD_PRELOAD=X -n 2 ./app",
                     "jsrun -E LD_PRELOAD=X -n 2 ./app", "jsrun --env=LD_PRELOAD=X -n 2 ./app"):
            for others in ({}, {"LD_PRELOAD": "Z"}):
                with self.subTest(line, others=others):
                    os.environ.pop("LD_PRELOAD", None)
                    os.environ.update(others)
                    self.assertEqual(self.joined(line), "OURS:X")

    def test_not_given_to_the_launcher(self):
        os.environ["LD_PRELOAD"] = "Z"
        for line in ("./app", "mpiexec -n 2 ./app", "mpirun -x LD_PRELOAD -n 2 ./app", "srun --export=ALL -n 2 ./app",
                     "mpiexec -n 2 ./app -env LD_PRELOAD X", "mylauncher -env LD_PRELOAD X -- ./app"):
            self.assertEqual(self.joined(line), "OURS:Z", line)
        del os.environ["LD_PRELOAD"]
        self.assertEqual(self.joined("mpiexec -n 2 ./app"), "OURS")

    def test_given_to_parts(self):
        line = "mpiexec -env LD_PRELOAD X -n 1 ./a : -n 1 ./b : -env LD_PRELOAD Y ./c"
        self.assertEqual([self.joined(line, part) for part in range(3)], ["OURS:X", "OURS", "OURS:Y"])
        line = "mpiexec -genv LD_PRELOAD X -n 1 ./a : -n 1 ./b : -env LD_PRELOAD Y ./c"
        self.assertEqual([self.joined(line, part) for part in range(3)], ["OURS:X", "OURS:X", "OURS:Y"])

    def test_given_by_env(self):
        os.environ["LD_PRELOAD"] = "Z"
        for line, expected in (("env LD_PRELOAD=X ./app", "OURS:X"), ("env A=B ./app", "OURS:Z"), ("env -u LD_PRELOAD ./app", "OURS"),
                               ("env -i A=B ./app", "OURS"), ("env - LD_PRELOAD=X ./app", "OURS:X"), ("env --unset=LD_PRELOAD ./app", "OURS"),
                               ("env -u A -C / LD_PRELOAD=X ./app", "OURS:X"), ("env LD_PRELOAD=Y /usr/bin/env LD_PRELOAD=X ./app", "OURS:X"),
                               ("env LD_PRELOAD=Y env -i ./app", "OURS"), ("mpiexec -env LD_PRELOAD Y -n 2 env LD_PRELOAD=X ./app", "OURS:X"),
                               ("mpiexec -env LD_PRELOAD Y -n 2 env -u LD_PRELOAD ./app", "OURS")):
            self.assertEqual(self.joined(line), expected, line)

    def test_env_stands_before_ours(self):
        command = Command("mpiexec -n 2 env -u A LD_PRELOAD=X B=C ./app D=E".split())
        segment = command.segments[0]
        self.assertEqual((segment.prefix, segment.target, segment.arguments, command.ranks),
                         ("env -u A LD_PRELOAD=X B=C".split(), "./app", ["D=E"], 2))
        for line in ("env", "env A=B", "env -S x ./app", "env --strange ./app", "./env A=B"):  # none is understood
            segment = Command(line.split()).segments[0]
            self.assertEqual((segment.prefix, [segment.target] + segment.arguments), ([], line.split()))

    def test_analysis_without_them(self):
        command = Command("mpiexec -env LD_PRELOAD X -f hosts -n 2 ./app".split())
        self.assertEqual(launch(["A"], command, 2, "MPICH"), "mpiexec -n 2 -env LD_PRELOAD X -f hosts env -u LD_PRELOAD A".split())

    def test_runs(self):
        """The program sees its own libraries, after ours, and is recorded."""
        option = ["-x", "LD_PRELOAD=libm.so.6"] if "openmpi" in MPIEXEC else ["-env", "LD_PRELOAD", "libm.so.6"]
        for words, expected in ((option + ["-n", "1"], "libm.so.6"), (["-n", "1", "env", "LD_PRELOAD=libdl.so.2"], "libdl.so.2")):
            done = self.scan("--overwrite", "-e", self.experiment, MPIEXEC, *words, ENDS, "preloaded")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"^\S*/liblatecomer\.so:%s\n$" % expected)
            self.assertIn("1 rank,", done.stderr)


@unittest.skipUnless(SANITIZED, "no shared library of AddressSanitizer here")
class Sanitizers(ScanTest):
    def setUp(self):
        super().setUp()
        self.environment["ASAN_OPTIONS"] = "detect_leaks=0"  # MPI libraries have leaks

    def check_program(self, *words):
        done = self.scan("--overwrite", "-e", self.experiment, MPIEXEC, "-n", "2", *words)
        self.assertEqual((done.returncode, done.stdout), (0, "sum 1\n"), done.stderr)
        self.assertIn("2 ranks", done.stderr)
        bad = self.scan("--overwrite", "-e", self.experiment, MPIEXEC, "-n", "2", *words, "bad")
        self.assertNotEqual(bad.returncode, 0)
        self.assertIn("heap-buffer-overflow", bad.stderr)

    def test_shared_library(self):
        self.check_program(SANITIZED)

    def test_program_with_options_of_its_own(self):
        self.check_program(SANITIZED_OPTIONS)
        done = self.scan("-n", "-e", "new", MPIEXEC, "-n", "2", SANITIZED_OPTIONS)
        self.assertIn(" ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 ", done.stdout)
        self.assertNotIn("ASAN_OPTIONS", self.scan("-n", "-e", "new", MPIEXEC, "-n", "2", SANITIZED).stdout)

    def test_script(self):
        path = os.path.join(self.directory, "script")
        with open(path, "w") as f:
            f.write('#!/bin/sh\n%s "$@"\n' % SANITIZED)
        os.chmod(path, 0o755)
        self.check_program(path)

    @unittest.skipUnless(SANITIZED_STATIC, "no static library of AddressSanitizer here")
    def test_static_library(self):
        self.check_program(SANITIZED_STATIC)


if __name__ == "__main__":
    unittest.main()
