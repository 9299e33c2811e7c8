# SPDX-License-Identifier: BSD-3-Clause
"""Definitions that the completions of all shells share."""

HELP = {"name": "help", "letter": "h", "value": "", "help": "print what the command takes", "repeated": False,
        "choices": []}
# Names of values in the help that are files, or that begin with a metric.
FILES = ("FILE", "NEW.json", "NEW.cubex", "PATH", "DIR", "NEW", "EXPERIMENT")
METRICS = ("NAME", "NAME[,...]", "COND")


def names_of_metrics(description):
    return [one["name"] for one in description["metrics"] + description["numbers"]]
