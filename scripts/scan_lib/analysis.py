# SPDX-License-Identifier: BSD-3-Clause
"""From a recorded experiment to the summary: repair if needed, analyzer, latecomer show."""
import json
import os
import shlex
import shutil
import socket
import subprocess
import sys

from . import checks, run
from .command import Command

EXIT_BAD_INPUT, EXIT_PARTIAL = 3, 4


def analyze_existing(chosen, tools, say):
    directory = os.path.abspath(chosen.own["analyze"])
    if not os.path.isdir(directory):
        raise checks.Refused("%s: no such experiment" % directory,
                             "give the directory that scan has written, latecomer_..._trace",
                             EXIT_BAD_INPUT)
    command = Command(chosen.words + ["program"]) if chosen.words else None
    if command is not None and command.launcher is None:
        raise checks.Refused("%s: not a launcher" % chosen.words[0],
                             "scan -a EXPERIMENT, or scan -a EXPERIMENT mpiexec -n P")
    if "dry-run" in chosen.own:
        print(shlex.join(planned(command, chosen, tools, directory)))
        return 0
    return analyze(directory, command, chosen, tools, say)


def planned(command, chosen, tools, directory):
    """The command of the analysis as far as it is known before the run."""
    words = [tools.analyzer or "latecomer-analyzer", directory]
    ranks = command.ranks if command is not None else None
    return launch(words, command, processes(chosen, ranks), elsewhere=False)


def processes(chosen, ranks):
    """How many analysis processes: the user's word, else as many as are of use on this host."""
    if "analysis-processes" in chosen.own:
        text = chosen.own["analysis-processes"]
        if not text.isdigit() or int(text) < 1:
            raise checks.Refused("-A %s: not a number of processes" % text, "for instance -A 4")
        return int(text)
    cores = len(os.sched_getaffinity(0))
    return min(ranks, cores) if ranks else cores


def launch(words, command, number, elsewhere):
    if command is None or command.launcher is None:
        launcher = shutil.which("mpiexec.mpich") or shutil.which("mpiexec")
        return [launcher, "-n", str(number)] + words if launcher else words
    if elsewhere:
        return command.with_ranks(number, words)
    return [command.launcher, command.info["same_number_option"][0], str(number)] + words


def archive_size(directory, tools):
    """(ranks, names of nodes) of the archive; (None, []) if it cannot be read."""
    if tools.latecomer is None:
        return None, []
    done = subprocess.run([tools.latecomer, "info", "--json", directory], capture_output=True, text=True)
    try:
        found = json.loads(done.stdout)["processes"]
        return len(found), sorted({process["node"] for process in found})
    except (ValueError, KeyError, TypeError):
        return None, []


def analyze(directory, command, chosen, tools, say):
    """Exit status of the analysis; prints the summary."""
    if tools.analyzer is None:
        raise checks.Refused("latecomer-analyzer was not found", "build or install Latecomer")
    repaired = repair(directory, tools, say)
    ranks, nodes = archive_size(directory, tools)
    number = processes(chosen, ranks)
    elsewhere = bool(nodes) and nodes != [socket.gethostname()]
    if elsewhere and "analysis-processes" not in chosen.own and ranks:
        number = ranks
    words = launch([tools.analyzer, "--quiet", directory], command, number, elsewhere)
    with open(os.path.join(directory, "scan.log"), "a") as f:
        f.write("analysis: %s\n" % shlex.join(words))
    try:
        status = run.run(words)
    except run.Interrupted:
        say("interrupted; the trace is complete: scan -a %s analyzes it" % directory)
        raise
    if status in (0, EXIT_PARTIAL) and tools.latecomer is not None:
        sys.stdout.flush()
        subprocess.run([tools.latecomer, "show", directory], stdout=sys.stderr)
    return EXIT_PARTIAL if status == 0 and repaired else status


def repair(directory, tools, say):
    """Makes an archive of the records that a broken run left. True if that was needed."""
    if os.path.exists(os.path.join(directory, "traces.otf2")):
        return False
    if not checks.has_records(directory) or tools.repair is None:
        return False  # the analyzer says what is wrong
    say("the program did not reach MPI_Finalize: making the trace from its records")
    done = subprocess.run([tools.repair, directory], capture_output=True, text=True)
    if done.returncode not in (0, EXIT_PARTIAL):
        sys.stderr.write(done.stderr or done.stdout)
        raise checks.Refused("no trace could be made from the records in %s" % directory,
                             "the lines above say why", EXIT_BAD_INPUT)
    return True
