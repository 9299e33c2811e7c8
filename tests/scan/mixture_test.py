#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs in which some ranks are without the measurement library. The program runs as without it,
everything possible is recorded, and the rest is named."""
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from launching import setting
from support import MPIEXEC, SCAN, ScanTest

MIXTURE, STATIC_MIXTURE = os.environ["MIXTURE"], os.environ["STATIC_MIXTURE"]
LATECOMER = os.path.join(os.path.dirname(SCAN), "latecomer")
PLAIN = ["rank %d: 10 %d %d" % row for row in ((0, 4, 9), (1, 6, 0), (2, 4, 0), (3, 6, 0))]  # 1+2+3+4; 1+3, 2+4; 2+3+4


class Mixtures(ScanTest):
    def launch(self, *words):
        """The program ends with status 5, as without scan. Returns (output of scan, files in the
        experiment)."""
        done = self.scan("--yield", "-e", self.experiment, MPIEXEC, *words)
        self.assertEqual(sorted(done.stdout.splitlines()), PLAIN, done.stderr)
        self.assertEqual(done.returncode, 5, done.stderr)
        return done.stderr, sorted(os.listdir(self.experiment)) if os.path.isdir(self.experiment) else []

    def check_report(self, missing, recorded):
        """Checks three ranks without the fourth: the trace, the report, and the messages about it."""
        printed = subprocess.run(["otf2-print", self.file("traces.otf2")], capture_output=True, text=True, check=True).stdout
        visits = {}
        for rank in re.findall(r'^ENTER +(\d+) .*Region: "MPI_(?:Allreduce|Send|Recv)"', printed, re.M):
            visits[int(rank)] = visits.get(int(rank), 0) + 1
        self.assertEqual(visits, {rank: 2 + (3 if rank == 0 else 1) for rank in recorded})
        info = subprocess.run([LATECOMER, "info", self.experiment], capture_output=True, text=True, check=True).stdout
        self.assertIn("took no part", info)
        self.assertIn(missing, info)
        report = subprocess.run([LATECOMER, "json", self.experiment], capture_output=True, text=True, check=True).stdout
        self.assertIn(missing, json.dumps(json.loads(report)["extras"]["quality"]))

    def check_partly_recorded(self, *words, missing="rank 1", recorded=(0, 2, 3)):
        said, names = self.launch(*words)
        self.assertIn("latecomer: %s takes no part in the measurement: it runs without the measurement library" % missing, said)
        self.assertIn("3 of 4 ranks are recorded", said)
        self.assertIn("analysis.cubex", names)
        self.check_report(missing, recorded)

    def test_wrapper_that_drops_the_library_on_a_rank(self):
        wrapper = os.path.join(self.directory, "wrapper")
        with open(wrapper, "w") as f:
            f.write('#!/bin/sh\n[ "$PMI_RANK$OMPI_COMM_WORLD_RANK" != 1 ] || unset LD_PRELOAD\nexec "$@"\n')
        os.chmod(wrapper, 0o755)
        self.check_partly_recorded("-n", "4", wrapper, MIXTURE)

    def test_part_with_its_own_preload(self):
        """scan sees and keeps libraries that `env` of the command line preloads. Libraries that a
        script preloads replace ours."""
        said, names = self.launch("-n", "3", MIXTURE, ":", "-n", "1", "env", "LD_PRELOAD=libdl.so.2", MIXTURE)
        self.assertNotIn("no part", said)
        self.assertIn("scan_mixture: 4 ranks", said)
        shutil.rmtree(self.experiment)
        self.check_partly_recorded("-n", "3", MIXTURE, ":", "-n", "1", "sh", "-c", 'LD_PRELOAD=libdl.so.2 exec "$0"', MIXTURE,
                                   missing="rank 3", recorded=(0, 1, 2))

    def test_first_rank_looks_mpi_up(self):
        self.check_partly_recorded("-n", "1", MIXTURE, "looked_up", ":", "-n", "3", MIXTURE, missing="rank 0", recorded=(1, 2, 3))

    @unittest.skipUnless(STATIC_MIXTURE, "no static MPI library here")
    def test_part_that_is_static(self):
        self.check_partly_recorded("-n", "1", STATIC_MIXTURE, ":", "-n", "3", MIXTURE, missing="rank 0", recorded=(1, 2, 3))
        shutil.rmtree(self.experiment)
        said = self.launch("-n", "1", MIXTURE, ":", "-n", "2", STATIC_MIXTURE, ":", "-n", "1", MIXTURE)[0]
        self.assertEqual(said.count("scan: program %s is statically linked: nothing can be preloaded into it, so its ranks are not recorded\n"
                                    % STATIC_MIXTURE), 1, said)
        self.assertIn("2 of 4 ranks are recorded", said)

    def test_all_ranks_look_mpi_up_but_one(self):
        said, names = self.launch("-n", "2", MIXTURE, "looked_up", ":", "-n", "1", MIXTURE, ":", "-n", "1", MIXTURE, "looked_up")
        self.assertIn("ranks 0, 1, 3 take no part in the measurement", said)
        self.assertIn("1 of 4 ranks are recorded", said)
        self.assertIn("analysis.cubex", names)
        self.assertIn("3 ranks took no part in the measurement: ranks 0, 1, 3 (", " ".join(said.split()))
        # The others' node and clock are not known, which makes no further ones.
        self.assertIn("4 ranks, 1 node, ", said)
        self.assertNotIn("\nclocks:", said)

    def test_recording_is_off_on_a_rank(self):
        said, names = self.launch("-n", "3", MIXTURE, ":", "-n", "1", *setting(MPIEXEC, "LATECOMER_ENABLE", "0"), MIXTURE)
        self.assertIn("nothing is recorded: recording is switched off (LATECOMER_ENABLE=0) on 1 of 4 processes", said)
        self.assertEqual(names, [])

    def test_one_rank_is_off_and_another_without_the_library(self):
        said, names = self.launch("-n", "2", MIXTURE, ":", "-n", "1", *setting(MPIEXEC, "LATECOMER_ENABLE", "0"), MIXTURE, ":", "-n", "1", MIXTURE, "looked_up")
        self.assertIn("nothing is recorded: recording is switched off", said)
        self.assertEqual(names, [])


if __name__ == "__main__":
    unittest.main()
