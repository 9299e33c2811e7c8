# SPDX-License-Identifier: BSD-3-Clause
"""Implements scan -R N: several runs of the same command, each into its own experiment."""
import os

from .checks import Failed, Refused
from .experiment import choose, name_for
from .output import quoted

DIRECTORY = "LATECOMER_EXPERIMENT_DIRECTORY"
LARGEST = 10000


def number_of_runs(chosen):
    text = chosen.own.get("repeat")
    if text is None:
        return 1
    if not text.isdigit() or not 1 <= int(text) <= LARGEST:
        raise Refused("--repeat %s: not a number from 1 to %d" % (text, LARGEST), "scan -R 5 mpiexec -n 4 ./app")
    return int(text)


def run_all(measure, chosen, say):
    """Runs a Measurement N times. The experiments are <name>_1, <name>_2, ..., even if there is
    only one. Returns the status of the first run that failed, which is also the last one."""
    measure.check()
    if "repeat" not in chosen.own:
        return measure.run()
    number = number_of_runs(chosen)
    name = (chosen.settings.get(DIRECTORY) or os.environ.get(DIRECTORY) or name_for(measure.command)).rstrip("/")
    names = ["%s_%d" % (name, i) for i in range(1, number + 1)]
    records = not {"quiet", "dry-run"} & set(chosen.own)
    if records:
        for one in names:  # problems of the last run are reported before the first
            choose(one, measure.flag("LATECOMER_OVERWRITE"), measure.flag("LATECOMER_NEXT"))
    complete, partial = [], []
    for i, one in enumerate(names, 1):
        chosen.settings[DIRECTORY] = one
        if "dry-run" not in chosen.own:
            say("run %d of %d" % (i, number))
        try:
            status = measure.run()
        except (Failed, Refused):
            say_stopped(i, number, complete, records, say)
            raise
        if status != 0 or not measure.is_recorded:
            say_stopped(i, number, complete, records, say, "failed" if status != 0 else "recorded nothing")
            return status
        # The directory may have another number with --next.
        (partial if measure.is_partial else complete).append(measure.experiment.path if records else one)
    if records:
        say_next(name, number, complete, partial, say)
    return 0


def say_stopped(i, number, complete, records, say, how="failed"):
    """Says which runs were not started: after a failure they would most likely fail as well."""
    rest = "the %d others are" % (number - i) if number - i > 1 else "the last one is"
    say("run %d of %d %s%s%s" % (
        i, number, how, "; %s not started" % rest if i < number else "",
        "; complete: " + words_of([relative(one) for one in complete]) if records and complete else ""))


def say_next(name, number, complete, partial, say):
    if partial:
        say("%d of %d runs are partial, and no part of a baseline: %s" % (
            len(partial), number, words_of([relative(one) for one in partial])))
    if complete:
        say("%s; how much they differ: latecomer check --write-baseline baseline.json %s" % (
            "1 run" if len(complete) == 1 else "%d runs" % len(complete), arguments(name, complete)))


def relative(path):
    """The path as the user wrote it, or shorter."""
    return min(os.path.relpath(path), path, key=len)


def words_of(names):
    return " ".join(quoted(name) for name in names)


def arguments(name, paths):
    """Words for a shell that name exactly these runs: a pattern such as name_* would also match
    earlier ones."""
    names = [relative(path) for path in paths]
    number = len(names)
    if number > 3 and [os.path.abspath(path) for path in paths] == [
            os.path.abspath("%s_%d" % (name, i)) for i in range(1, number + 1)]:
        return "%s_%s" % (quoted(relative(os.path.abspath(name))),
                          "[1-%d]" % number if number < 10 else "{1..%d}" % number)
    return words_of(names)
