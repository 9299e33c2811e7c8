# SPDX-License-Identifier: BSD-3-Clause
"""scan from start to end."""
import os
import shlex
import shutil
import sys

from . import analysis, checks, options, run
from .command import Command
from .options import Options, UsageError
from .tools import Tools

EXIT_USAGE, EXIT_BAD_INPUT = 2, 3


def say(text):
    print("scan: " + text, file=sys.stderr, flush=True)


def complain(what, hint):
    print("error: %s\nhint:  %s" % (what, hint), file=sys.stderr, flush=True)


def main(argv):
    tools = Tools()
    table = options.read_settings(tools.settings)
    try:
        chosen = Options(argv, table)
    except UsageError as error:
        complain(str(error), "scan --help lists the options")
        return EXIT_USAGE
    if "help" in chosen.own:
        print(options.help_text(table))
        return 0
    if "version" in chosen.own:
        print("scan " + tools.version)
        return 0
    run.adopt_orphans()
    try:
        if "analyze" in chosen.own:
            return analysis.analyze_existing(chosen, tools, say)
        return measure(chosen, tools, table)
    except checks.Refused as refused:
        complain(refused.what, refused.hint)
        return refused.status
    except run.Interrupted:
        return 130


def measure(chosen, tools, table):
    if not chosen.words:
        raise checks.Refused("no program to run", "scan mpiexec -n 4 ./app;  scan --help tells more")
    command = Command(chosen.words)
    checks.check_command(command)
    if "quiet" in chosen.own:
        return execute(command.with_targets(lambda s: [s.target] + s.arguments), chosen)
    if tools.library is None:
        raise checks.Refused("the measurement library liblatecomer.so was not found",
                             "build or install Latecomer: ./scripts/demo does it in a checkout")
    directory = experiment_directory(command, chosen)
    settings = all_settings(chosen, table, directory)
    words = command.with_targets(lambda segment: preloaded(segment, settings, tools, chosen))
    if "dry-run" in chosen.own:
        print(shlex.join(words))
        print(shlex.join(analysis.planned(command, chosen, tools, directory)))
        return 0
    suggest_yield(command, chosen)
    prepare(directory, settings, words)
    if settings.get("LATECOMER_VERBOSE", "0") not in ("", "0"):
        say("running " + shlex.join(words))
    try:
        status = run.run(words)
    except run.Interrupted:
        say("interrupted; " + what_is_left(directory))
        raise
    log(directory, "program ended with status %d" % status)
    return finish(status, command, chosen, tools, directory)


def execute(words, chosen):
    if "dry-run" in chosen.own:
        print(shlex.join(words))
        return 0
    return run.run(words)


def experiment_directory(command, chosen):
    name = chosen.settings.get("LATECOMER_EXPERIMENT_DIRECTORY",
                               os.environ.get("LATECOMER_EXPERIMENT_DIRECTORY", ""))
    if not name:
        target = os.path.basename(command.segments[0].target)
        number = "_%d" % command.ranks if command.ranks else ""
        name = "latecomer_%s%s_trace" % (target, number)
    flag = lambda variable: chosen.settings.get(variable, os.environ.get(variable, "")) not in ("", "0")
    return os.path.abspath(checks.check_directory(
        name, flag("LATECOMER_OVERWRITE"), flag("LATECOMER_NEXT")))


def all_settings(chosen, table, directory):
    """Every variable that has a value, from the command line or else the environment."""
    settings = {}
    for row in table:
        variable = row["variable"]
        value = chosen.settings.get(variable, os.environ.get(variable, ""))
        if value:
            settings[variable] = value
    settings["LATECOMER_EXPERIMENT_DIRECTORY"] = directory
    settings.pop("LATECOMER_NEXT", None)  # the number has been chosen
    if "LATECOMER_FILTER" in settings:
        settings["LATECOMER_FILTER"] = os.path.abspath(settings["LATECOMER_FILTER"])
        if not os.path.isfile(settings["LATECOMER_FILTER"]):
            raise checks.Refused("filter file %s: not found" % settings["LATECOMER_FILTER"],
                                 "check the path given with -f")
    return settings


def preloaded(segment, settings, tools, chosen):
    libraries = [tools.library]
    if "yield" in chosen.own:
        if tools.yield_library is None:
            raise checks.Refused("liblatecomer-yield.so was not found", "build or install Latecomer")
        libraries.append(tools.yield_library)
    if os.environ.get("LD_PRELOAD"):
        libraries.append(os.environ["LD_PRELOAD"])
    # env is started by the launcher on every host, and only the program gets the library.
    return (["env", "LD_PRELOAD=" + ":".join(libraries)] +
            ["%s=%s" % item for item in sorted(settings.items())] +
            [segment.target] + segment.arguments)


def suggest_yield(command, chosen):
    cores = os.cpu_count() or 1
    if "yield" not in chosen.own and command.ranks and command.ranks > cores \
            and not command.named_hosts:
        say("%d ranks share %d cores: with MPICH, --yield makes messages much faster"
            % (command.ranks, cores))


def prepare(directory, settings, words):
    try:
        os.makedirs(directory, exist_ok=True)
        with open(os.path.join(directory, "latecomer.cfg"), "w") as f:
            f.write("# Settings of this experiment; source this file to use them again.\n")
            for name, value in sorted(settings.items()):
                f.write("export %s=%s\n" % (name, shlex.quote(value)))
        with open(os.path.join(directory, "scan.log"), "w") as f:
            f.write("command: %s\n" % shlex.join(words))
    except OSError as error:
        raise checks.Refused("experiment directory %s: %s" % (directory, error.strerror),
                             "choose a place where there is room and you may write: -e DIR")


def log(directory, line):
    try:
        with open(os.path.join(directory, "scan.log"), "a") as f:
            f.write(line + "\n")
    except OSError:
        pass  # a full disk: the message on the terminal is what counts


def what_is_left(directory):
    if os.path.exists(os.path.join(directory, "traces.otf2")):
        return "the trace is complete: scan -a %s analyzes it" % directory
    if checks.has_records(directory):
        return "records up to that moment are in %s: scan -a %s analyzes them" % (directory, directory)
    return "nothing was recorded"


def finish(status, command, chosen, tools, directory):
    """The analysis after the run; a failed program's own status counts more than anything else."""
    if status != 0:
        say("the program ended with status %d" % status)
    if not checks.is_experiment(directory) or not (
            os.path.exists(os.path.join(directory, "traces.otf2")) or checks.has_records(directory)):
        remove_empty(directory)
        if status == 0:
            raise checks.Refused(
                "%s never called MPI_Init: nothing was recorded" % command.segments[0].target,
                "is it an MPI program, and linked dynamically with the MPI library of the launcher?",
                EXIT_BAD_INPUT)
        return status
    analyzed = analysis.analyze(directory, command, chosen, tools, say)
    return status if status != 0 else analyzed


def remove_empty(directory):
    """An experiment that nothing was recorded in is no experiment."""
    for name in ("scan.log", "latecomer.cfg"):
        try:
            os.remove(os.path.join(directory, name))
        except OSError:
            pass
    shutil.rmtree(os.path.join(directory, "records"), ignore_errors=True)
    try:
        os.rmdir(directory)
    except OSError:
        pass
