#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""make_pages.py DESCRIPTION SCRIPTS SETTINGS OUTPUT: man pages and completion for bash, from the tables of options.

DESCRIPTION is what latecomer_describe prints, SCRIPTS the folder of scan_lib, SETTINGS the table of settings. OUTPUT
gets man1/*.1 and completions/*.
"""
import json
import os
import subprocess
import sys

HELP = {"name": "help", "letter": "h", "value": "", "help": "print what the command takes", "repeated": False,
        "choices": []}
STATUSES = {
    "latecomer": [("0", "ok"), ("1", "a condition of check failed"), ("2", "wrong usage"),
                  ("3", "bad input, or cannot write"), ("4", "of repair and timeline: something is missing")],
    "latecomer-analyzer": [("0", "ok"), ("2", "wrong usage"), ("3", "bad input"),
                           ("4", "partial result: something of the run is missing")],
    "scan": [("0", "ok"), ("2", "wrong usage: nothing was run"), ("3", "bad input, or nothing was recorded"),
             ("4", "partial result"), ("other", "that of the program, if it failed")],
}
SUMMARIES = {"latecomer": "everything one does with reports of wait states in MPI programs",
             "latecomer-analyzer": "find the wait states in a trace of an MPI program, in parallel",
             "scan": "record an MPI program, analyze the trace, print who waited for whom"}


def scan_options(scripts, settings):
    """Those of scan, in the form of the others; and the settings that have none: (variable, help)."""
    sys.path.insert(0, scripts)
    sys.dont_write_bytecode = True
    from scan_lib.options import OWN, read_settings
    options = [{"name": name, "letter": letter, "value": value, "help": text, "repeated": False, "choices": []}
               for name, letter, value, text in OWN]
    variables = []
    for row in read_settings(settings):
        kind, _, choices = row["type"].partition(":")
        # As in scan --help, which begins small.
        text = row["help"]
        if choices:
            text = "%s (one of %s)" % (text.rstrip("."), choices.replace("|", ", "))
        if row["default"] and kind != "flag":
            text = "%s (default: %s)" % (text.rstrip("."), row["default"])
        of_variable = text if kind != "flag" else "%s (default: %s)" % (text.rstrip("."), row["default"] or "0")
        if row["option"] != "-":
            options.append({"name": row["option"], "letter": row["short"].strip("-"),
                            "value": "" if kind == "flag" else kind.upper(), "help": text, "repeated": False,
                            "choices": choices.split("|") if choices else []})
        variables.append((row["variable"], of_variable))
    return options, variables


def roff(text):
    """Text as it is: no requests, no escapes; hyphens that can be copied."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return "\\&" + text if text.startswith(".") else text


def described(option):
    names = ["\\fB\\-\\-%s\\fR" % roff(option["name"])]
    if option["letter"]:
        names.insert(0, "\\fB\\-%s\\fR" % option["letter"])
    value = " \\fI%s\\fR" % roff(option["value"]) if option["value"] else ""
    again = "; may be repeated" if option["repeated"] else ""
    return [".TP", ", ".join(names) + value, roff(option["help"] + again)]


def page(program, version, synopsis, body):
    lines = ['.TH "%s" "1" "" "Latecomer %s" "User Commands"' % (roff(program.upper()), version), ".SH NAME",
             "%s \\- %s" % (roff(program), roff(SUMMARIES[program])), ".SH SYNOPSIS"]
    for i, one in enumerate(synopsis):
        lines += [".br"] * (i > 0) + [one]
    lines += body + [".SH EXIT STATUS"]
    for status, text in STATUSES[program]:
        lines += [".TP", "\\fB%s\\fR" % status, roff(text)]
    others = [name for name in sorted(SUMMARIES) if name != program]
    lines += [".SH SEE ALSO", ", ".join("\\fB%s\\fR(1)" % roff(name) for name in others)]
    return "\n".join(lines) + "\n"


def latecomer_page(description):
    body = [".SH COMMANDS"]
    for command in description["commands"]:
        needed = command["synopsis"]
        body += [".SS \"%s\"" % roff("latecomer " + command["name"]),
                 "\\fBlatecomer %s\\fR%s %s" % (roff(command["name"]), roff(needed), roff(command["arguments"])),
                 ".PP", roff(command["help"][:1].upper() + command["help"][1:] + ".")]
        for option in command["options"]:
            body += described(option)
    body += [".SH METRICS", "Metrics are named by their unique names, by what reports call them, or by a part of that:",
             "\\fBlatecomer explain\\fR lists all, \\fBlatecomer explain\\fR \\fINAME\\fR tells what one means."]
    return page("latecomer", description["version"],
                ["\\fBlatecomer\\fR \\fICOMMAND\\fR [options] [arguments]",
                 "\\fBlatecomer\\fR [\\fICOMMAND\\fR] \\fB\\-\\-help\\fR", "\\fBlatecomer\\fR \\fB\\-\\-version\\fR"], body)


def analyzer_page(description):
    body = [".SH DESCRIPTION", "Analyzes the OTF2 archive in the directory EXPERIMENT on any number P of processes and",
            "writes the report EXPERIMENT/analysis.cubex. \\fBscan\\fR calls it with fitting options.", ".SH OPTIONS"]
    for option in description["analyzer"]:
        body += described(option)
    return page("latecomer-analyzer", description["version"],
                ["\\fBmpiexec\\fR \\-n \\fIP\\fR \\fBlatecomer\\-analyzer\\fR [options] \\fIEXPERIMENT\\fR"], body)


def scan_page(description, options, variables):
    body = [".SH DESCRIPTION",
            "Stands in front of the command that starts an MPI program: \\fBscan mpiexec \\-n 4 ./app input\\fR.",
            "Options of scan end at the first word that is none; \\fB\\-\\-\\fR marks the program if scan cannot find it.",
            ".SH OPTIONS"]
    for option in options:
        body += described(option)
    body += [".SH ENVIRONMENT"]
    for variable, text in variables:
        body += [".TP", "\\fB%s\\fR" % roff(variable), roff(text)]
    return page("scan", description["version"],
                ["\\fBscan\\fR [options] [launcher [its options]] \\fIprogram\\fR [arguments]",
                 "\\fBscan\\fR [options] \\fB\\-a\\fR \\fIEXPERIMENT\\fR [launcher [its options]]"], body)


def words_of(options):
    return " ".join(word for option in options
                    for word in ["--" + option["name"]] + ["-" + option["letter"]] * bool(option["letter"]))


def values_case(options, metrics):
    """The branches of a case over the word before: what may follow an option that takes a value."""
    lines = []
    for option in options:
        if not option["value"]:
            continue
        names = "|".join(["--" + option["name"]] + ["-" + option["letter"]] * bool(option["letter"]))
        if option["choices"]:
            reply = 'COMPREPLY=($(compgen -W "%s" -- "$word"))' % " ".join(option["choices"])
        elif option["name"] == "metric" and metrics:
            reply = 'COMPREPLY=($(compgen -W "$_latecomer_metrics" -- "$word"))'
        elif option["value"] in ("FILE", "NEW.json", "NEW.cubex", "PATH", "DIR", "NEW", "EXPERIMENT"):
            reply = 'COMPREPLY=($(compgen -f -- "$word"))'
        else:
            reply = "COMPREPLY=()"
        lines.append("    %s) %s; return ;;" % (names, reply))
    return lines


HEADER = """# bash completion for %s; made from its tables of options.
"""


def latecomer_completion(description):
    lines = [HEADER % "latecomer", '_latecomer_metrics="%s"' % " ".join(description["metrics"]), "",
             "_latecomer() {", '  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}',
             "  COMPREPLY=()", "  if [ \"$COMP_CWORD\" -eq 1 ]; then",
             '    COMPREPLY=($(compgen -W "%s --help --version" -- "$word"))'
             % " ".join(command["name"] for command in description["commands"]), "    return", "  fi",
             '  case "${COMP_WORDS[1]}" in']
    for command in description["commands"]:
        options = command["options"] + [HELP]
        lines.append("  %s)" % command["name"])
        values = values_case(options, True)
        if values:
            lines += ['    case "$before" in'] + values + ["    esac"]
        lines += ['    if [[ $word == -* ]]; then', '      COMPREPLY=($(compgen -W "%s" -- "$word"))' % words_of(options)]
        if command["name"] == "explain":
            lines += ["    else", '      COMPREPLY=($(compgen -W "$_latecomer_metrics" -- "$word"))', "    fi ;;"]
        else:
            lines += ["    else", '      COMPREPLY=($(compgen -f -- "$word"))', "    fi ;;"]
    return "\n".join(lines + ["  esac", "}", "complete -o filenames -F _latecomer latecomer", ""])


def program_completion(program, options, rest):
    function = "_" + program.replace("-", "_") + "_options"
    lines = [HEADER % program, function + "() {",
             '  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}', "  COMPREPLY=()",
             '  case "$before" in'] + values_case(options, False)
    lines += ["  esac", "  if [[ $word == -* ]]; then",
              '    COMPREPLY=($(compgen -W "%s" -- "$word"))' % words_of(options), "  else",
              '    COMPREPLY=($(compgen %s -- "$word"))' % rest, "  fi", "}",
              "complete -o filenames -F %s %s" % (function, program), ""]
    return "\n".join(lines)


def main():
    describe, scripts, settings, output = sys.argv[1:]
    description = json.loads(subprocess.run([describe], check=True, stdout=subprocess.PIPE).stdout)
    options, variables = scan_options(scripts, settings)
    files = {
        "man1/latecomer.1": latecomer_page(description),
        "man1/latecomer-analyzer.1": analyzer_page(description),
        "man1/scan.1": scan_page(description, options, variables),
        "completions/latecomer": latecomer_completion(description),
        "completions/latecomer-analyzer": program_completion("latecomer-analyzer", description["analyzer"], "-f"),
        "completions/scan": program_completion("scan", options, "-c -f"),
    }
    for name, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(output, name)), exist_ok=True)
        with open(os.path.join(output, name), "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()
