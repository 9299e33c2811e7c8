# SPDX-License-Identifier: BSD-3-Clause
"""By how much the run time of hybrid programs grows when they are recorded: pairs of runs, one bare and one recorded."""

import math
import os
import shutil
import statistics

# Program of tests/apps, its arguments for a run of some seconds, and those for a try.
PROGRAMS = (("lake", ("--size", 800, "--steps", 150, "--depth", 40, "--chunk", 8), ("--size", 80, "--steps", 5)),
            ("orchard", ("--fruit", 60000, "--steps", 160, "--levels", 4), ("--fruit", 500, "--steps", 2)),
            ("springs", ("--masses", 100000, "--steps", 9000), ("--masses", 1000, "--steps", 5)))


def interval(values, confidence=0.95):
    """Median of values, and an interval that has the true median with this probability or a higher one, whatever the
    distribution of the values. With few values it is from the least to the largest."""
    ordered, n = sorted(values), len(values)
    outside, k = 0.5 ** n, 0  # P(fewer than k + 1 of n values are below the median)
    while outside + math.comb(n, k + 1) * 0.5 ** n <= (1 - confidence) / 2:
        k += 1
        outside += math.comb(n, k) * 0.5 ** n
    return statistics.median(ordered), ordered[k], ordered[n - 1 - k]


def measure(bench, events_of, pairs):
    """Rows: program, median seconds of a bare run, events, ratios of pairs, and the same ratios without the times of a
    program that only begins and ends."""
    threads = max(1, (os.cpu_count() or 1) // bench.processes)
    yielding = bench.library.with_name("liblatecomer-yield.so")
    base = dict(os.environ, OMP_NUM_THREADS=str(threads), LD_PRELOAD=str(yielding))
    rows = []
    for name, arguments, tiny in PROGRAMS:
        program = bench.bin.parent / "apps" / name
        if not program.exists():
            continue
        ratios, inner, bare_seconds, events = [], [], [], 0
        for i in range(pairs):
            seconds = {}
            # Whatever changes slowly meanwhile is the same for both.
            for kind in ("bare", "traced") if i % 2 == 0 else ("traced", "bare"):
                for what, command, words in (("empty", "empty_mpi", ()), ("program", program, tiny if bench.quick else arguments)):
                    environment, experiment = dict(base), bench.scratch / f"{name}-{i}-{what}"
                    if kind == "traced":
                        environment["LD_PRELOAD"] = f"{bench.library}:{yielding}"
                        environment["LATECOMER_EXPERIMENT_DIRECTORY"] = str(experiment)
                    seconds[kind, what] = bench.mpi(command, *words, env=environment)[0]
                    if kind == "traced" and what == "program":
                        events = events_of(experiment)
                    shutil.rmtree(experiment, ignore_errors=True)
            bare, traced = seconds["bare", "program"], seconds["traced", "program"]
            bare_seconds.append(bare)
            ratios.append(traced / bare)
            inner.append((traced - seconds["traced", "empty"]) / max(bare - seconds["bare", "empty"], 1e-9))
        rows.append((name, statistics.median(bare_seconds), events, ratios, inner))
    return threads, rows


def table(bench, events_of):
    pairs = 1 if bench.quick else max(bench.runs, 9)
    threads, rows = measure(bench, events_of, pairs)
    print(f"## Tracer: share of the run time of hybrid programs, {bench.processes} "
          f"process{'es'[:2 * bench.processes - 2]} with {threads} thread{'s'[:threads - 1]}\n")
    print("| program | bare s | events | events/s | whole run | 95 % | without begin and end | 95 % |")
    print("|---|---:|---:|---:|---:|---|---:|---|")
    for name, bare, events, ratios, inner in rows:
        cells = []
        for values in (ratios, inner):
            median, least, most = (100 * (value - 1) for value in interval(values))
            cells += [f"{median:+.1f} %", f"{least:+.1f} to {most:+.1f} %"]
        print(f"| {name} | {bare:.2f} | {events:,} | {events / bare:,.0f} | {' | '.join(cells)} |", flush=True)
    print(f"\nMedians of {pairs} pairs of runs, one bare and one recorded with call paths, and intervals that have the true\n"
          "median with 95 %. Begin and end: times of an empty program, bare or recorded, which are taken off. Target: 2 %.\n")
