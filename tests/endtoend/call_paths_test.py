#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Call paths of programs that are not instrumented are those of the instrumented ones.

call_paths_test.py APP RANKS [ARGUMENTS]: APP as it is (optimized, with debug information), APP_nodebug,
both stripped, and APP_instrumented.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from support import MPIEXEC, app, need_app, regions, run, scan


def fail(text):
    sys.exit("FAILED: " + text)


def tree(experiment):
    """Visits of each call path of an MPI call, per rank: ((name, file, line), ...) -> visits."""
    anchor = os.path.join(experiment, "traces.otf2")
    known = {number: (name, os.path.basename(file), line) for number, (name, file, line) in regions(anchor).items()}
    found, stacks = {}, {}
    for line in run(["otf2-print", anchor]).stdout.splitlines():
        match = re.match(r'(ENTER|LEAVE) +(\d+) .*Region: ".*" <(\d+)>', line)
        if not match:
            continue
        stack = stacks.setdefault(match[2], [])
        if match[1] == "LEAVE":
            if stack.pop() != known[match[3]]:
                fail("enter and leave do not nest")
            continue
        stack.append(known[match[3]])
        if stack[-1][1] == "MPI":
            visits = found.setdefault(match[2], {})
            path = tuple(stack)
            visits[path] = visits.get(path, 0) + 1
    return found


def record(scratch, program, ranks, arguments, *options):
    experiment = os.path.join(scratch, "experiment")
    shutil.rmtree(experiment, ignore_errors=True)
    done = scan("--yield", "-e", experiment, *options, MPIEXEC, "-n", ranks, program, *arguments)
    # The warning of high cost is accepted: it is true of small instrumented functions on a fast
    # machine.
    warnings = [w for w in re.findall(r"^.*warning.*$", done.stderr, re.M) if "that is much" not in w]
    if done.returncode != 0 or "WRONG" in done.stdout or warnings:
        fail("%s: status %d\n%s%s" % (program, done.returncode, done.stdout, done.stderr))
    printed = run(["otf2-print", "-A", "--silent", os.path.join(experiment, "traces.otf2")])
    if printed.returncode != 0 or "rror" in printed.stderr:
        fail("otf2-print complains: " + printed.stdout + printed.stderr)
    return tree(experiment)


def names(found, kept):
    """Reduces call paths to the names of kept functions, and merges paths that become equal."""
    shorter = {}
    for rank, visits in found.items():
        for path, count in visits.items():
            short = tuple(f[0] for f in path if f[1] == "MPI" or f[0] in kept)
            rows = shorter.setdefault(rank, {})
            rows[short] = rows.get(short, 0) + count
    return shorter


def symbols(program):
    """Functions that exist as symbols: they were not inlined everywhere."""
    listed = subprocess.run(["nm", "-C", program], capture_output=True, text=True, check=True).stdout
    rows = (line.split(" ", 2) for line in listed.splitlines())
    found = {row[2].split(".")[0] for row in rows if len(row) == 3 and row[1] in "TtWw"}
    # Procedures of Fortran modules are shown as module::procedure.
    return found | {re.sub("^__(.*)_MOD_", r"\1::", name) for name in found}


def without_libraries(found, expected):
    """Leaves out functions of other source files: those of libraries are not instrumented (qsort)."""
    files = {f[1] for visits in expected.values() for path in visits for f in path}
    return {rank: {tuple(f for f in path if f[1] in files): count for path, count in visits.items()}
            for rank, visits in found.items()}


def check_equal(what, found, expected):
    if found != expected:
        rank = next(r for r in expected if found.get(r) != expected[r])
        rows = sorted(set(found.get(rank, {}).items()) ^ set(expected[rank].items()))
        fail("%s: rank %s: different paths or visits of MPI calls:\n%s" % (
            what, rank, "\n".join("  %s %s" % (
                "+" if row in found.get(rank, {}).items() else "-", row) for row in rows)))


def main():
    name, ranks, arguments = sys.argv[1], sys.argv[2], sys.argv[3:]
    need_app(name)
    with tempfile.TemporaryDirectory() as scratch:
        expected = record(scratch, app(name + "_instrumented"), ranks, arguments)
        deepest = max(len(path) for visits in expected.values() for path in visits)
        if deepest < 3:
            fail("the program has no call paths to speak of")

        found = without_libraries(record(scratch, app(name), ranks, arguments), expected)
        check_equal("with debug information", found, expected)

        plain = app(name + "_nodebug")
        kept = symbols(plain)
        if "MAIN__" in kept:  # only debug information knows the name of a Fortran program
            expected = {rank: {tuple(("MAIN__",) + f[1:] if f[0] == name else f for f in path): count
                               for path, count in visits.items()} for rank, visits in expected.items()}
        found = names(record(scratch, plain, ranks, arguments), kept)
        check_equal("without debug information", found, names(expected, kept))

        # The stripped program has as many functions on each path, named by their addresses.
        stripped = os.path.join(scratch, "stripped")
        subprocess.run(["strip", "-o", stripped, plain], check=True)
        found = record(scratch, stripped, ranks, arguments)
        for visits in found.values():
            for path in visits:
                # The function that the C library calls is main, all others are addresses.
                if path[0][0] != "main":
                    fail("stripped: the first function is called " + path[0][0])
                if any(f[0].split("(")[0] in kept for f in path[1:]):
                    fail("stripped: functions have names: %s" % (path,))

        # A frame has the functions that were inlined into its function.
        found = record(scratch, plain, ranks, arguments, "--callpath-depth", "1")
        if max(len(path) for visits in found.values() for path in visits) != 2:
            fail("--callpath-depth 1 shows more than one function")
        found = record(scratch, app(name), ranks, arguments, "--no-callpath")
        if max(len(path) for visits in found.values() for path in visits) != 1:
            fail("--no-callpath shows functions")


main()
