#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Broken archives: the analyzer ends in time, with the right status and one clear message, and
analyzes what can be analyzed.

usage: faults_test.py GROUP MPIEXEC ANALYZER LATECOMER MAKE_FAULT      (groups: see GROUPS)
"""
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

GROUP, MPIEXEC, ANALYZER, LATECOMER, MAKE_FAULT = sys.argv[1:6]
PROCESSES = (1, 2, 3)
SECONDS = 60  # a run takes a fraction of one
OK, BAD, PARTIAL = 0, 3, 4
# In every archive rank 1 waits 4 s for rank 0, and ranks 0 to 2 wait 2 s each for rank 3.
LATE_SENDER, BARRIER_WAIT = 4.0, 6.0

failures = []


def check(condition, case, text):
    if not condition:
        failures.append(f"{case}: {text}")


def make(case, directory):
    subprocess.run([MAKE_FAULT, case, directory], check=True)


def analyze(path, processes):
    try:
        return subprocess.run([MPIEXEC, "-n", str(processes), ANALYZER, str(path)], text=True,
                              errors="replace", capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return None


def wait_states(report):
    shown = subprocess.run([LATECOMER, "show", "--json", str(report)], text=True,
                           capture_output=True, check=True)
    return json.loads(shown.stdout)


def info(path):
    done = subprocess.run([LATECOMER, "info", "--json", str(path)], text=True, capture_output=True,
                          check=True)
    return json.loads(done.stdout)


def run(case, path, status, message="", quality=None, waits=None):
    """Analyzes with 1, 2 and 3 processes, which must agree to the byte. `status` is an exit status
    or a tuple of possible ones; `message` is a part of the error. `quality` are all counters
    that the report must have, with their counts; `waits` are seconds of wait states."""
    allowed = status if isinstance(status, tuple) else (status,)
    seen, reports = set(), set()
    report = Path(path) / "analysis.cubex"
    for n in PROCESSES:
        report.unlink(missing_ok=True) if Path(path).is_dir() else None
        done = analyze(path, n)
        name = f"{case} with {n} processes"
        if done is None:
            check(False, name, "hangs")
            continue
        seen.add(done.returncode)
        text = done.stderr
        check(done.returncode in allowed, name, f"status {done.returncode}: {text}{done.stdout}")
        check("[OTF2]" not in text + done.stdout, name, f"library noise: {text[:300]}")
        errors = len(re.findall(r"^error: ", text, re.M))
        if done.returncode == BAD:
            check(errors == 1, name, f"{errors} messages: {text}")
            check(re.search(r"^error: .+\nhint:  .+\n$", text), name, f"not what and next: {text}")
            check(message in text, name, f"message without {message!r}: {text}")
            check(not report.exists(), name, "a report was written")
        else:
            check(text == "", name, f"unexpected words: {text}")
            check(report.is_file(), name, "no report")
        if done.returncode in (OK, PARTIAL) and report.is_file():
            reports.add(report.read_bytes())
            shown = wait_states(report)
            check(shown["partial"] == (done.returncode == PARTIAL), name, "partial in the report")
            check(("(partial)" in done.stdout) == (done.returncode == PARTIAL), name, done.stdout)
            if quality is not None:
                found = {q["name"]: q["count"] for q in shown["quality"]}
                check(found == quality, name, f"quality {found}, not {quality}")
            found = {w["metric"]: w["seconds"] for w in shown["wait_states"]}
            for metric, seconds in (waits or {}).items():
                check(found.get(metric) == seconds, name, f"{metric} is not {seconds}: {found}")
    check(len(reports) <= 1, case, "the report depends on the number of processes")
    check(len(seen) <= 1, case, f"status depends on the number of processes: {seen}")


# ---- wrong events ----

# Each case has: exit status, quality counters, late sender that is still found.
EVENTS = {
    "good": (OK, {}, LATE_SENDER),
    "unmatched_send": (PARTIAL, {"unmatched_sends": 1}, LATE_SENDER),
    "unmatched_receive": (PARTIAL, {"unmatched_receives": 2}, LATE_SENDER),
    "unmatched_collective": (PARTIAL, {"unmatched_collectives": 2}, LATE_SENDER),
    # 3 calls meet the MPI_Finalize of rank 2, then 3 MPI_Finalize are left alone.
    "shifted_collectives": (PARTIAL, {"unmatched_collectives": 7}, LATE_SENDER),
    "swapped_collectives": (PARTIAL, {"unmatched_collectives": 4}, LATE_SENDER),
    "collective_of_others": (PARTIAL, {"unmatched_collectives": 1}, LATE_SENDER),
    "unknown_member": (PARTIAL, {"unmatched_collectives": 2}, LATE_SENDER),
    "leave_without_enter": (PARTIAL, {"unbalanced_leaves": 1}, LATE_SENDER),
    "crossing_regions": (PARTIAL, {"unbalanced_leaves": 2}, LATE_SENDER),
    "unknown_region": (PARTIAL, {"unknown_references": 1}, LATE_SENDER),
    "unknown_communicator": (PARTIAL, {"unknown_references": 1, "unmatched_receives": 1},
                             LATE_SENDER),
    "unknown_peer": (PARTIAL, {"unknown_references": 1}, LATE_SENDER),
    "huge_numbers": (OK, {}, LATE_SENDER),
    "records_outside_mpi": (OK, {"records_outside_mpi": 2}, LATE_SENDER),
    "completion_without_start": (OK, {}, LATE_SENDER),
    "start_without_completion": (OK, {"unresolved_requests": 2}, LATE_SENDER),
    "end_without_begin": (OK, {}, LATE_SENDER),
    "unknown_records": (OK, {"unknown_records": 2}, LATE_SENDER),
    "deep": (OK, {}, LATE_SENDER),
    "too_few_events": (PARTIAL, {"event_count_differs": 1}, LATE_SENDER),
    "too_many_events": (PARTIAL, {"event_count_differs": 1}, LATE_SENDER),
    # The correction moves later events, too; its own tests have the numbers.
    "accelerators": (OK, {"clock_violations": 1, "other_locations": 2}, None),
    "reversed_message": (OK, {"clock_violations": 1}, None),
    "no_finalize": (PARTIAL, {"unfinished_processes": 4}, LATE_SENDER),
    "open_regions": (PARTIAL, {"unfinished_processes": 4, "unclosed_regions": 6}, LATE_SENDER),
    "stuck": (PARTIAL, {"unfinished_processes": 4, "unclosed_regions": 7}, LATE_SENDER),
}

# Each case has: [state, ranks, call, seconds since the run began]. Rank 1 of "stuck" is in MPI_Recv
# from 12 to the end of the run at 32, rank 3 from 31.
ENDINGS = {
    "good": [],
    "open_regions": [["in_call", [2], "MPI_Recv", 12.0], ["outside", [0, 1, 3], None, 10.0]],
    "stuck": [["aborted", [0], "MPI_Abort", 32.0], ["in_call", [1], "MPI_Recv", 12.0],
              ["in_call", [3], "MPI_Recv", 31.0], ["outside", [2], None, 15.0]],
}


def check_endings(case, report):
    shown = wait_states(report)
    found = [[e["state"], e["ranks"], (e["call_path"] or [None])[-1], e["since"]]
             for e in shown["endings"]]
    check(found == ENDINGS[case], case, f"endings {found}")
    return shown


def events(directory):
    listed = subprocess.run([MAKE_FAULT], text=True, capture_output=True, check=True).stdout.split()
    check(set(listed) == set(EVENTS), "events", "make_fault and this table have different cases")
    for case, (status, quality, late_sender) in EVENTS.items():
        make(case, directory / case)
        waits = {}
        if late_sender is not None:
            waits = {"mpi_barrier_wait": BARRIER_WAIT, "mpi_latesender": late_sender}
        run(case, directory / case, status, quality=quality, waits=waits)
        if case in ENDINGS:
            check_endings(case, directory / case)
    stuck_calls(directory)


def stuck_calls(directory):
    """A call that never ends lasts until the run does, for every number of processes."""
    before = wait_states(directory / "good" / "analysis.cubex")["seconds"]["mpi"]
    reports = set()
    for n in (1, 2, 3):
        analyze(directory / "stuck", n)
        reports.add((directory / "stuck" / "analysis.cubex").read_bytes())
        after = wait_states(directory / "stuck")["seconds"]["mpi"]
        # The time lacks the 4 x 1 s of MPI_Finalize, and has 20 s in MPI_Recv of rank 1 and 1 s of
        # rank 3.
        check(abs(after - (before - 4 + 20 + 1)) < 1e-9, f"stuck with {n}", f"{after} s in MPI")
    check(len(reports) == 1, "stuck", "the report depends on the number of processes")


# ---- damaged files ----

class Archives:
    """Fresh copies of the good archive."""

    def __init__(self, directory):
        self.directory, self.count = directory, 0
        make("good", directory / "good")

    def __call__(self):
        self.count += 1
        copy = self.directory / f"copy{self.count}"
        shutil.copytree(self.directory / "good", copy)
        return copy


NOT_OTF2 = "not an OTF2 archive, or a damaged one"
NO_DEFINITIONS = "the global definitions (traces.def) are missing or damaged"


def experiments(directory):
    """Paths that are no archive."""
    run("no such directory", directory / "nothing", BAD, "no such experiment")
    (directory / "empty").mkdir()
    run("empty directory", directory / "empty", BAD, "no anchor file")
    (directory / "records" / "records").mkdir(parents=True)
    run("records only", directory / "records", BAD, "latecomer repair")
    (directory / "records" / "traces.otf2").touch()
    run("records and an empty anchor", directory / "records", BAD, "latecomer repair")
    (directory / "notes.txt").write_text("not a trace\n")
    run("text file", directory / "notes.txt", BAD, NOT_OTF2)
    (directory / "dir.otf2").mkdir()
    run("directory named like an anchor", directory / "dir.otf2", BAD, "no anchor file")


def anchors(directory):
    fresh = Archives(directory)
    good = (fresh() / "traces.otf2").read_bytes()

    def damaged(case, data, status=BAD, message=NOT_OTF2):
        archive = fresh()
        anchor = archive / "traces.otf2"
        if data is None:
            anchor.unlink()
        else:
            anchor.write_bytes(data)
        run(case, archive, status, message)

    damaged("no anchor", None, message="the rest of the archive is there\nhint:  copy traces.otf2 again")
    damaged("empty anchor", b"")
    damaged("text as anchor", b"# this is not OTF2\n" * 10)
    damaged("random anchor", random.Random(1).randbytes(300))
    for size in (1, 6, 7, 20, 45, len(good) - 20, len(good) - 8):
        damaged(f"anchor cut to {size} bytes", good[:size])
    archive = fresh()
    (archive / "traces.otf2").unlink()
    (archive / "traces.otf2").mkdir()
    run("directory as anchor", archive, BAD, NOT_OTF2)
    # The library would trust these numbers. Chunk sizes are at 12 and 20; the number of properties
    # is after three strings that begin at 46.
    properties = 46
    for _ in range(3):
        properties = good.index(b"\0", properties) + 1
    for at, size, value in ((12, 8, 2**62), (12, 8, 1), (20, 8, 2**40), (20, 8, 0),
                            (properties, 4, 0x65000000), (properties, 4, 0x80000001),
                            (properties, 4, 0xffffffff)):
        data = bytearray(good)
        data[at:at + size] = value.to_bytes(size, "little")
        damaged(f"anchor with {value:#x} at {at}", bytes(data))


def definitions(directory):
    fresh = Archives(directory)
    good = (fresh() / "traces.def").read_bytes()

    def damaged(case, data, status=BAD):
        archive = fresh()
        if data is None:
            (archive / "traces.def").unlink()
        else:
            (archive / "traces.def").write_bytes(data)
        run(case, archive, status, NO_DEFINITIONS if status == BAD else "")

    damaged("no definitions", None)
    damaged("empty definitions", b"")
    damaged("random definitions", random.Random(2).randbytes(len(good)))
    for part in (1, 2, 3, 5, 8):
        damaged(f"definitions cut at {part}/9", good[:len(good) * part // 9])
    archive = fresh()
    (archive / "traces.def").unlink()
    (archive / "traces.def").mkdir()
    run("directory as definitions", archive, BAD, NO_DEFINITIONS)


def event_files(directory):
    fresh = Archives(directory)
    good = (fresh() / "traces" / "2.evt").read_bytes()

    def damaged(case, data, quality, name="2.evt"):
        archive = fresh()
        file = archive / "traces" / name
        if data is None:
            file.unlink()
        else:
            file.write_bytes(data)
        run(case, archive, PARTIAL, quality=quality, waits={"mpi_latesender": LATE_SENDER})
        report = wait_states(archive)
        named = [file for q in report["quality"] for file in q["files"]]
        check(named == ["traces/" + name], case, f"files {named}")
        # Missing events must not count as idleness.
        told = report["efficiency"] is not None
        check(told == name.endswith(".def"), case, f"efficiency {report['efficiency']}")
        shown = info(archive)
        lost = shown["missing_files"] if data is None else shown["cut_files"]
        # Only the end of a file is checked.
        check(lost == ["traces/" + name] or case.startswith("random"), case, f"info names {lost}")
        # Both state how many of the events exist.
        there = [r["locations"][0]["events_there"] for r in shown["processes"]]
        all_of_2 = shown["processes"][2]["locations"][0]["events"]
        if case.startswith("event file cut"):
            until = r", up to [\d.]+ s" if there[2] else ""
            notes = [note for q in report["quality"] for note in q.get("file_notes", [])]
            check(len(notes) == 1 and re.fullmatch(rf"{there[2]} of {all_of_2} events{until}", notes[0]),
                  case, f"{notes} with {there}")
        if name == "2.evt" and data is None:
            check(there[2] == 0 and 0 not in there[:2] + there[3:], case, f"events there: {there}")

    # Rank 2 takes part in the barrier only: without it three ranks are left alone. MPI_Init and
    # MPI_Finalize are collective, too.
    alone = 9
    damaged("no event file", None, {"missing_locations": 1, "unmatched_collectives": alone})
    damaged("empty event file", b"", None)
    damaged("text as event file", b"some text\n" * 40, None)
    damaged("random event file", random.Random(3).randbytes(len(good)), None)
    damaged("zeros as event file", bytes(len(good)), None)
    for size in list(range(1, len(good) - 1, 23)) + [17, 18, 19]:
        damaged(f"event file cut to {size} bytes", good[:size], None)
    offsets = (fresh() / "traces" / "2.def").read_bytes()
    unread = {"unread_offsets": 1}
    damaged("no local definitions", None, unread, "2.def")
    damaged("empty local definitions", b"", unread, "2.def")
    damaged("local definitions cut", offsets[:-1], unread, "2.def")
    damaged("random local definitions", random.Random(4).randbytes(len(offsets)), unread, "2.def")

    archive = fresh()
    (archive / "traces" / "2.evt").unlink()
    (archive / "traces" / "2.evt").mkdir()
    run("directory as event file", archive, PARTIAL, waits={"mpi_latesender": LATE_SENDER})
    archive = fresh()
    shutil.rmtree(archive / "traces")
    run("no event files at all", archive, PARTIAL, quality={"missing_locations": 4})
    archive = fresh()
    for file in (archive / "traces").glob("*.def"):
        file.unlink()
    run("no local definitions at all", archive, OK, quality={},
        waits={"mpi_latesender": LATE_SENDER})


def flipped_bytes(directory):
    """Changes bytes at random places: every outcome is an orderly end."""
    fresh = Archives(directory)
    for name in ("traces.otf2", "traces.def", "traces/0.evt", "traces/1.evt", "traces/1.def"):
        good = (directory / "good" / name).read_bytes()
        for seed in range(8):
            places = random.Random(f"{name} {seed}")
            data = bytearray(good)
            for _ in range(places.choice((1, 1, 2, 5))):
                data[places.randrange(len(data))] = places.randrange(256)
            archive = fresh()
            (archive / name).write_bytes(data)
            run(f"{name} flipped with seed {seed}", archive, (OK, BAD, PARTIAL))
            shutil.rmtree(archive)


GROUPS = {f.__name__: f for f in (events, experiments, anchors, definitions, event_files,
                                  flipped_bytes)}


def main():
    with tempfile.TemporaryDirectory() as directory:
        GROUPS[GROUP](Path(directory))
    for failure in failures:
        print("failed:", failure)
    sys.exit(1 if failures else 0)


main()
