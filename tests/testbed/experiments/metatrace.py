#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""metatrace.py [DOCUMENT]: the MetaTrace experiment, scaled from minutes to seconds.

Prints the published shares of the wait states beside those that Latecomer finds on three
metahosts, and their changes on one homogeneous metahost. With a document, the results are also
written into it."""
import os
import sys
import tempfile

import experiment

# Each step has 30 iterations of 30 ms, or of 15 ms where all nodes are as fast as the fast ones,
# then 24 MB.
ARGUMENTS = ["--iterations", "30", "--particle-ms", "550", "--field-mb", "24"]
THREE = ("metatrace.testbed", ["--iteration-ms", "30", "--faster", "2"])
ONE = ("metatrace-one.testbed", ["--iteration-ms", "15", "--faster", "1"])
# Tuples: (wait state, function, waiting metahost, published share in %)
PUBLISHED = [("Grid Late Sender", "cgiteration", "fhbrs", 9.3),
             ("Grid Wait at Barrier", "ReadVelFieldFromTrace", "fzj", 23.1)]
# Tuples: (wait state, between metahosts or not; where; function; published change on one metahost)
CHANGES = [("Late Sender", "exchange", "cgiteration", "shrinks"),
           ("Wait at Barrier", "coupling", "ReadVelFieldFromTrace", "shrinks"),
           ("Late Sender", "steering", "ReadSteeringFromPartrace", "may grow")]


def analyze(setup, steps, common=ARGUMENTS):
    """The JSON of `latecomer show` for a run."""
    description, arguments = setup
    with tempfile.TemporaryDirectory() as scratch:
        directory = os.path.join(scratch, "metatrace")
        experiment.record(description, [], ["-e", directory], 8, "metatrace", "--steps", str(steps),
                          *arguments, *common)
        return experiment.latecomer("show", "--json", directory)


def find_published(shown):
    """{wait state: (function that has most of it, {metahost it waits for: %})}"""
    found = {}
    for wait_state, _, metahost, _ in PUBLISHED:
        state = next(s for s in shown["wait_states"] if "Grid " + s["name"] == wait_state)
        path = max(state["call_paths"], key=lambda path: path["seconds"])["call_path"]
        shares = {pair["pair"].split(" <- ")[1]: pair["seconds"] / shown["seconds"]["time"] * 100
                  for pair in shown["metahost_pairs"]
                  if pair["wait_state"] == wait_state and pair["pair"].startswith(metahost + " <- ")}
        found[wait_state] = (path[-2], shares)  # the last function is the MPI call
    return found


def waited(shown, wait_state, function):
    """Seconds of this wait state in the function, wherever the cause is."""
    return sum(path["seconds"] for state in shown["wait_states"] if state["name"] == wait_state
               for path in state["call_paths"] if function in path["call_path"])


def share(shown, wait_state, function):
    """Time of this wait state in the function, in % of the total time."""
    return waited(shown, wait_state, function) / shown["seconds"]["time"] * 100


def main():
    three, one = analyze(THREE, 5), analyze(ONE, 5)
    found = find_published(three)
    rows = []
    for wait_state, function, metahost, published in PUBLISHED:
        seen_in, shares = found[wait_state]
        rows.append(["%s in `%s()`" % (wait_state, function), "%.1f %%" % published,
                     "%.1f %% in `%s()`" % (sum(shares.values()), seen_in),
                     ", ".join("%s waits for %s: %.1f %%" % (metahost, other, part)
                               for other, part in sorted(shares.items()) if part >= 0.05)])
    changes = [["%s in the %s, `%s()`" % (wait_state, where, function), published,
                "%.1f %%" % share(three, wait_state, function), "%.1f %%" % share(one, wait_state, function)]
               for wait_state, where, function, published in CHANGES]
    experiment.write(sys.argv[1] if len(sys.argv) > 1 else None, experiment.table(
        ["wait state", "published", "measured", "who waits for whom"], rows) + "\n\n" + experiment.table(
        ["wait state", "published of one metahost", "three metahosts", "one metahost"], changes) +
        "\n\n8 processes, %.1f s on three metahosts, %.1f s on one (%s)." % (
            three["run"]["duration"], one["run"]["duration"], experiment.machine()))


if __name__ == "__main__":
    try:
        main()
    except experiment.Failed as failed:
        sys.exit("error: %s" % failed)
