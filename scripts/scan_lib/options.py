# SPDX-License-Identifier: BSD-3-Clause
"""The options of scan: its own, and those that stand for a setting of the measurement library."""
import csv
import difflib
import getopt
import os

# (long name, short name, value or "", help)
OWN = [
    ("analyze", "a", "EXPERIMENT", "analyze what was recorded before; a launcher may follow"),
    ("dry-run", "n", "", "print the commands, run nothing; tell what to expect if the experiment is from an earlier run"),
    ("quiet", "q", "", "run the program without recording it"),
    ("trace", "t", "", "record and analyze (the default)"),
    ("watch", "", "", "watch the program while it runs, in memory of a fixed size; no trace. -t --watch does both"),
    ("repeat", "R", "N", "run it N times; the experiments get the numbers 1 to N behind their name"),
    ("analysis-processes", "A", "P", "processes of the analysis (default: the lesser of ranks and cores)"),
    ("time-correction", "", "STEP", "none, linear, messages, clc: how far the analysis corrects clocks, if "
                                    "messages come too early (default: clc)"),
    ("sync-scheme", "", "SCHEME", "flat-single, flat, hierarchical: analyze with the clock offsets of this "
                                  "scheme, of a run with --sync all"),
    ("eager-limit", "", "BYTES", "standard sends of at most so many bytes never wait for their receiver "
                                 "(default: what the trace shows)"),
    ("overhead", "", "METHOD", "none, local, parallel: what is taken out of the times that measuring took: nothing (the "
                               "default), of each process its own, or also the delays that it handed on"),
    ("compensate", "", "", "short for --overhead parallel"),
    ("event-cost", "", "NS", "nanoseconds that each enter and leave took, for --overhead on traces that do not say"),
    ("min-latency", "", "TIMES", "shortest time of a message between nodes, and between metahosts, such as 1.5us,500us"),
    ("memory", "", "SIZE", "of the analysis on a node, such as 8G; what does not fit is in a file (default: 80 % of what is free)"),
    ("scalasca-compatible", "", "", "base rules wherever Latecomer's own would change a number"),
    ("write-corrected", "", "DIR", "also write an archive with corrected times into a new directory"),
    ("clean", "", "", "delete the trace when it has been analyzed; it stays if the result is partial"),
    ("hang", "", "TIME", "say so if all ranks are in MPI calls and nothing has moved for this long; off: never "
                         "(default: 60s). SIGUSR1 tells at any time who waits for whom"),
    ("yield", "", "", "ranks that wait let others run: for more ranks than cores"),
    ("help", "h", "", "print this text"),
    ("version", "", "", "print the version"),
]

# Options that are passed to the analyzer: pattern of their values, and the message for other
# values.
OF_ANALYZER = {"time-correction": ("none|linear|messages|clc", "not one of none, linear, messages, clc"),
               "sync-scheme": ("flat-single|flat|hierarchical", "not one of flat-single, flat, hierarchical"),
               "eager-limit": (r"\d+", "not a number of bytes"),
               "overhead": ("none|local|parallel", "not one of none, local, parallel"),
               "compensate": ("", ""),
               "event-cost": (r"\d+(\.\d+)?", "not a number of nanoseconds"),
               "min-latency": (r"[\d.]+(ns|us|ms|s)(,[\d.]+(ns|us|ms|s))?", "not one or two durations such as 1.5us,500us"),
               "memory": (r"\d+[KMG]?", "not a size such as 800M or 8G"),
               "scalasca-compatible": ("", "")}

USAGE = """usage: scan [options] [launcher [its options]] program [arguments]
       scan [options] -a EXPERIMENT [launcher [its options]]

Records the MPI calls of a program, analyzes them and prints who waited for whom.

  scan mpiexec -n 4 ./app input.txt           as you start it, with scan in front
  scan -e first mpiexec -n 4 ./app            the directory "first" gets trace and report
  scan -a first                               analyze again
  scan mylauncher -x 4 -- ./app               -- marks the program if scan cannot find it

Options of scan end at the first word that is none; what follows is the command.
"""

EXIT_STATUSES = """
Exit status: that of the program, also if the result is partial. Else 2 wrong usage, or the
experiment is there already (nothing was run), 3 bad input or nothing recorded; of scan -a also 4,
partial result."""


class UsageError(Exception):
    pass


def read_settings(path):
    with open(path, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))


class Options:
    """The parsed options. own: {long name: value or True}; settings: {variable: value}; words: the
    command."""

    def __init__(self, argv, settings_table):
        self.own, self.settings = {}, {}
        table = [row for row in settings_table if row["option"] != "-"]
        short, long, meaning = "", [], {}
        for name, letter, value, _ in OWN:
            short += (letter + (":" if value else "")) if letter else ""
            long.append(name + ("=" if value else ""))
            meaning["--" + name] = meaning["-" + letter] = ("own", name)
        for row in table:
            value = row["type"] != "flag"
            letter = row["short"] if row["short"] != "-" else ""
            short += (letter + (":" if value else "")) if letter else ""
            long.append(row["option"] + ("=" if value else ""))
            meaning["--" + row["option"]] = meaning["-" + letter] = ("setting", row["variable"])
        try:
            found, self.words = getopt.getopt(argv, short, long)
        except getopt.GetoptError as error:
            near = difflib.get_close_matches(error.opt, [name.rstrip("=") for name in long], 1)
            raise UsageError(str(error) + (": do you mean --%s?" % near[0]
                                           if near and "recognized" in str(error) else ""))
        for option, value in found:
            kind, name = meaning[option]
            if not value and (option[2:] + "=" in long or option[1:] + ":" in short):
                raise UsageError("option %s: its value is empty" % option)
            if kind == "own":
                self.own[name] = value or True
            else:
                # An option --no-something switches off a setting that is on by default.
                self.settings[name] = value or ("0" if option.startswith("--no-") else "1")


def help_text(settings_table):
    lines = [USAGE, "What to do"]
    for name, letter, value, text in OWN:
        lines += described(name, letter, value, text)
    lines.append("\nRecording (each one is an environment variable as well, see docs/reference.md)")
    for row in settings_table:
        if row["option"] != "-":
            kind, _, choices = row["type"].partition(":")
            text = row["help"][:1].lower() + row["help"][1:].rstrip(".")
            if choices:
                text = "%s: %s" % (choices.replace("|", ", "), text)
            if kind != "flag" and row["default"]:
                text += " (default: %s)" % row["default"]
            lines += described(row["option"], row["short"].strip("-"),
                               "" if kind == "flag" else kind.upper(), text)
    return "\n".join(lines) + "\n" + EXIT_STATUSES


def described(name, letter, value, text):
    """The lines of the help about an option."""
    left = ("-%s, " % letter if letter else "    ") + "--" + name + (" " + value if value else "")
    return wrap(left, text)


def wrap(left, text, column=30, width=99):
    lines, line = [], "  " + left.ljust(column - 2)
    if len(left) > column - 4:
        lines.append("  " + left)
        line = " " * column
    for word in text.split():
        if len(line) + len(word) + 1 > width:
            lines.append(line.rstrip())
            line = " " * column
        line += word + " "
    return lines + [line.rstrip()]
