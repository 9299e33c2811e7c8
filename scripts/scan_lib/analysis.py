# SPDX-License-Identifier: BSD-3-Clause
"""Leads from a recorded experiment to the summary: repair if needed, analyzer, latecomer show."""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time

from . import cost, elf, expectation, memory, preload, run, suggested_filter
from .checks import Failed, Refused
from .command import Command, behind_env
from .experiment import Experiment
from .options import OF_ANALYZER
from .output import BYTES, STDERR, answer, command_line, put, quoted

EXIT_USAGE, EXIT_BAD_INPUT, EXIT_PARTIAL = 2, 3, 4
KEEP_RECORDS = "LATECOMER_KEEP_RECORDS"
# Signals by which a process ends that did something impossible.
CRASHES = (signal.SIGILL, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGSEGV)


def analyze_existing(chosen, tools, say):
    directory = os.path.abspath(chosen.own["analyze"])
    if os.path.isfile(directory):
        raise Refused("%s: a file, not an experiment" % directory,
                      "give its directory: scan -a %s" % quoted(os.path.dirname(chosen.own["analyze"]) or "."), EXIT_BAD_INPUT)
    if not os.path.isdir(directory):
        raise Refused("%s: no such experiment" % directory,
                      "give the directory that scan has written, latecomer_..._trace", EXIT_BAD_INPUT)
    command = Command(chosen.words + ["program"]) if chosen.words else None
    if command is not None and command.known is None:
        raise Refused("%s: not a launcher that scan knows" % chosen.words[0],
                      "scan -a EXPERIMENT, or scan -a EXPERIMENT mpiexec -n P")
    check_corrected(chosen, directory)
    name = quoted(chosen.own["analyze"])
    if Experiment(directory).was_only_watched and not Experiment(directory).has_trace:
        has_report = os.path.exists(Experiment(directory).file("analysis.cubex"))
        raise Refused("%s: this run was only watched, so there is no trace to analyze" % chosen.own["analyze"],
                      "latecomer %s %s; scan -t --watch records a trace, too" % (
                          "show" if has_report else "profile", name), EXIT_BAD_INPUT)
    if Experiment(directory).has_report_only:
        raise Refused("%s: the trace is not here any more (scan --clean deletes it), but the report is" % chosen.own["analyze"],
                      "latecomer show %s prints it; scan --overwrite -e %s mpiexec -n 4 ./program "
                      "records anew" % (name, name), EXIT_BAD_INPUT)
    if "dry-run" in chosen.own:
        if not Experiment(directory).has_events:
            raise Refused("%s: no trace was recorded here" % chosen.own["analyze"],
                          "give the directory that scan has written, latecomer_..._trace", EXIT_BAD_INPUT)
        return 0 if answer(command_line(planned(command, chosen, tools, directory))) else EXIT_USAGE
    experiment = Experiment(directory)
    if not experiment.take():
        name = quoted(chosen.own["analyze"])
        raise Refused("%s: another scan records or analyzes there" % chosen.own["analyze"],
                      "wait for its end; latecomer watch %s shows a run that is going on" % name, EXIT_BAD_INPUT)
    status = Analysis(experiment, command, chosen, tools, say).run()
    if status == EXIT_PARTIAL:
        say("exit status %d: the result is partial, the lines above say why" % EXIT_PARTIAL)
    return status


def planned(command, chosen, tools, directory):
    """The command of the analysis, as far as it is known before the run."""
    number = wanted_processes(chosen) or useful_processes(command.ranks if command else None)
    return launch(analyzer_words(chosen, tools, directory), command, number, tools.mpi)


def analyzer_words(chosen, tools, directory):
    """The command line of the analyzer, without a launcher."""
    words = [tools.analyzer or "latecomer-analyzer", "--quiet"]
    if os.isatty(STDERR):  # the launcher hides the terminal from the analyzer
        words.append("--progress")
    for name, (pattern, otherwise) in OF_ANALYZER.items():
        value = chosen.own.get(name)
        if value is None:
            continue
        if value is True:
            words.append("--" + name)
            continue
        if not re.fullmatch(pattern, value):
            raise Refused("--%s %s: %s" % (name, value, otherwise), "scan --help lists the options")
        words += ["--" + name, value]
    corrected = chosen.own.get("write-corrected")
    return words + (["--write-corrected", os.path.abspath(corrected)] if corrected else []) + [directory]


def check_corrected(chosen, directory):
    """Refuses a place for the corrected archive that the analyzer would refuse after the run."""
    if "write-corrected" not in chosen.own:
        return
    path = os.path.abspath(chosen.own["write-corrected"])
    if os.path.lexists(path):
        raise Refused("--write-corrected %s: exists already" % path, "name a new directory")
    inside = os.path.commonpath([os.path.realpath(path), os.path.realpath(directory)])
    if inside == os.path.realpath(directory):
        raise Refused("--write-corrected %s: that is in the experiment itself" % path,
                      "name a directory outside of %s" % directory)


def wanted_processes(chosen):
    """The number given with -A; None without it."""
    text = chosen.own.get("analysis-processes")
    if text is None:
        return None
    if not text.isdigit() or int(text) < 1:
        raise Refused("-A %s: not a number of processes" % text, "for instance -A 4")
    return int(text)


def warn_of_idle(wanted, ranks, say):
    if wanted > ranks:
        say("-A %d: the run has %s, further processes of the analysis have nothing to do"
            % (wanted, "1 rank" if ranks == 1 else "%d ranks" % ranks))


def useful_processes(ranks):
    """As many analysis processes as ranks, but at most as many as this host has cores; ranks may be
    None."""
    cores = len(os.sched_getaffinity(0))
    return min(ranks, cores) if ranks else cores


def own_launcher(mpi, number):
    """The launcher of this MPI with a number of processes; [] if there is none. Debian names
    launchers after the MPI if several are installed."""
    suffix, options = {"Open MPI": (".openmpi", ["--oversubscribe"])}.get(mpi, (".mpich", []))
    for launcher in filter(None, map(shutil.which, ("mpiexec" + suffix, "mpiexec.hydra", "mpiexec"))):
        if is_launcher_of(launcher, mpi):
            return [launcher, "-n", str(number)] + options
    return []


def is_launcher_of(launcher, mpi):
    """False for a launcher that is known to belong to another MPI: each process would believe it is the only one."""
    return mpi is None or elf.family_of_launcher(os.path.realpath(shutil.which(launcher) or launcher)) in (None, mpi)


def launch(words, command, number, mpi):
    """The command line that runs `words` on `number` processes where the program ran. If number is
    None, they run on as many processes as the program had, each where a process of the program
    was."""
    if command is None or command.launcher is None or not is_launcher_of(command.launcher, mpi):
        return own_launcher(mpi, number or 1) + words
    if preload.is_for_launched(command):
        words = ["env", "-u", preload.LIBRARIES] + behind_env(words)
    if number is None or command.known is None:
        return command.with_targets(lambda segment: words)
    return command.with_ranks(number, words)


def info(tools, directory):
    """The output of `latecomer info`; {} if the archive cannot be read."""
    if tools.latecomer is None:
        return {}
    done = subprocess.run([tools.latecomer, "info", "--json", directory],
                          stdin=subprocess.DEVNULL, capture_output=True)
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {}


def make_trace(experiment, chosen, tools):
    """Makes an archive from records. Returns the status of latecomer-repair, and its output."""
    kept = chosen.settings.get(KEEP_RECORDS)
    done = subprocess.run([tools.repair, experiment.path], stdin=subprocess.DEVNULL, capture_output=True,
                          env=os.environ if kept is None else {**os.environ, KEEP_RECORDS: kept}, **BYTES)
    text = done.stderr or done.stdout
    experiment.log(text)
    return done.returncode, text


class Analysis:
    """One analysis of an experiment."""

    def __init__(self, experiment, command, chosen, tools, say):
        self.experiment, self.command, self.chosen = experiment, command, chosen
        self.tools, self.say = tools, say
        self.found = None  # content of the archive, as soon as it is known

    def run(self):
        """Runs the analysis, prints the summary, and returns the exit status."""
        if self.tools.analyzer is None:
            raise Refused("latecomer-analyzer was not found", "build or install Latecomer")
        repaired = self.repair()
        self.found = None
        if repaired is not None and self.size()[2] > 1:
            self.say("this is the analysis of the processes whose records are here; latecomer collect "
                     "brings the records of all %d parts together" % self.size()[2])
            self.command = None  # in the other places there are only records
        number = self.processes()
        words = launch(analyzer_words(self.chosen, self.tools, self.experiment.path), self.command, number,
                       self.tools.mpi)
        self.warn_of_memory(number)
        # Open MPI's launcher would comment on exit statuses that the analyzer has already
        # explained.
        environment = {"OMPI_MCA_orte_execute_quiet": "1", **os.environ}
        self.experiment.log("analysis: " + command_line(words))
        begin = time.monotonic()
        try:
            status = run.run_own(words, env=environment)
        except run.Interrupted:
            self.say("interrupted; the trace is complete: scan -a %s analyzes it" %
                     quoted(self.experiment.path))
            raise
        self.experiment.log("analysis ended with status %d" % status)
        if status in (0, EXIT_PARTIAL):
            self.experiment.log(expectation.TOOK % (time.monotonic() - begin))
            if "analyze" not in self.chosen.own:
                self.say_cost()
            self.show()
            corrected = self.chosen.own.get("write-corrected")
            if corrected and os.path.isdir(corrected):
                self.say("the trace with corrected times: %s" % corrected)
            if "clean" in self.chosen.own:
                self.clean(status == 0 and repaired in (0, None))
        elif (status - 128 if status > 128 else status) in CRASHES:
            self.say("the analysis crashed (status %d), which is an error in Latecomer: please report it with the output "
                     "above; the trace is complete" % status)
        elif status > EXIT_PARTIAL:  # not a status of the analyzer, so it could not print a message
            self.say("the analysis was ended from outside (status %d), as the system does when memory runs out; the trace "
                     "is complete. More nodes have more of it, and recording less needs less (--from, --for, --iterations, --ranks, -f): "
                     "scan -a %s analyzes it again" % (status, quoted(self.experiment.path)))
        return EXIT_PARTIAL if status == 0 and repaired else status

    def processes(self):
        """Number of analysis processes; None: one for every rank of the program, in the same place."""
        wanted = wanted_processes(self.chosen)
        if wanted and self.command is not None and self.command.launcher and not self.command.known:
            self.say("-A is not used: scan does not know how to tell %s a number of processes"
                     % self.command.launcher)
        if wanted:
            ranks = self.size()[0] if "analyze" in self.chosen.own else None
            if ranks:
                warn_of_idle(wanted, ranks, self.say)
            return wanted
        if self.command is not None and self.command.ranks and "analyze" in self.chosen.own:
            return self.command.ranks  # scan -a EXPERIMENT mpiexec -n P
        ranks, nodes, parts = self.size()
        here = (not nodes or nodes == [socket.gethostname()]) and parts == 1
        return useful_processes(ranks) if here or self.command is None else None

    def size(self):
        """(ranks, names of nodes, parts) of the archive; (None, [], 1) if it cannot be read. If
        there are several parts, each is on another file system. Then the analysis must run where
        the program ran."""
        try:
            found = self.info()
            processes = found["processes"]
            return len(processes), sorted({process["node"] for process in processes}), found["parts"]
        except (ValueError, KeyError, TypeError):
            return None, [], 1

    def info(self):
        if self.found is None:
            self.found = info(self.tools, self.experiment.path)
        return self.found

    def warn_of_memory(self, number):
        """Warns before the analysis, which may take long and end without a message."""
        ranks, nodes, parts = self.size()
        here = self.command is None or ((not nodes or nodes == [socket.gethostname()]) and parts == 1)
        text = memory.warning(expectation.events_of(self.info()), number or ranks or 1,
                              1 if here else max(1, len(nodes)), memory.available())
        if text:
            self.say(text)

    def clean(self, whole):
        """Implements --clean: the report stays, the trace is deleted, unless something is missing
        in the report."""
        if not whole:
            return self.say("--clean: the trace stays, since the result is partial")
        self.experiment.remove_trace()
        self.say("--clean: the trace is deleted, the report stays")

    def say_cost(self):
        """Prints, after a run, how much of the program's time measuring took."""
        found = cost.of(self.info())
        if found is None:
            return
        self.say(found.text(self.experiment.path))
        advice = found.advice()
        if advice and found.is_of_functions():
            earlier = self.chosen.settings.get("LATECOMER_FILTER", os.environ.get("LATECOMER_FILTER", ""))
            advice = suggested_filter.write(self.tools, self.experiment, earlier) or advice
        if advice:
            self.say("warning: " + advice)

    def repair(self):
        """Makes an archive from the records that a broken run left. Returns the status of that; None if it was not
        needed."""
        if self.experiment.has_trace or not self.experiment.has_records or self.tools.repair is None:
            return None  # if there is nothing at all, the analyzer says what is wrong
        self.say("making the trace from the records" if self.experiment.was_finalized else
                 "the program did not reach MPI_Finalize: making the trace from its records")
        status, text = make_trace(self.experiment, self.chosen, self.tools)
        if status not in (0, EXIT_PARTIAL):
            raise Failed(text, EXIT_BAD_INPUT)
        return status

    def show(self):
        """Writes the summary to the terminal (not into the program's output) and into the log."""
        if self.tools.latecomer is None:
            return
        path = os.path.relpath(self.experiment.path)  # below the current directory: as the user would write it
        done = subprocess.run([self.tools.latecomer, "show",
                               self.experiment.path if path[:1] in ".-" else path],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, **BYTES)
        put(STDERR, done.stdout)
        self.experiment.log(done.stdout)
