#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every command, option, setting and metric is in the man pages and in the completion for shells."""
import json
import os
import pty
import re
import select
import shutil
import subprocess
import tempfile
import time
import unittest

BIN, PAGES = os.environ["BIN"], os.environ["PAGES"]


def help_of(*words):
    done = subprocess.run([os.path.join(BIN, words[0]), *words[1:], "--help"], capture_output=True, text=True,
                          timeout=200, check=True)
    return done.stdout


def options_of(text):
    """Long and short options at the beginning of the lines that describe them."""
    found = set()
    for line in text.splitlines():
        if re.match(r"^  +-", line):
            found |= set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", re.split(r"\s{2,}", line.strip())[0]))
    return found


def commands():
    return re.findall(r"^  ([a-z]+) ", help_of("latecomer"), re.M)


def read(*path):
    with open(os.path.join(PAGES, *path)) as file:
        return file.read()


def plain(program):
    """A man page without its markup."""
    text = re.sub(r"\\f[BIR]", "", read("man1", program + ".1"))
    return text.replace("\\-", "-").replace("\\(aq", "'").replace("\\&", "").replace("\\e", "\\")


def section(text, command):
    begin = text.index('.SS "latecomer %s"' % command)
    end = min(at for at in (text.find(".SS ", begin + 1), text.find(".SH ", begin + 1)) if at > 0)
    return text[begin:end]


def in_bash(program, *words, file=None):
    """Completions of bash for the last word after a file is sourced: that of the program or another
    one."""
    script = """source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"
name=$(complete -p "$1" | sed 's/.*-F \\([^ ]*\\).*/\\1/')
"$name" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""
    done = subprocess.run(["bash", "-c", script, "bash", os.path.join(PAGES, "bash", file or program), program, *words],
                          capture_output=True, text=True, timeout=200, cwd=PAGES)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return set(done.stdout.split())


def in_fish(program, *words, file=None):
    script = "set fish_complete_path; source %s; complete -C %s"
    done = subprocess.run(["fish", "-N", "-c", script % (os.path.join(PAGES, "fish", (file or program) + ".fish"),
                                                         "'%s'" % " ".join([program, *words]))],
                          capture_output=True, text=True, timeout=200, cwd=PAGES)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return {line.split("\t")[0].rstrip("/") for line in done.stdout.splitlines()}


# zsh completes on a terminal only, so the completions are also written to a file. The prompt is
# assembled from two parts, since the terminal echoes the input.
ZSH = """PROMPT=; unsetopt beep; fpath=(%s $fpath); autoload -Uz compinit; compinit -D -u
compadd() {
  local -a found
  [[ -n ${argv[(r)-[OAD]*]} ]] || { builtin compadd -O found "$@"; print -rl -- $found >> %s }
  builtin compadd "$@"
}
PROMPT=edit; PROMPT+='ing> '
"""


class ZshSession:
    """One zsh on a terminal, since its start takes longer than a completion."""

    def __init__(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.found = os.path.join(self.scratch.name, "found")
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(PAGES)
            os.execvpe("zsh", ["zsh", "-f", "-i"], dict(os.environ, TERM="dumb", HOME=self.scratch.name))
        self.said = b""
        os.write(self.terminal, (ZSH % (os.path.join(PAGES, "zsh"), self.found)).encode())
        self.until(b"editing> ")  # its editor has the terminal: earlier the kernel would clear the line
        self.asked = 0

    def until(self, text):
        end = time.monotonic() + 60
        while text not in self.said and time.monotonic() < end:
            if select.select([self.terminal], [], [], 0.1)[0]:
                self.said += os.read(self.terminal, 65536)
        assert text in self.said, self.said
        self.said = self.said.split(text, 1)[1]

    def completions(self, *words):
        open(self.found, "w").close()
        self.asked += 1
        # The input is a tabulator, and then the line is cleared.
        os.write(self.terminal, " ".join(words).encode() + b"\t\x15print done-$((%d))\n" % self.asked)
        self.until(b"\ndone-%d\r" % self.asked)
        self.until(b"editing> ")
        with open(self.found) as file:
            return set(file.read().split())

    def end(self):
        os.write(self.terminal, b"\x04")
        os.close(self.terminal)
        os.waitpid(self.process, 0)
        self.scratch.cleanup()


class Pages(unittest.TestCase):
    def test_options_of_every_command(self):
        text = plain("latecomer")
        count = 0
        for command in commands():
            options = options_of(help_of("latecomer", command))
            missing = [option for option in options if not re.search(r"(?<![\w-])%s(?![\w-])" % re.escape(option),
                                                                     section(text, command))]
            self.assertEqual(missing, [], command)
            count += len(options)
        self.assertGreater(count, 30)

    def test_options_of_the_other_programs(self):
        for program in ("latecomer-analyzer", "scan"):
            text, options = plain(program), options_of(help_of(program))
            self.assertGreater(len(options), 12)
            for option in options:
                self.assertRegex(text, r"(?<![\w-])%s(?![\w-])" % re.escape(option), program)

    def test_programs_that_a_command_starts(self):
        for program in ("latecomer-repair", "latecomer-stuck", "latecomer-watch"):
            text, usage = plain(program), help_of(program)
            options = set(re.findall(r"(?<![\w-])--[a-z][\w-]*", usage)) - {"--help"}
            self.assertGreater(len(options), 0, program)
            for option in options:
                self.assertRegex(text, r"(?<![\w-])%s(?![\w-])" % re.escape(option), program)
            name = program.split("-")[1]
            self.assertIn("latecomer %s starts this program" % name, text)

    def test_statuses_of_the_reference(self):
        """The table of exit statuses in the reference names the same ones."""
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "reference.md"),
                  encoding="utf-8") as file:
            rows = [[cell.strip() for cell in line.strip().strip("|").split("|")]
                    for line in file.read().split("## Exit statuses")[1].split("\n## ")[0].splitlines()
                    if line.startswith("|")]
        programs = [re.search(r"`([\w-]+)`", cell).group(1) for cell in rows[0][1:]]
        self.assertIn("latecomer-stuck", programs)
        for column, program in enumerate(programs, 1):
            wanted = {row[0] for row in rows[2:] if row[column] and row[0].isdigit()}
            found = set(re.findall(r"^\\fB(\d+)\\fR$", read("man1", program + ".1"), re.M))
            self.assertEqual(found, wanted, program)

    def test_settings(self):
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "archive",
                               "settings.tsv")) as file:
            variables = re.findall(r"^(LATECOMER_\w+)", file.read(), re.M)
        self.assertGreater(len(variables), 10)
        for variable in variables:
            self.assertIn(variable, plain("scan"))

    def test_metrics(self):
        with open(os.path.join(PAGES, "man7", "latecomer-metrics.7"), encoding="utf-8") as file:
            text = file.read().replace("\\-", "-").replace("\\(aq", "'")
        listed = json.loads(subprocess.run([os.path.join(BIN, "latecomer"), "explain", "--json"], capture_output=True,
                                           text=True, timeout=200, check=True).stdout)
        names = {metric["name"] for metric in listed}
        self.assertGreater(len(names), 100)
        self.assertLessEqual(names, set(re.findall(r'^\.SS ".* \((\w+)\)"$', text, re.M)))
        self.assertIn("Part of Point-to-point", text)
        self.assertIn("(efficiency)", text)

    @unittest.skipUnless(shutil.which("groff"), "no groff")
    def test_pages_are_well_formed(self):
        for page in ("man1/latecomer.1", "man1/latecomer-analyzer.1", "man1/scan.1",
                     "man1/latecomer-repair.1", "man1/latecomer-stuck.1", "man1/latecomer-watch.1",
                     "man7/latecomer-metrics.7"):
            done = subprocess.run(["groff", "-man", "-Kutf8", "-Tutf8", "-ww", "-z", os.path.join(PAGES, page)],
                                  capture_output=True, text=True, timeout=200)
            self.assertEqual((done.returncode, done.stderr), (0, ""))


class OneFile:
    """Shells that source a file: that of latecomer completes all programs."""
    def test_one_file_has_all(self):
        for program, option in (("latecomer", "--version"), ("latecomer-analyzer", "--eager-limit"), ("scan", "--clean")):
            self.assertEqual(self.completed(program, option[:-1], file="latecomer"), {option})


class Completion:
    """Tests of one shell."""
    def test_commands(self):
        self.assertLessEqual(set(commands()), self.completed("latecomer", ""))
        self.assertEqual(self.completed("latecomer", "ch"), {"check"})

    def test_options(self):
        for words in [["latecomer", command] for command in self.commands] + [["latecomer-analyzer"], ["scan"]]:
            wanted = options_of(help_of(*words)) | ({"--help", "-h"} if len(words) > 1 else set())
            self.assertGreater(len(wanted), 1)
            self.check_options(wanted, words)

    def check_options(self, wanted, words):
        self.assertEqual(self.completed(*words, "-") - {"-"}, wanted, words)

    def test_values(self):
        self.assertEqual(self.completed("latecomer", "show", "--by", "m"), {"metahost", "metric"})
        for words in (["show", "--metric", "mpi_late"], ["html", "--metric", "mpi_late"], ["explain", "mpi_l"],
                      ["check", "--fail", "mpi_lates"]):
            self.assertIn("mpi_latesender", self.completed("latecomer", *words), words)
        self.assertIn("efficiency", self.completed("latecomer", "check", "--budget", "effi"))
        self.assertIn("omp_idle_threads", self.completed("latecomer", "explain", "omp_i"))
        several = self.completed("latecomer", "show", "--metric", "time,mpi_later")
        self.assertIn("mpi_latereceiver", {word.split(",")[-1] for word in several})
        self.assertIn("man1", self.completed("latecomer", "show", "ma"))
        self.assertIn("man1", self.completed("latecomer", "timeline", "-o", "m"))
        self.assertEqual(self.completed("latecomer", "show", "--top", ""), set())
        self.assertEqual(self.completed("latecomer-analyzer", "--time-correction", "l"), {"linear"})
        self.assertEqual(self.completed("scan", "--timer", "t"), {"tsc"})


@unittest.skipUnless(shutil.which("bash"), "no bash")
class Bash(Completion, OneFile, unittest.TestCase):
    completed, commands = staticmethod(in_bash), commands()


@unittest.skipUnless(shutil.which("zsh"), "no zsh")
class Zsh(Completion, unittest.TestCase):
    commands = commands()

    @classmethod
    def setUpClass(cls):
        cls.session = ZshSession()
        cls.addClassCleanup(cls.session.end)

    def completed(self, *words):
        return self.session.completions(*words)


@unittest.skipUnless(shutil.which("fish"), "no fish")
class Fish(Completion, OneFile, unittest.TestCase):
    completed, commands = staticmethod(in_fish), commands()

    def check_options(self, wanted, words):
        # fish offers long options only after two dashes, and short ones only for those without a
        # long one.
        long = {word for word in wanted if word.startswith("--")}
        self.assertEqual(self.completed(*words, "--"), long, words)


if __name__ == "__main__":
    unittest.main(verbosity=2)
