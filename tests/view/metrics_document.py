#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""docs/metrics.md is what the metrics say of themselves: metrics_document.py LATECOMER docs/metrics.md [--update]

Compares the document and its drawings (docs/metrics/*.svg) with what `latecomer explain --json` prints, and ends with 1 if it is not up to date; --update, or
the environment variable UPDATE_GOLDEN=1, writes it anew. Its texts are changed in patterns/."""
import difflib
import json
import os
import subprocess
import sys
import textwrap

HEAD = """# Metrics

All metrics of a report, in the order of the tree. This page is made from the sources of the metrics (`patterns/`) by
`tests/view/metrics_document.py --update`; `latecomer explain NAME` prints the same. A value contains those of the metrics below it.
Metrics of threads are there only if the trace has regions of OpenMP or POSIX threads, those of polling if it has MPI_Test or its like,
those of metahosts only if there are several.
Each wait state has a version for calls that cross metahosts (`grid_` and the name without `mpi_`), which is not listed.
"""


def anchor(name):
    return "[%s](#%s)" % (name, name)


def paragraphs(text):
    out = []
    for line in text.rstrip("\n").split("\n"):
        for title in ("Typical causes:", "What to try:"):
            if line.startswith(title):
                line = "**%s**%s" % (title, line[len(title):])
        out.append(textwrap.fill(line.replace("<", "\\<"), 140, break_long_words=False, break_on_hyphens=False))
    return "\n\n".join(out)


def document(metrics):
    listed = [m for m in metrics if not m["name"].startswith(("grid_", "metahost_pairs_"))]
    lines = [HEAD, "## The tree", ""]
    for metric in listed:
        lines.append("%s- %s `%s` (%s)" % ("  " * (len(metric["place"]) - 1), metric["display_name"], metric["name"], metric["unit"]))
    lines += ["", "## What they mean", ""]
    for metric in listed:
        lines += ["### %s" % metric["name"], "", "**%s** (%s). %s" % (
            " > ".join(metric["place"]).replace("<", "\\<"), metric["unit"], metric["description"].replace("<", "\\<")), ""]
        if metric["formula"]:
            lines += ["    %s = %s" % (metric["display_name"], metric["formula"]), ""]
        if metric["drawing"]:
            lines += ["![%s on a time line](metrics/%s.svg)" % (metric["display_name"], metric["name"]), ""]
        if metric["explanation"]:
            lines += [paragraphs(metric["explanation"]), ""]
        if metric["advice"]:
            lines += ["**First:** " + metric["advice"], ""]
        parts = [child for child in metric["children"] if any(m["name"] == child for m in listed)]
        if parts:
            lines += ["Parts: " + ", ".join(anchor(child) for child in parts), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def main():
    latecomer, path = sys.argv[1:3]
    done = subprocess.run([latecomer, "explain", "--json"], stdout=subprocess.PIPE, check=True, timeout=60)
    metrics = json.loads(done.stdout)
    folder = os.path.join(os.path.dirname(path), "metrics")
    wanted = {os.path.join(folder, m["name"] + ".svg"): m["drawing"] for m in metrics if m["drawing"]}
    wanted[path] = document(metrics)
    there = {os.path.join(folder, name) for name in os.listdir(folder)} if os.path.isdir(folder) else set()
    if "--update" in sys.argv[3:] or os.environ.get("UPDATE_GOLDEN") == "1":
        os.makedirs(folder, exist_ok=True)
        for name in there - set(wanted):
            os.remove(name)
        for name, text in wanted.items():
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)
        return 0
    failed = False
    for name in sorted(there | set(wanted)):
        old = ""
        if os.path.exists(name):
            with open(name, encoding="utf-8") as file:
                old = file.read()
        new = wanted.get(name, "")
        failed = failed or old != new
        sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True), name, "the metrics themselves"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
