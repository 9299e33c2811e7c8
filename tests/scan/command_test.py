#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How scan takes a command line apart, without running anything."""
import os
import sys
import unittest

sys.path.insert(0, os.environ["SCRIPTS"])
sys.dont_write_bytecode = True
from scan_lib.command import Command  # noqa: E402
from scan_lib.options import Options, UsageError, help_text, read_settings  # noqa: E402

SETTINGS = read_settings(os.path.join(os.environ["SCRIPTS"], "..", "archive", "settings.tsv"))


def targets(*words):
    return [(s.target, s.arguments, s.ranks) for s in Command(list(words)).segments]


class CommandLine(unittest.TestCase):
    def test_launcher_with_number(self):
        self.assertEqual(targets("mpiexec", "-n", "4", "./app", "-n", "9"), [("./app", ["-n", "9"], 4)])
        self.assertEqual(targets("/usr/bin/mpirun.mpich", "-np", "2", "./app"), [("./app", [], 2)])
        self.assertEqual(targets("srun", "--ntasks=8", "-p", "batch", "./app"), [("./app", [], 8)])

    def test_launcher_without_number(self):
        self.assertEqual(targets("srun", "-N", "2", "./app"), [("./app", [], None)])

    def test_options_with_values_are_not_the_program(self):
        self.assertEqual(targets("mpiexec", "-genv", "A", "B", "-hosts", "x,y", "-n", "4", "./app"),
                         [("./app", [], 4)])
        self.assertTrue(Command(["mpiexec", "-f", "hosts", "-n", "4", "./app"]).named_hosts)
        self.assertFalse(Command(["mpiexec", "-n", "4", "./app"]).named_hosts)

    def test_unknown_option_with_value(self):
        self.assertEqual(targets("mpiexec", "-strange", "7", "/bin/ls", "x"), [("/bin/ls", ["x"], None)])

    def test_dashes_mark_the_program(self):
        self.assertEqual(targets("mpiexec", "-n", "4", "--", "./app", "x"), [("./app", ["x"], 4)])
        self.assertEqual(targets("mylauncher", "-odd", "4", "--", "./app", "x"), [("./app", ["x"], None)])

    def test_several_programs(self):
        self.assertEqual(targets("mpiexec", "-n", "2", "./a", "1", ":", "-n", "3", "./b"),
                         [("./a", ["1"], 2), ("./b", [], 3)])
        self.assertEqual(Command("mpiexec -n 2 ./a : -n 3 ./b".split()).ranks, 5)

    def test_single_program(self):
        command = Command(["./app", "x y"])
        self.assertEqual((command.launcher, command.ranks), (None, 1))
        self.assertEqual(command.with_targets(lambda s: ["env", s.target] + s.arguments),
                         ["env", "./app", "x y"])

    def test_replacing_targets(self):
        command = Command("mpiexec -n 2 ./a 1 : -n 3 -env X Y ./b".split())
        self.assertEqual(command.with_targets(lambda s: ["T"]),
                         "mpiexec -n 2 T : -n 3 -env X Y T".split())
        self.assertEqual(Command("mpiexec -f h -n 8 ./a".split()).with_ranks(3, ["A", "E"]),
                         "mpiexec -n 3 -f h A E".split())

    def test_no_program(self):
        self.assertEqual(Command(["mpiexec", "-n", "4"]).segments, [])


class OptionLine(unittest.TestCase):
    def test_options_end_at_the_first_other_word(self):
        options = Options("-v -e DIR mpiexec -n 4 -v".split(), SETTINGS)
        self.assertEqual(options.words, "mpiexec -n 4 -v".split())
        self.assertEqual(options.settings, {"LATECOMER_VERBOSE": "1",
                                            "LATECOMER_EXPERIMENT_DIRECTORY": "DIR"})

    def test_long_forms(self):
        options = Options("--analysis-processes 3 --analyze=E".split(), SETTINGS)
        self.assertEqual(options.own, {"analysis-processes": "3", "analyze": "E"})

    def test_unknown_option(self):
        with self.assertRaises(UsageError):
            Options(["--nonsense"], SETTINGS)

    def test_help_names_every_option(self):
        text = help_text(SETTINGS)
        for row in SETTINGS:
            if row["option"] != "-":
                self.assertIn("--" + row["option"], text)


if __name__ == "__main__":
    unittest.main()
