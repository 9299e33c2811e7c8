#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs that are watched while they run, and what latecomer watch says about them.

usage: watch_program_test.py GROUP SCAN MPIEXEC DIRECTORY_OF_PROGRAMS
"""
import contextlib
import csv
import fcntl
import http.client
import json
import os
import pty
import re
import resource
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

GROUP, SCAN, MPIEXEC, PROGRAMS = sys.argv[1:5]
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LATECOMER = os.path.join(os.path.dirname(SCAN), "latecomer")
SECONDS = 300  # for a run on an overloaded machine
METRICS = ["mpi_barrier_wait", "mpi_wait_nxn", "mpi_latebroadcast", "mpi_earlyreduce", "mpi_late_contributor",
           "mpi_latesender", "mpi_latereceiver"]
# Reasons for which something is left out of these programs: they have no wait state here, or are tests.
EXPECTED = {"collectives_without_formula", "unsuccessful_polls", "receives_in_tests", "operations_on_windows_and_files"}

# The names of the families that Prometheus's client reads, with type, unit, and the labels of the samples.
PARSE = """
import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
print(json.dumps({f.name: [f.type, f.unit, [s.labels for s in f.samples]]
                  for f in text_string_to_metric_families(sys.stdin.read())}))
"""


NOBODY = 65534


def limit(**limits):
    """For subprocess: limits of the process, such as NOFILE=20."""
    def set_limits():
        for name, value in limits.items():
            resource.setrlimit(getattr(resource, "RLIMIT_" + name), (value, value))
    return set_limits


def latecomer(*words, **options):
    return subprocess.run([LATECOMER, *words], capture_output=True, text=True, timeout=SECONDS, check=False, **options)


class Run:
    """A program that is recorded by scan, and ended at the end of the block."""

    def __init__(self, program, *words, ranks=4, options=("-t",), **more):
        self.directory = tempfile.TemporaryDirectory()
        self.experiment = os.path.join(self.directory.name, "experiment")
        environment = {k: v for k, v in os.environ.items() if not k.startswith("LATECOMER_")} | more
        self.scan = subprocess.Popen(
            [sys.executable, SCAN, "--yield", *options, "-e", self.experiment, MPIEXEC, "-n", str(ranks),
             os.path.join(PROGRAMS, program), *words],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, cwd=self.directory.name,
            start_new_session=True)

    def __enter__(self):
        return self

    def path(self, name):
        return os.path.join(self.directory.name, name)

    def watch(self, *words, **options):
        return latecomer("watch", "--wait", "60", "--schedule", "normal", *words, self.experiment, **options)

    def watching(self, *words, interval="0.1"):
        """A process that watches, and prints lines of JSON."""
        return Watching(["--wait", "60", "--schedule", "normal", "--json", "--interval", interval, *words, self.experiment])

    def end(self):
        output, _ = self.scan.communicate(timeout=SECONDS)
        return self.scan.returncode, output

    def kill(self):
        """Kills scan, the launcher and the program, which may be in a session of its own."""
        processes = processes_of(self.experiment)
        os.killpg(self.scan.pid, signal.SIGKILL)
        for process in processes:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def __exit__(self, *_):
        if self.scan.poll() is None:
            self.kill()
        self.scan.communicate()
        self.directory.cleanup()


class Watching:
    """A process that watches; it is ended at the end of the block."""

    def __init__(self, words):
        self.process = subprocess.Popen([LATECOMER, "watch", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def lines(self):
        end = time.monotonic() + SECONDS
        for line in self.process.stdout:
            if time.monotonic() > end:
                raise AssertionError("nothing came within %d s; last: %s" % (SECONDS, line))
            yield line
        raise AssertionError("it has ended: " + self.process.stderr.read())

    def until(self, condition):
        """The first state that fulfils a condition."""
        return next(state for state in map(json.loads, self.lines()) if condition(state))

    def end(self):
        """Reads on to its end: exit status, lines, errors."""
        output, errors = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, output.splitlines(), errors


def after_the_run(experiment, name):
    """Nanoseconds by metric, call path and rank, from the report of the trace. Time in probes is no waiting in a run that
    is watched."""
    done = latecomer("csv", experiment)
    found = {}
    for row in csv.reader(line for line in done.stdout.splitlines() if not line.startswith("#")):
        if row[0] in METRICS and not row[1].endswith("Probe"):
            key = (row[0], name(" > ".join(row[1].split("/")[1:])), int(row[4]))
            found[key] = found.get(key, 0) + round(float(row[6]) * 1e9)
    return {key: value for key, value in found.items() if value}


def of_calls(report, name):
    """Time and number of calls of MPI, by metric, call path and rank, from a report."""
    done = latecomer("csv", report)
    found = {}
    for row in csv.reader(line for line in done.stdout.splitlines() if not line.startswith("#")):
        if row[0] in ("mpi", "visits") and "/MPI_" in row[1]:
            key = (row[0], name(" > ".join(row[1].split("/")[1:])), int(row[4]))
            found[key] = found.get(key, 0) + round(float(row[6]) * (1e9 if row[0] == "mpi" else 1))
    return found


def while_running(report, name):
    found = {}
    for one in report["paths"]:
        for rank in one["ranks"]:
            key = (one["metric"], name(one["path"]), rank["rank"])
            found[key] = found.get(key, 0) + rank["ns"]
    return found


def arrivals_after_the_run(experiment):
    """By operation on MPI_COMM_WORLD: number, and for each rank how often it was first, last, and at each place."""
    extras = json.loads(latecomer("json", experiment).stdout)["extras"]
    return {one["operation"]: (one["operations"], {rank[0]: (rank[1], rank[2], rank[4]) for rank in one["ranks"]})
            for one in extras["collectives"] if one["communicator"] == "MPI_COMM_WORLD"}


def arrivals_while_running(report):
    found = {}
    for site in report["collectives"]:
        if site["communicator"] != "MPI_COMM_WORLD":
            continue
        operations, ranks = found.get(site["operation"], (0, {}))
        for rank in site["ranks"]:
            first, last, places = ranks.get(rank["rank"], (0, 0, [0] * len(rank["arrivals"])))
            ranks[rank["rank"]] = (first + rank["first"], last + rank["last"],
                                   [a + b for a, b in zip(places, rank["arrivals"])])
        found[site["operation"]] = (operations + site["operations"], ranks)
    return found


class Exact(unittest.TestCase):
    maxDiff = None
    """Clocks are those of one node, and all times are integers, so nothing is rounded: results are equal."""

    def check(self, program, *words, name=lambda path: path):
        with tempfile.TemporaryDirectory() as directory, \
                Run(program, *words, APP_WAITS_FOR_FILE=os.path.join(directory, "go")) as run, \
                run.watching("--report", run.path("watch.json")) as watching:
            # The program goes on to its end when all records are being read.
            watching.until(lambda state: len(state["ranks"]) == 4)
            with open(os.path.join(directory, "go"), "w", encoding="utf-8"):
                pass
            status, _, errors = watching.end()
            self.assertEqual((status, errors), (0, ""))
            status, output = run.end()
            self.assertEqual(status, 0, output)
            with open(run.path("watch.json"), encoding="utf-8") as file:
                report = json.load(file)
            self.assertTrue(report["ended"])
            left_out = {key for key, count in report["left_out"].items() if count}
            self.assertLessEqual(left_out, EXPECTED)
            expected = after_the_run(run.experiment, name)
            self.assertGreater(len(expected), 3)
            self.assertEqual(while_running(report, name), expected)
            orders = arrivals_after_the_run(run.experiment)
            self.assertGreater(len(orders), 0)
            self.assertEqual(arrivals_while_running(report), orders)
            self.check_sums(report)
            done = latecomer("profile", run.path("watch.json"), "-o", run.path("watch.cubex"))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(after_the_run(run.path("watch.cubex"), name), expected)
            calls = of_calls(run.experiment, name)
            self.assertGreater(len(calls), 8)
            self.assertEqual(of_calls(run.path("watch.cubex"), name), calls)

    def check_sums(self, report):
        counts, left_out = report["counts"], report["left_out"]
        self.assertEqual(counts["sends"] + counts["receives"],
                         2 * counts["messages"] + counts["messages_pending"] + counts["receives_held_back"] +
                         sum(left_out[key] for key in left_out if key.startswith("messages_")))
        by_rank = sum(rank["waiting_ns"] for rank in report["ranks"])
        self.assertEqual(by_rank, report["waiting_ns"])
        self.assertEqual(by_rank, sum(path["ns"] for path in report["paths"]))
        self.assertEqual(by_rank, sum(rank["caused_ns"] for rank in report["ranks"]))
        self.assertEqual(by_rank, sum(pair["ns"] for pair in report["node_pairs"]))

    def test_heat2d(self):
        self.check("heat2d", "--steps", "100", "--uneven", "2")

    def test_samplesort(self):
        self.check("samplesort")

    def test_cg(self):
        self.check("cg")

    def test_waitstates(self):
        # Its functions are recorded by instrumentation, which watch does not show: only the functions of MPI.
        self.check("waitstates", name=lambda path: path.split(" > ")[-1])


class Views(unittest.TestCase):
    def test_text_while_it_runs(self):
        with Run("heat2d", "--steps", "600", "--uneven", "2") as run:
            done = run.watch("--interval", "0.2")
            self.assertEqual(done.returncode, 0, done.stderr)
            status, output = run.end()
            self.assertEqual(status, 0, output)
            blocks = done.stdout.split("\n\nheat2d")
            self.assertRegex(done.stdout, r"heat2d --steps 600 --uneven 2: 4 ranks on 1 node, ended after ")
            self.assertRegex(blocks[-1], r"Wait at N x N .* main > residual > MPI_Allreduce \(heat2d\.c:\d+\)")
            self.assertRegex(blocks[-1], r"last to come to[^\n]*\nallreduce +600 ")
            self.assertNotIn("\x1b", done.stdout)

    def test_text_changes_while_it_runs(self):
        with Run("heat2d", "--steps", "1000000", "--uneven", "2") as run, \
                Watching(["--wait", "60", "--schedule", "normal", "--interval", "0.1", run.experiment]) as watching:
            seen = set()
            for line in watching.lines():
                if re.match("allreduce +[0-9]+ ", line):
                    seen.add(line.split()[1])
                if len(seen) == 2:
                    break
                self.assertNotIn("ended", line)

    def test_json_changes_while_it_runs(self):
        with Run("heat2d", "--steps", "1000000", "--uneven", "2") as run, run.watching() as watching:
            first = watching.until(lambda state: state["counts"]["messages"] > 0)
            second = watching.until(lambda state: state["counts"]["messages"] > first["counts"]["messages"])
            self.assertFalse(second["ended"])
            self.assertGreater(second["waiting_ns"], first["waiting_ns"])

    def test_who_waits_now(self):
        """Rank 0 computes for an hour in step 0, and its neighbor waits for its row in step 1."""
        with Run("heat2d", "--steps", "3", "--uneven", "3600000") as run, run.watching() as watching:
            def late(state):
                return [(one["rank"], one["waited_by"], one["doing"]) for one in state["now"]["late"]]
            state = watching.until(lambda state: late(state)[:1] == [(0, 3, "outside")])
            waiting = {one["rank"]: one for one in state["now"]["waiting"]}
            self.assertEqual(sorted(waiting), [1, 2, 3])
            self.assertEqual(waiting[1]["call"], "MPI_Waitall")
            for one in waiting.values():
                self.assertIn(0, one["waits_for"])
            for one in state["now"]["waiting"]:
                self.assertRegex(one["path"], "^main > (exchange|residual) > " + one["call"] + "$")
                self.assertGreaterEqual(one["since_ns"], 0)

    def test_waits_that_do_not_end_count_in_the_last_seconds(self):
        """Rank 0 computes for an hour. The others wait, which no record says."""
        with Run("heat2d", "--steps", "3", "--uneven", "3600000") as run, run.watching() as watching:
            def share(state, rank):
                return state["ranks"][rank]["recent_waiting_ns"] / max(1, state["recent_ns"])

            def now(state):
                return [rank["waiting_now_ns"] for rank in state["ranks"]]
            first = watching.until(lambda state: len(state["ranks"]) == 4 and min(now(state)[1:]) > 10**9)
            later = watching.until(lambda state: min(share(state, rank) for rank in (1, 2, 3)) > 0.9 and
                                   min(now(state)[1:]) > 4 * 10**9)
            self.assertEqual(now(later)[0], 0)
            self.assertLess(share(later, 0), 0.1)
            for rank in later["ranks"][1:]:
                self.assertLessEqual(sum(rank["slices_ns"]), rank["recent_waiting_ns"])
                self.assertGreater(sum(rank["slices_ns"]), 10**9)
            # The sums are those of waits that have ended.
            self.assertEqual(later["waiting_ns"], first["waiting_ns"])
            self.assertEqual(later["paths"], first["paths"])
            self.assertLess(later["waiting_ns"], 10**9)
            self.assertIn(" s ", re.search(r"\n   1 .*", run.watch("--once").stdout).group())
            with self.metrics_of(run) as port:
                samples = self.ask_until(port, "latecomer_waiting_now_seconds")
                values = [float(value) for value in re.findall(r"latecomer_waiting_now_seconds{.*} (.*)", samples)]
                self.assertEqual(values[0], 0)
                self.assertGreater(min(values[1:]), 4)
                ratios = [float(value) for value in re.findall(r"latecomer_recent_wait_ratio{.*} (.*)", samples)]
                self.assertGreater(min(ratios[1:]), 0.5)

    def test_catching_up(self):
        """A view that begins late has to read what was recorded until then. It says so when there is enough of it."""
        with Run("heat2d", "--steps", "1000000", "--size", "8") as run:
            end = time.monotonic() + SECONDS
            behind = 0
            while behind == 0:
                self.assertLess(time.monotonic(), end, "no view was behind")
                with run.watching(interval="0.01") as watching:
                    behind = json.loads(next(watching.lines()))["behind_ns"]
            self.assertGreater(behind, 0)

    def test_view_fits_the_terminal(self):
        """20 columns and 10 rows, then 80 and 24."""
        with Run("heat2d", "--steps", "1000000", "--size", "8") as run:
            run.watch("--json", "--once")
            ours, theirs = pty.openpty()
            try:
                resize(ours, 20, 10)
                watching = subprocess.Popen([LATECOMER, "watch", "--schedule", "normal", "--interval", "0.1",
                                             run.experiment], stdin=subprocess.DEVNULL, stdout=theirs)
                try:
                    self.check_view(ours, 20, 10)
                    resize(ours, 80, 24)
                    self.check_view(ours, 80, 24)
                finally:
                    watching.kill()
                    watching.wait(timeout=SECONDS)
            finally:
                os.close(ours)
                os.close(theirs)

    def check_view(self, terminal, columns, rows):
        """Waits for a view of that width which has the beginning of its last lines, or says that they are left out."""
        end, text = time.monotonic() + SECONDS, ""
        while time.monotonic() < end:
            text += os.read(terminal, 65536).decode(errors="replace")
            for view in text.split("\x1b[H\x1b[J")[1:-1]:
                lines = view.split("\r\n")
                self.assertEqual(lines.pop(), "")
                if len(lines) < rows and 3 * columns / 4 < max(map(len, lines)) <= columns:
                    self.assertTrue(lines[-1].startswith("left out: ") or lines[-1].endswith(" more"), view)
                    return
        self.fail("no view of %d columns and %d rows: %r" % (columns, rows, text[-4000:]))

    def test_json_lines_grow(self):
        with Run("heat2d", "--steps", "600", "--uneven", "2") as run:
            done = run.watch("--json", "--interval", "0.2")
            self.assertEqual(done.returncode, 0, done.stderr)
            lines = [json.loads(line) for line in done.stdout.splitlines()]
            self.assertGreater(len(lines), 0)
            self.assertTrue(lines[-1]["ended"])
            for before, after in zip(lines, lines[1:]):
                self.assertLessEqual(before["counts"]["messages"], after["counts"]["messages"])
            self.assertEqual(lines[-1]["counts"]["messages"], 600 * 6)
            self.assertEqual(lines[-1]["size"], 4)

    def test_metrics(self):
        with Run("heat2d", "--steps", "1000000", "--uneven", "2") as run:
            watching = subprocess.Popen(
                [LATECOMER, "watch", "--wait", "60", "--schedule", "normal", "--quiet", "--interval", "0.1", "--metrics", "0",
                 run.experiment], stderr=subprocess.PIPE, text=True)
            try:
                address = re.match(r"metrics: http://127\.0\.0\.1:(\d+)/metrics", watching.stderr.readline())
                self.assertIsNotNone(address)
                samples = self.ask_until(int(address.group(1)), "latecomer_last_arrivals_total")
                self.assertIn("latecomer_wait_seconds_total", samples)
                connection = http.client.HTTPConnection("127.0.0.1", int(address.group(1)), timeout=60)
                for method, path, status in (("GET", "/", 404), ("POST", "/metrics", 405), ("HEAD", "/metrics", 200)):
                    connection.request(method, path)
                    answer = connection.getresponse()
                    self.assertEqual(answer.status, status, method + path)
                    answer.read()
                port = ":" + address.group(1)
                for host, status in (("localhost" + port, 200), ("[::1]" + port, 200), ("other.example" + port, 403),
                                     ("127.0.0.1", 403), ("", 403)):
                    connection.request("GET", "/metrics", headers={"Host": host})
                    answer = connection.getresponse()
                    self.assertEqual(answer.status, status, host)
                    self.assertEqual(b"latecomer" in answer.read(), status == 200)
                connection.close()
                self.check_dashboard(samples)
                self.parse(samples)
            finally:
                watching.terminate()
                watching.communicate(timeout=SECONDS)

    @contextlib.contextmanager
    def metrics_of(self, run):
        """The port of a view that serves metrics."""
        watching = subprocess.Popen(
            [LATECOMER, "watch", "--wait", "60", "--schedule", "normal", "--quiet", "--interval", "0.1", "--metrics", "0",
             run.experiment], stderr=subprocess.PIPE, text=True)
        try:
            yield int(re.match(r"metrics: http://127\.0\.0\.1:(\d+)/metrics", watching.stderr.readline()).group(1))
        finally:
            watching.terminate()
            watching.communicate(timeout=SECONDS)

    def ask_until(self, port, word):
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            connection.request("GET", "/metrics")
            answer = connection.getresponse()
            self.assertEqual(answer.status, 200)
            self.assertEqual(answer.getheader("Content-Type"),
                             "application/openmetrics-text; version=1.0.0; charset=utf-8")
            text = answer.read().decode()
            connection.close()
            self.assertTrue(text.endswith("# EOF\n"))
            if word + "{" in text:
                return text
            time.sleep(0.1)
        self.fail("no " + word)

    def test_attached_after_records_were_overwritten(self):
        """Waits that are not known are not shown as 0."""
        with Run("heat2d", "--steps", "1000000", "--uneven", "2", options=("--watch", "--watch-size", "64K")) as run:
            try:
                end = time.monotonic() + SECONDS
                # The agent writes its report while the run goes on. Without it nothing is known of the beginning.
                written = os.path.join(run.experiment, "watch.json")
                while not os.path.exists(written):
                    self.assertLess(time.monotonic(), end, "the agent writes no report")
                    time.sleep(0.05)
                for agent in agents_of(run.experiment):
                    os.kill(agent, signal.SIGKILL)
                while agents_of(run.experiment):
                    time.sleep(0.05)
                os.remove(written)
                while True:
                    report = json.loads(run.watch("--json", "--once").stdout)
                    if report["ranks"] and report["waiting_ns"] is None:
                        break
                    self.assertLess(time.monotonic(), end, "no ring has wrapped")
                self.assertEqual(report["time_ns"], 0)
                self.assertGreater(report["left_out"]["records_lost"], 0)
                for rank in report["ranks"]:
                    self.assertIsNone(rank["waiting_ns"])
                    self.assertIsNone(rank["recent_waiting_ns"])
                    self.assertEqual(set(rank["waits"].values()), {None})
                text = run.watch("--once").stdout
                self.assertIn("\nwaiting  not known: records were lost\n", text)
                self.assertIn("\nwho waited is not known: records were lost\n", text)
                self.assertNotIn("no rank has waited so far", text)
                watching = subprocess.Popen(
                    [LATECOMER, "watch", "--schedule", "normal", "--quiet", "--interval", "0.1", "--metrics", "0",
                     run.experiment], stderr=subprocess.PIPE, text=True)
                try:
                    port = int(watching.stderr.readline().strip().removesuffix("/metrics").rsplit(":", 1)[1])
                    samples = self.ask_until(port, "latecomer_mpi_seconds_total")
                    self.assertNotIn("latecomer_recent_wait_ratio{", samples)
                    self.assertNotIn("latecomer_wait_seconds_total{", samples)
                finally:
                    watching.terminate()
                    watching.communicate(timeout=SECONDS)
                self.check_report_of_agent(run, report, written)
            finally:
                run.scan.send_signal(signal.SIGTERM)  # scan removes the records
                _, output = run.end()
            self.assertIn("the agent that watched the run was ended by signal 9", output)

    def check_report_of_agent(self, run, report, written):
        """A view shows what the agent has written."""
        for rank in report["ranks"]:
            rank.update(known_ns=10**9, waiting_ns=25 * 10**7, caused_ns=0)
        with open(written, "w", encoding="utf-8") as file:
            json.dump(report, file)
        text = run.watch("--once").stdout
        self.assertIn("\nstatistics of the agent that scan has started, ", text)
        self.assertIn("\nwaiting   25.0 % in all, not known in the last ", text)
        shown = json.loads(run.watch("--json", "--once").stdout)
        self.assertEqual(shown["waiting_ns"], 10**9)
        self.assertGreaterEqual(shown["agent_age_ns"], 0)

    def parse(self, text):
        """As Prometheus reads it; what this client says is wrong, Prometheus refuses."""
        for python in (sys.executable, "/usr/bin/python3"):
            done = subprocess.run([python, "-c", PARSE], input=text, capture_output=True, text=True, timeout=SECONDS,
                                  check=False)
            if "ModuleNotFoundError" not in done.stderr:
                break
        else:
            self.skipTest("python3-prometheus-client is not installed")
        self.assertEqual(done.stderr, "")
        families = json.loads(done.stdout)
        self.assertEqual(families["latecomer_wait_seconds"][:2], ["counter", "seconds"])
        labels = families["latecomer_wait_seconds"][2]
        self.assertEqual({one["rank"] for one in labels}, {"0", "1", "2", "3"})
        self.assertEqual({one["state"] for one in labels}, set(METRICS))
        self.assertEqual(families["latecomer_recent_wait_ratio"][0], "gauge")

    def check_dashboard(self, text):
        """The queries of the dashboard name metrics that there are, and labels that they have."""
        with open(os.path.join(SOURCE, "packaging", "grafana", "latecomer-watch.json"), encoding="utf-8") as file:
            dashboard = json.load(file)
        self.assertGreater(len(dashboard["panels"]), 5)
        for panel in dashboard["panels"]:
            for target in panel["targets"]:
                for metric in re.findall(r"latecomer_\w+", target["expr"]):
                    self.assertIn("\n" + metric + "{", text)
                metric = re.search(r"latecomer_\w+", target["expr"]).group()
                line = re.search("\n" + metric + "{.*", text).group()
                for label in re.findall(r"{{(\w+)}}", target["legendFormat"]):
                    self.assertIn(label + '="', line)


class Ends(unittest.TestCase):
    def test_no_directory(self):
        done = latecomer("watch", "/does/not/exist")
        self.assertEqual((done.returncode, done.stderr), (3, "error: there is no directory /does/not/exist\n"
                         "hint:  name the directory that scan makes for the run: an experiment\n"))

    def test_no_records(self):
        with tempfile.TemporaryDirectory() as directory:
            done = latecomer("watch", directory)
            self.assertEqual(done.returncode, 3)
            self.assertIn("records has no records\nhint:  name the directory of an experiment that is being recorded",
                          done.stderr)

    def test_the_run_has_ended(self):
        with Run("heat2d", "--steps", "2") as run:
            self.assertEqual(run.end()[0], 0)
            done = latecomer("watch", run.experiment)
            self.assertEqual(done.returncode, 3)
            self.assertIn("hint:  the run has ended and its trace is complete: latecomer show", done.stderr)

    def test_another_release(self):
        with tempfile.TemporaryDirectory() as directory:
            os.mkdir(os.path.join(directory, "records"))
            with open(os.path.join(directory, "records", "0.def"), "w", encoding="utf-8") as log:
                log.write("process\t0\t1\t0\nproperty\tmpi_functions\tof another one\n")
            done = latecomer("watch", directory)
            self.assertEqual(done.returncode, 3)
            self.assertIn("error: the records of rank 0 were made by another release of Latecomer", done.stderr)

    def test_garbage(self):
        with tempfile.TemporaryDirectory() as directory:
            os.mkdir(os.path.join(directory, "records"))
            for name in ("0.def", "0.0.rec", "1.def", "1.0.rec", "x.def", "9999999999.0.rec"):
                with open(os.path.join(directory, "records", name), "wb") as file:
                    file.write(bytes(range(256)) * 40)
            done = latecomer("watch", "--once", "--json", directory)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["counts"]["records"], 0)

    def test_killed(self):
        with Run("heat2d", "--steps", "1000000") as run, \
                run.watching("--report", run.path("watch.json")) as watching:
            first = watching.until(lambda state: len(state["ranks"]) == 4)
            self.assertFalse(first["ended"])
            run.kill()
            status, lines, errors = watching.end()
            self.assertEqual((status, errors), (0, ""))
            self.assertTrue(json.loads(lines[-1])["ended"])
            with open(run.path("watch.json"), encoding="utf-8") as file:
                self.assertTrue(json.load(file)["ended"])

    def test_interrupted(self):
        with Run("heat2d", "--steps", "1000000") as run:
            run.watch("--json", "--once")
            watching = subprocess.Popen([LATECOMER, "watch", "--quiet", "--report", run.path("watch.json"), run.experiment])
            end = time.monotonic() + SECONDS
            while not is_idle(watching.pid) and time.monotonic() < end:
                time.sleep(0.05)
            self.assertTrue(is_idle(watching.pid))
            os.sched_setscheduler(watching.pid, os.SCHED_OTHER, os.sched_param(0))  # so that it ends soon
            watching.send_signal(signal.SIGTERM)
            self.assertEqual(watching.wait(timeout=SECONDS), 0)
            with open(run.path("watch.json"), encoding="utf-8") as file:
                self.assertFalse(json.load(file)["ended"])
            self.assertIsNone(run.scan.poll(), "the run goes on")

    def test_wrong_options(self):
        program = os.path.join(os.path.dirname(SCAN), "latecomer-watch")
        for words, what in (
                (["--interval", "x", "/tmp"], "--interval x: not a number of seconds of at least 0.01"),
                (["--interval=0", "/tmp"], "--interval 0: not a number of seconds of at least 0.01"),
                (["--for", "-1", "/tmp"], "--for -1: not a number of seconds"),
                (["--wait", "", "/tmp"], "--wait : not a number of seconds"),
                (["--schedule", "now", "/tmp"], "--schedule now: not one of idle, normal"),
                (["--metrics", "port", "/tmp"], "--metrics port: not a port, or an address and a port"),
                (["--metrics", "99999", "/tmp"], "--metrics 99999: not a port, or an address and a port"),
                (["--report=", "/tmp"], "--report : not the name of a file"),
                (["/tmp", "--report"], "--report: its value is missing"),
                (["--nonsense", "/tmp"], "--nonsense: there is no such option"),
                (["--once=1", "/tmp"], "--once has no value"),
                (["/tmp", "/var"], "one experiment can be watched, but there are two: /tmp and /var"),
                ([], "the experiment is missing")):
            done = subprocess.run([program, *words], capture_output=True, text=True, timeout=SECONDS, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (2, "", "error: %s\nhint:  latecomer watch --help\n" % what))
        self.assertEqual(latecomer("watch", "--interval", "x", "/tmp").returncode, 2)

    def test_time_counts_from_the_attachment(self):
        """The wait for the run does not count."""
        with tempfile.TemporaryDirectory() as directory, \
                Watching(["--wait", "60", "--for", "1", "--interval", "0.05", "--json", "--schedule", "normal", directory]) \
                as watching:
            time.sleep(1.5)
            self.assertIsNone(watching.process.poll(), "it waits")
            os.mkdir(os.path.join(directory, "records"))
            with open(os.path.join(directory, "records", "0.def"), "wb"):
                pass
            status, lines, errors = watching.end()
            self.assertEqual((status, errors), (0, ""))
            self.assertGreater(len(lines), 1)

    def test_address_of_ipv6(self):
        if not has_ipv6():
            self.skipTest("this host has no address [::1]")
        with tempfile.TemporaryDirectory() as directory:
            os.mkdir(os.path.join(directory, "records"))
            with open(os.path.join(directory, "records", "0.def"), "wb"):
                pass
            done = latecomer("watch", "--quiet", "--metrics", "[::1]:0", "--once", directory)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr, r"^metrics: http://\[::1\]:\d+/metrics\n$")

    def test_report_that_cannot_be_written(self):
        with Run("heat2d", "--steps", "50") as run:
            done = run.watch("--quiet", "--report", "/does/not/exist/watch.json")
            self.assertEqual(done.returncode, 3)
            self.assertIn("error: cannot write /does/not/exist/watch.json", done.stderr)


    def test_report_that_would_replace_something_else(self):
        with tempfile.TemporaryDirectory() as directory:
            target, link = os.path.join(directory, "target"), os.path.join(directory, "link")
            with open(target, "w", encoding="utf-8") as file:
                file.write("mine")
            os.symlink(target, link)
            for name in (link, directory, "/dev/null"):
                done = latecomer("watch", "--once", "--report", name, directory)
                self.assertEqual((done.returncode, done.stderr), (
                    3, "error: cannot write %s: it is no regular file\nhint:  name another file\n" % name))
            self.assertTrue(os.path.islink(link))

    def test_once_ends_though_the_run_goes_on(self):
        with Run("heat2d", "--steps", "1000000", "--size", "8") as run:
            self.assertFalse(json.loads(run.watch("--json", "--once").stdout)["ended"])
            self.assertFalse(json.loads(run.watch("--json", "--once", "--for", "0").stdout)["ended"])
            self.assertIsNone(run.scan.poll(), "the run goes on")


class Unseen(unittest.TestCase):
    """Ranks that cannot be seen have not ended, and are named."""

    def test_limit_of_open_files(self):
        with Run("heat2d", "--steps", "1000000") as run:
            with run.watching() as watching:
                watching.until(lambda state: len(state["ranks"]) == 4)
            done = run.watch("--json", "--once", preexec_fn=limit(NOFILE=20))  # 4, and 16 for other purposes
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            state = json.loads(done.stdout)
            why = "this process may not open more files (ulimit -n)"
            self.assertEqual(state["not_watched"], [{"rank": 2, "why": why}, {"rank": 3, "why": why}])
            self.assertEqual([one["rank"] for one in state["ranks"]], [0, 1])
            self.assertFalse(state["ended"])
            done = run.watch("--json", preexec_fn=limit(NOFILE=12))
            self.assertEqual(done.returncode, 3)
            self.assertIn("error: no rank of the run can be watched; rank 0: " + why, done.stderr)
            self.assertFalse(json.loads(done.stdout.splitlines()[-1])["ended"])

    def test_another_user(self):
        """Its processes are not shown by the kernel, and its files perhaps not."""
        if os.geteuid() != 0:
            self.skipTest("only root may start programs of other users")
        with Run("heat2d", "--steps", "1000000") as run:
            with run.watching() as watching:
                watching.until(lambda state: len(state["ranks"]) == 4)
            os.chmod(run.directory.name, 0o755)
            os.chmod(run.experiment, 0o755)
            records = os.path.join(run.experiment, "records")
            os.chmod(records, 0o755)
            for name in os.listdir(records):
                os.chmod(os.path.join(records, name), 0o644)
            done = run.watch("--json", "--for", "5", user=NOBODY)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            last = json.loads(done.stdout.splitlines()[-1])
            self.assertEqual((last["ended"], len(last["ranks"])), (False, 4))
            os.chmod(os.path.join(records, "1.0.rec"), 0o600)
            done = run.watch("--json", "--once", user=NOBODY)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["not_watched"], [
                {"rank": 1, "why": "cannot read %s/1.0.rec: Permission denied" % records}])
            os.chmod(records, 0o700)
            done = latecomer("watch", "--json", "--once", run.experiment, user=NOBODY)
            self.assertEqual(done.returncode, 3)
            self.assertIn("error: cannot read %s: Permission denied" % records, done.stderr)
            self.assertIsNone(run.scan.poll(), "the run goes on")

    def test_numbers_that_cannot_be(self):
        """Damaged logs name any rank and any size; the memory is that of a few ranks."""
        with tempfile.TemporaryDirectory() as directory:
            os.mkdir(os.path.join(directory, "records"))
            for rank, size in ((0, 4), (1, 4), (16777215, 16777216), (2, 16777216)):
                with open(os.path.join(directory, "records", "%d.def" % rank), "w", encoding="utf-8") as log:
                    log.write("process\t%d\t%d\t0\n" % (rank, size))
            done = latecomer("watch", "--once", "--json", directory, preexec_fn=limit(AS=1 << 30))
            self.assertEqual(done.returncode, 0, done.stderr)
            state = json.loads(done.stdout)
            self.assertEqual(state["size"], 65536)  # as many votes as for 4
            self.assertEqual(state["not_watched"][-1],
                             {"rank": 16777215, "why": "its number is too high for a run of 65536 ranks"})
            os.remove(os.path.join(directory, "records", "2.def"))
            done = latecomer("watch", "--once", "--json", directory, preexec_fn=limit(AS=1 << 30))
            self.assertEqual(json.loads(done.stdout)["size"], 4)


def agents_of(experiment):
    """Ids of the agents that watch an experiment for scan."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open("/proc/%s/cmdline" % name, "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if words[0].endswith(b"latecomer-watch") and os.fsencode(os.path.join(experiment, "watch.json")) in words:
            found.append(int(name))
    return found


def resize(terminal, columns, rows):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as here:
            here.bind(("::1", 0))
        return True
    except OSError:
        return False


def is_idle(process):
    try:
        return os.sched_getscheduler(process) == os.SCHED_IDLE
    except ProcessLookupError:
        return False


def processes_of(experiment):
    """Processes that have mapped records of this experiment."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            with open("/proc/%s/maps" % name, encoding="utf-8", errors="replace") as maps:
                if os.path.realpath(experiment) + "/records/" in maps.read():
                    found.append(int(name))
        except OSError:
            pass
    return found


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], GROUP], verbosity=2)
