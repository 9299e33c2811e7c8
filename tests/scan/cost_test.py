#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Messages of scan about the cost of measuring, from numbers of the archive."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.environ["SCRIPTS"])
sys.dont_write_bytecode = True
from scan_lib import cost as cost_of_run  # noqa: E402
from scan_lib import suggested_filter  # noqa: E402
from scan_lib.cost import short  # noqa: E402


def describe(info, directory):
    """(sentence, advice), or None if the archive has no cost."""
    found = cost_of_run.of(info)
    return None if found is None else (found.text(directory), found.advice())


def info(events, cost="20.0", duration=1.0, compiler=0, stacks=False):
    """An archive of two processes with `events` events each."""
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
                         ("measuring cost about 20 ms, 1.0 % of the run time: 1,000,000 events of 20 ns, 2.0 kB", ""))
        self.assertIn("less than 0.1 %", self.describe(40_000)[0])

    def test_events_of_regions_are_measured_and_those_of_mpi_calibrated(self):
        # 900,000 of 1,000,000 events are of regions: 45 ms; 100,000 of 20 ns: 2 ms; together 47 ns
        # each. The processor time is 470 ms.
        found = info(500_000, compiler=9)
        found["properties"].update({"LATECOMER::REGION_EVENTS": "900000", "LATECOMER::REGION_EVENT_COST": "45000000",
                                    "LATECOMER::PROCESSOR_TIME": "470000000"})
        text, advice = describe(found, self.directory.name)
        self.assertEqual(text, "measuring cost about 47 ms, 10.0 % of the processor time: 1,000,000 events of 47 ns, 2.0 kB")
        self.assertIn("scan -f FILE", advice)
        # The program may have more events than the trace if recording was off for a while.
        found["properties"]["LATECOMER::REGION_EVENTS"] = "1500000"
        self.assertIn("about 45 ms, 9.6 % of the processor time: 1,000,000 events of 30 ns", describe(found, self.directory.name)[0])

    def test_events_that_a_filter_leaves_out(self):
        # 100,000 events of 20 ns and 10,000,000 of 5 ns are 52 ms of 2 x 1 s.
        found = info(50_000, compiler=9)
        found["properties"].update({"LATECOMER::FILTERED_EVENTS": "10000000", "LATECOMER::FILTERED_EVENT_COST": "50000000"})
        self.assertEqual(describe(found, self.directory.name)[0], "measuring cost about 52 ms, 2.6 % of the run time: "
                         "100,000 events of 20 ns, 10,000,000 that the filter leaves out of 5 ns, 2.0 kB")
        found["properties"]["LATECOMER::FILTERED_EVENT_COST"] = "150000000"
        self.assertIn("leave them out when compiling", describe(found, self.directory.name)[1])

    def test_calls_on_files(self):
        # 20,000 operations on files have 80,000 of 100,000 events of 20 ns; 4,000,000 calls in memory
        # take 10 ns: 40 ms. Together 42 ms of 2 x 0.1 s.
        found = info(50_000, duration=0.1)
        found["properties"].update({"LATECOMER::FILE_OPERATIONS": "20000", "LATECOMER::FILE_CALLS_IN_MEMORY": "4000000"})
        text, advice = describe(found, self.directory.name)
        self.assertEqual(text, "measuring cost about 42 ms, 21.0 % of the run time: "
                         "100,000 events of 20 ns, 4,000,000 calls on files in memory of about 10 ns, 2.0 kB")
        self.assertIn("scan --files off leaves them out", advice)
        # Without calls in memory operations have 40 of 50 ms.
        found = info(1_250_000, duration=0.1)
        found["properties"]["LATECOMER::FILE_OPERATIONS"] = "500000"
        self.assertIn("scan --files off leaves them out", describe(found, self.directory.name)[1])
        found["properties"]["LATECOMER::FILE_OPERATIONS"] = "100000"
        self.assertIn("the program calls MPI so often", describe(found, self.directory.name)[1])

    def test_times_have_two_digits(self):
        self.assertEqual([short(t) for t in (123.4, 12.34, 1.234, 0.1234, 0.0999, 0.01234, 0.001234, 0.0001234, 0.00996)],
                         ["123 s", "12 s", "1.2 s", "0.12 s", "0.10 s", "12 ms", "1.2 ms", "0.12 ms", "10 ms"])

    def test_functions_that_a_filter_should_leave_out(self):
        found = {"seconds": 2.0, "functions": [{"name": "leaf", "seconds": 1.0}, {"name": "a::f<int>(int)\x1b[31m", "seconds": 0.5}]}
        self.assertEqual(suggested_filter.sentence(found, "/a b/suggested.filter").split(". ", 1)[1].replace(os.path.relpath("/a b"), "X"),
                         "Most of it is for leaf (50 %), a::f<int>(int)\\x1b[31m (25 %): scan -f 'X/suggested.filter' leaves them out")
        found["functions"] += [{"name": "g" * 100, "seconds": 0.2}] * 5
        self.assertIn("..." + " (10 %) and 4 more: scan -f", suggested_filter.sentence(found, "f"))

    def test_threads(self):
        # 2 x 1,000 threads that took 0.3 s together: 150 us each, 15 % of 2 x 1 s; and 4,000 events
        # of 20 ns.
        found = info(1)
        found["properties"]["LATECOMER::THREAD_COST"] = "300000000"
        for process in found["processes"]:
            process["locations"] += [{"events": 2}] * 1000
        text, advice = describe(found, self.directory.name)
        self.assertEqual(text, "measuring cost about 0.30 s, 15.0 % of the run time: 4,002 events of 20 ns, 2,000 threads of 150 us, 2.0 kB")
        self.assertIn("threads that live longer cost less", advice)
        # 38,000 more threads continued in records of ended ones: 7.5 us each.
        found["properties"]["LATECOMER::THREADS_IN_TURN"] = "38000"
        self.assertIn(", 40,000 threads of 7.5 us, ", describe(found, self.directory.name)[0])

    def test_samples(self):
        # 1,000 of 101,000 events are samples of 20 us, together 20 ms; 100,000 events of 20 ns are 2 ms.
        found = info(50_500)
        found["properties"].update({"LATECOMER::SAMPLES": "1000", "LATECOMER::SAMPLE_COST": "20000000"})
        self.assertEqual(describe(found, self.directory.name),
                         ("measuring cost about 22 ms, 1.1 % of the run time: 101,000 events of 20 ns, "
                          "1,000 samples of 20.0 us, 2.0 kB", ""))
        found["properties"]["LATECOMER::SAMPLE_COST"] = "200000000"
        self.assertIn("a lower rate costs less", describe(found, self.directory.name)[1])

    def test_stacks_that_were_unwound(self):
        # 100,000 stacks of 2 us are 10 % of 2 x 1 s; 100 of them are 0.01 %, which is not worth
        # mentioning.
        found = info(50_000)
        found["properties"].update({"LATECOMER::STACKS_UNWOUND": "100000", "LATECOMER::STACK_COST": "200000000"})
        text, advice = describe(found, self.directory.name)
        self.assertEqual(text, "measuring cost about 0.20 s, 10.1 % of the run time: 100,000 events of 20 ns, "
                         "100,000 stacks unwound of 2.0 us, 2.0 kB")
        self.assertIn("--no-callpath", advice)
        found["properties"].update({"LATECOMER::STACKS_UNWOUND": "100", "LATECOMER::STACK_COST": "200000"})
        self.assertEqual(describe(found, self.directory.name),
                         ("measuring cost about 2.2 ms, 0.1 % of the run time: 100,000 events of 20 ns, 2.0 kB", ""))

    def test_parts_that_are_small_but_most_of_the_cost(self):
        # 1,000 samples of 1.8 us are 0.09 % of 2 x 1 s, but nearly all of what measuring cost.
        # 100 stacks of 4 us are 0.02 %, and a small part.
        found = info(5_500)
        found["properties"].update({"LATECOMER::SAMPLES": "1000", "LATECOMER::SAMPLE_COST": "1800000",
                                    "LATECOMER::STACKS_UNWOUND": "100", "LATECOMER::STACK_COST": "400000"})
        self.assertEqual(describe(found, self.directory.name)[0],
                         "measuring cost about 2.4 ms, 0.1 % of the run time: 11,000 events of 20 ns, "
                         "1,000 samples of 1.8 us, 2.0 kB")
        # The parts of less than 0.1 % together are not worth mentioning.
        found["properties"].update({"LATECOMER::SAMPLE_COST": "1000000"})
        self.assertNotIn("samples", describe(found, self.directory.name)[0])

    def test_few_stacks_that_took_long(self):
        # 48 stacks of 2.2 ms are 5.3 % of 2 x 1 s. They come from a busy machine, not from a
        # program with many new call paths.
        found = info(50_000)
        found["properties"].update({"LATECOMER::STACKS_UNWOUND": "48", "LATECOMER::STACK_COST": "105600000"})
        text, advice = describe(found, self.directory.name)
        self.assertIn("about 0.11 s, 5.4 % of the run time: 100,000 events of 20 ns, 48 stacks unwound of 2200.0 us", text)
        self.assertEqual(advice, "")
        # Only the events are warned of, which take 6 % by themselves.
        found = info(3_000_000)
        found["properties"].update({"LATECOMER::STACKS_UNWOUND": "48", "LATECOMER::STACK_COST": "205600000"})
        self.assertIn("calls MPI so often", describe(found, self.directory.name)[1])

    def test_pieces_that_were_stored(self):
        # 200 pieces of 100 us are 1 % of 2 x 1 s, beside 0.1 % for events.
        found = info(50_000)
        found["properties"].update({"LATECOMER::FLUSHES": "200", "LATECOMER::FLUSH_COST": "20000000"})
        self.assertEqual(describe(found, self.directory.name)[0], "measuring cost about 22 ms, 1.1 % of the run time: 100,000 events of 20 ns, "
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
