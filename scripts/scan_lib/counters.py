# SPDX-License-Identifier: BSD-3-Clause
"""Counters by name, and whether this machine counts them (--counters)."""
import csv
import ctypes
import difflib
import errno
import mmap
import os
import platform
import struct

from .checks import Refused

DEFAULT = "instructions,cycles"
MOST = 8  # as in archive/counter_names.hpp
USAGE = "usage"  # kept by the kernel for each thread anyway
EVERYWHERE = "page-faults,context-switches,task-clock"

# <linux/perf_event.h>
PERF_EVENT_OPEN = 298  # of x86-64
CLOSE_ON_EXEC = 8
USER_ONLY = 1 << 5 | 1 << 6  # without the kernel and a hypervisor
CAPABILITIES_AT, USER_READING = 40, 1 << 2  # in the page of a counter

# libpfm, which names the events of each processor.
LIBRARY = "libpfm.so.4"
USER_LEVEL = 8
TYPE_CORE, OS_PERF_EVENT, MOST_PMUS = 1, 1, 1000


class Counter:
    """A counter: its name, "usage" or the type of a perf event, its number, and a text."""

    def __init__(self, name, source, config, text="", is_in_table=False):
        self.name, self.source, self.config, self.text = name, source, config, text
        self.is_in_table = is_in_table

    def __str__(self):
        """The counter as the measurement library reads it."""
        return self.name if self.is_in_table else "%s=%d:%x" % (self.name, self.source, self.config)


def read_table(path):
    """{name: Counter} from counters.tsv."""
    with open(path, newline="", encoding="utf-8") as f:
        return {row["name"]: Counter(row["name"], USAGE if row["source"] == USAGE else int(row["source"]),
                                     int(row["config"], 0), row["description"], True)
                for row in csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE)}


class PmuInfo(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("desc", ctypes.c_char_p), ("size", ctypes.c_size_t), ("pmu", ctypes.c_int),
                ("type", ctypes.c_int), ("nevents", ctypes.c_int), ("first_event", ctypes.c_int),
                ("max_encoding", ctypes.c_int), ("num_cntrs", ctypes.c_int), ("num_fixed_cntrs", ctypes.c_int),
                ("flags", ctypes.c_uint)]


class EventInfo(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("desc", ctypes.c_char_p), ("equiv", ctypes.c_char_p),
                ("size", ctypes.c_size_t), ("code", ctypes.c_uint64), ("pmu", ctypes.c_int), ("dtype", ctypes.c_int),
                ("idx", ctypes.c_int), ("nattrs", ctypes.c_int), ("reserved", ctypes.c_int), ("flags", ctypes.c_uint)]


class EventNames:
    """The names of libpfm; without that library there are none."""

    def __init__(self):
        try:
            self.library = ctypes.CDLL(LIBRARY)
            if self.library.pfm_initialize() != 0:
                self.library = None
        except (OSError, AttributeError):
            self.library = None

    def find(self, name):
        """The Counter of a name, or None. Refuses events that need more than one number."""
        if self.library is None or not name.isascii():
            return None
        attributes = ctypes.create_string_buffer(256)
        if self.library.pfm_get_perf_event_encoding(name.encode(), USER_LEVEL, attributes, None, None) != 0:
            return None
        kind, config = struct.unpack_from("=I4xQ", attributes)
        more = struct.unpack_from("=QQ", attributes, 56)
        if any(more):
            raise Refused("counter %s: the event needs a second register, which is not supported" % name,
                          "scan --counters list shows others")
        return Counter(name, kind, config)

    def all(self):
        """[(name, description)] of the processor's own events."""
        found = []
        if self.library is None:
            return found
        for pmu in range(MOST_PMUS):
            about = PmuInfo(size=ctypes.sizeof(PmuInfo))
            if self.library.pfm_get_pmu_info(pmu, ctypes.byref(about)) != 0 or not about.flags & 1 \
                    or about.type != TYPE_CORE:
                continue
            index = about.first_event
            while index != -1:
                event = EventInfo(size=ctypes.sizeof(EventInfo))
                if self.library.pfm_get_event_info(index, OS_PERF_EVENT, ctypes.byref(event)) == 0:
                    found.append((event.name.decode(), event.desc.decode()))
                index = self.library.pfm_get_event_next(index)
        return found


def parse(text, table, names):
    """The counters of a list of names. Refuses names that do not exist."""
    found = []
    for name in (DEFAULT if text == "default" else text).split(","):
        counter = table.get(name) or names.find(name) or event(name)
        if counter is None:
            near = difflib.get_close_matches(name, list(table) + [known for known, _ in names.all()], 3, 0.5)
            raise Refused("there is no counter '%s'" % name,
                          ("do you mean %s? " % " or ".join(near) if near else "") + "scan --counters list shows all"
                          + ("" if names.library else "; with the package libpfm4 there are more"))
        found.append(counter)
    return found


def event(name):
    """A Counter such as NAME=4:c1, as the measurement library reads it; None for anything else."""
    name, _, number = name.rpartition("=")
    kind, _, config = number.partition(":")
    try:
        return Counter(name, int(kind), int(config, 16)) if name and int(kind) >= 0 else None
    except ValueError:
        return None


def checked(text, tools_table, here):
    """The text of these counters for the measurement library. Refuses what does not exist, and if the program runs
    `here`, also what this machine cannot count."""
    counters = parse(text, read_table(tools_table), EventNames())
    names = [counter.name for counter in counters]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice or len(counters) > MOST:
        raise Refused("--counters %s: %s" % (text, "%s comes twice" % twice if twice else
                                             "%d counters, at most %d are possible" % (len(counters), MOST)),
                      "leave some of them out")
    if here:
        check_machine([counter for counter in counters if counter.source != USAGE])
    return ",".join(map(str, counters))


def check_machine(counters):
    """Refuses events that this machine cannot count, or not together."""
    for counter in counters:
        why = why_not([counter])
        if why:
            raise Refused("counter %s: %s" % (counter.name, why),
                          "these are counted everywhere: --counters " + EVERYWHERE)
    if why_not(counters):
        raise Refused("this machine cannot count %s together" % ", ".join(counter.name for counter in counters),
                      "choose fewer of them, and run the program again for the others")


def why_not(counters):
    """Why this machine cannot count these events as one group, or None."""
    if not counters:
        return None
    if platform.machine() != "x86_64":
        return "it can only be read on x86-64"
    library = ctypes.CDLL(None, use_errno=True)
    opened = []
    try:
        for counter in counters:
            attributes = ctypes.create_string_buffer(
                struct.pack("=IIQQQQQ", counter.source, 64, counter.config, 0, 0, 0, USER_ONLY), 64)
            number = library.syscall(ctypes.c_long(PERF_EVENT_OPEN), attributes, ctypes.c_long(0), ctypes.c_long(-1),
                                     ctypes.c_long(opened[0] if opened else -1), ctypes.c_long(CLOSE_ON_EXEC))
            if number < 0:
                return reason(ctypes.get_errno())
            opened.append(number)
            with mmap.mmap(number, mmap.PAGESIZE, mmap.MAP_SHARED, mmap.PROT_READ) as page:
                if not struct.unpack_from("=Q", page, CAPABILITIES_AT)[0] & USER_READING:
                    return "it cannot be read here without a system call"
    except OSError as error:
        return reason(error.errno)
    finally:
        for number in opened:
            os.close(number)
    return None


def reason(number):
    if number in (errno.ENOENT, errno.ENODEV, errno.EOPNOTSUPP):
        return "this machine does not have it, as most virtual machines"
    if number in (errno.EPERM, errno.EACCES):
        return "the kernel refuses it: %s (a container, or perf_event_paranoid above 2)" % os.strerror(number)
    return "the kernel refuses it: %s" % os.strerror(number)


def listing(path):
    """The text of scan --counters list."""
    table, names = read_table(path), EventNames()
    width = max(map(len, table))
    lines = ["Counters; -- marks those that this machine cannot count"]
    for counter in table.values():
        missing = counter.source != USAGE and why_not([counter])
        lines.append("  %s %s  %s" % ("--" if missing else "  ", counter.name.ljust(width), counter.text))
    own = names.all()
    if own:
        lines.append("Events of this processor, by libpfm; modifiers follow after colons")
        width = min(40, max(len(name) for name, _ in own))
        lines += ["     %s  %s" % (name.ljust(width), text) for name, text in own]
    elif names.library is None:
        lines.append("With the package libpfm4 there are also those of the processor itself.")
    return "\n".join(lines)
