#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every command, option, setting and metric is in the man pages and in the completion for bash."""
import os
import re
import shutil
import subprocess
import unittest

BIN, PAGES = os.environ["BIN"], os.environ["PAGES"]


def help_of(*words):
    done = subprocess.run([os.path.join(BIN, words[0]), *words[1:], "--help"], capture_output=True, text=True,
                          timeout=60, check=True)
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


def completed(program, *words):
    """What bash offers for the last word."""
    script = """source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"
name=$(complete -p "$1" | sed 's/.*-F \\([^ ]*\\).*/\\1/')
"$name" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""
    done = subprocess.run(["bash", "-c", script, "bash", os.path.join(PAGES, "completions", program), program, *words],
                          capture_output=True, text=True, timeout=60, cwd=PAGES)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return set(done.stdout.split())


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

    def test_settings(self):
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "archive",
                               "settings.tsv")) as file:
            variables = re.findall(r"^(LATECOMER_\w+)", file.read(), re.M)
        self.assertGreater(len(variables), 10)
        for variable in variables:
            self.assertIn(variable, plain("scan"))

    @unittest.skipUnless(shutil.which("groff"), "no groff")
    def test_pages_are_well_formed(self):
        for program in ("latecomer", "latecomer-analyzer", "scan"):
            done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", os.path.join(PAGES, "man1", program + ".1")],
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, ""))


@unittest.skipUnless(shutil.which("bash"), "no bash")
class Completion(unittest.TestCase):
    def test_commands(self):
        self.assertEqual(completed("latecomer", ""), set(commands()) | {"--help", "--version"})
        self.assertEqual(completed("latecomer", "ch"), {"check"})

    def test_options_of_every_command(self):
        for command in commands():
            wanted = options_of(help_of("latecomer", command)) | {"--help", "-h"}
            self.assertEqual(completed("latecomer", command, "-"), wanted, command)

    def test_options_of_the_other_programs(self):
        for program in ("latecomer-analyzer", "scan"):
            self.assertEqual(completed(program, "-"), options_of(help_of(program)), program)

    def test_values(self):
        self.assertEqual(completed("latecomer", "show", "--by", "m"), {"metahost", "metric"})
        self.assertIn("mpi_latesender", completed("latecomer", "show", "--metric", "mpi_late"))
        self.assertIn("mpi_latesender", completed("latecomer", "explain", "mpi_l"))
        self.assertIn("man1", completed("latecomer", "show", "ma"))
        self.assertIn("man1", completed("latecomer", "timeline", "-o", "m"))
        self.assertEqual(completed("latecomer", "show", "--top", ""), set())
        self.assertEqual(completed("latecomer-analyzer", "--time-correction", "l"), {"linear"})
        self.assertEqual(completed("scan", "--timer", "t"), {"tsc"})


if __name__ == "__main__":
    unittest.main()
