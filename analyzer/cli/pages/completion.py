# SPDX-License-Identifier: BSD-3-Clause
"""What the completions of all shells have in common."""

HELP = {"name": "help", "letter": "h", "value": "", "help": "print what the command takes", "repeated": False,
        "choices": []}
# What the help calls a value that is a file, or begins with a metric.
FILES = ("FILE", "NEW.json", "NEW.cubex", "PATH", "DIR", "NEW", "EXPERIMENT")
METRICS = ("NAME", "NAME[,...]", "COND")


def names_of_metrics(description):
    return [one["name"] for one in description["metrics"] + description["numbers"]]
