#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What scan says about the cost of measuring, from numbers of the archive."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.environ["SCRIPTS"])
sys.dont_write_bytecode = True
from scan_lib.cost import describe  # noqa: E402


def info(events, cost="20.0", duration=1.0, compiler=0, stacks=False):
    """An archive of two processes with so many events each."""
    properties = {"LATECOMER::EVENT_COST": cost}
    if stacks:
        properties["LATECOMER::CALL_PATHS_FROM_STACKS"] = "true"
    return {"properties": properties, "duration": duration, "regions": {"compiler": compiler},
            "processes": [{"locations": [{"events": events}]} for _ in range(2)]}


class Cost(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        os.mkdir(os.path.join(self.directory.name, "traces"))
        for name, size in (("traces.def", 500), ("traces/0.evt", 1500), ("analysis.cubex", 9999)):
            with open(os.path.join(self.directory.name, name), "wb") as f:
                f.write(b"x" * size)

    def tearDown(self):
        self.directory.cleanup()

    def describe(self, *arguments, **more):
        return describe(info(*arguments, **more), self.directory.name)

    def test_share_of_the_run_time(self):
        # 2 x 500,000 events of 20 ns in 2 x 1 s: 1 %.
        self.assertEqual(self.describe(500_000),
                         ("measuring cost about 1.0 % of the run time: 1,000,000 events of 20 ns, 2.0 kB", ""))
        self.assertIn("less than 0.1 %", self.describe(40_000)[0])

    def test_threads(self):
        # 2 x 1,000 threads that took 0.3 s together: 150 us each, 15 % of 2 x 1 s; and 4,000 events of 20 ns.
        found = info(1)
        found["properties"]["LATECOMER::THREAD_COST"] = "300000000"
        for process in found["processes"]:
            process["locations"] += [{"events": 2}] * 1000
        text, advice = describe(found, self.directory.name)
        self.assertEqual(text, "measuring cost about 15.0 % of the run time: 4,002 events of 20 ns, 2,000 threads of 150 us, 2.0 kB")
        self.assertIn("threads that live longer cost less", advice)
        # 38,000 more went on where others had ended: 7.5 us each.
        found["properties"]["LATECOMER::THREADS_IN_TURN"] = "38000"
        self.assertIn(", 40,000 threads of 7.5 us, ", describe(found, self.directory.name)[0])

    def test_stacks_that_were_unwound(self):
        # 100,000 of 2 us are 10 % of 2 x 1 s; 100 of them 0.01 %, which deserves no words.
        found = info(50_000)
        found["properties"].update({"LATECOMER::STACKS_UNWOUND": "100000", "LATECOMER::STACK_COST": "200000000"})
        text, advice = describe(found, self.directory.name)
        self.assertEqual(text, "measuring cost about 10.1 % of the run time: 100,000 events of 20 ns, "
                         "100,000 stacks unwound of 2.0 us, 2.0 kB")
        self.assertIn("--no-callpath", advice)
        found["properties"].update({"LATECOMER::STACKS_UNWOUND": "100", "LATECOMER::STACK_COST": "200000"})
        self.assertEqual(describe(found, self.directory.name),
                         ("measuring cost about 0.1 % of the run time: 100,000 events of 20 ns, 2.0 kB", ""))

    def test_few_stacks_that_took_long(self):
        # 48 of 2.2 ms are 5.3 % of 2 x 1 s: a busy machine, no program with ever new call paths.
        found = info(50_000)
        found["properties"].update({"LATECOMER::STACKS_UNWOUND": "48", "LATECOMER::STACK_COST": "105600000"})
        text, advice = describe(found, self.directory.name)
        self.assertIn("about 5.4 % of the run time: 100,000 events of 20 ns, 48 stacks unwound of 2200.0 us", text)
        self.assertEqual(advice, "")
        # Events that take 6 % by themselves are warned of, and nothing else.
        found = info(3_000_000)
        found["properties"].update({"LATECOMER::STACKS_UNWOUND": "48", "LATECOMER::STACK_COST": "205600000"})
        self.assertIn("calls MPI so often", describe(found, self.directory.name)[1])

    def test_pieces_that_were_stored(self):
        # 200 of 100 us are 1 % of 2 x 1 s, beside 0.1 % for events.
        found = info(50_000)
        found["properties"].update({"LATECOMER::FLUSHES": "200", "LATECOMER::FLUSH_COST": "20000000"})
        self.assertEqual(describe(found, self.directory.name)[0], "measuring cost about 1.1 % of the run time: 100,000 events of 20 ns, "
                         "200 times 100 us to store them, 2.0 kB")

    def test_advice_above_five_percent(self):
        self.assertEqual(self.describe(2_500_000)[1], "")
        self.assertIn("calls MPI so often", self.describe(2_600_000)[1])
        self.assertIn("calls MPI so often", self.describe(2_600_000, compiler=9, stacks=True)[1])
        self.assertIn("scan -f FILE", self.describe(2_600_000, compiler=9)[1])

    def test_archives_that_do_not_tell(self):
        self.assertIsNone(describe({}, self.directory.name))
        self.assertIsNone(self.describe(0))
        self.assertIsNone(self.describe(5, duration=0))
        self.assertIsNone(self.describe(5, cost="much"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
