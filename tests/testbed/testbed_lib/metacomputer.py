# SPDX-License-Identifier: BSD-3-Clause
"""The emulated metacomputer: metahosts, their nodes, the links between them."""
import re

from . import units


class Wrong(Exception):
    """A description that makes no sense; the text says why."""


class Link:
    """One direction: mean latency and its standard deviation in ns, bits per second (0:
    unlimited)."""

    def __init__(self, latency, jitter=0, rate=0):
        self.latency, self.jitter, self.rate = latency, jitter, rate


class Node:
    """A host with its own name, address and clock; processes on it share memory."""

    def __init__(self, metahost, number, slots):
        self.metahost, self.number, self.slots = metahost, number, slots
        self.shift = 0  # of CLOCK_MONOTONIC, in ns

    @property
    def name(self):
        return "%s-%d" % (self.metahost.name, self.number)

    @property
    def address(self):
        return "10.77.%d.%d" % (self.metahost.number + 1, self.number + 1)


class Metahost:
    """inside: Link between its nodes. None: they share a network namespace and use the loopback."""

    def __init__(self, name, number, slots):
        self.name, self.number, self.inside = name, number, None
        self.nodes = [Node(self, i, n) for i, n in enumerate(slots)]

    @property
    def spaces(self):
        """Its nodes by network namespace."""
        return [[node] for node in self.nodes] if self.inside else [self.nodes]


class Metacomputer:
    """metahosts in the order of their numbers; default: the Link of pairs without one."""

    def __init__(self):
        self.metahosts, self.default, self.links, self.seed = [], Link(500_000), {}, 1

    def add(self, name, slots):
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,30}", name):
            raise Wrong("'%s' is no name for a metahost: letters, digits and _, at most 31" % name)
        if any(metahost.name == name for metahost in self.metahosts):
            raise Wrong("metahost %s is described twice" % name)
        if not slots or len(slots) > 200 or min(slots) < 1:
            raise Wrong("metahost %s needs 1 to 200 nodes with one process or more on each" % name)
        if len(self.metahosts) >= 200:
            raise Wrong("more than 200 metahosts")
        self.metahosts.append(Metahost(name, len(self.metahosts), slots))

    def metahost(self, name):
        for metahost in self.metahosts:
            if metahost.name == name:
                return metahost
        raise Wrong("no metahost has the name '%s'" % name)

    @property
    def nodes(self):
        return [node for metahost in self.metahosts for node in metahost.nodes]

    def part_nodes(self):
        """Gives each node its own network namespace: Open MPI takes nodes that share one for a
        single node."""
        for metahost in self.metahosts:
            if len(metahost.nodes) > 1 and not metahost.inside:
                metahost.inside = Link(0)

    @property
    def spaces(self):
        """Nodes by network namespace."""
        return [space for metahost in self.metahosts for space in metahost.spaces]

    def link(self, source, target):
        """The link between nodes of different namespaces."""
        if source.metahost is target.metahost:
            return source.metahost.inside
        return self.links.get((source.metahost.name, target.metahost.name), self.default)

    def router_table(self, processes):
        """The router's input; processes: one of every space, in their order."""
        spaces = self.spaces
        lines = ["seed %d" % self.seed]
        for space, process in zip(spaces, processes):
            lines.append("space %d %s" % (process, " ".join(node.address for node in space)))
        for i, source in enumerate(spaces):
            for j, target in enumerate(spaces):
                if i != j:
                    link = self.link(source[0], target[0])
                    lines.append("link %d %d %d %d %d" % (i, j, link.latency, link.jitter, link.rate))
        return "\n".join(lines) + "\n"


def read_link(words):
    """Reads LATENCY [JITTER [BANDWIDTH]]."""
    if not 1 <= len(words) <= 3:
        raise Wrong("expected LATENCY [JITTER [BANDWIDTH]]")
    return Link(units.time(words[0]), units.time(words[1]) if len(words) > 1 else 0,
                units.rate(words[2]) if len(words) > 2 else 0)


def read_slots(words):
    if not all(re.fullmatch(r"\d+", word) for word in words):
        raise Wrong("'%s': expected the number of processes of each node" % " ".join(words))
    return [int(word) for word in words]


def add_metahosts(computer, text):
    """Reads 'juelich:2,bonn:2+2': two processes on one node; two nodes with two processes each."""
    for part in text.split(","):
        name, _, slots = part.strip().partition(":")
        computer.add(name, read_slots(slots.split("+") if slots else ["1"]))


def read_line(computer, words):
    kind, words = words[0], words[1:]
    if kind == "metahost" and words:
        computer.add(words[0], read_slots(words[1:]))
    elif kind == "default":
        computer.default = read_link(words)
    elif kind == "inside" and words:
        computer.metahost(words[0]).inside = read_link(words[1:])
    elif kind in ("link", "oneway") and len(words) > 2:
        source, target = (computer.metahost(name).name for name in words[:2])
        if source == target:
            raise Wrong("a link leads from one metahost to another; 'inside' is for its nodes")
        for pair in ((source, target), (target, source))[:2 if kind == "link" else 1]:
            computer.links[pair] = read_link(words[2:])
    elif kind == "shift" and words:
        nodes = computer.metahost(words[0]).nodes
        if len(words) - 1 not in (1, len(nodes)):
            raise Wrong("expected one time for all nodes of %s or one for each" % words[0])
        times = words[1:] if len(words) > 2 else words[1:] * len(nodes)
        for node, text in zip(nodes, times):
            node.shift = units.signed_time(text)
    elif kind == "seed" and len(words) == 1 and words[0].isdigit():
        computer.seed = int(words[0])
    else:
        raise Wrong("expected metahost, default, inside, link, oneway, shift or seed, and their words")


def read_description(computer, lines, name):
    """Adds the contents of the lines of a file. A # begins a comment."""
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            read_line(computer, words)
        except (Wrong, units.WrongUnit) as wrong:
            raise Wrong("%s: line %d: %s" % (name, number, wrong)) from None
