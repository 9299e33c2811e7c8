#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random damage to archives, records and reports: every command ends in time and in order, and the
analyzer's status, report and message do not depend on the number of processes.

usage: random_damage_test.py archives|records|reports MPIEXEC BUILD      (BUILD: the build folder)
LATECOMER_RANDOM_DAMAGE: how many rounds, instead of those below; LATECOMER_RANDOM_SEED: of the first.
"""
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

GROUP, MPIEXEC, BUILD = sys.argv[1:4]
BIN = Path(BUILD) / "bin"
REFERENCE = Path(__file__).parent.parent / "reference" / "data" / "waitstates" / "archive"
SECONDS = 60  # a command takes a fraction of one
ROUNDS = {"archives": 30, "records": 25, "reports": 60}
OK, DIFFERENT, BAD, PARTIAL = 0, 1, 3, 4

failures = []


def rounds():
    first = int(os.environ.get("LATECOMER_RANDOM_SEED", "1"))
    return range(first, first + int(os.environ.get("LATECOMER_RANDOM_DAMAGE", ROUNDS[GROUP])))


def must(command):
    """Runs a command that makes undamaged input."""
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}")


def ends_in_order(case, command, allowed):
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True,
                              timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        failures.append(f"{case}: {command} hangs")
        return None
    if done.returncode not in allowed:
        text = done.stderr.decode(errors="replace")
        failures.append(f"{case}: {command} ended with {done.returncode}: {text[-500:]}")
    return done


def damage(data, length, choice):
    """Damages one part of the first `length` bytes: changes values, removes the end or a piece, or
    repeats a piece."""
    kind = choice.random()
    at = choice.randrange(length)
    piece = choice.randrange(1, 60)
    if kind < 0.6:
        for _ in range(choice.choice((1, 1, 3, 20))):
            data[choice.randrange(length)] = choice.randrange(256)
    elif kind < 0.75:
        del data[at:]
    elif kind < 0.9:
        del data[at:at + piece]
    else:
        data[at:at] = data[max(0, at - piece):at]


def damage_some(files, choice):
    for _ in range(choice.choice((1, 1, 2, 5))):
        file = choice.choice(files)
        data = bytearray(file.read_bytes())
        # Records end in zeros that were never written.
        length = len(data.rstrip(b"\0"))
        if length > 0:
            damage(data, length, choice)
            file.write_bytes(data)


def same_reports(case, archive):
    results = []
    for processes in (1, 2, 3):
        report = archive / f"{processes}.cubex"
        done = ends_in_order(case, [MPIEXEC, "-n", processes, BIN / "latecomer-analyzer", archive,
                                    "-o", report], (OK, BAD, PARTIAL))
        errors = [line for line in done.stderr.splitlines() if line.startswith(b"error: ")] if done else []
        results.append((done and done.returncode, errors, report.read_bytes() if report.is_file() else None))
    for processes, result in enumerate(results[1:], 2):
        for what, one, other in zip(("status", "message", "report"), results[0], result):
            if one != other:
                failures.append(f"{case}: the {what} depends on the number of processes (1, {processes}): "
                                f"{str(one)[:300]}, {str(other)[:300]}")


def record(directory, name, ranks, *arguments):
    experiment = directory / name
    must([BIN / "scan", "--yield", "--keep-records", "-e", experiment, MPIEXEC, "-n", ranks,
          Path(BUILD) / "apps" / name, *arguments])
    return experiment


def generated(directory, pattern):
    clocks = directory / "clocks"
    clocks.write_text("".join(f"node{n} offset=20ms drift=30ppm wander=5ppm/10ms seed={n}\n" for n in range(4)))
    archive = directory / f"generated_{pattern}"
    must([BIN / "latecomer-generate", "-n", 8, "-e", 4000, "-m", 2, "-p", pattern, "--clocks", clocks,
          "--offset-error", 1000, "--ranks-per-node", 2, archive])
    return archive


def archives(directory):
    good = [REFERENCE, generated(directory, "mixed"), generated(directory, "halo"),
            record(directory, "coupled", 4), record(directory, "layers", 2)]
    for seed in rounds():
        choice = random.Random(seed)
        archive = directory / "damaged"
        shutil.copytree(choice.choice(good), archive, ignore=shutil.ignore_patterns("records", "*.cubex"))
        kind = choice.choices((".evt", ".def", ".otf2"), (80, 15, 5))[0]
        damage_some(sorted(f for f in archive.rglob("*" + kind)), choice)
        same_reports(f"archive with seed {seed}", archive)
        shutil.rmtree(archive)


def records(directory):
    good = [record(directory, "coupled", 4), record(directory, "samplesort", 2)]
    for seed in rounds():
        choice = random.Random(seed)
        experiment = directory / "damaged"
        shutil.copytree(choice.choice(good) / "records", experiment / "records")
        damage_some(sorted((experiment / "records").iterdir()), choice)
        case = f"records with seed {seed}"
        ends_in_order(case, [BIN / "latecomer-repair", "--keep-records", experiment], (OK, BAD, PARTIAL))
        if (experiment / "traces.otf2").is_file():
            same_reports(case, experiment)
        shutil.rmtree(experiment)


def reports(directory):
    good = [record(directory, name, 2) / "analysis.cubex" for name in ("coupled", "layers")]
    damaged, made, page = (directory / name for name in ("damaged.cubex", "made.cubex", "made.html"))
    for seed in rounds():
        choice = random.Random(seed)
        original = choice.choice(good)
        shutil.copy(original, damaged)
        damage_some([damaged], choice)
        commands = (["show", damaged], ["show", "--json", damaged], ["json", damaged], ["csv", damaged],
                    ["html", damaged, "-o", page], ["diff", original, damaged],
                    ["mean", original, damaged, "-o", made], ["merge", damaged, original, "-o", made],
                    ["cut", damaged, "--metric", "time", "-o", made],
                    ["check", damaged, "--baseline", original, "--fail", "waiting>+5%"])
        for command in choice.sample(commands, 4):
            for result in (made, page):
                result.unlink(missing_ok=True)
            ends_in_order(f"report with seed {seed}", [BIN / "latecomer", *command],
                          (OK, DIFFERENT, BAD, PARTIAL))


def main():
    with tempfile.TemporaryDirectory() as directory:
        {f.__name__: f for f in (archives, records, reports)}[GROUP](Path(directory))
    for failure in failures:
        print("failed:", failure)
    sys.exit(1 if failures else 0)


main()
