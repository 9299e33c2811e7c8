#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Outputs that are closed, full or without a reader, and the user's own Python. Neither affects a
run, and the program gets both unchanged."""
import os
import shlex
import shutil
import subprocess
import sys
import unittest

from support import ENDS, MPIEXEC, SCAN, ScanTest


class Outputs(ScanTest):
    def shell(self, line, *words):
        """Runs a line of sh that uses $SCAN and "$@"; returns (status of the line, its output)."""
        done = subprocess.run(["sh", "-c", line, "sh"] + list(words), capture_output=True, text=True, timeout=100, cwd=self.directory,
                              env=dict(self.environment, SCAN="%s %s" % (sys.executable, SCAN)))
        return done.returncode, done.stdout, done.stderr

    def check_run(self, line):
        status, _, errors = self.shell(line, "--yield", "--overwrite", "-e", self.experiment, MPIEXEC, "-n", "2", ENDS)
        self.assertEqual(status, 0, errors)
        self.assertNotIn("Traceback", errors)
        self.assertTrue(os.path.exists(self.file("analysis.cubex")))
        self.assertIn("analysis ended with status 0", self.text("scan.log"))

    def test_the_status_of_the_program_goes_on(self):
        """The line ends with scan's status, even if scan's output is not read."""
        self.check_run('{ $SCAN "$@" 2>&1; echo $? >status; } | head -1; exit $(cat status)')
        self.check_run('{ $SCAN "$@" 2>&1; echo $? >status; } | true; exit $(cat status)')
        for redirection in ("2>/dev/full", "<&-"):
            self.check_run('$SCAN "$@" ' + redirection)
        for redirection in ("2>/dev/full", "2>&-", ">&-", "<&- >&- 2>&-"):  # launchers do not run without streams
            status, _, errors = self.shell('$SCAN "$@" ' + redirection, "--overwrite", "-e", self.experiment, ENDS)
            self.assertEqual(status, 0, errors)
            self.assertIn("analysis ended with status 0", self.text("scan.log"))
        self.assertEqual(self.shell('$SCAN "$@" 2>&-', "-e", self.experiment + "2", "sh", "-c", "exit 9")[0], 9)

    def test_analysis(self):
        self.assertEqual(self.run_ends().returncode, 0)
        for redirection in ("2>/dev/full", "2>&-", ">&-", ">&- 2>&- <&-", ">/dev/full 2>&1"):
            os.remove(self.file("analysis.cubex"))
            self.assertEqual(self.shell('$SCAN "$@" ' + redirection, "-a", self.experiment)[0], 0, redirection)
            self.assertTrue(os.path.exists(self.file("analysis.cubex")), redirection)

    def test_streams_of_the_program(self):
        """Closed streams stay closed for the program. Its status is the sum of 1, 2 and 4 for
        them."""
        look = 's=0; for i in 0 1 2; do [ -e /proc/$$/fd/$i ] || s=$((s + (1 << i))); done; exit $s'
        for redirection, expected in (("", 0), ("<&-", 1), (">&-", 2), ("2>&-", 4), ("<&- >&- 2>&-", 7)):
            with self.subTest(redirection):
                self.assertEqual(self.shell('$SCAN "$@" ' + redirection, "-q", "sh", "-c", look)[0], expected)
                self.assertEqual(self.shell('$SCAN "$@" ' + redirection, "-e", self.experiment, "sh", "-c", look)[0], expected)

    def test_answers(self):
        for words in (["--help"], ["--version"], ["-n", ENDS]):
            for line in ('{ $SCAN "$@"; echo $? >status; } | true; exit $(cat status)', '$SCAN "$@" >&-'):
                self.assertEqual(self.shell(line, *words), (0, "", ""), (words, line))
            self.assertEqual(self.shell('$SCAN "$@" >/dev/full', *words), (
                2, "", "error: standard output: No space left on device\nhint:  is it closed, or its disk full?\n"))

    def test_refusals(self):
        for redirection in ("2>/dev/full", "2>&-"):
            self.assertEqual(self.shell('$SCAN "$@" ' + redirection, "--nonsense")[0], 2)


class OutputsOfCommands(ScanTest):
    """A result that cannot be written is an error of every command."""

    def test_commands(self):
        self.assertEqual(self.run_ends(options=("--keep-records",)).returncode, 0)
        only_records = os.path.join(self.directory, "records_only")
        shutil.copytree(self.file("records"), os.path.join(only_records, "records"))
        tools = os.path.dirname(SCAN)
        for words in (["latecomer", "show", self.experiment], ["latecomer", "json", self.experiment], ["latecomer", "what-if", "--latency", "x0.5", self.experiment],
                      ["latecomer", "timeline", "--overwrite", "-o", "timeline.pftrace", self.experiment], ["latecomer", "stuck", only_records],
                      ["latecomer", "stuck", "--json", only_records], ["latecomer", "watch", "--once", only_records],
                      ["latecomer", "watch", "--once", "--json", only_records], ["latecomer", "repair", self.experiment],
                      ["latecomer-analyzer", self.experiment], ["latecomer-analyzer", "--version"], ["latecomer", "watch", "--help"], ["latecomer", "stuck", "--help"],
                      ["latecomer-repair", "--help"]):
            line = " ".join(map(shlex.quote, [os.path.join(tools, words[0])] + words[1:]))
            for redirection, expected in ((">/dev/null", (0, "")), (">/dev/full", (3, "error: cannot write the output\n")),
                                          (">&-", (3, "error: cannot write the output\n"))):
                with self.subTest(words, redirection=redirection):
                    done = subprocess.run(["sh", "-c", line + " " + redirection], capture_output=True, text=True, timeout=100, cwd=self.directory,
                                          env=self.environment)
                    self.assertEqual((done.returncode, done.stderr), expected)
            done = subprocess.run(["bash", "-c", line + " | true; exit ${PIPESTATUS[0]}"], capture_output=True, text=True, timeout=100, cwd=self.directory,
                                  env=self.environment)
            self.assertEqual(done.stderr, "", words)


class PythonOfTheUser(ScanTest):
    def setUp(self):
        super().setUp()
        self.traps = os.path.join(self.directory, "traps")
        site = os.path.join(self.traps, "lib", "python%d.%d" % sys.version_info[:2], "site-packages")
        os.makedirs(site)
        for folder in (self.traps, site, self.directory):
            for module in ("shlex", "subprocess", "sitecustomize", "usercustomize", "csv"):
                with open(os.path.join(folder, module + ".py"), "w") as f:
                    f.write('raise SystemExit("not the right one")\n')

    def started(self, *words, environment):
        """Starts scan through its first line, as users do."""
        return subprocess.run([SCAN, *words], capture_output=True, text=True, timeout=100, cwd=self.directory,
                              env=dict(self.environment, **environment))

    def test_variables(self):
        """scan does not change, and the program gets the variables."""
        for name, value in (("PYTHONHOME", "/nowhere"), ("PYTHONPATH", self.traps), ("PYTHONSTARTUP", os.path.join(self.traps, "csv.py")),
                            ("PYTHONUSERBASE", self.traps), ("PYTHONINSPECT", "1"), ("PYTHONVERBOSE", "1"), ("PYTHONIOENCODING", "ascii"),
                            ("PYTHONUTF8", "0"), ("PYTHONWARNINGS", "error")):
            with self.subTest(name):
                done = self.started("-q", "sh", "-c", 'printf %%s "$%s"' % name, environment={name: value})
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, value, ""))

    def test_run(self):
        done = self.started("--yield", "-e", self.experiment, MPIEXEC, "-n", "1", ENDS, environment={"PYTHONHOME": "/nowhere", "PYTHONPATH": self.traps})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 rank,", done.stderr)

    def test_locale(self):
        """Python sets LC_CTYPE for itself if there is no locale; programs do not get it."""
        for name, value in (("LC_CTYPE", "C"), ("LANG", "C"), ("LC_ALL", "POSIX"), ("LC_CTYPE", "C.UTF-8"), ("A", "B")):
            environment = {"PATH": "/usr/bin:/bin", name: value}
            done = subprocess.run([sys.executable, SCAN, "-q", "env"], capture_output=True, text=True, env=environment)
            self.assertEqual(done.stdout.splitlines(), ["%s=%s" % item for item in environment.items()])


if __name__ == "__main__":
    unittest.main()
