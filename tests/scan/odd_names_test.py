#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Names in Linux are bytes. scan accepts names that are not UTF-8, have line breaks, or act on a
terminal."""
import json
import os
import shlex
import shutil
import subprocess
import sys
import unittest

from support import ENDS, MPIEXEC, SCAN, ScanTest

sys.path.insert(0, os.environ["SCRIPTS"])
sys.dont_write_bytecode = True
from scan_lib.output import command_line, printable, quoted  # noqa: E402

LATECOMER = os.path.join(os.path.dirname(SCAN), "latecomer")
ODD = b"n\xff\xe4\n\x1b[31m'x"
SHOWN = r"n\xff\xe4\n\x1b[31m'x"


class Words(unittest.TestCase):
    def test_printable(self):
        for text, expected in (("", ""), ("a b \\n \u00e4 \u20ac \U0001f600", "a b \\n \u00e4 \u20ac \U0001f600"),
                               (os.fsdecode(ODD), SHOWN), ("\t\r\0\x7f", r"\t\r\x00\x7f"),
                               ("\u009b \u2028 \u202e \u2066 \u200f", r"\u009b \u2028 \u202e \u2066 \u200f"), ("\u00a0\u2027", "\u00a0\u2027")):
            self.assertEqual(printable(text), expected)

    def test_words_of_commands(self):
        """A shell takes the displayed text for the same word."""
        for word in ("", "a", "a b", "it's", "$HOME", "\u00e4", os.fsdecode(ODD), "\\\n'\u202e1", "\x011"):
            self.assertEqual(printable(quoted(word)), quoted(word))
            if shutil.which("bash"):
                done = subprocess.run(["bash", "-c", "printf %s " + quoted(word)], stdout=subprocess.PIPE, check=True)
                self.assertEqual(done.stdout, os.fsencode(word))
        words = ["two words", "it's", "", "plain"]
        self.assertEqual(command_line(words), shlex.join(words))


class Runs(ScanTest):
    def scan(self, *words, environment=(), **more):
        done = subprocess.run([sys.executable, SCAN] + list(words), capture_output=True, timeout=100,
                              cwd=self.directory, env=dict(self.environment, **dict(environment)), **more)
        done.stderr = done.stderr.decode(errors="surrogateescape")
        return done

    def setUp(self):
        super().setUp()
        self.program = os.path.join(os.fsencode(self.directory), b"app" + ODD)
        shutil.copy(ENDS, self.program)

    def check_record(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_everything(self):
        """Program, arguments and directory appear everywhere as they were given."""
        locales = ("C.UTF-8", "C", "POSIX")
        for i, locale in enumerate(locales):
            experiment = b"experiment%d" % i + ODD
            path = os.path.join(os.fsencode(self.directory), experiment)
            done = self.scan("--yield", "-e", experiment, MPIEXEC, "-n", "2", self.program, "echo", b"a" + ODD, b"\xff",
                             input=b"line\n", environment={"LC_ALL": locale})
            self.check_record(done)
            self.assertEqual(done.stdout, b"line\n[a%s][\xff]\n" % ODD)
            with open(os.path.join(path, b"scan.log"), encoding="utf-8", errors="surrogateescape") as f:
                log = f.read()
            self.assertIn("running %s -n 2 env " % MPIEXEC, log)
            self.assertIn(quoted("a" + os.fsdecode(ODD)), log)
            shell = b'. "$1"/latecomer.cfg; printf %s "$LATECOMER_EXPERIMENT_DIRECTORY"'
            cfg = subprocess.run(["sh", "-c", shell, "sh", path], capture_output=True)
            self.assertEqual((cfg.stdout, cfg.stderr), (path, b""))
            again = self.scan("-a", experiment, environment={"LC_ALL": locale})
            self.check_record(again)

    def test_default_directory(self):
        self.check_record(self.scan("--yield", MPIEXEC, "-n", "1", self.program))
        self.assertIn(b"latecomer_app" + ODD + b"_1_trace", os.listdir(os.fsencode(self.directory)))
        done = self.scan("--yield", "-R", "2", MPIEXEC, "-n", "1", self.program)
        self.check_record(done)
        done = self.scan("-n", "--yield", MPIEXEC, "-n", "1", self.program, b"\xff\n")
        self.check_record(done)
        self.assertIn(rb"$'\377\n'", done.stdout)
        self.assertIn("scan: the experiment %s/latecomer_app%s_1_trace exists already" % (self.directory, SHOWN), done.stderr)

    def test_refusals(self):
        os.mkdir(os.path.join(os.fsencode(self.directory), ODD))
        for words, status, part in (
                ([MPIEXEC, "-n", "2", b"./not" + ODD], 2, "program ./not%s: not found" % SHOWN), ([b"--" + ODD], 2, SHOWN),
                (["-a", b"not" + ODD], 3, "not%s: no such experiment" % SHOWN), (["-n", "-a", ODD], 3, SHOWN + ": no trace was recorded here"),
                (["-f", b"not" + ODD, MPIEXEC, "-n", "1", ENDS], 2, SHOWN),
                (["--timer", ODD, MPIEXEC, "-n", "1", ENDS], 2, "--timer %s is not understood" % SHOWN), (["--eager-limit", ODD, ENDS], 2, SHOWN)):
            with self.subTest(words):
                done = self.scan(*words)
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertEqual([line.split(":")[0] for line in done.stderr.splitlines()], ["error", "hint"], done.stderr)
                self.assertIn(part, done.stderr)
                self.assertNotIn("\x1b", done.stderr)
        self.assertEqual(sorted(os.listdir(os.fsencode(self.directory))), sorted([b"app" + ODD, ODD]))


class Terminals(ScanTest):
    """Nothing that is printed of an experiment acts on a terminal, whatever the program and the directory are called."""

    NAME = "r\x1b[31m\ny"

    def check_printed(self, *words, status=0, **more):
        done = subprocess.run(words, capture_output=True, timeout=100, cwd=self.directory, env=self.environment, **more)
        printed = done.stdout + done.stderr
        self.assertEqual(done.returncode, status, printed)
        self.assertNotIn(b"\x1b", printed)
        self.assertNotIn(b"\ny", printed)
        return printed.decode()

    def test_commands(self):
        shutil.copy(ENDS, os.path.join(self.directory, self.NAME))
        run = [sys.executable, SCAN, "--yield"]
        said = self.check_printed(*run, "--keep-records", MPIEXEC, "-n", "2", "./" + self.NAME)
        experiment = "latecomer_%s_2_trace" % self.NAME
        self.assertIn("report: %s/analysis.cubex\n" % printable(experiment), said)
        self.assertIn("next:   latecomer html %s; " % quoted(experiment), said)
        with open(os.path.join(self.directory, "report"), "w") as f:
            f.write(self.check_printed(LATECOMER, "json", experiment))
        self.environment["PATH"] = os.path.dirname(SCAN) + ":" + self.environment["PATH"]
        if shutil.which("bash"):
            command = next(line for line in said.splitlines() if line.startswith("next: ")).split(";")[0].removeprefix("next:")
            self.assertIn("open it in a browser", self.check_printed("bash", "-c", command))
        odd = "\x1b[31m\ny"
        for words in (("show", experiment), ("show", "--computation", experiment), ("info", experiment), ("diff", experiment, experiment),
                      ("clocks", experiment), ("stuck", experiment), ("explain", "mpi", experiment), ("csv", experiment), ("check", experiment),
                      ("check", "--write-baseline", odd + ".json", experiment), ("html", "--overwrite", experiment), ("repair", experiment),
                      ("filter", experiment), ("scaling", experiment, experiment), ("what-if", "--latency", "x0.5", experiment),
                      ("timeline", "-o", odd + ".pftrace", experiment), ("collect", "-o", odd + ".all", experiment),
                      ("watch", "--once", experiment), ("mean", "-o", odd + ".cubex", experiment, experiment), ("show", odd), ("explain", odd)):
            with self.subTest(words):
                done = subprocess.run([LATECOMER, *words], capture_output=True, timeout=100, cwd=self.directory, env=self.environment)
                self.assertNotIn(b"\x1b", done.stdout + done.stderr)
                self.assertNotIn(b"\ny", done.stdout + done.stderr)
        analyzer = LATECOMER + "-analyzer"
        self.check_printed(analyzer, "-o", odd + ".cubex", "--write-corrected", odd, experiment)
        os.unlink(os.path.join(self.directory, experiment, "traces.otf2"))
        self.check_printed(LATECOMER, "repair", experiment)
        self.check_printed(*run, "--watch", "--overwrite", MPIEXEC, "-n", "2", "./" + self.NAME)
        self.check_printed(LATECOMER, "show", experiment)
        self.check_printed(LATECOMER, "profile", "-o", odd + "2.cubex", experiment)

    def test_measurement_library(self):
        said = self.check_printed(sys.executable, SCAN, "--yield", "-e", self.NAME, MPIEXEC, "-n", "1", os.environ["MIXTURE"], "looked_up",
                                  ":", "-n", "1", os.environ["MIXTURE"])
        self.assertIn("scan -a " + quoted(os.path.join(self.directory, self.NAME)), said)


class EqualsSigns(ScanTest):
    """env takes words with = for variables. Programs with such names run all the same."""

    def check_runs(self, *words, ranks=2, options=()):
        done = self.scan("--yield", "--overwrite", *options, "-e", self.experiment, *words, "echo", "a=b", input="line\n")
        self.assertEqual((done.returncode, done.stdout), (0, "line\n[a=b]\n"), done.stderr)
        self.assertIn("watched %d of %d ranks" % (ranks, ranks) if options else "%d rank" % ranks, done.stderr)
        self.assertNotIn("warning", done.stderr)

    def test_program(self):
        os.mkdir(os.path.join(self.directory, "n=4"))
        for name in ("n=4/app", "=app"):
            shutil.copy(ENDS, os.path.join(self.directory, name))
        self.environment["PATH"] = self.directory + ":" + self.environment["PATH"]
        for options in ((), ("--watch",)):
            for name in ("n=4/app", "./n=4/app", "=app"):
                with self.subTest(name, options=options):
                    self.check_runs(MPIEXEC, "-n", "2", name, options=options)
            self.check_runs("n=4/app", ranks=1, options=options)
            self.check_runs(MPIEXEC, "-n", "1", "./n=4/app", "echo", "a=b", ":", "-n", "1", ENDS, options=options)
        for option in ((), ("--yield",)):
            done = self.scan("-q", *option, MPIEXEC, "-n", "2", "./=app", "echo", "a=b", input="line\n")
            self.assertEqual((done.returncode, done.stdout), (0, "line\n[a=b]\n"), done.stderr)

    def test_name_of_the_program(self):
        """It sees its name as it was given."""
        os.symlink(shutil.which("cat"), os.path.join(self.directory, "c=t"))
        done = self.scan(MPIEXEC, "-n", "1", "./c=t", "/proc/self/cmdline")
        self.assertEqual(done.stdout, "./c=t\0/proc/self/cmdline\0", done.stderr)

    def test_installation(self):
        self.use_one_mpi("a=b")
        self.check_runs(MPIEXEC, "-n", "2", "env", "A=B", ENDS, options=("--watch",))
        option = ["-x", "A=B", "-x", "LD_PRELOAD=libm.so.6"] if "openmpi" in MPIEXEC else ["-env", "LD_PRELOAD", "libm.so.6"]
        self.check_runs(MPIEXEC, *option, "-n", "1", ENDS, ranks=1)

    def test_printed_command(self):
        """A shell takes a first word with = for a variable, too."""
        self.assertEqual(command_line(["n=4/app", "a=b"]), "'n=4/app' a=b")


class Arguments(ScanTest):
    """All views show the same words, which are those that the program got."""

    WORDS = ["7", "a  b", "it's", "", "$HOME", 'say "hi"', "back\\slash", "tab\tand\nline", "\u00e4"]
    SHOWN = r"""'my app' 7 'a  b' 'it'\''s' '' '$HOME' 'say "hi"' 'back\slash' """

    def test_words(self):
        os.mkdir(os.path.join(self.directory, "my dir"))
        program = os.path.join(self.directory, "my dir", "my app")
        shutil.copy(ENDS, program)
        self.environment["COLUMNS"] = "200"
        done = self.scan("--yield", "-e", self.experiment, MPIEXEC, "-n", "1", program, *self.WORDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("\n%s" % self.SHOWN, done.stderr)

        def view(*words):
            return subprocess.run([LATECOMER, *words], stdout=subprocess.PIPE, text=True, check=True, env=self.environment).stdout

        for told in (json.loads(view("json", self.experiment))["context"]["program"], json.loads(view("show", "--json", self.experiment))["program"]):
            self.assertEqual((told["name"], told["arguments"]), ("my app", self.WORDS))
        line = next(line for line in view("csv", self.experiment).splitlines() if line.startswith("# program: "))
        self.assertEqual(json.loads(line[11:])["arguments"], self.WORDS)
        self.assertTrue(view("show", self.experiment).startswith(self.SHOWN))
        self.assertNotIn("has samples", view("diff", self.experiment, self.experiment))
        watched = os.path.join(self.directory, "watched")
        done = self.scan("--yield", "--watch", "-e", watched, MPIEXEC, "-n", "1", program, *self.WORDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(watched, "watch.json")) as f:
            self.assertEqual(shlex.split(json.load(f)["program"])[:5], ["my app", *self.WORDS[:4]])
        told = json.loads(view("json", watched))["context"]["program"]
        self.assertEqual((told["name"], told["arguments"]), ("my app", self.WORDS))
        self.assertTrue(view("show", watched).startswith(self.SHOWN))
        self.assertIn("A: experiment/analysis.cubex (%s" % self.SHOWN[:30], view("diff", self.experiment, self.experiment).replace(self.directory + "/", ""))


if __name__ == "__main__":
    unittest.main()
