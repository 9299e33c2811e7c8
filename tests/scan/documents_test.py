#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The documents are true: tables made from data, and commands and files that exist."""
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.environ["SCRIPTS"])
sys.dont_write_bytecode = True
from scan_lib.options import OWN, read_settings  # noqa: E402

ROOT = os.path.dirname(os.path.abspath(os.environ["SCRIPTS"]))


def read(path):
    with open(os.path.join(ROOT, path)) as f:
        return f.read()


def documents():
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode == 0 and listed.stdout:
        return [path for path in listed.stdout.splitlines() if os.path.exists(os.path.join(ROOT, path))]
    found = []  # an unpacked archive instead of a checkout
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name != "build" and not name.startswith(".")]
        found += [os.path.relpath(os.path.join(folder, name), ROOT) for name in names
                  if name.endswith(".md")]
    return found


def quoted(*names):
    return ", ".join("`%s`" % name for name in names if name)


def rows_of_options():
    for name, letter, value, text in OWN:
        yield "| %s | %s |" % (quoted("--" + name + (" " + value if value else ""),
                                      letter and "-" + letter), text)


def rows_of_settings():
    for row in read_settings(os.path.join(ROOT, "archive", "settings.tsv")):
        option = row["option"] != "-" and "--" + row["option"]
        letter = row["short"] != "-" and "-" + row["short"]
        yield "| `%s` | %s | %s | %s | %s |" % (
            row["variable"], quoted(option, letter),
            row["type"].replace("choice:", "").replace("|", ", "), row["default"], row["help"])


class Tables(unittest.TestCase):
    maxDiff = None

    def check_table(self, head, rows):
        """Compares rows with the table of docs/reference.md that begins with this line."""
        lines = read("docs/reference.md").splitlines()
        self.assertIn(head, lines)
        table = lines[lines.index(head) + 2:]
        end = next((i for i, line in enumerate(table) if not line.startswith("|")), len(table))
        self.assertEqual("\n".join(table[:end]), "\n".join(rows))

    def test_options_of_scan(self):
        self.check_table("| option of scan | |", rows_of_options())

    def test_settings(self):
        self.check_table("| variable | option | type | default | |", rows_of_settings())


class Commands(unittest.TestCase):
    def commands(self):
        """(document, words) of every line of a code block."""
        for path in documents():
            block = False
            for line in read(path).splitlines():
                if line.startswith("```"):
                    block = not block
                elif block or line.startswith("    "):
                    yield path, line.strip().removeprefix("$ ").split()

    def test_scripts_exist(self):
        count = 0
        for path, words in self.commands():
            for word in words[:1]:
                if word.startswith("./scripts/"):
                    count += 1
                    self.assertTrue(os.access(os.path.join(ROOT, word), os.X_OK), (path, word))
        self.assertGreater(count, 0)

    def test_scripts_in_running_text_exist(self):
        for path in documents():
            for word in re.findall(r"`(?:\./)?(scripts/[\w/.]+)`", read(path)):
                self.assertTrue(os.path.exists(os.path.join(ROOT, word)), (path, word))

    def test_options_in_commands_exist(self):
        """Options directly after scan exist."""
        known = {"--" + row[0] for row in OWN} | {"-" + row[1] for row in OWN if row[1]}
        for row in read_settings(os.path.join(ROOT, "archive", "settings.tsv")):
            known |= {"--" + row["option"], "-" + row["short"]}
        count = 0
        for path in documents():
            for option in re.findall(r"\bscan (--?[a-zA-Z][\w-]*)", read(path)):
                count += 1
                self.assertIn(option, known, path)
        self.assertGreater(count, 0)


class Files(unittest.TestCase):
    def test_links(self):
        for path in documents():
            for target in re.findall(r"\]\(([^)\s]+)\)", read(path)):
                target = target.partition("#")[0]
                if target and "://" not in target and not target.startswith("mailto:"):
                    place = os.path.join(ROOT, os.path.dirname(path), target)
                    self.assertTrue(os.path.exists(place), "%s: %s does not exist" % (path, target))

    def test_documents_that_are_named_exist(self):
        count = 0
        for path in documents():
            for name in re.findall(r"`(docs/[\w.-]+\.md)`", read(path)):
                count += 1
                self.assertTrue(os.path.exists(os.path.join(ROOT, name)), "%s: %s" % (path, name))
        self.assertGreater(count, 0)

    def test_chapter_that_a_message_names(self):
        self.assertIn('"Static programs\\" in docs/reference.md', read("scripts/scan_lib/checks.py"))
        self.assertIn("\n## Static programs\n", read("docs/reference.md"))


if __name__ == "__main__":
    unittest.main()
