#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A streak of unsuccessful tests: one visit in the trace, and their number and time in the report."""
import os
import re
import sys
import tempfile
import unittest

from support import LATECOMER, MPIEXEC, python_with_otf2, run, scan

PROGRAM = os.environ["POLLS"]
READ = """
import otf2, sys
from otf2.events import Enter, Leave
with otf2.reader.open(sys.argv[1]) as trace:
    for location, event in trace.events:
        if isinstance(event, Leave) and event.attributes:
            print(event.region.name, *(v for a, v in event.attributes.items() if a.name == "LATECOMER::CALLS"))
"""


class Polls(unittest.TestCase):
    def test_rows(self):
        with tempfile.TemporaryDirectory() as scratch:
            experiment = os.path.join(scratch, "experiment")
            done = scan("--sample", "off", "-e", experiment, MPIEXEC, "-n", "2", PROGRAM)
            self.assertEqual(done.returncode, 0, done.stderr)
            made = dict(re.findall(r"^(MPI_\w+) (\d+)$", done.stdout, re.M))
            self.assertEqual(len(made), 4, done.stdout)
            anchor = experiment + "/traces.otf2"
            printed = run(["otf2-print", anchor]).stdout
            check = run(["otf2-print", "-A", "--silent", anchor])
            read = run([python_with_otf2(), "-c", READ, anchor])
            table = run([LATECOMER, "csv", experiment]).stdout
        self.assertEqual((check.returncode, check.stderr), (0, ""))
        self.assertEqual(read.returncode, 0, read.stderr)
        rows = dict(line.split() for line in read.stdout.splitlines())
        for name, calls in made.items():
            # There are one streak and one successful call, which stands for itself.
            enters = len(re.findall(r'^ENTER .*"%s"' % name, printed, re.M))
            self.assertEqual(enters, 2, name)
            self.assertEqual(int(rows[name]), int(calls) - 1, name)
            self.assertEqual(re.findall(r"^visits,.*/%s,.*,(\d+),occ$" % name, table, re.M), [calls], name)
        self.assertRegex(done.stderr + done.stdout, r"measuring cost .* and [\d,]+ more unsuccessful polls")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
