# SPDX-License-Identifier: BSD-3-Clause
"""scan -R N: the same run several times, each into an experiment of its own."""
import os
import shlex

from .checks import Refused
from .experiment import choose, name_for

DIRECTORY = "LATECOMER_EXPERIMENT_DIRECTORY"
LARGEST, PARTIAL = 10000, 4


def number_of_runs(chosen):
    text = chosen.own.get("repeat")
    if text is None:
        return 1
    if not text.isdigit() or not 1 <= int(text) <= LARGEST:
        raise Refused("--repeat %s: not a number from 1 to %d" % (text, LARGEST), "scan -R 5 mpiexec -n 4 ./app")
    return int(text)


def run_all(measure, chosen, say):
    """Runs a Measurement N times; <name>_1, <name>_2, ... are the experiments. The status of the first run that
    failed, which is the last one."""
    number = number_of_runs(chosen)
    if number == 1:
        return measure.run()
    name = chosen.settings.get(DIRECTORY) or os.environ.get(DIRECTORY) or name_for(measure.command)
    names = ["%s_%d" % (name.rstrip("/"), i) for i in range(1, number + 1)]
    if not {"quiet", "dry-run"} & set(chosen.own):
        for one in names:  # what the last run would meet is said before the first
            choose(one, measure.flag("LATECOMER_OVERWRITE"), measure.flag("LATECOMER_NEXT"))
    worst = 0
    for i, one in enumerate(names, 1):
        chosen.settings[DIRECTORY] = one
        if "dry-run" not in chosen.own:
            say("run %d of %d" % (i, number))
        status = measure.run()
        if status not in (0, PARTIAL):
            return status
        worst = max(worst, status)
    if "dry-run" not in chosen.own and "quiet" not in chosen.own:
        say("%d runs; how much they differ: latecomer check --write-baseline baseline.json %s_*" %
            (number, shlex.quote(name)))
    return worst
