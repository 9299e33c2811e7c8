#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""compensation.py [--runs N] [--document FILE] [pi|heat2d|cg ...]: the cost of measuring, taken out again.

Three programs spend their time in small functions, all of which are instrumented. Their runs alternate with runs of
the same programs without instrumentation. The report after compensation is compared with what those runs took. Two
cores without other load are needed."""
import argparse
import json
import os
import re
import shutil
import statistics
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "testbed", "experiments"))
import experiment  # noqa: E402

RANKS = 2
BIN = os.path.join(experiment.BUILD, "bin")
YIELD = os.path.join(experiment.BUILD, "lib", "liblatecomer-yield.so")
PI = ["--packets", "100", "--throws", "100000", "--darts", "16"]
# Work differs between the ranks, so the waits have a cause.
PROGRAMS = [("heat2d", ["--size", "512", "--steps", "800", "--cells", "16", "--first", "300"]),
            ("cg", ["--size", "40000", "--steps", "1500", "--elements", "32", "--first", "24000"])]
EFFICIENCIES = ["parallel", "load_balance", "communication", "serialization", "transfer"]


QUICK = {"pi": ["--packets", "4", "--throws", "1000"], "heat2d": ["--size", "64", "--steps", "20", "--first", "50"],
         "cg": ["--size", "4000", "--steps", "20", "--first", "3500"]}


def program(name, instrumented):
    return os.path.join(BIN, "compensation_" + name + ("_instrumented" if instrumented else ""))


def bare(name, arguments):
    """Seconds of the part that is compared, on each rank, of a run that is not recorded."""
    return seconds_of(experiment.run(["env", "LD_PRELOAD=" + YIELD, experiment.MPIEXEC, "-n", str(RANKS), program(name, False),
                                      *arguments]))


def seconds_of(output):
    found = {int(rank): float(seconds) for rank, seconds in re.findall(r"^rank (\d+): ([\d.]+) s$", output, re.M)}
    if len(found) != RANKS:
        raise experiment.Failed("the program printed no times:\n" + output)
    return [found[rank] for rank in range(RANKS)]


def recorded(directory, name, arguments, instrumented):
    """Records and analyzes a run; returns the seconds that the program itself measured."""
    shutil.rmtree(directory, ignore_errors=True)
    return seconds_of(experiment.run([
        sys.executable, os.path.join(BIN, "scan"), "--yield", "-e", directory, experiment.MPIEXEC, "-n", str(RANKS),
        program(name, instrumented), *arguments]))


def compensated(directory, method):
    experiment.run([sys.executable, os.path.join(BIN, "scan"), "-a", directory, "--overhead", method])


def time_of(directory, function, rank):
    """Seconds of a function with what it calls, on a rank, in the report."""
    shown = experiment.latecomer("show", "--json", "--metric", "time", "--callpath", function, "--by", "rank", directory)
    return next(row["values"][0] for row in shown["rows"] if row["rank"] == rank)


def spread(values, digits=3):
    """Median, and the range of all runs."""
    return "%.*f (%.*f to %.*f)" % (digits, statistics.median(values), digits, min(values), digits, max(values))


def pi_table(scratch, runs, arguments):
    """Rows of the published table: times of master and worker, bare and measured, and after each compensation."""
    columns = {name: ([], []) for name in ("not measured", "measured", "local", "parallel")}
    directory = os.path.join(scratch, "pi")
    for turn in range(runs + 1):
        found = {"not measured": bare("pi", arguments), "measured": recorded(directory, "pi", arguments, True)}
        for method in ("local", "parallel"):
            compensated(directory, method)
            found[method] = [time_of(directory, "master", 0), time_of(directory, "worker", 1)]
        print(turn, json.dumps(found), file=sys.stderr)
        if turn > 0:  # the first one fills the caches
            for name, seconds in found.items():
                for rank in range(RANKS):
                    columns[name][rank].append(seconds[rank])
    rows = []
    plain = [statistics.median(times) for times in columns["not measured"]]
    for name, times in columns.items():
        rows.append([name, *(spread(one) for one in times),
                     *("%+.1f %%" % (100 * (statistics.median(one) / base - 1)) for one, base in zip(times, plain))])
    return experiment.table(["run", "master, s", "worker, s", "master", "worker"], rows)


def figures(directory):
    """What a report says of waits, efficiencies and the largest cause."""
    report = experiment.latecomer("show", "--json", directory)
    if not report["causes"]:
        raise experiment.Failed("no process waited for another one: larger runs are needed")
    cause = report["causes"][0]
    rank = max(cause["ranks"], key=lambda one: one["seconds"])["rank"]
    found = {"run time, s": report["efficiency"]["run_time"], "waiting, s": report["seconds"]["waiting"],
             "largest cause, s": cause["seconds"]}
    for name in EFFICIENCIES:
        found[name.replace("_", " ")] = report["efficiency"][name]
    return found, "%s on rank %d" % (" > ".join(part for part in cause["call_path"][1:] if "_part" not in part
                                                and "_cells" not in part), rank)


def program_table(scratch, runs, name, arguments):
    directory = os.path.join(scratch, name)
    columns, causes = {}, {}
    for turn in range(runs + 1):
        recorded(directory, name, arguments, False)
        found = {"not instrumented": figures(directory)}
        recorded(directory, name, arguments, True)
        found["instrumented"] = figures(directory)
        compensated(directory, "parallel")
        found["compensated"] = figures(directory)
        print(turn, name, json.dumps(found), file=sys.stderr)
        if turn > 0:
            for kind, (values, cause) in found.items():
                causes.setdefault(kind, []).append(cause)
                for key, value in values.items():
                    columns.setdefault(key, {}).setdefault(kind, []).append(value)
    rows = []
    for key, kinds in columns.items():
        plain, changed = (statistics.median(kinds[kind]) for kind in ("not instrumented", "compensated"))
        rows.append([key, *(spread(values) for values in kinds.values()), "%+.1f %%" % (100 * (changed / plain - 1))])
    rows.append(["largest cause", *("%s (%d of %d runs)" % (max(set(names), key=names.count), max(map(names.count, names)), runs)
                                    for names in causes.values()), ""])
    return experiment.table([name, "not instrumented", "instrumented", "compensated", "difference"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=10, help="runs that count (10)")
    parser.add_argument("--quick", action="store_true", help="small runs: shows that everything works, not how well")
    parser.add_argument("only", nargs="*", help="pi, heat2d, cg (all)")
    parser.add_argument("--document", help="where the tables are also written")
    options = parser.parse_args()
    for name in options.only:
        if name not in QUICK:
            parser.error("no program %s; there are pi, heat2d and cg" % name)
    tables = []
    with tempfile.TemporaryDirectory() as scratch:
        if "pi" in (options.only or ["pi"]):
            tables.append(pi_table(scratch, options.runs, QUICK["pi"] if options.quick else PI))
        for name, arguments in PROGRAMS:
            if name in (options.only or [name]):
                tables.append(program_table(scratch, options.runs, name, QUICK[name] if options.quick else arguments))
    experiment.write(options.document, "\n\n".join([*tables, "Medians, and ranges of %d runs (%s)." % (
        options.runs, experiment.machine())]))


if __name__ == "__main__":
    try:
        main()
    except experiment.Failed as failed:
        sys.exit("error: %s" % failed)
