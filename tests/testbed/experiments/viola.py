#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""viola.py [DOCUMENT]: the clock experiment on VIOLA, on emulated metahosts and clocks.

One run records the measurements of all schemes (LATECOMER_SYNC=all) and is analyzed with each
scheme. Prints reversed pairs per scheme and latencies per link beside the published figures. With
a document, the results are also written into it."""
import os
import re
import sys
import tempfile

import experiment

# Seven of ten pairs are the two nodes of one metahost, because flat schemes fail there.
ARGUMENTS = ["--period", "30", "--messages", "10", "--near", "70"]
# Tuples: (displayed name, scheme, published number of violations)
SCHEMES = [("single flat offset", "flat-single", 7560), ("two flat offsets", "flat", 2179),
           ("two hierarchical offsets", "hierarchical", 0)]
# Tuples: (pair of metahosts, published mean and standard deviation in us)
LINKS = [(("fzj", "fhbrs"), "988 (3.86)"), (("fzj", "fzj"), "21.5 (0.81)"),
         (("fhbrs", "fhbrs"), "44.4 (0.36)")]


def measure(scratch, rounds):
    """Records a run and returns its experiment directory."""
    directory = os.path.join(scratch, "viola")
    experiment.record("viola.testbed", ["--clocks", os.path.join(experiment.HERE, "viola.clocks")],
                      ["--sync", "all", "-e", directory], 6, "short_messages", "--rounds", str(rounds),
                      *ARGUMENTS)
    return directory


def correct(directory, scheme):
    """{step of the correction: violations that it left} with the offsets of a scheme."""
    report = os.path.join(directory, scheme + ".cubex")
    experiment.run([experiment.MPIEXEC, "-n", "2",
                    os.path.join(experiment.BUILD, "bin", "latecomer-analyzer"), "--quiet",
                    "--sync-scheme", scheme, "--output", report, directory])
    return {step["name"]: step for step in experiment.extras(report)["clocks"]["steps"]}


def scheme_row(name, published, steps):
    if not steps:  # no message came earlier than the least latency
        return [name, published, 0, 0, 0, "-", "-", "-"]
    linear = steps["linear"]
    inside = sum(pair["reversed_messages"] for pair in linear["pairs"] if pair["from"] == pair["to"])
    return [name, published, linear["reversed_messages"], inside, linear["messages"],
            "%.0f" % (linear["largest"] * 1e6)] + [
        steps[step]["messages"] if step in steps else "-" for step in ("messages", "clc")]


def latency_rows(directory):
    """Latencies from the measurements in the archive: half round trips, weighted by rounds."""
    metahost = [process["metahost"]
                for process in experiment.latecomer("info", "--json", directory)["processes"]]
    printed = experiment.run(["otf2-print", "-G", os.path.join(directory, "traces.otf2")])
    found = {}
    for text in re.findall(r'^STRING +\d+ +"(\d+ \d+ \d+ \d+ [sfh-]+ (?:inside|between) .*)"$', printed, re.M):
        for entry in text.split(";"):
            _, child, partner, _, _, _, _, _, _, half, mean, deviation, rounds, _ = entry.split()
            pair = tuple(sorted((metahost[int(child)], metahost[int(partner)])))
            found.setdefault(pair, []).append([int(n) for n in (half, mean, deviation, rounds)])
    rows = []
    for link, published in LINKS:
        entries = found[tuple(sorted(link))]
        rounds = sum(entry[3] for entry in entries)
        mean, deviation = (sum(entry[i] * entry[3] for entry in entries) / rounds / 1e3 for i in (1, 2))
        rows.append(["%s - %s" % link, published, "%.0f (%.0f)" % (mean, deviation),
                     "%.1f" % (min(entry[0] for entry in entries) / 1e3)])
    return rows


def main():
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        directory = measure(scratch, 1000)
        for name, scheme, published in SCHEMES:
            rows.append(scheme_row(name, published, correct(directory, scheme)))
        latencies = latency_rows(directory)
        printed = experiment.run(["otf2-print", os.path.join(directory, "traces.otf2")])
        info = experiment.latecomer("info", "--json", directory)
    messages = len(re.findall(r"^MPI_I?SEND ", printed, re.M))
    experiment.write(sys.argv[1] if len(sys.argv) > 1 else None, "%s\n\n%s\n\n%s" % (
        experiment.table(["offsets", "published: violations", "reversed", "of these inside metahosts",
                          "earlier than the least latency", "worst, us",
                          "after the drift step", "after CLC"], rows),
        experiment.table(["link", "published, us: mean (deviation)", "measured", "least"], latencies),
        "6 processes; %d messages in %.0f s (%s)." % (messages, info["duration"],
                                                             experiment.machine())))


if __name__ == "__main__":
    try:
        main()
    except experiment.Failed as failed:
        sys.exit("error: %s" % failed)
