#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Partitioned messages: each counts as one message, sent when its last partition is ready."""
import json
import os
import re
import sys
import tempfile
import unittest

from support import LATECOMER, MPIEXEC, quality, run, scan

PROGRAM = os.environ["PARTITIONED"]


class Partitioned(unittest.TestCase):
    def test_messages(self):
        for ranks in (1, 2, 3, 5):
            with self.subTest(ranks), tempfile.TemporaryDirectory() as scratch:
                experiment = os.path.join(scratch, "experiment")
                done = scan("--yield", "-e", experiment, MPIEXEC, "-n", str(ranks), PROGRAM)
                self.assertEqual(done.returncode, 0, done.stderr)
                if "skipped:" in done.stdout:
                    print(done.stdout)
                    sys.exit(0)
                self.assertEqual(done.stdout, "done\n")
                clean = run(["otf2-print", "-A", "--silent", experiment + "/traces.otf2"])
                self.assertEqual((clean.returncode, clean.stderr), (0, ""))
                events = run(["otf2-print", experiment + "/traces.otf2"]).stdout
                sent = re.findall(r"^MPI_ISEND .*Tag: (\d+), Length: (\d+)", events, re.M)
                received = re.findall(r"^MPI_IRECV .*Tag: (\d+), Length: (\d+)", events, re.M)
                self.assertEqual(sent, 3 * ranks * [("70", "512")])
                self.assertEqual(received, sent)
                shown = json.loads(run([LATECOMER, "show", "--json", experiment]).stdout)
                self.assertEqual(quality(shown), {})
                late = {p["call_path"][-1]: p["seconds"] for w in shown["wait_states"]
                        if w["metric"] == "mpi_latesender" for p in w["call_paths"]}
                if ranks > 1:  # rank 1 waits for rank 0, three times 300 ms
                    self.assertGreater(late["MPI_Wait"], 0.12, late)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
