#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The tests that ctest skipped with Open MPI are those of skipped.tsv, for the reasons there.

usage: check_skips.py JUNIT      (what ctest --output-junit wrote)
"""
import csv
import fnmatch
import os
import sys
import xml.etree.ElementTree

with open(os.path.join(os.path.dirname(os.path.realpath(__file__)), "skipped.tsv"), newline="") as table:
    EXPECTED = list(csv.DictReader(table, delimiter="\t"))
used, wrong, count = set(), [], 0
for case in xml.etree.ElementTree.parse(sys.argv[1]).getroot().iter("testcase"):
    if case.find("skipped") is None:
        continue
    count += 1
    name, output = case.get("name"), case.findtext("system-out") or ""
    rows = [row["tests"] for row in EXPECTED
            if fnmatch.fnmatch(name, row["tests"]) and row["reason"] in output]
    used.update(rows)
    if not rows:
        wrong.append("%s was skipped, which tests/openmpi/skipped.tsv does not know: %s" % (name, output.strip()[:200]))
wrong += ["%s was not skipped: tests/openmpi/skipped.tsv says it is" % row["tests"]
          for row in EXPECTED if row["tests"] not in used]
print("\n".join(wrong) or "%d tests skipped, as tests/openmpi/skipped.tsv says" % count)
sys.exit(1 if wrong else 0)
