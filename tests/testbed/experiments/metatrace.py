#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""metatrace.py [DOCUMENT]: the MetaTrace experiment, scaled from minutes to seconds.

Prints the shares of the wait states that were published beside those that Latecomer finds; with a
document, also puts them into it."""
import os
import sys
import tempfile

import experiment

# Per step: 30 iterations of 30 ms, then 24 MB over the slow link.
ARGUMENTS = ["--iterations", "30", "--iteration-ms", "30", "--particle-ms", "550", "--field-mb", "24"]
# (wait state, function, waiting metahost, published share in %)
PUBLISHED = [("Grid Late Sender", "cgiteration", "fhbrs", 9.3),
             ("Grid Wait at Barrier", "ReadVelFieldFromTrace", "fzj", 23.1)]


def measure(steps):
    """(seconds of the run, {wait state: (function that has most of it, {metahost it waits for: %})})"""
    with tempfile.TemporaryDirectory() as scratch:
        directory = os.path.join(scratch, "metatrace")
        experiment.record("metatrace.testbed", [], ["-e", directory], 8, "metatrace", "--steps",
                          str(steps), *ARGUMENTS)
        shown = experiment.latecomer("show", "--json", directory)
    found = {}
    for wait_state, _, metahost, _ in PUBLISHED:
        state = next(s for s in shown["wait_states"] if "Grid " + s["name"] == wait_state)
        path = max(state["call_paths"], key=lambda path: path["seconds"])["call_path"]
        shares = {pair["pair"].split(" <- ")[1]: pair["seconds"] / shown["seconds"]["time"] * 100
                  for pair in shown["metahost_pairs"]
                  if pair["wait_state"] == wait_state and pair["pair"].startswith(metahost + " <- ")}
        found[wait_state] = (path[-2], shares)  # the last one is the MPI call
    return shown["run"]["duration"], found


def main():
    duration, found = measure(5)
    rows = []
    for wait_state, function, metahost, published in PUBLISHED:
        seen_in, shares = found[wait_state]
        rows.append(["%s in `%s()`" % (wait_state, function), "%.1f %%" % published,
                     "%.1f %% in `%s()`" % (sum(shares.values()), seen_in),
                     ", ".join("%s waits for %s: %.1f %%" % (metahost, other, share)
                               for other, share in sorted(shares.items()) if share >= 0.05)])
    experiment.write(sys.argv[1] if len(sys.argv) > 1 else None, experiment.table(
        ["wait state", "published", "measured", "who waits for whom"], rows) +
        "\n\n8 processes, %.1f s (%s)." % (duration, experiment.machine()))


if __name__ == "__main__":
    try:
        main()
    except experiment.Failed as failed:
        sys.exit("error: %s" % failed)
