#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A short MetaTrace experiment: both waits are found in the published functions."""
import os
import sys

from support import BUILD, TestbedTest, main

os.environ["LATECOMER_BUILD"] = BUILD
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "experiments"))
import metatrace  # noqa: E402


class MetaTrace(TestbedTest):
    def test_waits(self):
        # A step takes 0.9 s of iterations and about 0.3 s for the field. Each of two fast ranks of
        # eight waits half of the iterations: 0.9 / 2 / 1.2 / 4 = 9 %. Four ranks of eight wait in
        # the barrier for 0.9 s less 0.55 s of particles, but in the first step for all of it: more
        # than 15 %.
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
        # Ten iterations then take 0.45 s instead of 0.9 s, and particles 0.7 s. In the exchange one
        # rank of two waited 0.45 s in each of three steps; now no rank is late. Four ranks of
        # partrace waited 0.9 + 0.2 + 0.2 s for trace; now they wait 0.45 s in the first step. For
        # the steering, trace did not wait; now it waits 0.25 s twice on each of four ranks: 2 s.
        # Iterations are few and long, and fields are small, because each exchange takes some time
        # on a busy machine.
        common = ["--iterations", "10", "--particle-ms", "700", "--field-mb", "2"]
        three, one = (metatrace.analyze((setup[0], ["--iteration-ms", iteration, *setup[1][2:]]), 3, common)
                      for setup, iteration in ((metatrace.THREE, "90"), (metatrace.ONE, "45")))
        change = {where: [metatrace.waited(run, wait_state, function) for run in (three, one)]
                  for wait_state, where, function, _ in metatrace.CHANGES}
        for where in "exchange", "coupling":
            self.assertLess(change[where][1], change[where][0] * 0.75, (where, change))
        self.assertGreater(change["steering"][1], change["steering"][0] + 0.3, change)


if __name__ == "__main__":
    main()
