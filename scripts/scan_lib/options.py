# SPDX-License-Identifier: BSD-3-Clause
"""Options of scan: its own ones, and those that stand for a setting of the measurement library."""
import csv
import getopt
import os

# long name, short name, value or "", help
OWN = [
    ("trace", "t", "", "record and analyze (this is the default)"),
    ("analyze", "a", "EXPERIMENT", "analyze an existing experiment; a launcher may follow"),
    ("dry-run", "n", "", "print what would be run"),
    ("quiet", "q", "", "run the program without measurement"),
    ("analysis-processes", "A", "P", "processes of the analysis "
     "(default: as many as ranks, at most as many as cores)"),
    ("yield", "", "", "let waiting ranks give the core away: for more ranks than cores with MPICH"),
    ("help", "h", "", "print this text"),
    ("version", "", "", "print the version"),
]

USAGE = """usage: scan [options] [launcher [launcher options]] program [arguments]

Records the program's MPI calls, analyzes the trace and prints who waited for whom.

    scan mpiexec -n 4 ./app input.txt
    scan -a latecomer_app_4_trace

Options end at the first word that is none. For a launcher that scan does not know, -- marks the
program:  scan mylauncher -x 4 -- ./app
"""


class UsageError(Exception):
    pass


def read_settings(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))


class Options:
    """own: {long name: value or True}; settings: {variable: value}; words: the command."""

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
            raise UsageError(str(error))
        for option, value in found:
            full = option
            if option not in meaning:  # getopt has completed an abbreviation
                raise UsageError("unknown option " + option)
            kind, name = meaning[full]
            if kind == "own":
                self.own[name] = value or True
            else:
                self.settings[name] = value or "1"


def help_text(settings_table):
    rows = [(name, letter, value, text) for name, letter, value, text in OWN]
    for row in settings_table:
        if row["option"] != "-":
            value = "" if row["type"] == "flag" else row["type"].split(":")[0].upper()
            if row["type"].startswith("choice:"):
                value = row["type"].split(":")[1]
            text = row["help"][:1].lower() + row["help"][1:]
            rows.append((row["option"], row["short"].strip("-"), value, text.rstrip(".")))
    lines = [USAGE, "Options"]
    for name, letter, value, text in rows:
        left = ("-%s, " % letter if letter else "    ") + "--" + name + (" " + value if value else "")
        lines += wrap(left, text)
    lines.append("\nExit status: that of the program if it failed; else 0 ok, 2 usage, 3 bad input, "
                 "4 partial result.")
    return "\n".join(lines)


def wrap(left, text, column=30, width=96):
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
