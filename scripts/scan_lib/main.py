# SPDX-License-Identifier: BSD-3-Clause
"""The program scan from start to end."""
import os
import time

from . import agent, analysis, checks, counters, expectation, experiment, hang, options, preload, repeat, run, values
from .command import Command, behind_env
from .experiment import Experiment
from .options import Options, UsageError
from .output import STDERR, answer, begin, command_line, complain, put, quoted, say, warn
from .tools import Tools

EXIT_USAGE, EXIT_BAD_INPUT = 2, 3
RUN = "LATECOMER_RUN"  # identifies the programs of one run
LAUNCH = "LATECOMER_LAUNCH"  # command line of scan
OF_SCAN = {RUN, LAUNCH, agent.WATCH, agent.DIRECTORY}
COUNTERS = "LATECOMER_COUNTERS"
LONGEST_LAUNCH = 4096  # letters; the system limits a variable to 128 KiB


def main(called, argv):
    begin()
    tools = Tools(called)
    table = options.read_settings(tools.settings)
    try:
        chosen = Options(argv, table)
    except UsageError as error:
        complain(str(error), "scan --help lists the options")
        return EXIT_USAGE
    if "help" in chosen.own:
        return 0 if answer(options.help_text(table)) else EXIT_USAGE
    if "version" in chosen.own:
        return 0 if answer("scan " + tools.version) else EXIT_USAGE
    if chosen.settings.get(COUNTERS) == "list":
        return 0 if answer(counters.listing(tools.counters)) else EXIT_USAGE
    try:
        run.begin()
        values.note_without_effect(table, chosen, say)
        if "analyze" in chosen.own:
            return analysis.analyze_existing(chosen, tools, say)
        return repeat.run_all(Measurement(chosen, tools, table, argv), chosen, say)
    except checks.Refused as refused:
        complain(refused.what, refused.hint)
        return refused.status
    except checks.Failed as failed:
        put(STDERR, failed.text)
        return failed.status
    except run.Interrupted as interrupted:
        run.end_all()
        return 128 + interrupted.number


def shortened(text, most):
    return text if len(text) <= most else text[:most - 4] + " ..."


class Measurement:
    """One run of a program, with or without recording."""

    def __init__(self, chosen, tools, table, argv):
        self.chosen, self.tools, self.table = chosen, tools, table
        self.launch = shortened(command_line(["scan"] + argv), LONGEST_LAUNCH)
        self.is_partial, self.is_recorded = False, True  # result of the last run
        self.not_recorded = []  # sentences on parts that run without being recorded
        if not chosen.words:
            raise checks.Refused("no program to run", "scan mpiexec -n 4 ./app;  scan --help tells more")
        self.command = Command(chosen.words)
        checks.check_command(self.command)

    def check(self):
        """Checks everything before the first run, regardless of the number of runs."""
        if "quiet" in self.chosen.own:
            agent.check(self.chosen, self.tools)
            return
        if self.tools.library is None:
            raise checks.Refused("the measurement library liblatecomer.so was not found",
                                 "build or install Latecomer: ./scripts/demo does it in a checkout")
        self.not_recorded = checks.check_preloading(self.command, self.tools.libraries)
        values.check_settings(self.table, self.chosen, os.environ)
        self.check_counters()
        values.check_recording_less(self.value, self.command.ranks)
        analysis.wanted_processes(self.chosen)  # a wrong value is reported before the run
        hang.wanted(self.chosen)
        agent.check(self.chosen, self.tools)
        analysis.analyzer_words(self.chosen, self.tools, "")

    def check_counters(self):
        """Refuses counters that do not exist, or that this machine cannot count if the program runs here. The
        measurement library gets names that it knows, and the events of others."""
        text = self.value(COUNTERS)
        if text in ("", "off"):
            return
        if self.value("LATECOMER_COMPAT") == "scalasca25":
            raise checks.Refused("--counters and --compat scalasca25 exclude each other", "leave one of them out")
        launcher = os.path.basename(self.command.launcher or "mpiexec")
        here = launcher.startswith("mpi") and not self.command.named_hosts
        self.chosen.settings[COUNTERS] = counters.checked(text, tools_table=self.tools.counters, here=here)

    def run(self):
        if "quiet" in self.chosen.own:
            return self.run_unmeasured()
        if "dry-run" in self.chosen.own:
            return self.plan()
        settings = dict(self.settings(), **{RUN: "%x-%d" % (time.time_ns(), os.getpid()), LAUNCH: self.launch})
        directory = settings["LATECOMER_EXPERIMENT_DIRECTORY"]
        analysis.check_corrected(self.chosen, directory)
        self.experiment = Experiment(directory)
        self.agent = agent.Agent(self.experiment, self.tools, agent.is_only_watched(self.chosen),
                                 self.value(agent.DIRECTORY), self.value(agent.GATHER), self.say) if "watch" in self.chosen.own else None
        try:
            return self.run_recorded(settings)
        finally:
            if self.agent is not None:
                self.agent.clean()

    def run_recorded(self, settings):
        if self.agent is not None:
            settings.update(self.agent.settings())
            wrong_size = agent.size_in_use(self.value("LATECOMER_WATCH_SIZE")) if agent.is_only_watched(self.chosen) else ""
            if wrong_size:
                self.say(wrong_size)
        beside = self.agent.beside() if self.agent is not None else []
        words = self.command.with_targets(lambda segment: self.preloaded(segment, settings, beside))
        self.experiment.prepare(settings, [row for row in self.table if row["variable"] not in OF_SCAN], settings[RUN],
                                agent.is_only_watched(self.chosen))
        for text in self.not_recorded:
            self.say(text)
        self.suggest_yield()
        self.warn_of_idle_processes()
        if self.flag("LATECOMER_VERBOSE"):
            self.say("running " + command_line(words))
        else:
            self.experiment.log("running " + command_line(words))
        if self.agent is not None:
            self.agent.start()
        watch = hang.Watch(self.experiment, self.tools, hang.wanted(self.chosen), self.say)
        try:
            with watch:
                # The agent counts until then, and it may notice the end of the processes at once.
                only = self.agent is not None and agent.is_only_watched(self.chosen)
                status = self.start(words, self.experiment.note_end if only else None)
        except run.Interrupted as interrupted:
            self.experiment.note_end(interrupted.time)
            watch.last_words()
            if self.agent is not None:
                self.agent.end()
            self.say("interrupted; " + ("there is no trace, since the program was only watched"
                                        if agent.is_only_watched(self.chosen) else self.experiment.what_is_left()))
            self.experiment.remove_if_empty()
            raise
        except checks.Refused:
            self.experiment.remove_if_empty()
            raise
        self.experiment.note_end(time.time_ns())
        self.experiment.log("the program ended with status %d" % status)
        if self.agent is None:
            return self.finish(status)
        seen = self.agent.end()
        if agent.is_only_watched(self.chosen):
            return self.finish_watched(status, seen)
        try:
            return self.finish(status)
        finally:
            self.experiment.list_file(agent.REPORT, agent.WHAT)

    def plan(self):
        """Prints the commands of a run. Does so even if an existing experiment stands in the way,
        because the expectation comes from that experiment."""
        occupied = False
        try:
            settings = self.settings()
        except experiment.Occupied as found:
            occupied, settings = True, self.settings(found.path)
        directory = settings["LATECOMER_EXPERIMENT_DIRECTORY"]
        analysis.check_corrected(self.chosen, directory)
        if agent.is_only_watched(self.chosen):
            settings[agent.WATCH] = "only"
        words = self.command.with_targets(lambda segment: self.preloaded(segment, settings))
        lines = [command_line(words)]
        if not agent.is_only_watched(self.chosen):
            lines.append(command_line(analysis.planned(self.command, self.chosen, self.tools, directory)))
        if not answer("\n".join(lines)):
            return EXIT_USAGE
        self.say_expectation()
        if occupied:
            say("the experiment %s exists already: a run would be refused without --overwrite or --next" % directory)
        elif experiment.kind_of(directory) == "experiment":
            say("the experiment that is in %s would be removed first" % directory)
        return 0

    def say_expectation(self):
        """Prints the expected cost of the run, if there is an earlier experiment of that name."""
        earlier = Experiment(os.path.abspath(self.value("LATECOMER_EXPERIMENT_DIRECTORY") or
                                             experiment.name_for(self.command)))
        if not earlier.has_trace:
            return
        ranks = self.command.ranks
        processes = analysis.wanted_processes(self.chosen) or analysis.useful_processes(ranks)
        for line in expectation.describe(analysis.info(self.tools, earlier.path), earlier.path, ranks, processes,
                                         earlier.text_of_log()):
            say(line)

    def run_unmeasured(self):
        """Runs the program without recording; with --yield, so that times can be compared."""
        def words_of(segment):
            program = [segment.target] + segment.arguments
            if "yield" not in self.chosen.own:
                return segment.prefix + program
            return segment.prefix + ["env", self.libraries([], segment)] + self.yielding(segment) + behind_env(program)

        words = self.command.with_targets(words_of)
        if "dry-run" in self.chosen.own:
            return 0 if answer(command_line(words)) else EXIT_USAGE
        return self.start(words)

    def start(self, words, on_signal=None):
        try:
            return run.run(words, on_signal)
        except OSError as error:
            raise checks.Refused("%s: cannot be started: %s" % (words[0], error.strerror),
                                 "is it a program for this machine?")

    def say(self, text):
        say(text)
        self.experiment.log(text)

    def value(self, variable):
        """Value of a setting from the command line, otherwise from the environment."""
        return self.chosen.settings.get(variable, os.environ.get(variable, ""))

    def flag(self, variable):
        return self.value(variable) not in ("", "0")

    def settings(self, directory=None):
        """Every variable of the measurement library that has a value here. `directory` replaces the
        choice of a directory."""
        if self.value("LATECOMER_ENABLE") == "0":
            raise checks.Refused("LATECOMER_ENABLE=0 switches recording off",
                                 "unset it, or run without measurement: scan -q")
        found = {row["variable"]: self.value(row["variable"]) for row in self.table}
        found["LATECOMER_EXPERIMENT_DIRECTORY"] = directory or experiment.choose(
            found["LATECOMER_EXPERIMENT_DIRECTORY"] or experiment.name_for(self.command),
            self.flag("LATECOMER_OVERWRITE"), self.flag("LATECOMER_NEXT"))
        found.pop("LATECOMER_NEXT")  # the number has been chosen
        for variable in OF_SCAN:
            found.pop(variable)  # the values belong to another scan around this one, or depend on this run
        if self.value(agent.WATCH):
            found[agent.WATCH] = "off"  # unless --watch says otherwise
        if found["LATECOMER_FILTER"]:
            found["LATECOMER_FILTER"] = os.path.abspath(found["LATECOMER_FILTER"])
            checks.check_filter(found["LATECOMER_FILTER"], self.tools.repair)
        return {name: value for name, value in found.items() if value}

    def libraries(self, ours, segment):
        """LD_PRELOAD for the program: `ours`, the yielding hook if wanted, then the user's own."""
        libraries = list(ours)
        if "yield" in self.chosen.own:
            if self.tools.yield_library is None:
                raise checks.Refused("liblatecomer-yield.so was not found", "build or install Latecomer")
            libraries.append(self.tools.yield_library)
        return "LD_PRELOAD=" + preload.joined(libraries, self.command, segment)

    def yielding(self, segment):
        """Variables that --yield sets in addition to the hook: Open MPI can yield by itself."""
        wanted = "yield" in self.chosen.own and "Open MPI" in checks.fitting(segment.target, self.tools.libraries)
        return ["OMPI_MCA_mpi_yield_when_idle=1"] if wanted else []

    def preloaded(self, segment, settings, beside=()):
        # The launcher starts env on every host, and only the program gets the library. Settings
        # without an option belong to a host (its metahost, its node), so their values there are
        # kept.
        of_host = {row["variable"] for row in self.table if row["option"] == "-"} - OF_SCAN
        ours = checks.fitting(segment.target, self.tools.libraries).values()
        preloaded = ([self.libraries(ours, segment)] + preload.for_sanitizer(self.command, segment)
                     if checks.is_preloaded(segment.target) else [])
        ready = (["env"] + preloaded + self.yielding(segment) +
                 ["%s=%s" % item for item in sorted(settings.items()) if item[0] not in of_host] +
                 behind_env([segment.target] + segment.arguments))
        agent_first = list(beside) + ready
        return segment.prefix + (behind_env(agent_first) if segment.prefix else agent_first)

    def warn_of_idle_processes(self):
        wanted = analysis.wanted_processes(self.chosen)
        if wanted and self.command.ranks:
            analysis.warn_of_idle(wanted, self.command.ranks, self.say)

    def suggest_yield(self):
        alone = [s.target for s in self.command.segments if not checks.is_preloaded(s.target)]
        if alone:
            if "yield" in self.chosen.own:
                say("--yield does not reach %s, which is statically linked" % alone[0])
            return
        cores = len(os.sched_getaffinity(0))
        ranks = self.command.ranks or 0
        here = os.path.basename(self.command.launcher or "").startswith("mpi") \
            and not self.command.named_hosts
        preloaded = any("latecomer-yield" in preload.given(self.command, s, preload.LIBRARIES) for s in self.command.segments)
        if not here or ranks <= cores:
            return
        self.say("%d ranks share %s: times are not representative, ranks also wait for a core%s" % (
            ranks, "1 core" if cores == 1 else "%d cores" % cores,
            "" if "yield" in self.chosen.own or preloaded else
            "; --yield makes messages much faster"))

    def nothing_recorded(self, what, hint):
        """Prints a warning. The program's status is passed on, because the caller has to know it."""
        self.is_recorded = False
        warn(what, hint)

    def finish_watched(self, status, seen):
        """After a run that was only watched: nothing is left but the report of the agent."""
        if status != 0:
            self.say("the program ended with status %d" % status)
        self.is_partial = self.agent.is_partial or not seen
        other = self.experiment.take_other_mpi()
        if not seen and not self.experiment.has_records:
            target = self.command.segments[0].target
            self.agent.clean()
            self.experiment.remove_if_empty()
            if other and other not in self.tools.libraries:
                self.nothing_recorded("%s uses %s, this Latecomer was built for %s: nothing was watched" % (
                    target, other, checks.list_of(self.tools.libraries)), checks.FITTING_BUILD)
            elif status == 0:
                self.nothing_recorded("no call of MPI_Init was seen in %s: nothing was watched" % target,
                                      checks.why_nothing(target, self.command.launcher))
        return status

    def finish(self, status):
        """Analyzes after the run. The status of a failed program has priority over everything else."""
        if status != 0:
            self.say("the program ended with status %d" % status)
        other = self.experiment.take_other_mpi()
        if not os.path.isdir(self.experiment.path):
            removed = "experiment directory %s was removed while the program ran" % self.experiment.path
            if status == 0:
                self.nothing_recorded(removed, "nothing is left to analyze; run it again, with a directory "
                                      "that nobody cleans: -e DIR")
            else:
                self.say(removed)
            return status
        if not self.experiment.has_trace and not self.experiment.has_records:
            self.experiment.remove_if_empty()
            target = self.command.segments[0].target
            if other and other not in self.tools.libraries:  # even if it failed: users should not look for the reason here
                self.nothing_recorded("%s uses %s, this Latecomer was built for %s: nothing was recorded" % (
                    target, other, checks.list_of(self.tools.libraries)), checks.FITTING_BUILD)
            elif status == 0:
                self.nothing_recorded("no call of MPI_Init was seen in %s: nothing was recorded" % target,
                                      checks.why_nothing(target, self.command.launcher))
            return status
        if status == 0 and not self.experiment.has_trace and self.experiment.was_finalized \
                and not self.experiment.lacks_ranks:
            # MPI_Finalize could not write the archive; the measurement library has said why. Limits that the program
            # has set for itself do not hold here.
            made = analysis.make_trace(self.experiment, self.chosen, self.tools)[0] if self.tools.repair else EXIT_BAD_INPUT
            if made not in (0, analysis.EXIT_PARTIAL):
                self.say("no trace yet; the records are kept: scan -a %s analyzes them" %
                         quoted(self.experiment.path))
                return EXIT_BAD_INPUT
        try:
            analyzed = analysis.Analysis(self.experiment, self.command, self.chosen, self.tools,
                                         self.say).run()
        except checks.Failed as failed:
            if status == 0:
                raise
            put(STDERR, failed.text)
            return status
        self.is_partial = analyzed == analysis.EXIT_PARTIAL
        if status != 0:
            return status
        if self.is_partial:  # the program ended well, and the caller should learn that
            self.say("the result is partial, the lines above say why")
            return 0
        return analyzed
