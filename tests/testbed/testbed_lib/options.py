# SPDX-License-Identifier: BSD-3-Clause
"""The command line of scripts/testbed."""
import getopt
import os

from . import units
from .metacomputer import (Link, Metacomputer, Wrong, add_metahosts, read_description, read_line)

HELP = """usage: testbed [options] -- COMMAND...

Runs COMMAND on a metacomputer that exists on this machine only: metahosts are network namespaces,
a router forwards packets between them as late as you say. COMMAND runs on the first node of the
first metahost. mpiexec (MPICH) finds the nodes by itself:

  testbed --metahosts juelich:2,bonn:2 --latency 500us -- scan --yield mpiexec -n 4 ./app

  --metahosts LIST          names and processes: juelich:2,bonn:2+2 is one node with two processes,
                            and two nodes with two each
  --latency TIME            one way between metahosts, mean (default 500us)
  --jitter TIME             its standard deviation (default 0us)
  --bandwidth RATE          of each pair in each direction: 1Gbit, 100Mbit (default: unlimited)
  --description FILE        all that and more; see tests/testbed/README.md
  --own-file-systems DIR    what a metahost writes below DIR the others do not see; afterwards it is
                            in DIR/METAHOST
  --shift METAHOST=TIME     its CLOCK_MONOTONIC is ahead (time namespace); may be repeated
  --clocks FILE             clocks of the nodes (juelich-0, bonn-1, ...) for LATECOMER_TIMER_EMULATION
  --seed NUMBER             of the jitter (default 1)
  --help                    print this text

Exit status: that of COMMAND; 2 wrong usage; 77 if this machine cannot do it (the message says why).
"""

NAMES = ["metahosts=", "latency=", "jitter=", "bandwidth=", "description=", "own-file-systems=",
         "shift=", "clocks=", "seed=", "help"]


class UsageError(Exception):
    pass


class Options:
    """The options: help, computer, own_directory (or None), clocks (or None), command."""

    def __init__(self, words):
        try:
            pairs, self.command = getopt.getopt(words, "h", NAMES)
        except getopt.GetoptError as error:
            raise UsageError(error.msg) from None
        self.help = any(name in ("-h", "--help") for name, _ in pairs)
        if self.help:
            return
        given = dict(pairs)
        try:
            self.computer = describe(given, pairs)
        except (Wrong, units.WrongUnit) as wrong:
            raise UsageError(str(wrong)) from None
        self.own_directory = existing(given.get("--own-file-systems"), os.path.isdir, "directory")
        self.clocks = existing(given.get("--clocks"), os.path.isfile, "file")
        if not self.command:
            raise UsageError("no command to run")


def existing(path, test, what):
    if path is None:
        return None
    if not test(path):
        raise UsageError("%s: no such %s" % (path, what))
    return os.path.realpath(path)


def describe(given, pairs):
    computer = Metacomputer()
    name = given.get("--description")
    if name is not None:
        try:
            with open(name) as f:
                read_description(computer, f, name)
        except (OSError, UnicodeDecodeError) as error:
            raise Wrong("%s: %s" % (name, getattr(error, "strerror", "not a text file"))) from None
    add_metahosts(computer, given["--metahosts"]) if "--metahosts" in given else None
    if not computer.metahosts:
        raise Wrong("no metahosts: give --metahosts juelich:2,bonn:2 or --description FILE")
    default = computer.default
    computer.default = Link(
        units.time(given["--latency"]) if "--latency" in given else default.latency,
        units.time(given["--jitter"]) if "--jitter" in given else default.jitter,
        units.rate(given["--bandwidth"]) if "--bandwidth" in given else default.rate)
    for option, text in pairs:
        if option == "--shift":
            read_line(computer, ["shift"] + text.split("="))
        elif option == "--seed":
            read_line(computer, ["seed", text])
    return computer
