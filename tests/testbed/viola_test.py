#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A short VIOLA clock experiment: one offset reverses messages, and no violation is left after
CLC."""
import os
import sys

from support import BUILD, TestbedTest, main

os.environ["LATECOMER_BUILD"] = BUILD
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "experiments"))
import viola  # noqa: E402


class Viola(TestbedTest):
    def test_schemes(self):
        run = viola.measure(self.directory, 150)
        steps = {scheme: viola.correct(run, scheme) for scheme in ("flat-single", "flat", "hierarchical")}
        # The nodes of caesar drift by 35 ppm: 150 us after 4.5 s, more than their latency of 45 us.
        reversed_messages = {scheme: found["linear"]["reversed_messages"] if found else 0
                             for scheme, found in steps.items()}
        self.assertGreater(reversed_messages["flat-single"], 50)
        self.assertLess(reversed_messages["hierarchical"], reversed_messages["flat-single"])
        for found in steps.values():
            if "clc" in found:
                self.assertEqual((found["clc"]["messages"], found["clc"]["collectives"]), (0, 0))


if __name__ == "__main__":
    main()
