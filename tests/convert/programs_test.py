#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Archives of real programs that end well, are killed, or fill the disk.

usage: programs_test.py BUILD MPIEXEC YIELD ENDS
"""
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from launching import setting  # noqa: E402

BUILD, MPIEXEC, YIELD, ENDS = sys.argv[1:5]
LIBRARY = os.path.join(BUILD, "lib", "liblatecomer.so")
REPAIR = os.path.join(BUILD, "bin", "latecomer-repair")
HANDLES = ("CREATE_HANDLE", "DESTROY_HANDLE")


def app(name):
    return os.path.join(BUILD, "apps", name)


def run(words, **more):
    return subprocess.run(words, capture_output=True, text=True, timeout=100, check=False, **more)


def record(experiment, ranks, *command, parts=None, **environment):
    """`parts`: (ranks, environment) of each part of an MPMD command line; `ranks` is not used
    then."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("LATECOMER_")}
    env.update(LATECOMER_EXPERIMENT_DIRECTORY=experiment, **environment)
    words = [MPIEXEC]
    for number, (count, extra) in enumerate(parts or [(ranks, {})]):
        words += [":"] if number else []
        words += ["-n", str(count)] + setting(MPIEXEC, "LD_PRELOAD", LIBRARY + ":" + YIELD)
        for name, value in extra.items():
            words += setting(MPIEXEC, name, value)
        words += command
    return run(words, env=env)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def size_of(directory):
    return sum(os.path.getsize(os.path.join(base, name))
               for base, _, names in os.walk(directory) for name in names)


class Archive:
    """The output of otf2-print; `events` are (kind, location, text)."""

    def __init__(self, experiment):
        anchor = os.path.join(experiment, "traces.otf2")
        silent = run(["otf2-print", "-A", "--silent", anchor])
        self.clean = silent.returncode == 0 and "rror" not in silent.stderr
        self.complaint = silent.stderr[-500:]
        head = run(["otf2-print", "-A", anchor]).stdout
        self.properties = dict(re.findall(r"Property name +(\S+)\nProperty value +(\S+)", head))
        self.definitions = run(["otf2-print", "-G", anchor]).stdout
        self.announced = {int(i): int(n) for i, n in
                          re.findall(r"^LOCATION +(\d+) .*# Events: (\d+)", self.definitions, re.M)}
        self.events = [(kind, int(place), text) for kind, place, text in
                       re.findall(r"^([A-Z_]+) +(\d+) +\d+ *(.*)$", run(["otf2-print", anchor]).stdout,
                                  re.M)]

    def of_program(self):
        """Number of events of each location, except those that depend on speed: storing records, samples,
        and what the kernel did."""
        of_measurement = {"BUFFER_FLUSH", "CALLING_CONTEXT_SAMPLE", "METRIC"}
        return collections.Counter(place for kind, place, _ in self.events if kind not in of_measurement)

    def messages(self):
        """(sends, receives) by (source, target, tag, bytes) on world."""
        sends, receives = collections.Counter(), collections.Counter()
        for kind, place, text in self.events:
            found = re.match(r'(Receiver|Sender): (\d+) .*"MPI_COMM_WORLD" .*Tag: (\d+), Length: (\d+)', text)
            if not found:
                continue
            peer, tag, length = map(int, found.groups()[1:])
            if kind in ("MPI_SEND", "MPI_ISEND"):
                sends[place, peer, tag, length] += 1
            elif kind in ("MPI_RECV", "MPI_IRECV"):
                receives[peer, place, tag, length] += 1
        return sends, receives


class ProgramsTest(unittest.TestCase):
    def setUp(self):
        self.base = tempfile.mkdtemp(prefix="latecomer.")
        self.addCleanup(shutil.rmtree, self.base)
        self.experiment = os.path.join(self.base, "experiment")

    def sound(self, archive):
        self.assertTrue(archive.clean, archive.complaint)
        found = collections.Counter(place for _, place, _ in archive.events)
        self.assertEqual(dict(found), {k: n for k, n in archive.announced.items() if n != 0})

    def well(self, done):
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_every_message_is_sent_and_received(self):
        for ranks in (2, 4):
            experiment = self.experiment + str(ranks)
            self.well(record(experiment, ranks, app("heat2d"), "--steps", "30"))
            archive = Archive(experiment)
            self.sound(archive)
            sends, receives = archive.messages()
            self.assertEqual(sends, receives)
            self.assertEqual(sum(sends.values()), 30 * 2 * (ranks - 1))
            self.assertEqual(archive.properties["OTF2::MPI_COMMUNICATION_COMPLETE"], "true")
            self.assertFalse(os.path.exists(experiment + "/records"))

    def test_communicators_of_several_processes(self):
        self.well(record(self.experiment, 4, app("coupled")))
        archive = Archive(self.experiment)
        self.sound(archive)
        members = re.findall(r"^GROUP .*COMM_GROUP.* (\d+) Members", archive.definitions, re.M)
        self.assertIn("2", members)

    def test_repair_makes_the_same_as_finalize(self):
        self.well(record(self.experiment, 3, app("samplesort"), LATECOMER_KEEP_RECORDS="1"))
        copy = os.path.join(self.base, "copy")
        os.mkdir(copy)
        shutil.copytree(self.experiment + "/records", copy + "/records")
        kept = os.path.join(self.base, "kept")
        shutil.copytree(copy, kept)
        done = run([os.path.join(BUILD, "bin", "latecomer"), "repair", "--keep-records", kept])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(os.path.exists(kept + "/records") and os.path.exists(kept + "/traces.otf2"))
        done = run([REPAIR, copy])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertFalse(os.path.exists(copy + "/records"))
        self.assertEqual(read(copy + "/traces.def"), read(self.experiment + "/traces.def"))
        names = sorted(os.listdir(copy + "/traces"))
        self.assertEqual(names, sorted(os.listdir(self.experiment + "/traces")))
        for name in names:
            self.assertEqual(read(copy + "/traces/" + name), read(self.experiment + "/traces/" + name))

    def test_a_killed_run_can_be_repaired(self):
        done = record(self.experiment, 3, ENDS, "kill")
        self.assertNotEqual(done.returncode, 0)
        self.assertFalse(os.path.exists(self.experiment + "/traces.otf2"))
        done = run([REPAIR, self.experiment])
        self.assertEqual((done.returncode, done.stderr), (4, ""), done.stdout)
        self.assertIn("without MPI_Finalize: 3 (ranks 0, 1, 2)", done.stdout)
        archive = Archive(self.experiment)
        self.sound(archive)
        self.assertEqual(archive.properties["LATECOMER::UNFINISHED"], "3")
        self.assertEqual(archive.properties["OTF2::MPI_COMMUNICATION_COMPLETE"], "false")
        barriers = sum(1 for kind, _, text in archive.events
                       if kind == "MPI_COLLECTIVE_END" and "BARRIER" in text)
        self.assertGreaterEqual(barriers, 1)  # rank 1 had left it when it was killed
        done = run([REPAIR, self.experiment])
        self.assertEqual(done.returncode, 0)
        self.assertIn("complete archive already", done.stdout)
        os.truncate(self.experiment + "/traces/1.evt", 100)
        done = run([REPAIR, self.experiment])
        self.assertEqual((done.returncode, done.stdout), (4, ""))
        self.assertIn("the archive was complete, but 1 of its files was cut or lost since: traces/1.evt\n"
                      "hint:  copy the archive again from where it was recorded, or analyze what is there: scan -a ",
                      done.stderr)
        os.truncate(self.experiment + "/traces.def", 100)
        done = run([REPAIR, self.experiment])
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertIn("traces.def\nhint:  copy the archive again from where it was recorded, or record the run again\n",
                      done.stderr)

    def test_an_aborted_run_lacking_a_process_is_partial(self):
        record(self.experiment, 3, ENDS, "abort")
        os.remove(self.experiment + "/records/1.0.rec")
        os.remove(self.experiment + "/records/1.def")
        done = run([REPAIR, self.experiment])
        self.assertEqual((done.returncode, done.stderr), (4, ""))
        self.assertIn("without records: 1 (rank 1)", done.stdout)
        self.assertTrue(os.path.exists(self.experiment + "/records"))
        self.sound(Archive(self.experiment))

    def test_for_scalasca_there_are_no_operations_on_handles(self):
        self.well(record(self.experiment, 4, app("coupled"), LATECOMER_COMPAT="scalasca25"))
        archive = Archive(self.experiment)
        self.sound(archive)
        kinds = {kind for kind, _, _ in archive.events}
        self.assertFalse(kinds & {"COMM_CREATE", "COMM_DESTROY"})
        self.assertFalse([e for e in archive.events if any(word in e[2] for word in HANDLES)])
        self.assertNotIn("CREATE_DESTROY_EVENTS", archive.definitions)
        self.assertIn("MPI_COLLECTIVE_END", kinds)
        begins = sum(1 for kind, _, _ in archive.events if kind == "MPI_COLLECTIVE_BEGIN")
        self.assertEqual(begins, sum(1 for e in archive.events if e[0] == "MPI_COLLECTIVE_END"))

    def test_metahosts_and_nodes(self):
        parts = [(1, {"LATECOMER_METAHOST_ID": str(i % 2), "LATECOMER_METAHOST_NAME": "site" + str(i % 2),
                      "LATECOMER_NODE": "n" + str(i)}) for i in range(4)]
        self.well(record(self.experiment, 4, app("pi"), parts=parts))
        archive = Archive(self.experiment)
        self.sound(archive)
        nodes = re.findall(r'^SYSTEM_TREE_NODE +(\d+) +Name: "([^"]*)" .*Class: "(\w+)".*Parent: (.*)$',
                           archive.definitions, re.M)
        self.assertEqual([(name, kind) for _, name, kind, parent in nodes if parent == "UNDEFINED"],
                         [("site0", "machine"), ("site1", "machine")])
        self.assertEqual(sum(1 for node in nodes if node[2] == "node"), 4)
        self.assertEqual(len({node[1] for node in nodes}), 6, "names are not unique")

    def test_a_full_disk_costs_the_archive_and_nothing_else(self):
        command = (app("heat2d"), "--steps", "20000")
        self.well(record(self.experiment, 2, *command, LATECOMER_KEEP_RECORDS="1"))
        records, archive = size_of(self.experiment + "/records"), size_of(self.experiment + "/traces")
        disk = os.path.join(self.base, "disk")
        os.mkdir(disk)
        # While the program runs, its files are larger by the unused rest of their last pieces.
        size = (records + archive // 3) // 4096 * 4096 + (1 << 20)
        self.assertLess(size, records + archive - (1 << 19))
        if run(["mount", "-t", "tmpfs", "-o", "size=%d" % size, "tmpfs", disk]).returncode != 0:
            self.skipTest("mounting is not allowed here")
        try:
            done = record(disk + "/experiment", 2, *command)
            self.assertEqual(done.returncode, 0)
            self.assertIn("heat2d: ok", done.stdout)
            lines = done.stderr.splitlines()
            self.assertEqual([line[:6] for line in lines], ["error:", "hint: "], done.stderr)
            self.assertRegex(lines[0], r"cannot write \S+/traces/[01]\.evt: No space left on device")
            self.assertEqual(sorted(os.listdir(disk + "/experiment")), ["records"])
            done = run([REPAIR, disk + "/experiment"])
            self.assertEqual((done.returncode, done.stdout), (3, ""))
            self.assertIn("No space left on device", done.stderr)
            self.assertEqual(sorted(os.listdir(disk + "/experiment")), ["records"])
            shutil.copytree(disk + "/experiment", self.base + "/roomy")
        finally:
            run(["umount", disk])
        self.assertEqual(run([REPAIR, self.base + "/roomy"]).returncode, 0)
        archive = Archive(self.base + "/roomy")
        self.sound(archive)
        self.assertEqual(archive.of_program(), Archive(self.experiment).of_program())


def in_own_mount_namespace():
    """Starts this script again in a namespace where it may mount; the mounts vanish with it."""
    os.environ["LATECOMER_TEST_MOUNT"] = "1"
    for unshare in (["unshare", "-m"], ["unshare", "-r", "-m"]):
        if subprocess.run(unshare + ["true"], capture_output=True, check=False).returncode == 0:
            sys.exit(subprocess.run(unshare + [sys.executable] + sys.argv, check=False).returncode)


if __name__ == "__main__":
    if "LATECOMER_TEST_MOUNT" not in os.environ:
        in_own_mount_namespace()
    unittest.main(argv=sys.argv[:1], verbosity=2)
