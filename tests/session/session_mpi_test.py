#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs session_probe under mpiexec and checks its files on disk and its messages.

usage: session_mpi_test.py MPIEXEC PROBE DUMP RANKS
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from launching import setting  # noqa: E402

MPIEXEC, PROBE, DUMP, RANKS = sys.argv[1:5]
RANKS = int(RANKS)
# Number of records of session_probe per process: thread 0, early thread, late thread.
RECORDS = {0: 300008, 1: 30, 2: 3000}


class Run:
    """One run of the probe; `parts` are (ranks, extra environment) of an MPMD command line."""

    def __init__(self, directory, parts=None, mode="finalize", **environment):
        command = [MPIEXEC]
        for number, (ranks, extra) in enumerate(parts or [(RANKS, {})]):
            command += [":"] if number else []
            command += ["-n", str(ranks)]
            for name, value in extra.items():
                command += setting(MPIEXEC, name, value)
            command += [PROBE, mode]
        env = {k: v for k, v in os.environ.items() if not k.startswith("LATECOMER_")}
        env.update(LATECOMER_EXPERIMENT_DIRECTORY=directory, LATECOMER_KEEP_RECORDS="1", **environment)
        done = subprocess.run(command, env=env, timeout=100, text=True, capture_output=True,
                              check=False)
        self.status, self.errors = done.returncode, done.stderr
        self.files = {}
        if os.path.isdir(os.path.join(directory, "records")):
            dump = subprocess.run([DUMP, directory], text=True, capture_output=True, check=True)
            for line in dump.stdout.splitlines():
                name, rest = line.split(" ", 1)
                self.files[name] = dict(re.findall(r"(\S+?)=(\S*)", rest))

    def measured(self, rank):
        """(moment, child, parent, offset, error) of each measurement of a process's clock."""
        text = self.files[f"{rank}.def"]["measured"]
        return [tuple(map(int, m))
                for m in re.findall(r"(\d+):(\d+)->(\d+):(-?\d+)\+-(\d+),", text)]


class SessionTest(unittest.TestCase):
    def setUp(self):
        self.base = tempfile.mkdtemp(prefix="latecomer.")
        self.directory = os.path.join(self.base, "experiment")

    def tearDown(self):
        shutil.rmtree(self.base)

    def refused(self, run, text):
        self.assertEqual(run.status, 2)
        lines = run.errors.splitlines()
        self.assertEqual([line[:6] for line in lines], ["error:", "hint: "], run.errors)
        self.assertIn(text, lines[0])

    def test_all_records_of_all_threads_are_there(self):
        run = Run(self.directory)
        self.assertEqual((run.status, run.errors), (0, ""))
        self.assertEqual(len(run.files), 4 * RANKS)
        for rank in range(RANKS):
            for thread, records in RECORDS.items():
                file = run.files[f"{rank}.{thread}.rec"]
                self.assertEqual(int(file["records"]), records)
                self.assertEqual((file["damages"], file["lost"]), ("0", "0"))
                self.assertEqual((int(file["rank"]), int(file["thread"])), (rank, thread))
            log = run.files[f"{rank}.def"]
            self.assertEqual((int(log["rank"]), int(log["size"])), (rank, RANKS))
            self.assertEqual((log["threads"], log["regions"], log["comms"]), ("3", "1", "1"))
            self.assertEqual((log["losses"], log["bad"], log["complete"]), ("1", "0", "1"))
            # All processes of this machine share a clock.
            self.assertEqual((log["leader"], run.measured(rank)), ("0", []))

    def unfinished(self, mode):
        run = Run(self.directory, mode=mode)
        # The launcher kills the others as soon as one has ended; the first one is complete.
        complete = [name for name, file in run.files.items()
                    if name.endswith(".0.rec") and int(file["records"]) == RECORDS[0] - 3]
        self.assertGreaterEqual(len(complete), 1)
        for name, file in run.files.items():
            if name.endswith(".rec"):
                # A process may be killed between the creation of a file and its header.
                self.assertEqual(file.get("damages", "0"), "0")
            else:
                self.assertEqual((file["bad"], file["complete"]), ("0", "0"))

    def test_a_killed_run_leaves_its_records(self):
        self.unfinished("kill")

    def test_a_program_that_forgets_to_finalize_is_not_complete(self):
        self.unfinished("exit")

    def test_a_thread_may_record_while_the_session_ends(self):
        run = Run(self.directory, mode="busy")
        self.assertEqual((run.status, run.errors), (0, ""))
        for rank in range(RANKS):
            file = run.files[f"{rank}.2.rec"]  # the file of the late thread, which has ended
            self.assertEqual((file["damages"], file["lost"]), ("0", "0"))
            self.assertEqual(run.files[f"{rank}.def"]["threads"], "3")

    def test_threads_go_on_in_files_of_those_that_ended(self):
        # There are the late thread and 500 pairs of threads: two files. Each thread has two rounds
        # of 3 records and a begin, except the first one in its file.
        run = Run(self.directory, mode="threads")
        self.assertEqual((run.status, run.errors), (0, ""))
        for rank in range(RANKS):
            self.assertEqual(run.files[f"{rank}.def"]["threads"], "4")
            files = [run.files[f"{rank}.{thread}.rec"] for thread in (2, 3)]
            self.assertEqual([(f["damages"], f["lost"]) for f in files], [("0", "0")] * 2)
            self.assertEqual(sum(int(f["records"]) for f in files), RECORDS[2] + 1000 * 7 - 1)
            self.assertNotIn(f"{rank}.4.rec", run.files)

    def test_forked_children_leave_the_records_alone(self):
        run = Run(self.directory, mode="fork")
        self.assertEqual((run.status, run.errors), (0, ""))
        for rank in range(RANKS):
            file = run.files[f"{rank}.0.rec"]
            self.assertEqual(int(file["records"]), RECORDS[0] + 30)  # 10 rounds of 3 records
            self.assertEqual(file["damages"], "0")

    def test_small_pieces_hold_the_same(self):
        run = Run(self.directory, LATECOMER_BUFFER_SIZE="4K", LATECOMER_TIMER="monotonic")
        self.assertEqual((run.status, run.errors), (0, ""))
        self.assertEqual(int(run.files["0.0.rec"]["records"]), RECORDS[0])
        self.assertEqual(run.files["0.def"]["timer"], "monotonic")

    def test_nothing_happens_where_recording_is_off(self):
        run = Run(self.directory, LATECOMER_ENABLE="0")
        self.assertEqual((run.status, run.errors), (0, ""))
        self.assertFalse(os.path.exists(self.directory))

    def test_an_existing_experiment_is_refused(self):
        Run(self.directory)
        before = sorted(os.listdir(self.directory))
        self.refused(Run(self.directory), "exists already")
        self.assertEqual(sorted(os.listdir(self.directory)), before)
        run = Run(self.directory, LATECOMER_NEXT="1")
        self.assertEqual((run.status, run.errors), (0, ""))
        self.assertTrue(os.path.isdir(self.directory + "_2"))

    def test_a_place_that_cannot_be_written_is_refused(self):
        with open(os.path.join(self.base, "file"), "w", encoding="utf-8"):
            pass
        self.refused(Run(os.path.join(self.base, "file", "x")), "Not a directory")

    def test_a_wrong_setting_is_refused_with_all_its_ranks(self):
        run = Run(self.directory, LATECOMER_TIMER="sundial")
        self.refused(run, "LATECOMER_TIMER=sundial is not understood")
        self.assertIn("rank 0" if RANKS == 1 else f"{RANKS - 1})", run.errors)

    def test_a_mistyped_variable_is_named(self):
        run = Run(self.directory, LATECOMER_TIMMER="tsc")
        self.assertEqual(run.status, 0)
        self.assertIn("warning: LATECOMER_TIMMER is not a variable of Latecomer", run.errors)

    @unittest.skipIf(RANKS < 2, "needs two processes")
    def test_metahosts_must_be_set_everywhere(self):
        parts = [(1, {"LATECOMER_METAHOST_ID": "0"}), (RANKS - 1, {})]
        self.refused(Run(self.directory, parts), "LATECOMER_METAHOST_ID is set on rank 0 but not")

    @unittest.skipIf(RANKS < 2, "needs two processes")
    def test_metahosts_must_have_one_number_and_one_name_each(self):
        def parts(last, **first):
            return [(RANKS - 1, first), (1, last)]

        a = {"LATECOMER_METAHOST_ID": "1", "LATECOMER_METAHOST_NAME": "A"}
        last = RANKS - 1
        self.refused(Run(self.directory, parts({**a, "LATECOMER_METAHOST_NAME": "B"}, **a)),
                     f"LATECOMER_METAHOST_ID 1 has two names: 'A' on rank 0, 'B' on rank {last}")
        self.refused(Run(self.directory, parts({**a, "LATECOMER_METAHOST_ID": "2"}, **a)),
                     f"LATECOMER_METAHOST_NAME 'A' has two numbers: 1 on rank 0, 2 on rank {last}")
        self.refused(Run(self.directory, parts({"LATECOMER_METAHOST_ID": "1"}, **a)),
                     "LATECOMER_METAHOST_NAME is set on rank")
        self.refused(Run(self.directory, parts({**a, "LATECOMER_METAHOST_GLOBAL_CLOCK": "1"}, **a)),
                     f"LATECOMER_METAHOST_GLOBAL_CLOCK is set on rank {last} but not on rank")
        self.assertFalse(os.path.exists(self.directory))

    @unittest.skipIf(RANKS < 2, "needs two processes")
    def test_recording_is_off_for_all_if_it_is_off_for_one(self):
        run = Run(self.directory, [(1, {"LATECOMER_ENABLE": "0"}), (RANKS - 1, {})])
        self.assertEqual(run.status, 0)
        self.assertIn("nothing is recorded", run.errors)
        self.assertFalse(os.path.exists(self.directory))

    @unittest.skipIf(RANKS < 2, "needs two processes")
    def test_offsets_of_nodes_are_measured(self):
        # The nodes exist in name only: they calibrate the same clock separately, so offsets are
        # near zero. The last node uses another timer with the same zero.
        parts = [(1, {"LATECOMER_NODE": f"n{i // 2}"}) for i in range(RANKS - 1)]
        parts.append((1, {"LATECOMER_NODE": "last", "LATECOMER_TIMER": "monotonic"}))
        run = Run(self.directory, parts)
        self.assertEqual((run.status, run.errors), (0, ""))
        for rank in range(RANKS):
            leader = rank if rank == RANKS - 1 else rank // 2 * 2
            self.assertEqual(int(run.files[f"{rank}.def"]["leader"]), leader)
            measured = run.measured(rank)
            links = [m[:3] for m in measured]
            expected = [(0, rank, 0), (1, rank, 0)] if rank == leader and rank != 0 else []
            self.assertEqual(links, expected)
            for _, _, _, offset, error in measured:
                self.assertGreater(error, 0)
                # The allowance is 5 ppm of calibration over a run of at most a second.
                self.assertLessEqual(abs(offset), error + 5000)

    @unittest.skipIf(RANKS < 2, "needs two processes")
    def test_a_killed_run_has_its_first_measurement(self):
        parts = [(1, {"LATECOMER_NODE": f"n{i}"}) for i in range(RANKS)]
        run = Run(self.directory, parts, mode="kill behind init")
        for rank in range(1, RANKS):
            self.assertEqual([m[:3] for m in run.measured(rank)], [(0, rank, 0)])

    @unittest.skipIf(RANKS < 2, "needs two processes")
    def test_a_wrong_clock_model_is_refused(self):
        path = os.path.join(self.base, "clocks")
        with open(path, "w", encoding="utf-8") as file:
            file.write("n0 offset=1ms\nn1 offset=1\n")
        run = Run(self.directory, LATECOMER_TIMER_EMULATION=path)
        self.refused(run, "clocks: line 2: clock model: 'offset=1' is not understood (ranks 0")
        with open(path, "w", encoding="utf-8") as file:
            file.write("* offset=-9999999s\n")
        run = Run(self.directory, LATECOMER_TIMER_EMULATION=path, LATECOMER_TIMER="monotonic")
        self.refused(run, "puts its clock below zero")

    def test_missing_clock_models_are_refused(self):
        run = Run(self.directory, LATECOMER_TIMER_EMULATION=os.path.join(self.base, "none"))
        self.refused(run, "No such file or directory")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
