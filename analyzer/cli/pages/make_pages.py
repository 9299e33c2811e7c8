#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes man pages and completion for shells from the tables of options and metrics.

Usage: make_pages.py DESCRIPTION SCRIPTS SETTINGS OUTPUT

DESCRIPTION is the program latecomer_describe, SCRIPTS the folder of scan_lib, SETTINGS the table
of settings. The files are written into OUTPUT: man1, man7, bash, zsh and fish.
"""
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
from bash_completion import bash_files
from fish_completion import fish_files
from man_pages import analyzer_page, latecomer_page, metrics_page, scan_page, started_pages
from zsh_completion import latecomer_zsh, program_zsh


def scan_options(scripts, settings):
    """Returns the options of scan in the form of the others, and (variable, help) for all settings."""
    sys.path.insert(0, scripts)
    from scan_lib.options import OWN, read_settings
    options = [{"name": name, "letter": letter, "value": value, "help": text, "repeated": False, "choices": []}
               for name, letter, value, text in OWN]
    variables = []
    for row in read_settings(settings):
        kind, _, choices = row["type"].partition(":")
        # The text begins with a small letter, as in scan --help.
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


def main():
    describe, scripts, settings, output = sys.argv[1:]
    description = json.loads(subprocess.run([describe], check=True, stdout=subprocess.PIPE).stdout)
    analyzer = description["analyzer"]
    options, variables = scan_options(scripts, settings)
    files = {
        "man1/latecomer.1": latecomer_page(description),
        "man1/latecomer-analyzer.1": analyzer_page(description),
        "man1/scan.1": scan_page(description, options, variables),
        "man7/latecomer-metrics.7": metrics_page(description),
        "zsh/_latecomer": latecomer_zsh(description),
        "zsh/_latecomer-analyzer": program_zsh("latecomer-analyzer", analyzer, "*:experiment:_files"),
        "zsh/_scan": program_zsh("scan", options, "*::program: _normal"),
    }
    files.update(("man1/%s.1" % program, text) for program, text in started_pages(description).items())
    files.update(("bash/" + name, text) for name, text in bash_files(description, analyzer, options).items())
    files.update(("fish/%s.fish" % name, text) for name, text in fish_files(description, analyzer, options).items())
    for name, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(output, name)), exist_ok=True)
        with open(os.path.join(output, name), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
