# SPDX-License-Identifier: BSD-3-Clause
"""Parses the user's command line: launcher, number of ranks, targets. Can make it again with other
targets."""
import csv
import os
import re
import shutil


class Launcher:
    """The row of launchers.tsv for a launcher: its options by meaning, without their dashes.

      ranks: number of ranks   times: multiplies it   number: the word that sets it, with dashes
      hosts: says where to run, has a value   value: has a value
      variables: sets variables as -x NAME=VALUE does, or --export=ALL,NAME=VALUE
      pairs: sets a variable as -env NAME VALUE does   two values: has two values
      everywhere: sets it for all parts
    """

    def __init__(self, rows):
        options = {}
        for row in rows:
            options.setdefault(row["meaning"], []).extend(row["options"].split())
        self.ranks = set(options.get("ranks", []))
        self.times = set(options.get("times", []))
        self.hosts = set(options.get("hosts", []))
        self.number = options.get("number", ["-n"])[0]
        self.variables, self.pairs = set(options.get("variables", [])), set(options.get("pairs", []))
        self.everywhere = set(options.get("everywhere", []))
        self.values = {name: 1 for meaning in ("ranks", "times", "hosts", "value", "variables")
                       for name in options.get(meaning, [])}
        self.values.update({name: 2 for name in options.get("two values", []) + options.get("pairs", [])})


def find_launcher(word):
    """The Launcher of this name (mpiexec.mpich is mpiexec), or None."""
    name = os.path.basename(word).split(".")[0]
    with open(os.path.join(os.path.dirname(__file__), "launchers.tsv"), newline="", encoding="utf-8") as f:
        rows = [row for row in csv.DictReader(f, delimiter="\t") if name in row["launchers"].split()]
    return Launcher(rows) if rows else None


class Option:
    """An option of a launcher: its words, its name without dashes, its first value, the variables
    it sets."""

    def __init__(self, words, name, value, variables=()):
        self.words, self.name, self.value, self.variables = words, name, value, dict(variables)


def read_option(launcher, words):
    """The option at the begin of `words`."""
    first = words[0]
    name, equals, value = first.lstrip("-").partition("=")
    glued = re.match(r"-([A-Za-z])(\d+)$", first)
    if glued and glued[1] in launcher.values:
        return Option(words[:1], glued[1], glued[2])  # srun -n4
    if equals:
        return Option(words[:1], name, value, assigned(value) if name in launcher.variables else ())
    if name in launcher.pairs and len(words) > 2 and "=" not in words[1]:
        return Option(words[:3], name, words[1], [(words[1], words[2])])
    if name in launcher.pairs or name in launcher.variables:
        value = words[1] if len(words) > 1 else ""
        return Option(words[:2], name, value, [value.split("=", 1)] if name in launcher.pairs else assigned(value))
    values = launcher.values.get(name)
    if values is None:
        # An option that is not in the table has a value if the next word looks like one.
        values = 1 if (len(words) > 2 and not words[1].startswith("-")
                       and shutil.which(words[1]) is None and shutil.which(words[2])) else 0
    return Option(words[:1 + values], name, words[1] if values and len(words) > 1 else "")


def assigned(value):
    """The variables of -x NAME=VALUE and of --export=ALL,NAME=VALUE,..."""
    return [part.split("=", 1) for part in value.split(",") if "=" in part]


class Segment:
    """One part of an MPMD command: options, target, arguments, and ranks (None: unknown).

    If the target is `env ... program`, `prefix` has the words before the program. `variables`
    has the variables that env sets; None: it removes this one. `cleared`: it removes all others."""

    def __init__(self, options, words, ranks):
        self.options, self.ranks, self.prefix, self.variables, self.cleared = options, ranks, [], {}, False
        while True:
            found = read_env(words)
            if found is None:
                break
            used, variables, cleared = found
            self.cleared = self.cleared or cleared
            self.variables = {**({} if cleared else self.variables), **variables}
            self.prefix, words = self.prefix + words[:used], words[used:]
        self.target, self.arguments = words[0], words[1:]

    def words_of_options(self):
        return [word for option in self.options for word in option.words]


class Command:
    """The command that the user typed, in its parts.

      launcher: its word, or None for a program that is started without one
      known: the Launcher, or None if it is not in the table
      segments: at least one, unless the target could not be found
      named_hosts: True if the launcher was told where to run
    """

    def __init__(self, words):
        self.launcher, self.known, self.segments = None, find_launcher(words[0]), []
        if self.known is not None:
            self.launcher = words[0]
            self.segments = [self.segment(part) for part in split(words[1:], ":")]
        elif "--" in words[1:]:
            # The launcher is unknown, so the user marks the target.
            at = words.index("--", 1)
            self.launcher = words[0]
            options = [Option([word], "", "") for word in words[1:at]]
            if at + 1 < len(words):
                self.segments = [Segment(options, words[at + 1:], None)]
        else:
            self.segments = [Segment([], words, 1)]
        if None in self.segments:
            self.segments = []
        self.named_hosts = self.known is not None and any(
            option.name in self.known.hosts for s in self.segments for option in s.options)

    @property
    def ranks(self):
        """Number of all ranks, or None if the command does not state it."""
        numbers = [segment.ranks for segment in self.segments]
        return None if None in numbers or not numbers else sum(numbers)

    def segment(self, words):
        options, ranks, times = [], None, 1
        while words and words[0].startswith("-") and words[0] != "--":
            option = read_option(self.known, words)
            words = words[len(option.words):]
            options.append(option)
            number = int(option.value) if option.value.isdigit() else None
            if option.name in self.known.ranks:
                ranks = number
            elif option.name in self.known.times:
                times = number
        if words and words[0] == "--":
            words = words[1:]
        if not words:
            return None
        return Segment(options, words, ranks * times if ranks and times else None)

    def with_targets(self, make):
        """The command with every target replaced by the words of make(segment)."""
        if self.launcher is None:
            return make(self.segments[0])
        words = [self.launcher]
        for number, segment in enumerate(self.segments):
            words += ([":"] if number else []) + segment.words_of_options() + make(segment)
        return words

    def with_ranks(self, ranks, words):
        """The command line of a known launcher, with its options for hosts and environment, for
        `words` on a number of ranks."""
        number = self.known.ranks | self.known.times
        kept = [word for option in self.segments[0].options if option.name not in number
                for word in option.words]
        return [self.launcher, self.known.number, str(ranks)] + kept + words


def read_env(words):
    """Parses `env options NAME=VALUE ... program`. Returns (number of words before the program,
    variables, True if all others are removed); None if the words are something else, or not
    understood."""
    if os.path.basename(words[0]) != "env":
        return None
    at, variables, cleared = 1, {}, False
    while at < len(words) and words[at].startswith("-"):
        option = words[at]
        if option in ("-u", "--unset") and at + 1 < len(words):
            at += 1
            variables[words[at]] = None
        elif option.startswith("--unset="):
            variables[option[8:]] = None
        elif option in ("-C", "--chdir"):
            at += 1
        elif option in ("-", "-i", "--ignore-environment"):
            cleared = True
        elif option == "--":
            at += 1
            break
        elif not option.startswith(("--chdir=", "--block-signal", "--default-signal", "--ignore-signal")):
            return None
        at += 1
    while at < len(words) and "=" in words[at]:
        name, _, variables[name] = words[at].partition("=")
        at += 1
    return (at, variables, cleared) if at < len(words) else None


def behind_env(words):
    """The words as they stand after `env NAME=VALUE ...`. env takes every word with = for a variable, also the path of
    a program (n=4/app), so another command that changes nothing starts that one."""
    return ["nice", "-n", "0", "--"] + words if words and "=" in words[0] else words


def split(words, separator):
    parts = [[]]
    for word in words:
        if word == separator:
            parts.append([])
        else:
            parts[-1].append(word)
    return parts
