# SPDX-License-Identifier: BSD-3-Clause
"""The command line of the user: launcher, number of ranks, targets; and the same with other targets."""
import csv
import os
import shutil


def read_launchers():
    path = os.path.join(os.path.dirname(__file__), "launchers.tsv")
    with open(path, newline="") as f:
        rows = csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["launcher"]: {key: (value or "").split() for key, value in row.items()}
                for row in rows}


class Segment:
    """One part of an MPMD command: options, target, arguments; ranks is None if unknown."""

    def __init__(self, options, target, arguments, ranks):
        self.options, self.target, self.arguments, self.ranks = options, target, arguments, ranks


class Command:
    """What the user typed, taken apart.

    launcher: its word, or None for a program that is started by itself
    segments: at least one, unless the target could not be found
    named_hosts: the launcher was told where to run
    """

    def __init__(self, words):
        self.launcher, self.segments, self.named_hosts = None, [], False
        launchers = read_launchers()
        name = os.path.basename(words[0]).split(".")[0]
        if name in launchers:
            self.launcher = words[0]
            self.info = launchers[name]
            for part in split(words[1:], ":"):
                self.segments.append(self.segment(part))
        elif "--" in words:
            # An unknown launcher: the user shows where the target is.
            at = words.index("--")
            self.launcher, self.info = words[0], launchers["mpiexec"]
            if at + 1 < len(words):
                self.segments.append(Segment(words[1:at], words[at + 1], words[at + 2:], None))
        else:
            self.segments.append(Segment([], words[0], words[1:], 1))
        if any(segment is None for segment in self.segments):
            self.segments = []

    @property
    def ranks(self):
        """All ranks, or None where the command does not say."""
        numbers = [segment.ranks for segment in self.segments]
        return None if None in numbers or not numbers else sum(numbers)

    def segment(self, words):
        ranks, i = None, 0
        info = self.info
        while i < len(words):
            word = words[i]
            name, _, value = word.partition("=")
            if word == "--":
                i += 1
                break
            if not word.startswith("-"):
                break
            self.named_hosts = self.named_hosts or name in info["hosts"]
            if name in info["ranks"]:
                text = value or (words[i + 1] if i + 1 < len(words) else "")
                ranks = int(text) if text.isdigit() else None
                i += 1 if value else 2
            elif value and word.startswith("--"):
                i += 1
            elif name in info["with_two_values"]:
                i += 3
            elif name in info["with_value"]:
                i += 2
            elif (i + 2 < len(words) and not words[i + 1].startswith("-")
                  and shutil.which(words[i + 1]) is None and shutil.which(words[i + 2])):
                i += 2  # an option that the table does not know, with a value
            else:
                i += 1
        if i >= len(words):
            return None
        return Segment([w for w in words[:i] if w != "--"], words[i], words[i + 1:], ranks)

    def with_targets(self, make):
        """The command with every target replaced by the words of make(segment)."""
        if self.launcher is None:
            return make(self.segments[0])
        words = [self.launcher]
        for number, segment in enumerate(self.segments):
            words += ([":"] if number else []) + segment.options + make(segment)
        return words

    def with_ranks(self, ranks, words):
        """The launcher alone, with its options for hosts and environment, on so many ranks."""
        options, kept, i = self.segments[0].options, [], 0
        while i < len(options):
            name, _, value = options[i].partition("=")
            if name in self.info["ranks"]:
                i += 1 if value else 2
            else:
                kept.append(options[i])
                i += 1
        return [self.launcher, self.info["same_number_option"][0], str(ranks)] + kept + words


def split(words, separator):
    parts = [[]]
    for word in words:
        if word == separator:
            parts.append([])
        else:
            parts[-1].append(word)
    return parts
