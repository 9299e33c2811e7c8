#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""--write-corrected: a copy of an archive with corrected times, for any reader of OTF2."""
import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from file_systems import FileSystem, Impossible  # noqa: E402
from reference import archive_of  # noqa: E402

ANALYZER, MPIEXEC, GENERATE, MAKE_RECORDS, MAKE_FAULT, INCLUDE = (
    os.environ[n] for n in ("ANALYZER", "MPIEXEC", "GENERATE", "MAKE_RECORDS", "MAKE_FAULT", "INCLUDE"))
EVENT = re.compile(r"^([A-Z][A-Z0-9_]+) +(\d+) +(\d+) *(.*)$")
CLOCKS = "".join("node%d offset=%dms drift=%dppm wander=20ppm/2ms seed=%d\n" % (n, 20 * n, 10 * n - 25, n)
                 for n in range(1, 4))


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=120)


def contents(directory):
    """Hash of each file."""
    found = {}
    for where, _, names in os.walk(directory):
        for name in names:
            with open(os.path.join(where, name), "rb") as f:
                found[os.path.relpath(os.path.join(where, name), directory)] = hashlib.sha1(f.read()).hexdigest()
    return found


def events(directory):
    """{location: [(record, time, the rest)]} as otf2-print shows it; lines of attributes count as
    records."""
    printed = run("otf2-print", os.path.join(directory, "traces.otf2"))
    assert printed.returncode == 0, printed.stderr
    found, last = {}, None
    for line in printed.stdout.splitlines():
        match = EVENT.match(line)
        if match:
            last = found.setdefault(int(match.group(2)), [])
            last.append((match.group(1), int(match.group(3)), match.group(4)))
        elif last is not None and line.strip():
            last.append(("", 0, line.strip()))
    return found


def definitions(directory):
    printed = run("otf2-print", "-G", os.path.join(directory, "traces.otf2")).stdout
    return printed[printed.index("=== Global Definitions ==="):]


def members(report):
    with tarfile.open(report) as tar:
        return {m.name: tar.extractfile(m).read() for m in tar.getmembers()}


class CorrectedArchive(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = scratch.name

    def path(self, name):
        return os.path.join(self.directory, name)

    def analyze(self, experiment, *options, processes=2, status=0):
        report = self.path("report%d.cubex" % len(os.listdir(self.directory)))
        done = run(MPIEXEC, "-n", str(processes), ANALYZER, "-q", "-o", report, *options, experiment)
        self.assertEqual(done.returncode, status, done.stderr)
        return members(report) if status in (0, 4) else done.stderr

    def generate(self, clocks=CLOCKS):
        with open(self.path("clocks"), "w") as f:
            f.write(clocks)
        made = self.path("run")
        done = run(GENERATE, "-n", "12", "-e", "40k", "--ranks-per-node", "3", "--offset-error", "1000",
                   "--clocks", self.path("clocks"), made)
        self.assertEqual(done.returncode, 0, done.stderr)
        return made

    def test_the_copy_has_nothing_left_to_correct(self):
        original = self.generate()
        before = contents(original)
        copies = []
        for processes in (1, 2, 3, 5):
            copy = self.path("copy%d" % processes)
            first = self.analyze(original, "--write-corrected", copy, processes=processes)
            copies.append(contents(copy))
        self.assertEqual(contents(original), before)
        for other in copies[1:]:
            self.assertEqual(other, copies[0])
        steps = json.loads(first["latecomer.json"])["clocks"]["steps"]
        self.assertEqual([step["name"] for step in steps], ["linear", "messages", "clc"])
        self.assertGreater(steps[1]["messages"], 0)

        again = self.analyze(self.path("copy3"), processes=3)
        self.assertEqual(json.loads(again["latecomer.json"])["clocks"]["steps"], [])
        first.pop("latecomer.json"), again.pop("latecomer.json")
        self.assertEqual(first, again)

        # Only times differ, and the order of a location's records has not changed.
        old, new = events(original), events(self.path("copy1"))
        self.assertEqual(sorted(old), sorted(new))
        moved = 0
        for location in old:
            self.assertEqual([(r, text) for r, _, text in old[location]],
                             [(r, text) for r, _, text in new[location]])
            times = [time for _, time, _ in new[location]]
            self.assertEqual(times, sorted(times))
            moved += sum(a[1] != b[1] for a, b in zip(old[location], new[location]))
        self.assertGreater(moved, 1000)

    def test_a_cut_file_is_copied_up_to_the_cut(self):
        original = self.generate()
        whole = {location: [(r, text) for r, _, text in records] for location, records in events(original).items()}
        file = os.path.join(original, "traces", "4.evt")
        size = os.path.getsize(file)
        before = len(whole[4])
        for cut in (size - 2, size - 40, size * 2 // 3, size // 3, 1000, 40):
            os.truncate(file, cut)
            self.analyze(original, "--write-corrected", self.path("copy%d" % cut), status=4)
            copied = events(self.path("copy%d" % cut))
            for location in whole:
                records = [(r, text) for r, _, text in copied.get(location, [])]
                if location != 4:
                    self.assertEqual(records, whole[location])
                    continue
                self.assertEqual(records, whole[4][:len(records)])
                self.assertLessEqual(len(records), before)
                # A record has 5 to 60 bytes.
                self.assertGreaterEqual(len(records), cut // 60 - 1)
                self.assertLessEqual(len(records), cut // 5)
                before = len(records)

    def test_every_step_can_be_written(self):
        original = self.generate()
        for step, left in (("none", ["none"]), ("linear", ["linear"]), ("messages", ["linear", "messages"])):
            first = self.analyze(original, "--time-correction", step, "--write-corrected", self.path(step))
            again = self.analyze(self.path(step), "--time-correction", "none")
            steps = [json.loads(report["latecomer.json"])["clocks"]["steps"] for report in (first, again)]
            self.assertEqual([s["name"] for s in steps[0]], left)
            self.assertEqual([s["name"] for s in steps[1]], ["none"])
            steps[1][0]["name"] = left[-1]
            self.assertEqual(steps[1][0], steps[0][-1])
            first.pop("latecomer.json"), again.pop("latecomer.json")
            self.assertEqual(first, again)

    def test_traces_of_other_software(self):
        for name in ("waitstates", "npb-cg-S"):
            original = archive_of(name, self.directory)
            first = self.analyze(original, "--write-corrected", self.path(name))
            again = self.analyze(self.path(name))
            self.assertEqual(json.loads(again["latecomer.json"])["clocks"]["steps"], [])
            first.pop("latecomer.json"), again.pop("latecomer.json")
            self.assertEqual(first, again)
            old, new = events(original), events(self.path(name))
            self.assertEqual({l: [(r, text) for r, _, text in found] for l, found in old.items()},
                             {l: [(r, text) for r, _, text in found] for l, found in new.items()})
            clock = re.compile(r"^CLOCK_PROPERTIES .*$", re.M)
            self.assertEqual(clock.sub("", definitions(original)), clock.sub("", definitions(self.path(name))))

    def test_every_record_survives(self):
        made = self.path("made")
        self.assertEqual(run(MAKE_RECORDS, made).returncode, 0)
        # Status 4: an access epoch names the processes of a communicator as if they were its group.
        first = self.analyze(made, "--write-corrected", self.path("copy"), status=4)
        self.assertEqual(json.loads(first["latecomer.json"])["clocks"]["steps"][0]["messages"], 1)
        old, new = events(made), events(self.path("copy"))
        shift = None
        for a, b in zip(old[1], new[1]):
            flush = r"Stop Time: (\d+)"
            self.assertEqual((a[0], re.sub(flush, "", a[2])), (b[0], re.sub(flush, "", b[2])))
            if a[0] == "BUFFER_FLUSH":
                shift = [int(re.search(flush, x[2]).group(1)) - x[1] for x in (a, b)]
                self.assertGreater(b[1], a[1] + 1_900_000_000)
        self.assertEqual(len(old[1]), len(new[1]))
        self.assertGreater(len(old[1]), 80)
        self.assertAlmostEqual(shift[0], 500_000_000, delta=10)  # drift
        self.assertAlmostEqual(shift[1], 499_500_000, delta=10)  # the shift decays by a thousandth
        self.assertIn(("", 0), [(r, t) for r, t, _ in new[1]])  # attributes

    def test_accelerators_move_with_the_process_that_made_them(self):
        made = self.path("made")
        self.assertEqual(run(MAKE_FAULT, "accelerators", made).returncode, 0)
        copies = []
        for processes in (1, 2, 3):
            self.analyze(made, "--write-corrected", self.path("copy%d" % processes), processes=processes)
            copies.append(contents(self.path("copy%d" % processes)))
        self.assertEqual(copies, copies[:1] * 3)
        host, its, of_nobody = 1, 5 << 32 | 1, 6 << 32 | 1

        def kernel(copy, location):
            return [time for record, time, text in events(copy)[location] if '"kernel"' in text]
        old, new = ({l: kernel(copy, l) for l in (host, its, of_nobody)} for copy in (made, self.path("copy1")))
        self.assertEqual(old, {host: old[host], its: old[host], of_nobody: old[host]})
        # The correction moves the receive to after 15 s.
        self.assertGreater(new[host][0], old[host][0] + 2_000_000_000)
        self.assertEqual(new[its], new[host])
        self.assertEqual(new[of_nobody], old[host])

    def test_the_table_of_records_is_complete(self):
        """The table has all records that the installed library knows."""
        with open(os.path.join(INCLUDE, "otf2", "OTF2_EvtReaderCallbacks.h")) as f:
            known = set(re.findall(r"^OTF2_EvtReaderCallbacks_Set(\w+)Callback\(", f.read(), re.M))
        self.assertEqual(known - {"Unknown", "BufferFlush"}, set(run(MAKE_RECORDS, "names").stdout.split()))

    def test_what_is_there_stays(self):
        original = self.generate("")
        os.mkdir(self.path("there"))
        message = self.analyze(original, "--write-corrected", self.path("there"), status=2)
        self.assertEqual(message.count("error:"), 1, message)
        self.assertIn(self.path("there") + " exists already", message)
        self.assertEqual(os.listdir(self.path("there")), [])
        message = self.analyze(original, "--write-corrected", "/proc/copy", status=3)
        self.assertEqual(message.count("error:"), 1, message)

    def test_a_full_disk_is_one_error(self):
        original = self.generate()
        size = sum(os.path.getsize(os.path.join(where, name)) for where, _, names in os.walk(original)
                   for name in names)
        os.mkdir(self.path("place"))
        for room in (0.1, 0.6, 0.9):
            try:
                system = FileSystem(self.path("place"), "size=%dk" % (size * room // 1024))
            except (Impossible, FileNotFoundError) as why:
                self.skipTest(str(why))
            with system:
                copy, report = self.path("place/copy"), self.path("report")
                done = system.run(MPIEXEC, "-n", "3", ANALYZER, "-q", "-o", report,
                                  "--write-corrected", copy, original)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 2, done.stderr)
                self.assertRegex(done.stderr, "^error: cannot write " + copy)
                self.assertEqual(system.names(self.path("place")), [])
                self.assertTrue(os.path.exists(report))
                os.remove(report)


if __name__ == "__main__":
    unittest.main(verbosity=2)
