#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Steps of watch_test.py that run on the first node of the testbed, where the agents can be reached. Prints what they found.

  watch_steps.py CASE EXPERIMENT PROGRAM [arguments]
"""
import json
import os
import signal
import subprocess
import sys
import threading
import time

BUILD, SCAN, MPIEXEC, GO = (os.environ[name] for name in ("BUILD", "SCAN", "MPIEXEC", "APP_WAITS_FOR_FILE"))
LATECOMER = os.path.join(BUILD, "bin", "latecomer")
SECONDS = 250  # for a run on an overloaded machine


class View:
    """A process that watches, and prints lines of JSON, which are read as they come."""

    def __init__(self, *words):
        self.process = subprocess.Popen([LATECOMER, "watch", "--schedule", "normal", "--wait", "100", "--json", "--interval", "0.2",
                                         *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.states, self.seen = [], 0
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.states.append(json.loads(line))

    def next(self, condition):
        """The next state that fulfils a condition."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            while self.seen < len(self.states):
                self.seen += 1
                if condition(self.states[self.seen - 1]):
                    return self.states[self.seen - 1]
            if not self.reader.is_alive():
                raise SystemExit("the view has ended: " + self.process.stderr.read())
            time.sleep(0.05)
        raise SystemExit("nothing came within %d s" % SECONDS)

    def end(self):
        """After its end: exit status, errors."""
        errors = self.process.stderr.read()
        self.reader.join(SECONDS)
        return self.process.wait(SECONDS), errors


class Steps:
    def __init__(self, experiment, program):
        self.experiment, self.program = experiment, program

    def file(self, name):
        return os.path.join(self.experiment, name)

    def scan(self, *options):
        return subprocess.Popen([sys.executable, SCAN, "--yield", *options, "-e", self.experiment, MPIEXEC, "-n", "4", *self.program],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def view(self, *words, directory=None):
        return View(*words, directory or self.experiment)

    def agents(self):
        """Processes of agents that scan has started on other hosts."""
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/cmdline" % name, encoding="utf-8", errors="replace") as f:
                    words = f.read().split("\0")
            except OSError:
                continue
            if "--beside" in words and self.experiment in words:
                found.append(int(name))
        return sorted(found)

    def report(self):
        with open(self.file("watch.json"), encoding="utf-8") as f:
            return json.load(f)

    def end(self, program):
        """Lets the program go on to its end."""
        with open(GO, "w", encoding="utf-8"):
            pass
        output, _ = program.communicate(timeout=SECONDS)
        return {"status": program.returncode, "output": output, "report": self.report(), "left": os.listdir(self.experiment)}

    def all_hosts(self):
        program, watching = self.scan("-t", "--watch"), self.view()
        watching.next(has_all)
        found = self.end(program)
        return dict(found, view=watching.end(), last=watching.states[-1])

    def killed(self):
        program, watching = self.scan("--watch", "--watch-gather", "patience=3s,arity=1"), self.view()
        watching.next(has_all)
        os.kill(self.agents()[-1], signal.SIGKILL)
        state = watching.next(lambda state: state["not_watched"])
        found = self.end(program)
        return dict(found, view=watching.end(), state=state)

    def views(self):
        program = self.scan("--watch")
        watching, second = self.view(), self.view("--quiet", "--report", self.experiment + "_2.json")
        watching.next(has_all)
        late = self.view("--once")
        late.end()
        other = self.experiment + "_other"
        os.makedirs(other + "/agents", 0o700)
        for name in ("front", "key"):
            with open(self.file("agents/" + name), encoding="utf-8") as f:
                lines = f.read().splitlines()
            if name == "key":
                lines[1:] = reversed(lines[1:])  # a key, but of nobody
            number = os.open(os.path.join(other, "agents", name), os.O_CREAT | os.O_WRONLY, 0o600)
            with open(number, "w", encoding="utf-8") as f:
                f.write("\n".join(lines) + "\n")
        found = {"once": late.states[-1], "mode": os.stat(self.file("agents/key")).st_mode & 0o777, "refused": []}
        for mode in (0o600, 0o644):
            os.chmod(other + "/agents/key", mode)
            found["refused"].append(self.view("--once", directory=other).end())
        found.update(self.end(program))
        found.update(view=watching.end(), last=watching.states[-1])
        second.end()
        with open(self.experiment + "_2.json", encoding="utf-8") as f:
            found["second"] = json.load(f)
        return found


def has_all(state):
    return len(state["ranks"]) == 4 and not state["not_watched"]


if __name__ == "__main__":
    print(json.dumps(getattr(Steps(sys.argv[2], sys.argv[3:]), sys.argv[1])()))
