#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How scan splits a command line and puts it together again, without running anything."""
import csv
import os
import sys
import unittest

sys.path.insert(0, os.environ["SCRIPTS"])
sys.dont_write_bytecode = True
from scan_lib.command import Command, find_launcher  # noqa: E402
from scan_lib.experiment import name_for  # noqa: E402
from scan_lib.options import Options, UsageError, help_text, read_settings  # noqa: E402

SETTINGS = read_settings(os.path.join(os.environ["SCRIPTS"], "..", "archive", "settings.tsv"))


def command(line):
    return Command(line.split())


def targets(*words):
    return [(s.target, s.arguments, s.ranks) for s in Command(list(words)).segments]


class Targets(unittest.TestCase):
    def check(self, line, *expected):
        self.assertEqual(targets(*line.split()), list(expected))

    def test_launcher_with_number(self):
        self.check("mpiexec -n 4 ./app -n 9", ("./app", ["-n", "9"], 4))
        self.check("/usr/bin/mpirun.mpich -np 2 ./app", ("./app", [], 2))
        self.check("orterun -c 3 ./app", ("./app", [], 3))
        self.check("srun --ntasks=8 -p batch ./app", ("./app", [], 8))
        self.check("srun -n8 -t5 ./app", ("./app", [], 8))
        self.check("aprun -n 24 -N 12 ./app", ("./app", [], 24))

    def test_launcher_without_number(self):
        self.check("srun -N 2 ./app", ("./app", [], None))
        self.check("mpiexec -n many ./app", ("./app", [], None))

    def test_last_number_counts(self):
        self.check("mpiexec -n 4 -n 2 ./app", ("./app", [], 2))

    def test_number_of_sets_times_ranks_per_set(self):
        self.check("jsrun -n 2 -a 4 ./app", ("./app", [], 8))
        self.check("jsrun --nrs=2 --tasks_per_rs=4 ./app", ("./app", [], 8))
        self.check("jsrun -a 4 ./app", ("./app", [], None))

    def test_options_with_values_are_not_the_program(self):
        self.check("mpiexec -genv A B -hosts x,y -n 4 ./app", ("./app", [], 4))
        self.check("mpirun --mca btl self --map-by core -n 4 ./app", ("./app", [], 4))
        self.check("srun --mpi pmi2 --cpu-bind cores -n 4 ./app", ("./app", [], 4))

    def test_options_without_value(self):
        self.check("mpiexec -l -n 4 ./app", ("./app", [], 4))
        self.check("srun --exclusive -n 4 ./app x", ("./app", ["x"], 4))

    def test_unknown_option(self):
        """An unknown option has a value if the next word is not a program, but the word after it is
        one."""
        self.check("mpiexec -strange 7 /bin/ls x", ("/bin/ls", ["x"], None))
        self.check("mpiexec -strange /bin/ls x", ("/bin/ls", ["x"], None))
        self.check("mpiexec -strange=7 /bin/ls x", ("/bin/ls", ["x"], None))

    def test_dashes_mark_the_program(self):
        self.check("mpiexec -n 4 -- ./app x", ("./app", ["x"], 4))
        self.check("mylauncher -odd 4 -- ./app x -- y", ("./app", ["x", "--", "y"], None))

    def test_several_programs(self):
        self.check("mpiexec -n 2 ./a 1 : -n 3 ./b", ("./a", ["1"], 2), ("./b", [], 3))
        self.assertEqual(command("mpiexec -n 2 ./a : -n 3 ./b").ranks, 5)
        self.assertIsNone(command("mpiexec -n 2 ./a : ./b").ranks)

    def test_no_program(self):
        for line in ("mpiexec -n 4", "mpiexec", "mpiexec -n 4 --", "mpiexec -n 2 ./a : -n 2",
                     "mylauncher -x --"):
            self.assertEqual(command(line).segments, [], line)

    def test_hosts(self):
        for line in ("mpiexec -f hosts -n 4 ./app", "mpiexec -n 1 ./a : -host=x -n 1 ./b",
                     "srun -N2 ./app", "srun --nodelist=a,b ./app"):
            self.assertTrue(command(line).named_hosts, line)
        for line in ("mpiexec -n 4 ./app -f hosts", "srun -n 4 ./app", "./app -f hosts"):
            self.assertFalse(command(line).named_hosts, line)


class NewCommands(unittest.TestCase):
    def test_single_program(self):
        single = Command(["./app", "x y"])
        self.assertEqual((single.launcher, single.ranks), (None, 1))
        self.assertEqual(single.with_targets(lambda s: ["env", s.target] + s.arguments),
                         ["env", "./app", "x y"])

    def test_replacing_targets(self):
        several = command("mpiexec -n 2 ./a 1 : -n 3 -env X Y ./b")
        self.assertEqual(several.with_targets(lambda s: ["T", s.target]),
                         "mpiexec -n 2 T ./a : -n 3 -env X Y T ./b".split())
        self.assertEqual(command("mylauncher -x 4 -- ./a 1").with_targets(lambda s: ["T"]),
                         "mylauncher -x 4 T".split())

    def test_other_number_of_ranks(self):
        """Everything except the number stays, above all the hosts."""
        for line, expected in (("mpiexec -f h -n 8 ./a", "mpiexec -n 3 -f h A E"),
                               ("srun -n8 -w x -p q ./a", "srun -n 3 -w x -p q A E"),
                               ("jsrun -n 2 -a 4 -c 1 ./a", "jsrun -p 3 -c 1 A E"),
                               ("mpiexec -n 1 ./a : -n 2 ./b", "mpiexec -n 3 A E")):
            self.assertEqual(command(line).with_ranks(3, ["A", "E"]), expected.split())

    def test_name_of_the_experiment(self):
        self.assertEqual(name_for(command("mpiexec -n 4 ./dir/app")), "latecomer_app_4_trace")
        self.assertEqual(name_for(command("srun -N 4 app")), "latecomer_app_trace")
        self.assertEqual(name_for(command("mpiexec -n 1 ./a : -n 2 ./b")), "latecomer_a_3_trace")


class LauncherTable(unittest.TestCase):
    def test_every_launcher_can_be_given_a_number(self):
        with open(os.path.join(os.environ["SCRIPTS"], "scan_lib", "launchers.tsv"), newline="") as f:
            rows = list(csv.DictReader(f, delimiter="\t"))
        names = {name for row in rows for name in row["launchers"].split()}
        self.assertIn("mpiexec", names)
        for name in names:
            self.assertIn(find_launcher(name).number, ["-" + n for n in find_launcher(name).ranks], name)
        self.assertEqual({row["meaning"] for row in rows},
                         {"ranks", "times", "number", "hosts", "value", "variables", "pairs", "everywhere", "two values"})

    def test_names(self):
        self.assertIsNotNone(find_launcher("/opt/bin/mpiexec.hydra"))
        self.assertIsNone(find_launcher("./mpiexecutable"))


class OptionLine(unittest.TestCase):
    def test_options_end_at_the_first_other_word(self):
        options = Options("-v -e DIR mpiexec -n 4 -v".split(), SETTINGS)
        self.assertEqual(options.words, "mpiexec -n 4 -v".split())
        self.assertEqual(options.settings, {"LATECOMER_VERBOSE": "1",
                                            "LATECOMER_EXPERIMENT_DIRECTORY": "DIR"})

    def test_long_forms(self):
        options = Options("--analysis-processes 3 --analyze=E --overwrite".split(), SETTINGS)
        self.assertEqual(options.own, {"analysis-processes": "3", "analyze": "E"})
        self.assertEqual(options.settings, {"LATECOMER_OVERWRITE": "1"})

    def test_abbreviations(self):
        self.assertEqual(Options(["--exp", "D"], SETTINGS).settings,
                         {"LATECOMER_EXPERIMENT_DIRECTORY": "D"})
        with self.assertRaises(UsageError):
            Options(["--ver"], SETTINGS)  # ambiguous: verbose or version

    def test_wrong_options(self):
        for words in (["--nonsense"], ["-x"], ["-e"], ["--overwrite=1"], ["--experiment"]):
            with self.assertRaises(UsageError, msg=words):
                Options(words, SETTINGS)

    def test_help_names_every_option_once(self):
        text = help_text(SETTINGS)
        for row in SETTINGS:
            if row["option"] != "-":
                self.assertRegex(text, r"(?m)^  (-\w, |    )--%s\b" % row["option"])
        self.assertLess(max(len(line) for line in text.splitlines()), 100)


if __name__ == "__main__":
    unittest.main()
