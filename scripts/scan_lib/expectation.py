# SPDX-License-Identifier: BSD-3-Clause
"""Predicts the cost of a run from an earlier experiment: size, overhead, memory and time of the
analysis."""
import re

from . import cost, memory

TOOK = "analysis took %.3f s"


def events_of(info):
    """Number of events of an archive that `latecomer info --json` describes; 0 if it is not stated."""
    try:
        return sum(location["events"] for process in info["processes"] for location in process["locations"])
    except (KeyError, TypeError):
        return 0


def describe(info, directory, ranks, processes, log):
    """Lines about a run on `ranks` ranks (None: as many as in the earlier run); [] if the archive
    does not have the numbers. The number of events is assumed to grow with the number of ranks.
    `processes` is the number of analysis processes, `log` the text of scan.log."""
    events = events_of(info)
    if not events:
        return []
    before = len(info["processes"])
    factor = (ranks or before) / before
    expected = round(events * factor)
    lines = ["expected, as of the earlier run%s: a trace of about %s, %s events" % (
        "" if factor == 1 else " on %d rank%s" % (before, "" if before == 1 else "s"),
        cost.size(round(cost.bytes_of(directory) * factor)), format(expected, ","))]
    before_cost = cost.of(info)
    if before_cost is not None:
        lines.append("expected: measuring costs %s" % before_cost.share())
    took = re.findall(TOOK.replace("%.3f", r"(\d+\.\d+)"), log)
    lines.append("expected: the analysis takes about %s of memory%s" % (
        cost.size(memory.needed(expected, processes)),
        " and %s" % seconds(float(took[-1]) * factor) if took else ""))
    return lines


def seconds(time):
    return "less than a second" if time < 0.95 else "about %.0f s" % time
