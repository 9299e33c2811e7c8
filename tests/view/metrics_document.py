#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes or checks docs/metrics.md and docs/metrics/: metrics_document.py LATECOMER docs/metrics.md [--update]

docs/metrics.md is the tree. Each wait state has a page with its parts, causes, chains and counts; the other metrics
have pages by tree. Drawings are docs/metrics/*.svg. All of it comes from `latecomer explain --json`, so the texts are
changed in patterns/. The exit status is 1 if the documents are out of date. --update, or the environment variable
UPDATE_GOLDEN=1, writes them."""
import difflib
import json
import os
import subprocess
import sys
import textwrap

HEAD = """# Metrics

All metrics of a report, in the order of the tree, with links to what they mean. This page and those in `metrics/` are made from the sources of
the metrics (`patterns/`) by `tests/view/metrics_document.py --update`; `latecomer explain NAME` prints the same. A value contains those of
the metrics below it. Metrics of threads are there only if the trace has regions of OpenMP or POSIX threads, those of polling if it has
MPI_Test or its like, bytes of files and waits at files if it has records of MPI-IO, those of metahosts only if there are several. Reasons of
delays need samples or what the kernel did; *Computed more* and *Computed slower* also need a counter of instructions. Each wait state has a version for calls that cross metahosts (`grid_` and
the name without `mpi_`), which is not listed.
"""
MADE = "*Made from `patterns/` by `tests/view/metrics_document.py`; [all metrics](../metrics.md).*"
GROUPS = {"time": "Time", "threads": "Threads", "counts": "Counts and bytes", "clock_violations": "Clock violations"}


def paragraphs(text):
    out = []
    for line in text.rstrip("\n").split("\n"):
        for title in ("Typical causes:", "What to try:"):
            if line.startswith(title):
                line = "**%s**%s" % (title, line[len(title):])
        out.append(textwrap.fill(line.replace("<", "\\<"), 140, break_long_words=False, break_on_hyphens=False))
    return "\n\n".join(out)


def page_of(metric, metrics):
    """Name of the page: that of its wait state, or of its tree."""
    if metric["wait_state"]:
        return metric["wait_state"]
    if metric["name"].startswith(("omp_", "pthread_")):
        return "threads"
    if metric["name"].startswith("clock_violation"):
        return "clock_violations"
    if metric["unit"] != "seconds":
        return "counts"
    root = metric
    while root["parent"]:
        root = metrics[root["parent"]]
    return root["name"]


def chapter(metric, listed, pages, pictures):
    """The text of one metric below a heading with its name."""
    plain = lambda text: text.replace("<", "\\<")
    lines = ["## %s" % metric["name"], "", "**%s** (%s). %s" % (
        plain(" > ".join(metric["place"])), metric["unit"], plain(metric["description"])), ""]
    if metric["formula"]:
        lines += ["    %s = %s" % (metric["display_name"], metric["formula"]), ""]
    if metric["drawing"]:
        lines += ["![%s on a time line](%s)" % (metric["display_name"], pictures[metric["drawing"]]), ""]
    if metric["explanation"]:
        lines += [paragraphs(metric["explanation"]), ""]
    if metric["advice"]:
        lines += ["**First:** " + metric["advice"], ""]
    parts = [child for child in metric["children"] if child in listed]
    if parts:
        here = pages[metric["name"]]
        lines += ["Parts: " + ", ".join("[%s](%s#%s)" % (
            child, "" if pages[child] == here else pages[child] + ".md", child) for child in parts), ""]
    return lines


def documents(metrics):
    """{path below docs: text} of the index and all pages, and {path: SVG}."""
    by_name = {m["name"]: m for m in metrics}
    listed = {m["name"]: m for m in metrics if not m["name"].startswith(("grid_", "metahost_pairs"))}
    pages = {name: page_of(metric, by_name) for name, metric in listed.items()}
    pictures = {}
    # A drawing of several metrics has the name of the wait state, if one of them is.
    for metric in sorted(listed.values(), key=lambda m: m["wait_state"] != m["name"]):
        if metric["drawing"]:
            pictures.setdefault(metric["drawing"], metric["name"] + ".svg")
    index = [HEAD]
    for name, metric in listed.items():
        index.append("%s- [%s](metrics/%s.md#%s) `%s` (%s)" % (
            "  " * (len(metric["place"]) - 1), metric["display_name"].replace("<", "\\<"), pages[name], name, name, metric["unit"]))
    out = {"metrics.md": "\n".join(index) + "\n"}
    for page in dict.fromkeys(pages.values()):
        title = GROUPS.get(page) or listed[page]["display_name"]
        lines = ["# " + title, "", MADE, ""]
        own = [metric for name, metric in listed.items() if pages[name] == page]
        for metric in sorted(own, key=lambda m: m["name"] != page):  # the wait state itself first
            lines += chapter(metric, listed, pages, pictures)
        out["metrics/%s.md" % page] = "\n".join(lines).rstrip("\n") + "\n"
    for svg, name in pictures.items():
        out["metrics/" + name] = svg
    return out


def main():
    latecomer, path = sys.argv[1:3]
    done = subprocess.run([latecomer, "explain", "--json"], stdout=subprocess.PIPE, check=True, timeout=200)
    metrics = json.loads(done.stdout)
    docs = os.path.dirname(path)
    folder = os.path.join(docs, "metrics")
    wanted = {os.path.join(docs, name): text for name, text in documents(metrics).items()}
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
