# SPDX-License-Identifier: BSD-3-Clause
"""Completion for fish."""
from completion import FILES, HELP, METRICS, names_of_metrics


def quoted(text):
    return "'%s'" % text.replace("\\", "\\\\").replace("'", "\\'")


def option_lines(program, options, condition=""):
    lines = []
    for option in options:
        line = "complete -c %s%s -l %s" % (program, condition, option["name"])
        if option["letter"]:
            line += " -s " + option["letter"]
        if option["choices"]:
            line += " -x -a " + quoted(" ".join(option["choices"]))
        elif option["value"] == "NAME[,...]":
            line += " -x -a '(__fish_append , $latecomer_metrics)'"
        elif option["value"] in METRICS:
            line += " -x -a '$latecomer_metrics'"
        elif option["value"] in FILES:
            line += " -r -F"
        elif option["value"]:
            line += " -x"
        lines.append(line + " -d " + quoted(option["help"]))
    return lines


def latecomer_fish(description):
    lines = ["# Made from the tables of commands, options and metrics.",
             "set -g latecomer_metrics %s" % " ".join(names_of_metrics(description)),
             "complete -c latecomer -n __fish_use_subcommand -f",
             "complete -c latecomer -n __fish_use_subcommand -l version -d 'print the version'"]
    for command in description["commands"]:
        seen = " -n '__fish_seen_subcommand_from %s'" % command["name"]
        lines.append("complete -c latecomer -n __fish_use_subcommand -a %s -d %s"
                     % (command["name"], quoted(command["help"])))
        lines += option_lines("latecomer", command["options"] + [HELP], seen)
        if command["name"] == "explain":
            lines.append("complete -c latecomer%s -f -a '$latecomer_metrics'" % seen)
    lines += option_lines("latecomer", [HELP], " -n __fish_use_subcommand")
    return "\n".join(lines) + "\n"


def program_fish(program, options, rest=""):
    return "\n".join(option_lines(program, options) + ["complete -c %s %s" % (program, rest)] * bool(rest)) + "\n"


def fish_files(description, analyzer, scan):
    """Returns the files by name. One file has the completion of all programs, so that it can be
    sourced; the files that fish loads by name source it."""
    loader = "source (status dirname)/latecomer.fish\n"
    return {"latecomer": latecomer_fish(description) + program_fish("latecomer-analyzer", analyzer)
            + program_fish("scan", scan, "-x -a '(__fish_complete_subcommand)'"),
            "latecomer-analyzer": loader, "scan": loader}
