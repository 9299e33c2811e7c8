#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that the tests that ctest skipped, whole or in part, are in the tables, with the reasons there.

usage: check_skips.py JUNIT... TABLE...      JUNIT: files *.xml of ctest --output-junit

A table has the columns tests, when and reason. `tests` is a pattern of names, `reason` a part of the printed text.
`when` is "always", or what a machine lacks on which they are skipped.
"""
import csv
import fnmatch
import re
import sys
import xml.etree.ElementTree

# Lines "skipped: why" come from our own tests, from Catch2's warnings, and from Python's verbose
# tests.
SAID = re.compile(r"^(?:.*\.\.\. )?\s*skipped(?:: | ['\"])(.*?)['\"]?$", re.M)
# Python's summary has no reasons.
SUMMARY = re.compile(r"^OK \(.*skipped=(\d+)", re.M)


def reasons(case):
    """Reasons why a test, or parts of it, did not run."""
    output = case.findtext("system-out") or ""
    found = SAID.findall(output)
    if case.find("skipped") is not None and not found:
        found = [output.strip()[:200] or "without a reason"]
    silent = sum(map(int, SUMMARY.findall(output))) - len(found)
    return found + ["without a reason: its test needs -v"] * max(0, silent)


def main():
    rows = []
    results = [name for name in sys.argv[1:] if name.endswith(".xml")]
    for table in sys.argv[1 + len(results):]:
        with open(table, newline="") as file:
            rows += list(csv.DictReader(file, delimiter="\t"))
    used, wrong, tests = set(), [], set()
    for case in (case for name in results for case in xml.etree.ElementTree.parse(name).getroot().iter("testcase")):
        name = case.get("name")
        for reason in reasons(case):
            tests.add(name)
            fitting = [number for number, row in enumerate(rows)
                       if fnmatch.fnmatch(name, row["tests"]) and row["reason"] in reason]
            used.update(fitting)
            if not fitting:
                wrong.append("%s was skipped, which no table knows: %s" % (name, reason))
    wrong += ["%s was not skipped (%s): a table says it always is" % (row["tests"], row["reason"])
              for number, row in enumerate(rows) if row["when"] == "always" and number not in used]
    print("\n".join("error: " + one for one in wrong) or
          "test: skipped, or a part of it, as the tables say: %d of the tests" % len(tests))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
