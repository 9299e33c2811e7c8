#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""FIFOs, devices, directories and links instead of the files of an experiment: every command ends,
and none writes outside.

usage: special_files_test.py MPIEXEC BUILD_DIRECTORY
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

MPIEXEC, BUILD = sys.argv[1:3]
BIN = Path(BUILD) / "bin"
SECONDS = 60  # a command takes a fraction of one
OK, USAGE, BAD, PARTIAL = 0, 2, 3, 4
ARCHIVE = ("traces.otf2", "traces.def", "traces/2.evt", "traces/2.def")
OTHERS = ("analysis.cubex", "analysis.stat", "report.html", "scan.log", "latecomer.cfg", "MANIFEST.md")


def fifo(path):
    os.mkfifo(path)


def zero(path):
    path.symlink_to("/dev/zero")


def folder(path):
    path.mkdir()


KINDS = (fifo, zero, folder)


class SpecialFiles(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = Path(scratch.name)
        self.good = self.directory / "good"
        self.run_to(OK, Path(BUILD) / "bin" / "make_fault", "good", self.good)

    def run_to(self, statuses, *words):
        statuses = statuses if isinstance(statuses, tuple) else (statuses,)
        done = subprocess.run([str(word) for word in words], capture_output=True, timeout=SECONDS, check=False,
                              stdin=subprocess.DEVNULL, text=True, errors="replace")
        self.assertIn(done.returncode, statuses, f"{words}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def experiment(self, name, make):
        """A copy of the good experiment with something else under that name."""
        copy = self.directory / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.good, copy)
        (copy / name).unlink(missing_ok=True)
        make(copy / name)
        return copy

    def test_files_of_the_archive(self):
        for name in ARCHIVE:
            for make in KINDS:
                with self.subTest(name=name, kind=make.__name__):
                    copy = self.experiment(name, make)
                    # Rank 2 then has no events, or no clock offsets.
                    status = PARTIAL if "/" in name else BAD
                    reports = set()
                    for processes in (1, 2, 3):
                        self.run_to(status, MPIEXEC, "-n", processes, BIN / "latecomer-analyzer", copy)
                        report = copy / "analysis.cubex"
                        reports.add(report.read_bytes() if report.exists() else None)
                    self.assertEqual(len(reports), 1)
                    self.run_to(status, BIN / "scan", "-a", copy)
                    self.run_to((OK, BAD, PARTIAL), BIN / "latecomer", "info", copy)
                    self.run_to((OK, BAD, PARTIAL), BIN / "latecomer", "clocks", copy)
                    self.run_to((OK, BAD, PARTIAL), BIN / "latecomer", "repair", copy)
                    self.run_to((OK, BAD), BIN / "latecomer", "collect", "-o", self.directory / "collected", copy)
                    shutil.rmtree(self.directory / "collected", ignore_errors=True)

    def test_corrected_copies(self):
        for name in ARCHIVE[2:]:
            for make in KINDS:
                with self.subTest(name=name, kind=make.__name__):
                    copy = self.experiment(name, make)
                    self.run_to(PARTIAL, BIN / "latecomer-analyzer", "--write-corrected", self.directory / "new", copy)
                    shutil.rmtree(self.directory / "new")

    def test_other_files_of_an_experiment(self):
        for name in OTHERS:
            for make in KINDS[:2]:
                with self.subTest(name=name, kind=make.__name__):
                    copy = self.experiment(name, make)
                    is_report = name in ("analysis.cubex", "analysis.stat")
                    if name == "analysis.cubex":
                        self.assertIn("not a regular file", self.run_to(BAD, BIN / "latecomer", "show", copy))
                    said = self.run_to(BAD if is_report else OK, BIN / "scan", "-a", copy)
                    self.assertEqual("not a regular file" in said, is_report, said)
                    self.run_to((OK, BAD), BIN / "latecomer", "html", "--overwrite", copy)

    def test_nothing_is_written_where_links_lead(self):
        for name in (*OTHERS, "traces", "traces.otf2", "traces.def"):
            with self.subTest(name=name):
                outside = self.directory / "outside"
                shutil.rmtree(outside, ignore_errors=True)
                outside.mkdir()
                inside = self.experiment("unused", lambda path: None) / name
                kept = outside / "kept"
                if inside.exists():
                    inside.rename(kept)
                else:
                    kept.write_text("of somebody else\n")
                inside.symlink_to(kept)
                before = contents(outside)
                self.run_to((OK, BAD), BIN / "scan", "-a", inside.parent)
                self.run_to((OK, BAD), BIN / "latecomer", "html", "--overwrite", inside.parent)
                self.run_to((OK, BAD, PARTIAL), BIN / "latecomer", "repair", inside.parent)
                self.assertEqual(contents(outside), before)

    def test_files_of_records(self):
        records = self.directory / "experiment" / "records"
        records.mkdir(parents=True)
        for name in ("0.def", "0.0.rec", "ended"):
            for make in KINDS:
                with self.subTest(name=name, kind=make.__name__):
                    shutil.rmtree(records)
                    records.mkdir()
                    (records / "1.def").write_text("process\t1\t2\t0\n")
                    make(records / name)
                    self.run_to((BAD, PARTIAL), BIN / "latecomer", "repair", "--keep-records", records.parent)
                    self.run_to(BAD, BIN / "latecomer", "collect", "-o", self.directory / "collected", records.parent)

    def test_filters_and_clock_models(self):
        long = self.directory / "long"
        with open(long, "wb") as file:
            file.truncate(1 << 34)
        places = [long]
        for make in KINDS:
            places.append(self.directory / make.__name__)
            make(places[-1])
        for place in places:
            with self.subTest(place=place.name):
                text = self.run_to(USAGE, BIN / "latecomer-repair", "--check-filter", place)
                self.assertRegex(text, "^error: cannot read the filter file .*\nhint: ")


def contents(directory):
    return {path: path.read_bytes() for path in directory.rglob("*") if path.is_file()}


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
