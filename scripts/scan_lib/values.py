# SPDX-License-Identifier: BSD-3-Clause
"""Checks values and combinations of options before anything runs."""
import difflib
import re

from .checks import Refused
from .options import OF_ANALYZER

LONGEST_SECONDS = 2 ** 61 // 10 ** 9
UNITS = {"": 1, "ms": 0.001, "s": 1, "min": 60, "h": 3600}

# Description of valid values by type, as in archive/settings.cpp.
EXPECTED = {
    "flag": "1 or 0",
    "number": "a whole number",
    "bytes": "a number of bytes, such as 65536, 64K or 1M",
    "time": "a time, such as 200ms, 30s, 5min or 1h",
    "rate": "off, or a number of times per second from 1 to 10000",
    "ranks": "ranks such as 0-3,8",
    "iterations": "a region and its visits, counted from 1, such as solve:100-110",
}


def fits(kind, text):
    if kind == "flag":
        return text in ("1", "on", "yes", "true", "0", "off", "no", "false")
    if kind == "number":
        return re.fullmatch(r"-?\d+", text) is not None
    if kind == "bytes":
        found = re.fullmatch(r"(\d+)([KMG]?)", text)
        return found is not None and 0 < int(found[1]) << (10 * " KMG".index(found[2] or " ")) <= 2 ** 62
    if kind == "time":
        found = re.fullmatch(r"(\d+)(ms|s|min|h|)", text)
        return found is not None and int(found[1]) * UNITS[found[2]] <= LONGEST_SECONDS
    if kind == "rate":
        return text == "off" or (re.fullmatch(r"\d+", text) is not None and 1 <= int(text) <= 10000)
    if kind == "iterations":
        found = re.fullmatch(r".+:(\d+)(?:-(\d+))?", text)
        return found is not None and 1 <= int(found[1]) <= int(found[2] or found[1]) < 2 ** 63
    if kind == "ranks":
        return all(rank_range(part) is not None for part in text.split(","))
    if kind.startswith("choice:"):
        return text in kind.partition(":")[2].split("|")
    return True


def rank_range(text):
    """(3, 5) for "3-5", (3, 3) for "3", None for anything else."""
    found = re.fullmatch(r"(\d+)(?:-(\d+))?", text)
    if found is None:
        return None
    first, last = int(found[1]), int(found[2] or found[1])
    return (first, last) if first <= last < 2 ** 31 else None


def check_recording_less(value, ranks):
    """Refuses values that would leave nothing to be recorded. `value` looks variables up; `ranks`
    may be None."""
    wanted = value("LATECOMER_RANKS")
    if wanted and ranks:
        highest = max(rank_range(part)[1] for part in wanted.split(","))
        if highest >= ranks:
            raise Refused("--ranks %s names rank %d, the run has %d process%s" % (
                wanted, highest, ranks, "" if ranks == 1 else "es"),
                          "ranks count from 0: --ranks 0-%d records all" % (ranks - 1))
    if re.fullmatch(r"0+(ms|s|min|h|)", value("LATECOMER_FOR") or "1"):
        raise Refused("--for %s leaves nothing to be recorded" % value("LATECOMER_FOR"),
                      "give the time that is to be recorded, for instance --for 10s")


def check_settings(table, chosen, environment):
    """Refuses every value that the measurement library would refuse, from the command line or the
    environment."""
    for row in table:
        variable, kind = row["variable"], row["type"]
        given = variable in chosen.settings
        text = chosen.settings[variable] if given else environment.get(variable, "")
        if not text or fits(kind, text):
            continue
        choices = kind.partition(":")[2].split("|")
        near = difflib.get_close_matches(text, choices, 1)
        raise Refused("%s is not understood" % (
            "--%s %s" % (row["option"], text) if given else "%s=%s" % (variable, text)),
            (EXPECTED.get(kind) or "one of " + ", ".join(choices)) +
            (": do you mean %s?" % near[0] if near else ""))


# Settings of the command line that nothing uses if there is no trace.
OF_TRACES = ("LATECOMER_SAMPLE", "LATECOMER_SAMPLE_SIGNALS", "LATECOMER_COUNTERS", "LATECOMER_COMPAT",
             "LATECOMER_BUFFER_SIZE", "LATECOMER_SYNC", "LATECOMER_SYNC_INTERVAL", "LATECOMER_KEEP_RECORDS")


def without_effect(table, chosen):
    """Options that were given but have no effect in this mode, each group with the reason. Refuses
    contradictions."""
    own = chosen.own
    for one, other in (("quiet", "trace"), ("quiet", "analyze"), ("quiet", "write-corrected"),
                       ("analyze", "repeat"), ("repeat", "write-corrected")):
        if one in own and other in own:
            raise Refused("--%s and --%s exclude each other" % (one, other), "leave one of them out")
    names = {row["variable"]: "--" + row["option"] for row in table}
    settings = [names[variable] for variable in chosen.settings]
    of_analysis = ["--" + name for name in ("analysis-processes", "time-correction", "sync-scheme")
                   if name in own] + (["--clean"] if "clean" in own else [])
    if "quiet" in own:
        return [(settings + of_analysis, "with --quiet: nothing is recorded")]
    if "analyze" in own:
        return [(settings + ["--" + name for name in ("trace", "yield", "hang") if name in own],
                 "with --analyze: they are about recording")]
    groups = []
    if "LATECOMER_OVERWRITE" in chosen.settings and "LATECOMER_NEXT" in chosen.settings:
        groups.append((["--overwrite"], "with --next, which takes a free number"))
    if "watch" in own and "trace" not in own:
        of_traces = ("analysis-processes", *OF_ANALYZER, "write-corrected", "clean")
        groups.append(([names[variable] for variable in chosen.settings if variable in OF_TRACES] +
                       ["--" + name for name in of_traces if name in own],
                       "with --watch: there is no trace (-t --watch makes one)"))
    elif "LATECOMER_WATCH_SIZE" in chosen.settings:
        groups.append((["--watch-size"], "if there is a trace: it has all records"))
    return groups


def note_without_effect(table, chosen, say):
    for options, why in without_effect(table, chosen):
        if options:
            say("%s %s no effect %s" % (", ".join(options), "has" if len(options) == 1 else "have", why))
