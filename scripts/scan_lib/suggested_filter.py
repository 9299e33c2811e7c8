# SPDX-License-Identifier: BSD-3-Clause
"""Suggests a filter for the next run, if recording the functions of the program costs much."""
import json
import os
import subprocess

from .experiment import SUGGESTED_FILTER
from .output import BYTES, printable, quoted

NAMED = 3  # functions
LENGTH = 60  # length of a name, in a line
PARTIAL = 4  # status of latecomer: the report has lost values


def write(tools, experiment, earlier):
    """Writes the filter into the experiment. Returns the text to print, "" if there is no filter.
    `earlier` is the filter of this run, or ""."""
    if tools.latecomer is None:
        return ""
    words = [tools.latecomer, "filter", experiment.path]
    done = subprocess.run(words + ["--json"], stdin=subprocess.DEVNULL, capture_output=True)
    try:
        found = json.loads(done.stdout)
    except ValueError:
        return ""
    if not found["functions"]:
        return ""
    path = experiment.file(SUGGESTED_FILTER)
    done = subprocess.run(words + ["-o", path, "--overwrite"] + (["--add-to", earlier] if earlier else []),
                          stdin=subprocess.DEVNULL, capture_output=True, **BYTES)
    experiment.log(done.stdout + done.stderr)
    if done.returncode not in (0, PARTIAL):
        return ""
    experiment.list_file(SUGGESTED_FILTER, "functions that cost much to record, for `scan -f`")
    return sentence(found, path)


def sentence(found, path):
    """Describes the filter, from the output of `latecomer filter --json`."""
    functions = found["functions"]
    named = ", ".join("%s (%.0f %%)" % (shown(function["name"]), 100 * function["seconds"] / found["seconds"])
                      for function in functions[:NAMED])
    more = len(functions) - NAMED
    return "that is much, and functions look longer than they are. Most of it is for %s%s: scan -f %s leaves %s out" % (
        named, " and %d more" % more if more > 0 else "", quoted(os.path.relpath(path)), "them" if len(functions) > 1 else "it")


def shown(name):
    """A name, shortened to fit into a line."""
    text = printable(name)
    return text if len(text) <= LENGTH else text[:LENGTH - 3] + "..."
