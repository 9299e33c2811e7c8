#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Command lines and description files of the testbed, without running anything."""
import os
import subprocess
import sys
import unittest

sys.path[:0] = [os.path.dirname(os.path.realpath(__file__)), os.environ["SCRIPTS"]]
sys.dont_write_bytecode = True
from testbed_lib.metacomputer import Metacomputer, Wrong, read_description  # noqa: E402
from testbed_lib.options import Options, UsageError  # noqa: E402
from testbed_lib.units import WrongUnit, rate, signed_time, time  # noqa: E402

TESTBED = os.environ["TESTBED"]


def computer(*lines):
    found = Metacomputer()
    read_description(found, lines, "file")
    return found


class Units(unittest.TestCase):
    def test_values(self):
        self.assertEqual([time(t) for t in ("500us", "1.5ms", "0s", "21.5us", "2s")],
                         [500_000, 1_500_000, 0, 21_500, 2_000_000_000])
        self.assertEqual(signed_time("-3s"), -3_000_000_000)
        self.assertEqual([rate(t) for t in ("1Gbit", "100Mbit", "9.6kbit", "unlimited")],
                         [10**9, 10**8, 9600, 0])

    def test_wrong_ones(self):
        for read, text in ((time, "500"), (time, "us"), (time, "-1us"), (time, "5 us"), (time, "5h"),
                           (rate, "1GB"), (rate, "0Mbit"), (rate, "-1Gbit"), (rate, "much")):
            with self.subTest(text), self.assertRaises(WrongUnit):
                read(text)


class Descriptions(unittest.TestCase):
    def test_table_of_the_router(self):
        # Metahost a has two nodes in one namespace. Each node of b has its own, as there is a link
        # inside b.
        found = computer("metahost a 2 2", "metahost b 1 1", "# comment", "",
                         "default 1ms", "inside b 40us 1us", "link a b 500us 5us 1Gbit # both ways",
                         "oneway b a 600us", "seed 4")
        self.assertEqual(found.router_table([11, 12, 13]).splitlines(), [
            "seed 4",
            "space 11 10.77.1.1 10.77.1.2", "space 12 10.77.2.1", "space 13 10.77.2.2",
            "link 0 1 500000 5000 1000000000", "link 0 2 500000 5000 1000000000",
            "link 1 0 600000 0 0", "link 1 2 40000 1000 0",
            "link 2 0 600000 0 0", "link 2 1 40000 1000 0"])
        self.assertEqual([node.name for node in found.nodes], ["a-0", "a-1", "b-0", "b-1"])

    def test_shift(self):
        found = computer("metahost a 1 1", "metahost b 1 1", "shift a 5s", "shift b -1s 10ms")
        self.assertEqual([node.shift for node in found.nodes],
                         [5_000_000_000, 5_000_000_000, -1_000_000_000, 10_000_000])

    def test_wrong_lines(self):
        for line in ("metahost", "metahost a", "metahost b", "metahost b 0", "metahost b two",
                     "metahost 3b 1", "metahost b-1 1", "metahost a 1", "inside x 5us", "inside a",
                     "inside a 5", "link a x 5us", "link a a 5us", "link a 5us", "link a c 5us 1us 1Gbit x",
                     "shift a 1s 2s 3s", "shift a", "default", "seed x", "node a"):
            with self.subTest(line), self.assertRaisesRegex(Wrong, "^file: line 3: "):
                computer("metahost a 1 1", "metahost c 1", line)


class CommandLines(unittest.TestCase):
    def test_metahosts(self):
        found = Options(["--metahosts", "juelich:2,bonn:1+3,cologne", "--latency", "2ms", "--shift",
                         "bonn=3s", "--", "mpiexec", "-n", "4"])
        self.assertEqual([(n.name, n.slots, n.shift) for n in found.computer.nodes],
                         [("juelich-0", 2, 0), ("bonn-0", 1, 3 * 10**9), ("bonn-1", 3, 3 * 10**9),
                          ("cologne-0", 1, 0)])
        self.assertEqual(found.computer.default.latency, 2_000_000)
        self.assertEqual(found.command, ["mpiexec", "-n", "4"])

    def test_refused(self):
        for words, part in ((["true"], "no metahosts"), (["--metahosts", "a,b"], "no command"),
                            (["--metahosts", "a:x", "true"], "number of processes"),
                            (["--metahosts", "a,a", "true"], "twice"),
                            (["--metahosts", "a", "--latency", "5", "true"], "500us"),
                            (["--metahosts", "a", "--shift", "b=1s", "true"], "'b'"),
                            (["--metahosts", "a", "--clocks", "/nowhere", "true"], "no such file"),
                            (["--metahosts", "a", "--own-file-systems", "/nowhere", "true"], "no such directory"),
                            (["--description", "/nowhere", "true"], "No such file"),
                            (["--unknown", "true"], "--unknown")):
            with self.subTest(words), self.assertRaisesRegex(UsageError, part):
                Options(words)

    def test_what_is_printed(self):
        done = subprocess.run([sys.executable, TESTBED, "--metahosts", "a:0", "--", "true"],
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "error: testbed: metahost a needs 1 to 200 nodes with one process or "
                                      "more on each\nhint:  testbed --help lists the options\n")
        done = subprocess.run([sys.executable, TESTBED, "--help"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0)
        self.assertTrue(done.stdout.startswith("usage: testbed "))


if __name__ == "__main__":
    unittest.main()
