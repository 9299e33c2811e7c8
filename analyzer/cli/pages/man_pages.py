# SPDX-License-Identifier: BSD-3-Clause
"""Makes man pages from the tables of options and metrics."""

STATUSES = {
    "latecomer": [("0", "ok"), ("1", "a condition of check failed"), ("2", "wrong usage, or what is to be written is there already"),
                  ("3", "bad input, or cannot write"), ("4", "something is missing")],
    "latecomer-analyzer": [("0", "ok"), ("2", "wrong usage, or what is to be written is there already"),
                           ("3", "bad input"), ("4", "partial result: something of the run is missing")],
    "scan": [("0", "ok"), ("2", "wrong usage, or the experiment is there already: nothing was run"),
             ("3", "bad input, or nothing was recorded"), ("4", "partial result"), ("other", "that of the program, if it failed")],
    "latecomer-repair": [("0", "ok, or nothing to repair"), ("2", "wrong usage"), ("3", "no records, or no archive could be made"),
                         ("4", "partial archive, or files of a complete one were cut or lost since")],
    "latecomer-stuck": [("0", "no rank waits for something that cannot come"), ("1", "ranks do"), ("2", "wrong usage"),
                        ("3", "no records"), ("4", "some ranks cannot be seen from here")],
    "latecomer-watch": [("0", "ok"), ("2", "wrong usage"),
                        ("3", "no records, no rank that can be watched here, the run has ended, no port, or the report cannot be written")],
}
SUMMARIES = {"latecomer": "everything one does with reports of wait states in MPI programs",
             "latecomer-analyzer": "find the wait states in a trace of an MPI program, in parallel",
             "scan": "record an MPI program, analyze the trace, print who waited for whom"}
# Programs that `latecomer NAME` starts, and what else they can do.
STARTED = {"repair": [("\\fBlatecomer\\-repair \\-\\-check\\-filter\\fR \\fIFILE\\fR",
                       "With \\fB\\-\\-check\\-filter\\fR it says what is wrong in a file for \\fBscan \\-\\-filter\\fR, as \\fBscan\\fR does before a run.")],
           "stuck": [], "watch": []}
UNITS = {"sec": "seconds", "occ": "occurrences", "ratio": "ratio, shown in percent"}


def roff(text):
    """Escapes text for roff: no requests, no escapes, and hyphens that can be copied."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return "\\&" + text if text.startswith(".") else text


def described(option):
    names = ["\\fB\\-\\-%s\\fR" % roff(option["name"])]
    if option["letter"]:
        names.insert(0, "\\fB\\-%s\\fR" % option["letter"])
    value = " \\fI%s\\fR" % roff(option["value"]) if option["value"] else ""
    again = "; may be repeated" if option["repeated"] else ""
    return [".TP", ", ".join(names) + value, roff(option["help"] + again)]


def page(program, version, synopsis, body, summary=None):
    lines = ['.TH "%s" "1" "" "Latecomer %s" "User Commands"' % (roff(program.upper()), version), ".SH NAME",
             "%s \\- %s" % (roff(program), roff(summary or SUMMARIES[program])), ".SH SYNOPSIS"]
    for i, one in enumerate(synopsis):
        lines += [".br"] * (i > 0) + [one]
    lines += body + [".SH EXIT STATUS"]
    for status, text in STATUSES[program]:
        lines += [".TP", "\\fB%s\\fR" % status, roff(text)]
    others = ["\\fB%s\\fR(1)" % roff(name) for name in sorted(SUMMARIES) if name != program]
    return "\n".join(lines + [".SH SEE ALSO", ", ".join(others + ["\\fBlatecomer\\-metrics\\fR(7)"])]) + "\n"


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
             "\\fBlatecomer explain\\fR lists all, \\fBlatecomer explain\\fR \\fINAME\\fR tells what one means, and so does",
             "\\fBlatecomer\\-metrics\\fR(7)."]
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


def started_pages(description):
    """Pages of the programs that `latecomer NAME` starts, as {program: text}."""
    pages = {}
    for command in description["commands"]:
        if command["name"] not in STARTED:
            continue
        program = "latecomer-" + command["name"]
        more = STARTED[command["name"]]
        body = [".SH DESCRIPTION", "\\fBlatecomer %s\\fR starts this program. It takes the same options and ends with the same status." % command["name"]]
        body += [text for _, text in more] + [".SH OPTIONS"]
        for option in command["options"]:
            body += described(option)
        synopsis = ["\\fB%s\\fR%s %s" % (roff(program), roff(command["synopsis"]), roff(command["arguments"]))]
        pages[program] = page(program, description["version"], synopsis + [line for line, _ in more], body, command["help"])
    return pages


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


def metrics_page(description):
    """All metrics in the order of their tree, with the texts of `latecomer explain`."""
    lines = ['.TH "LATECOMER\\-METRICS" "7" "" "Latecomer %s" "Metrics"' % description["version"], ".SH NAME",
             "latecomer\\-metrics \\- what the metrics of Latecomer's reports mean", ".SH DESCRIPTION",
             "Commands and conditions take the name of a metric, what reports call it, or a part of that. A value of a metric",
             "contains those of its parts. \\fBlatecomer explain\\fR \\fINAME\\fR prints the same."]
    display = {metric["name"]: metric["display"] for metric in description["metrics"]}
    for metric in description["metrics"]:
        if not metric["parent"]:
            lines.append(".SH %s" % roff(metric["display"].upper()))
        lines += [".SS \"%s\"" % roff("%s (%s)" % (metric["display"], metric["name"])), "In %s." % roff(UNITS.get(metric["unit"], metric["unit"]))]
        if metric["parent"]:
            lines.append("Part of %s (%s)." % (roff(display[metric["parent"]]), roff(metric["parent"])))
        for paragraph in metric["explanation"].strip().split("\n"):
            lines += [".PP", roff(paragraph)]
        if metric["formula"]:
            lines += [".PP", "Formula: " + roff(metric["formula"])]
    lines.append(".SH NUMBERS OF THE WHOLE RUN")
    for number in description["numbers"]:
        lines += [".SS \"%s\"" % roff("%s (%s)" % (number["display"], number["name"])),
                  "In %s." % roff(UNITS.get(number["unit"], number["unit"])), ".PP", roff(number["meaning"])]
    return "\n".join(lines + [".SH SEE ALSO", "\\fBlatecomer\\fR(1)"]) + "\n"
