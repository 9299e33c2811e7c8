# SPDX-License-Identifier: BSD-3-Clause
"""Completion for bash."""
from completion import FILES, HELP, METRICS, names_of_metrics


def words_of(options):
    return " ".join(word for option in options
                    for word in ["--" + option["name"]] + ["-" + option["letter"]] * bool(option["letter"]))


def values_case(options):
    """Returns the branches of a `case` over the previous word: values that may follow an option."""
    lines = []
    for option in options:
        if not option["value"]:
            continue
        names = "|".join(["--" + option["name"]] + ["-" + option["letter"]] * bool(option["letter"]))
        if option["choices"]:
            reply = 'COMPREPLY=($(compgen -W "%s" -- "$word"))' % " ".join(option["choices"])
        elif option["value"] in METRICS:
            reply = "_latecomer_metric"
        elif option["value"] in FILES:
            reply = 'COMPREPLY=($(compgen -f -- "$word"))'
        else:
            reply = "COMPREPLY=()"
        lines.append("    %s) %s; return ;;" % (names, reply))
    return lines


HEADER = """# bash completion for %s; made from the tables of options.
"""

# Completes a metric, or the last one of a list with commas.
METRIC = """_latecomer_metric() {
  local before=""
  [[ $word != *,* ]] || before=${word%,*},
  COMPREPLY=($(compgen -P "$before" -W "$_latecomer_metrics" -- "${word##*,}"))
  compopt -o nospace 2>/dev/null
}
"""


def latecomer_bash(description):
    lines = [HEADER % "latecomer, latecomer-analyzer and scan", '_latecomer_metrics="%s"' % " ".join(names_of_metrics(description)), METRIC,
             "_latecomer() {", '  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}',
             "  COMPREPLY=()", "  if [ \"$COMP_CWORD\" -eq 1 ]; then",
             '    COMPREPLY=($(compgen -W "%s --help --version" -- "$word"))'
             % " ".join(command["name"] for command in description["commands"]), "    return", "  fi",
             '  case "${COMP_WORDS[1]}" in']
    for command in description["commands"]:
        options = command["options"] + [HELP]
        lines.append("  %s)" % command["name"])
        values = values_case(options)
        if values:
            lines += ['    case "$before" in'] + values + ["    esac"]
        lines += ['    if [[ $word == -* ]]; then', '      COMPREPLY=($(compgen -W "%s" -- "$word"))' % words_of(options)]
        if command["name"] == "explain":
            lines += ["    else", '      _latecomer_metric', "    fi ;;"]
        else:
            lines += ["    else", '      COMPREPLY=($(compgen -f -- "$word"))', "    fi ;;"]
    return "\n".join(lines + ["  esac", "}", "complete -o filenames -F _latecomer latecomer", ""])


def bash_files(description, analyzer, scan):
    """Returns the files by name. One file has the completion of all programs, so that it can be
    sourced; the files that bash loads by name source it."""
    loader = '. "${BASH_SOURCE[0]%/*}/latecomer"\n'
    return {"latecomer": "\n".join([latecomer_bash(description), program_bash("latecomer-analyzer", analyzer, "-f"),
                                    program_bash("scan", scan, "-c -f")]),
            "latecomer-analyzer": HEADER % "latecomer-analyzer" + loader, "scan": HEADER % "scan" + loader}


def program_bash(program, options, rest):
    function = "_" + program.replace("-", "_") + "_options"
    lines = [function + "() {",
             '  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}', "  COMPREPLY=()",
             '  case "$before" in'] + values_case(options)
    lines += ["  esac", "  if [[ $word == -* ]]; then",
              '    COMPREPLY=($(compgen -W "%s" -- "$word"))' % words_of(options), "  else",
              '    COMPREPLY=($(compgen %s -- "$word"))' % rest, "  fi", "}",
              "complete -o filenames -F %s %s" % (function, program), ""]
    return "\n".join(lines)
