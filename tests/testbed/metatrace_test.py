#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The MetaTrace experiment in short: both waits are found in the functions that were published."""
import os
import sys

from support import BUILD, TestbedTest, main

os.environ["LATECOMER_BUILD"] = BUILD
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "experiments"))
import metatrace  # noqa: E402


class MetaTrace(TestbedTest):
    def test_waits(self):
        # A step takes 0.9 s of iterations and about 0.3 s for the field. Each of two fast ranks of eight
        # waits half of the iterations: 0.9 / 2 / 1.2 / 4 = 9 %. Four ranks of eight wait in the barrier
        # for 0.9 s less 0.55 s of particles, but in the first step for all of it: more than 15 %.
        found = metatrace.find_published(metatrace.analyze(metatrace.THREE, 2))
        function, shares = found["Grid Late Sender"]
        self.assertEqual(function, "cgiteration")
        self.assertGreater(shares["caesar"], 3)
        self.assertLess(sum(shares.values()), 12)
        function, shares = found["Grid Wait at Barrier"]
        self.assertEqual(function, "ReadVelFieldFromTrace")
        self.assertGreater(sum(shares.values()), 12)
        self.assertLess(sum(shares.values()), 45)

    def test_one_metahost(self):
        # All iterations take 0.45 s then: nobody is late in the exchange; trace waits 0.1 s for the
        # steering, and partrace not at all for trace, but in the first step.
        three, one = (metatrace.analyze(setup, 3) for setup in (metatrace.THREE, metatrace.ONE))
        change = {where: (metatrace.share(three, wait_state, function), metatrace.share(one, wait_state, function))
                  for wait_state, where, function, _ in metatrace.CHANGES}
        for where in "exchange", "coupling":
            self.assertLess(change[where][1], change[where][0] * 0.75, (where, change))
        self.assertGreater(change["steering"][1], change["steering"][0] + 2, change)


if __name__ == "__main__":
    main()
