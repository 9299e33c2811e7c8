# SPDX-License-Identifier: BSD-3-Clause
"""Watches a run while it goes on (--watch): starts latecomer-watch on this host, ends it, and says what it saw."""
import glob
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time

from . import left_over, plain_file, run
from .checks import Refused
from .output import quoted

WATCH, DIRECTORY = "LATECOMER_WATCH", "LATECOMER_WATCH_DIRECTORY"
GATHER = "LATECOMER_WATCH_GATHER"
IN_MEMORY = "/dev/shm"
REPORT = "watch.json"
FOLDER = "agents"  # key of the run, and addresses of the agents of its hosts
WHAT = "Who waited for whom, as it was seen while the program ran (`latecomer watch`)."
FOREVER = "100000000"  # seconds that the agent waits for MPI_Init
# Seconds that the agent has to read what is left, and to write its report when it is asked to end.
PATIENCE, LAST_PATIENCE = 30, 5
LOOK = 0.2
PREFIX = "latecomer-watch-"  # other files of running programs begin with latecomer-, too
MOST_TEXT = 4096
LEAST, MOST = 1 << 16, 1 << 30  # bytes for the records of a thread (tracer/session/process/session.cpp)
MOST_PATHS, MOST_PLACES, MOST_NOTES = 3, 6, 5  # that scan tells
# Places of ranks that did not reach MPI_Finalize, by the words of latecomer-watch.
STATES = {"outside": "in no MPI call", "exited": "exited", "aborted": "MPI_Abort", "unknown": "no records of it"}


def check(chosen, tools):
    """Refuses what does not go together with --watch, before the first run."""
    if "watch" not in chosen.own:
        return
    if "quiet" in chosen.own:
        raise Refused("--watch and --quiet exclude each other", "leave one of them out")
    if tools.watch is None:
        raise Refused("latecomer-watch was not found", "build or install Latecomer")


def is_only_watched(chosen):
    return "watch" in chosen.own and "trace" not in chosen.own


def size_in_use(text):
    """What is said of a size for the records that the measurement library does not take as it is; empty: nothing."""
    found = re.fullmatch(r"(\d+)([KMG]?)", text)
    if not found:
        return ""
    size = int(found[1]) << 10 * " KMG".index(found[2] or " ")
    if size < LEAST:
        return "--watch-size %s: each thread gets 64 KiB, the least that is possible" % text
    return "--watch-size %s: each thread gets 1 GiB, the most that is possible" % text if size > MOST else ""


class Agent:
    """The agent of a run. Nothing that happens to it changes the run."""

    def __init__(self, experiment, tools, only, base, gather, say):
        self.experiment, self.tools, self.only, self.gather, self.say = experiment, tools, only, gather, say
        self.child, self.errors, self.memory, self.owner = None, None, None, None
        self.is_started = False
        self.is_partial = False  # ranks or records are missing
        self.base = base or IN_MEMORY

    def settings(self):
        """The settings of the measurement library for the run. Makes the directory for the records."""
        if not self.only:
            return {}
        for path in left_over.remove(IN_MEMORY, PREFIX):
            self.say("removed the records of a run whose scan was killed: %s" % path)
        try:
            self.memory = tempfile.mkdtemp(prefix=PREFIX, dir=self.base)
            self.owner = left_over.own(self.memory)
        except OSError as error:
            self.say("the records lie in %s, since there is no room in %s: %s" % (
                self.experiment.path, self.base, error.strerror))
            return {WATCH: "only"}
        return {WATCH: "only", DIRECTORY: self.memory}

    def beside(self):
        """Words before the program: on other hosts its first process starts an agent there."""
        if self.tools.beside is None:
            return []
        return [self.tools.beside, self.tools.watch, self.experiment.path, socket.gethostname(), self.memory or "", self.gather, "--"]

    def start(self):
        self.is_started = True
        try:
            os.mkdir(self.experiment.file(FOLDER), 0o700)
        except OSError as error:
            self.say("ranks on other hosts will not be watched: cannot make %s: %s" % (
                self.experiment.file(FOLDER), error.strerror))
        self.say("watching: latecomer watch %s shows who waits now" % quoted(self.experiment.path))
        try:
            self.errors = tempfile.TemporaryFile()
        except OSError:
            pass  # then nobody says why the agent failed
        try:
            # A session of its own: Ctrl-C on the terminal must not end the agent before it has read everything.
            self.child = subprocess.Popen(
                [self.tools.watch, "--agent", "--quiet", "--wait", FOREVER, "--gather", self.gather,
                 "--report", self.experiment.file(REPORT), self.experiment.path], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=self.errors or subprocess.DEVNULL, start_new_session=True,
                preexec_fn=run.end_with(os.getpid()))
        except OSError as error:
            self.say("nobody watches the run: %s: %s" % (self.tools.watch, error.strerror))
            return
        run.of_scan.add(self.child.pid)

    def end(self):
        """After the end of the run: waits until the agent has read everything. False: it saw nothing."""
        status = self.status()
        if self.child is not None:
            run.of_scan.discard(self.child.pid)
        seen = self.tell(status) if status is not None else False
        remove_file(self.experiment.file(REPORT + ".part"))
        if self.only:
            self.tell_of_places()
            if seen:
                self.make_profile()
                self.experiment.describe_watched()
        return seen

    def make_profile(self):
        """Makes a report of what was seen, so that runs without a trace can be shown and compared."""
        if self.tools.latecomer is None:
            return
        try:
            done = subprocess.run([self.tools.latecomer, "profile", "--overwrite", self.experiment.path], stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, errors="replace", check=False)
        except OSError as error:
            self.say("no report: %s: %s" % (self.tools.latecomer, error.strerror))
            self.is_partial = True
            return
        if done.returncode == 0:
            self.say("report: latecomer show %s" % quoted(self.experiment.path))
        else:
            self.is_partial = True
            self.say("no report: " + (done.stderr.strip().splitlines() or ["latecomer profile has failed"])[0].removeprefix("error: "))

    def status(self):
        """Exit status of the agent; None if there is none."""
        if self.child is None:
            return None
        patience = PATIENCE if os.path.isdir(self.experiment.file("records")) or self.experiment.has_trace else 0
        for end, seconds in ((None, patience), (self.child.terminate, LAST_PATIENCE), (self.child.kill, LAST_PATIENCE)):
            if end is not None:
                end()
            until = time.monotonic() + seconds
            while True:
                self.let_it_run()  # again and again, since it may choose its schedule only now
                try:
                    return self.child.wait(max(0, min(LOOK, until - time.monotonic())))
                except subprocess.TimeoutExpired:
                    if time.monotonic() >= until:
                        break
        return None

    def let_it_run(self):
        """The agent runs only when a core has nothing else to do. Now it disturbs nobody any more."""
        try:
            os.sched_setscheduler(self.child.pid, os.SCHED_OTHER, os.sched_param(0))
        except OSError:
            pass  # it has ended

    def tell(self, status):
        try:
            with plain_file.reading(self.experiment.file(REPORT)) as f:
                report = json.load(f)
        except (OSError, ValueError):
            report = None
        if status != 0 or report is None:
            self.say("the agent that watched the run %s%s; the run went on without it" % (
                "was ended by signal %d" % -status if status < 0 else "ended with status %d" % status, self.reason()))
            self.is_partial = True
            return report is not None
        for line in self.notes() + summary(report):
            self.say(line)
        self.is_partial = is_partial(report)
        self.say("statistics: %s" % quoted(self.experiment.file(REPORT)))
        return True

    def lines_of_errors(self):
        if self.errors is None:
            return []
        self.errors.seek(0)
        return self.errors.read(MOST_TEXT).decode(errors="replace").strip().splitlines()

    def notes(self):
        """What the agent has to say of agents on other hosts."""
        return [line.removeprefix("note: ") for line in self.lines_of_errors() if line.startswith("note: ")][:MOST_NOTES]

    def reason(self):
        lines = [line for line in self.lines_of_errors() if not line.startswith("note: ")]
        return ": " + lines[0].removeprefix("error: ") if lines else ""

    def tell_of_places(self):
        """The measurement library takes the directory of the experiment where there is no room in memory."""
        if self.memory is None:
            return
        files = glob.glob(os.path.join(glob.escape(self.experiment.file("records")), "*.rec"))
        elsewhere = sum(not os.path.islink(path) for path in files)
        if elsewhere:
            self.say("the records of %d of %d threads lay in %s: their ranks ran on other hosts, or had no room in %s" % (
                elsewhere, len(files), self.experiment.path, self.base))

    def clean(self):
        """Removes the key of the run, and the records of a program that was only watched."""
        if self.is_started:
            shutil.rmtree(self.experiment.file(FOLDER), ignore_errors=True)
        if not self.only:
            return
        if self.is_started:  # otherwise they are those of an earlier run
            shutil.rmtree(self.experiment.file("records"), ignore_errors=True)
        if self.memory is not None:
            shutil.rmtree(self.memory, ignore_errors=True)
        if self.owner is not None:
            os.close(self.owner)
            self.owner = None


def is_partial(report):
    """True if a report lacks ranks or records, or if ranks did not reach MPI_Finalize."""
    return not isinstance(report, dict) or report.get("partial") is not False


def remove_file(path):
    try:
        os.unlink(path)
    except OSError:
        pass  # there is none


def largest_waits(paths):
    """Lines about the call paths that waited most, and for whom."""
    lines = []
    for path in sorted(paths, key=lambda path: -path["ns"])[:MOST_PATHS]:
        line = "waited %.3f s in %s" % (path["ns"] / 1e9, path["path"])
        if path["place"]:
            line += " (%s)" % path["place"]
        first = max(path["causes"], key=lambda cause: cause["ns"], default=None)
        if first and path["ns"] > 0 and first["ns"] >= path["ns"] / 100:
            line += ", for rank %d: %.0f %%" % (first["rank"], 100 * first["ns"] / path["ns"])
        lines.append(line)
    return lines


def ranks_text(ranks):
    return "%s %s" % ("rank" if len(ranks) == 1 else "ranks", ", ".join(map(str, ranks[:8])) + (", ..." if len(ranks) > 8 else ""))


def without_finalize(report):
    """Lines about ranks that did not reach MPI_Finalize, by place."""
    places = {}
    for one in report["unfinished"]:
        where = STATES.get(one["state"], STATES["unknown"])
        if one["state"] == "in_call":
            where = "in " + " > ".join(one["call_path"])
        places.setdefault(where, []).append(one)
    lines = []
    for where, all_there in sorted(places.items()):
        longest = max(one["for_ns"] for one in all_there) / 1e9
        lines.append("partial: %s did not reach MPI_Finalize: %s%s" % (
            ranks_text([one["rank"] for one in all_there]), where, " for %.1f s" % longest if where.startswith("in ") else ""))
    return lines[:MOST_PLACES] + (["partial: ..."] if len(lines) > MOST_PLACES else [])


def summary(report):
    """Lines about what was seen."""
    try:
        size, elsewhere, counts = report["size"], report["not_watched"], report["counts"]
        lost, time = report["left_out"]["records_lost"], report["time_ns"]
        watched = len(report["ranks"])
        lines = ["watched %d of %d ranks: %d records" % (watched, size, counts["records"]) +
                 (", %d more were overwritten before they were read" % lost if lost else "")]
        if report["waiting_ns"] is None:
            lines.append("how long they waited is not known: records were lost")
        elif time > 0:
            lines.append("%.1f %% of %s was waiting" % (
                100 * report["waiting_ns"] / time, "the time before the losses" if lost else "their time"))
        lines += largest_waits(report["paths"])
        lines += without_finalize(report) if report["ended"] else []
        reasons = {}
        for one in elsewhere:
            reasons.setdefault(one["why"], []).append(one["rank"])
        for why, ranks in reasons.items():
            lines.append("not watched: %s: %s" % (ranks_text(ranks), why))
        return lines
    except (KeyError, TypeError) as error:
        return ["the report of the agent lacks %s" % error]
