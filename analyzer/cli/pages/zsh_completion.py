# SPDX-License-Identifier: BSD-3-Clause
"""Completion for zsh."""
from completion import FILES, HELP, METRICS, names_of_metrics


def quoted(text):
    return "'%s'" % text.replace("'", "'\\''")


def plain(text):
    """Escapes text for the part of a specification in [...]."""
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")


def action(option):
    if option["choices"]:
        return "(%s)" % " ".join(option["choices"])
    if option["value"] == "NAME[,...]":
        return "_latecomer_metric_list"
    if option["value"] == "COND":
        return "_latecomer_condition"
    if option["value"] in METRICS:
        return "_latecomer_metric"
    return "_files" if option["value"] in FILES else " "


def specifications(options):
    """Specifications for _arguments: '(-o --output)'{-o,--output}'[file to write]:FILE:_files'."""
    lines = []
    for option in options:
        names = ["--" + option["name"]] + ["-" + option["letter"]] * bool(option["letter"])
        value = ":%s:%s" % (plain(option["value"]), action(option)) if option["value"] else ""
        for name in names:
            star = "*" if option["repeated"] else "(%s)" % " ".join(names)
            lines.append(quoted("%s%s[%s]%s" % (star, name, plain(option["help"]), value)))
    return lines


def call(options, rest, indent):
    return (" \\\n" + indent + "  ").join([indent + "_arguments -s"] + specifications(options) + [quoted(rest)])


METRICS_OF_SHELL = """_latecomer_metric() { compadd -a latecomer_metrics }
_latecomer_metric_list() { compset -P '*,'; compadd -S '' -a latecomer_metrics }
_latecomer_condition() { compadd -S '' -a latecomer_metrics }
"""


def latecomer_zsh(description):
    lines = ["#compdef latecomer", "# Made from the tables of commands, options and metrics.",
             "typeset -ga latecomer_metrics", "latecomer_metrics=(%s)" % " ".join(names_of_metrics(description)),
             METRICS_OF_SHELL, "_latecomer() {", "  local -a commands=("]
    lines += ["    " + quoted("%s:%s" % (command["name"], command["help"])) for command in description["commands"]]
    lines += ["  )", "  if (( CURRENT == 2 )); then", "    _describe command commands",
              "    compadd -- --help --version", "    return", "  fi", "  shift words; (( CURRENT-- ))",
              "  case $words[1] in"]
    for command in description["commands"]:
        rest = "*:metric:_latecomer_metric" if command["name"] == "explain" else "*:file:_files"
        lines += ["  %s)" % command["name"], call(command["options"] + [HELP], rest, "    ") + " ;;"]
    return "\n".join(lines + ["  esac", "}", '_latecomer "$@"', ""])


def program_zsh(program, options, rest):
    return "#compdef %s\n# Made from its tables of options.\n%s\n" % (program, call(options, rest, ""))
