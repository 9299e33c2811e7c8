#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The parallel writer: equal bytes for every number of processes, read by an independent reader.

  writer_test.py WRITE_REPORT MPIEXEC
"""
import json
import os
import stat
import subprocess
import sys
import tarfile
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from cube_reader import values_of  # noqa: E402

PROGRAM, MPIEXEC = sys.argv[1:3]

failures = 0


def check(condition, what):
    global failures
    if not condition:
        failures += 1
        print("FAILED: " + what)


def write(report, processes, *arguments):
    return subprocess.run([MPIEXEC, "-n", str(processes), PROGRAM, report, *arguments],
                          capture_output=True, text=True, timeout=100)


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def same_bytes(folder, name, shape, read_back):
    """Writes one report on 1, 2, 3, 5 processes with different distributions; compares values with
    the formula."""
    expected = os.path.join(folder, name + ".json")
    first = os.path.join(folder, name + ".1.cubex")
    run = write(first, 1, "expected=" + expected, *shape)
    check(run.returncode == 0, "%s on 1 process: %s" % (name, run.stderr))
    reference = contents(first)
    for processes, spread in ((2, "block"), (3, "cyclic"), (3, "last"), (5, "block")):
        other = os.path.join(folder, "%s.%d%s.cubex" % (name, processes, spread))
        run = write(other, processes, "spread=" + spread, *shape)
        check(run.returncode == 0, "%s on %d processes: %s" % (name, processes, run.stderr))
        check(contents(other) == reference, "%s: bytes on %d processes, %s"
              % (name, processes, spread))
    # A process that does not see the directory sends its values; the others write them.
    for blind in ("0", "1"):
        other = os.path.join(folder, "%s.blind%s.cubex" % (name, blind))
        run = write(other, 3, "blind=" + blind, *shape)
        check(run.returncode == 0 and contents(other) == reference,
              "%s: bytes with blind process %s %s" % (name, blind, run.stderr))
    if read_back:
        read = {m: v["values"] for m, v in values_of(first).items()}
        with open(expected) as file:
            want = json.load(file)
        if "call_roots=2" in shape:
            want = {m: {"all programs/" + path: row for path, row in rows.items()}
                    for m, rows in want.items()}
        check(len(want) > 2 and read == want, name + ": values read by others")
    return first


def standard_tar(path):
    with tarfile.open(path) as tar:
        members = tar.getmembers()
        names = [m.name for m in members]
        check(names[-1] == "anchor.xml" and "latecomer.json" in names, "members %s" % names)
        check(all(m.mtime == 0 and m.uid == 0 and m.gid == 0 for m in members), "constant headers")
        check(all(m.size % 512 != 0 for m in members), "no member of full blocks")
        extras = json.load(tar.extractfile("latecomer.json"))
        check(extras["schema_version"] == 1 and extras["text"].startswith("cut "), "extras")


def failing(folder):
    """A write that cannot succeed gives one message and status 3. The old report stays, and no
    other file is left."""
    for processes in (1, 3):
        place = os.path.join(folder, "failing%d" % processes)
        os.mkdir(place)
        report = os.path.join(place, "r.cubex")
        run = write(os.path.join(place, "missing", "r.cubex"), processes)
        check(run.returncode == 3 and run.stderr.count("error:") == 1
              and "No such file or directory" in run.stderr and "--output" in run.stderr,
              "missing directory: " + run.stderr)
        check(os.listdir(place) == [], "missing directory leaves nothing")
        write(report, 1)
        old = contents(report)
        # There is no space as soon as the file is made, or while the last process writes its share.
        for limited in {0, processes - 1}:
            run = write(report, processes, "limit=4000", "limited=%d" % limited, "locations=40")
            check(run.returncode == 3 and run.stderr.count("error:") == 1
                  and "File too large" in run.stderr, "no space: " + run.stderr)
            check(os.listdir(place) == ["r.cubex"] and contents(report) == old, "no space: files")
        directory = os.path.join(place, "d.cubex")
        os.mkdir(directory)
        run = write(directory, processes)
        check(run.returncode == 3 and "Is a directory" in run.stderr, "directory: " + run.stderr)
        check(sorted(os.listdir(place)) == ["d.cubex", "r.cubex"], "directory: files")
        special = os.path.join(place, "special")  # as /dev/null would be
        os.mkfifo(special)
        run = write(special, processes)
        check(run.returncode == 3 and "special: not a regular file" in run.stderr, "special: " + run.stderr)
        check(stat.S_ISFIFO(os.stat(special).st_mode), "special: replaced")


with tempfile.TemporaryDirectory() as folder:
    plain = same_bytes(folder, "plain", ["metrics=9"], True)
    standard_tar(plain)
    grid = same_bytes(folder, "grid", ["metrics=9", "machines=3", "call_roots=2", "locations=11"],
                      True)
    standard_tar(grid)
    # Names that are not UTF-8 come back changed; the C++ reader test compares the values.
    odd = same_bytes(folder, "odd", ["odd_names=1"], False)
    check("operator<< <int, \"a\">(std::vector<int>&, 'c') & more" in
          list(values_of(odd)["metric_0"]["values"])[0], "odd names: escaping")
    same_bytes(folder, "one", ["metrics=1", "call_paths=1", "locations=1"], False)
    same_bytes(folder, "few", ["metrics=4", "call_paths=1", "locations=1"], False)
    same_bytes(folder, "rounds", ["locations=700", "call_paths=3000", "metrics=2"], False)
    failing(folder)
print("%d failure(s)" % failures)
sys.exit(failures != 0)
