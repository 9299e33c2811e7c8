#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Views of programs that run: text, JSON, metrics; who waits now; views that come late."""
import contextlib
import fcntl
import http.client
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

sys.dont_write_bytecode = True
from support import LATECOMER, METRICS, Run, SECONDS, Watching  # noqa: E402

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# The names of the families that Prometheus's client reads, with type, unit, and the labels of the samples.
PARSE = """
import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
print(json.dumps({f.name: [f.type, f.unit, [s.labels for s in f.samples]]
                  for f in text_string_to_metric_families(sys.stdin.read())}))
"""


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


class Views(unittest.TestCase):
    def lines_to_the_end(self, *options):
        """What is said of a run from its begin to its end. The program ends after the first line was said."""
        with tempfile.TemporaryDirectory() as directory:
            go_on = os.path.join(directory, "go on")
            with Run("heat2d", "--steps", "600", "--uneven", "2", APP_WAITS_FOR_FILE=go_on) as run, \
                    Watching(["--wait", "60", "--schedule", "normal", "--interval", "0.2", *options, run.experiment]) as watching:
                first = next(watching.lines())
                with open(go_on, "w", encoding="utf-8"):
                    pass
                status, rest, errors = watching.end()
                self.assertEqual(status, 0, errors)
                status, output = run.end()
                self.assertEqual(status, 0, output)
                return [first.rstrip("\n"), *rest]

    def test_text_while_it_runs(self):
        text = "\n".join(self.lines_to_the_end())
        last = text.split("\n\nheat2d")[-1]
        self.assertRegex(text, r"heat2d --steps 600 --uneven 2: 4 ranks on 1 node, ended after ")
        self.assertRegex(last, r"Wait at N x N .* main > residual > MPI_Allreduce \(heat2d\.c:\d+\)")
        self.assertRegex(last, r"last to come to[^\n]*\nallreduce +600 ")
        self.assertNotIn("\x1b", text)

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
        lines = [json.loads(line) for line in self.lines_to_the_end("--json")]
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


if __name__ == "__main__":
    unittest.main(verbosity=2)
