#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An archive of a machine with the other byte order gives the same report and the same corrected
times."""
import json
import os
import sys
import tarfile
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from launching import setting  # noqa: E402
from other_byte_order import write_other_byte_order  # noqa: E402
from support import ANALYZER, BUILD, LATECOMER, MPIEXEC, app, run, scan  # noqa: E402


def program(name):
    return os.path.join(BUILD, "bin", name)


def members(report):
    with tarfile.open(report) as tar:
        return {m.name: tar.extractfile(m).read() for m in tar.getmembers()}


class ByteOrder(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = scratch.name

    def path(self, name):
        return os.path.join(self.directory, name)

    def analyze(self, experiment, processes, *options):
        report = self.path("report.cubex")
        done = run([MPIEXEC, "-n", str(processes), ANALYZER, "-q", "-o", report, *options, experiment])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return members(report)

    def compare(self, experiment):
        """Writes the archive in the other byte order and compares all results of both."""
        other = experiment + ".other"
        write_other_byte_order(experiment, other)
        heads = []
        for directory in (experiment, other):
            with open(os.path.join(directory, "traces", "0.evt"), "rb") as f:
                heads.append(f.read(2))
        self.assertEqual(heads, [b"\3B", b"\3#"])
        for options in ([], ["-G"]):  # a reader that is not ours
            printed = [run(["otf2-print", *options, d + "/traces.otf2"]) for d in (experiment, other)]
            self.assertEqual(printed[0].returncode, 0, printed[0].stderr)
            self.assertTrue(printed[0].stdout == printed[1].stdout)
        expected = self.analyze(experiment, 2)
        for processes in (1, 3):
            self.assertEqual(self.analyze(other, processes), expected)
        infos = [run([LATECOMER, "info", "--json", d]) for d in (experiment, other)]
        self.assertEqual([info.returncode for info in infos], [0, 0])
        infos = [json.loads(info.stdout) for info in infos]
        self.assertEqual(infos[0]["processes"], infos[1]["processes"])
        return expected, other

    def test_a_generated_run_with_clocks_to_be_corrected(self):
        with open(self.path("clocks"), "w") as f:
            f.write("node1 offset=20ms drift=20ppm wander=20ppm/2ms seed=1\n"
                    "node2 offset=-3ms drift=-15ppm wander=20ppm/2ms seed=2\n")
        # Each file has more than one chunk.
        done = run([program("latecomer-generate"), "-n", "3", "-e", "300k", "--ranks-per-node", "1", "--metahosts",
                    "3", "--offset-error", "1000", "--clocks", self.path("clocks"), self.path("run")])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(os.path.getsize(self.path("run/traces/1.evt")), 1 << 20)
        expected, other = self.compare(self.path("run"))
        steps = json.loads(expected["latecomer.json"])["clocks"]["steps"]
        self.assertEqual(steps[0]["name"], "linear")
        self.assertGreater(steps[0]["messages"], 0)
        # Corrected archives are written in this machine's byte order, whatever the byte order of
        # the original.
        copies = []
        for number, experiment in enumerate((self.path("run"), other)):
            self.analyze(experiment, 2, "--write-corrected", self.path("copy%d" % number))
            copies.append(run(["otf2-print", self.path("copy%d/traces.otf2" % number)]).stdout)
        self.assertTrue(copies[0] == copies[1])

    def test_a_recorded_run_on_two_metahosts(self):
        with open(self.path("clocks"), "w") as f:
            f.write("b offset=-3ms drift=20ppm\n")
        parts = []
        for number, (node, name) in enumerate((("a", "FZJ"), ("b", "CAESAR"))):
            parts += ([":"] if number else []) + ["-n", "2"]
            for variable, value in (("NODE", node), ("METAHOST_ID", str(number)), ("METAHOST_NAME", name)):
                parts += setting(MPIEXEC, "LATECOMER_" + variable, value)
            parts.append(app("waitstates"))
        done = scan("--yield", "-e", self.path("run"), MPIEXEC, *parts,
                    env=dict(os.environ, LATECOMER_TIMER_EMULATION=self.path("clocks")))
        self.assertEqual(done.returncode, 0, done.stderr)
        expected, other = self.compare(self.path("run"))
        self.assertEqual(json.loads(expected["latecomer.json"])["clocks"]["count"], 2)
        clocks = [run([LATECOMER, "clocks", "--json", d]).stdout for d in (self.path("run"), other)]
        self.assertEqual(clocks[0], clocks[1])
        self.assertEqual(len(json.loads(clocks[0])["clocks"][1]["points"]), 2)

    def test_records_of_many_kinds(self):
        done = scan("--yield", "-e", self.path("run"), MPIEXEC, "-n", "2", program("conform"), "nonblocking",
                    "collectives", "persistent", "intercommunicators")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.compare(self.path("run"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
