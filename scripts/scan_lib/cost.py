# SPDX-License-Identifier: BSD-3-Clause
"""Computes the cost of measuring, from numbers that the measurement library stored in the archive."""
import os

MOST = 0.05  # share of the program's time; more deserves a warning
# Number of stacks per process from which on call paths count as ever new. If fewer stacks took
# long, the machine was busy, and a longer run would hardly have more of them.
MANY_STACKS = 1000


class Cost:
    """The sums that the report has, too (`measurement` of `latecomer show --json`). Times are in
    seconds."""

    def __init__(self, info):
        """Reads the output of `latecomer info --json`. KeyError, TypeError, ValueError: the archive
        does not have the numbers."""
        self.properties = info["properties"]
        self.processes = len(info["processes"])
        self.wall = info["duration"] * self.processes
        self.processor = self.seconds("PROCESSOR_TIME")
        self.time = self.processor or self.wall
        self.of = "processor time" if self.processor else "run time"
        calibrated = float(self.properties["LATECOMER::EVENT_COST"]) * 1e-9
        self.events = sum(location["events"] for process in info["processes"] for location in process["locations"])
        if self.time <= 0 or self.events == 0:
            raise ValueError("nothing to tell")
        # Unsuccessful tests have no events of their own in the trace.
        self.tests = self.number("CALLS_IN_ROWS")
        # The cost of events of regions is measured while they happen, that of events of MPI is
        # calibrated.
        of_regions = self.number("REGION_EVENTS")
        # Samples are events, too, but what they cost is measured.
        self.samples, self.for_samples = self.number("SAMPLES"), self.seconds("SAMPLE_COST")
        of_mpi = max(0, self.events - of_regions - self.samples)
        self.for_regions = self.seconds("REGION_EVENT_COST")
        recording = self.for_regions + of_mpi * calibrated
        self.event = recording / max(1, of_regions + of_mpi)
        self.filtered, self.for_filtered = self.number("FILTERED_EVENTS"), self.seconds("FILTERED_EVENT_COST")
        self.threads = sum(len(process["locations"]) - 1 for process in info["processes"]) + self.number("THREADS_IN_TURN")
        self.for_threads = self.seconds("THREAD_COST") if self.threads else 0
        self.stacks, self.for_stacks = self.number("STACKS_UNWOUND"), self.seconds("STACK_COST")
        # An operation on a file has four events. A call that only touches a stream's buffer has none,
        # but looks for its place, for half of what an event takes.
        self.in_memory = self.number("FILE_CALLS_IN_MEMORY")
        self.for_memory = self.in_memory * calibrated / 2
        self.for_files = 4 * self.number("FILE_OPERATIONS") * calibrated + self.for_memory
        self.flushes, self.for_flushes = self.number("FLUSHES"), self.seconds("FLUSH_COST")
        self.for_events = recording + 2 * self.tests * calibrated
        self.all = (self.for_events + self.for_filtered + self.for_threads + self.for_stacks + self.for_samples
                    + self.for_memory + self.for_flushes)
        self.part = self.all / self.time
        self.instrumented = (info.get("regions", {}).get("compiler", 0) > 0
                             and "LATECOMER::CALL_PATHS_FROM_STACKS" not in self.properties)

    def number(self, name):
        return int(self.properties.get("LATECOMER::" + name, 0))

    def seconds(self, name):
        return 1e-9 * self.number(name)

    def words(self):
        """Yields descriptions of the parts of the cost that are worth a description."""
        yield "%s events of %.0f ns%s" % (
            format(self.events, ","), 1e9 * self.event, " and %s more unsuccessful polls" % format(self.tests, ",") if self.tests else "")
        if self.matters(self.for_filtered):
            yield "%s that the filter leaves out of %.0f ns" % (format(self.filtered, ","), 1e9 * self.for_filtered / self.filtered)
        if self.for_threads:
            thread = 1e6 * self.for_threads / self.threads
            yield "%s threads of %.*f us" % (format(self.threads, ","), 0 if thread > 10 else 1, thread)
        if self.matters(self.for_stacks):
            yield "%s stacks unwound of %.1f us" % (format(self.stacks, ","), 1e6 * self.for_stacks / self.stacks)
        if self.matters(self.for_samples) and self.samples:
            yield "%s sample%s of %.1f us" % (format(self.samples, ","), "s" * (self.samples != 1),
                                              1e6 * self.for_samples / self.samples)
        if self.matters(self.for_memory):
            yield "%s calls on files in memory of about %.0f ns" % (format(self.in_memory, ","), 1e9 * self.for_memory / self.in_memory)
        if self.matters(self.for_flushes):
            yield "%s times %.0f us to store them" % (format(self.flushes, ","), 1e6 * self.for_flushes / self.flushes)

    def matters(self, seconds):
        """True for a thousandth of the program's time, and for a large part of the cost that is
        told: otherwise the sum would seem to consist of the events alone."""
        return seconds > 0.001 * self.time or self.part >= 0.001 and seconds > 0.2 * self.all

    def share(self):
        return ("about %.1f %%" % (100 * self.part) if self.part >= 0.001 else "less than 0.1 %") + " of the " + self.of

    def in_seconds(self):
        """The share together with the time itself, by which a program without measurement is
        faster."""
        return self.share().replace("about ", "about %s, " % short(self.all))

    def text(self, directory):
        return "measuring cost %s: %s, %s" % (self.in_seconds(), ", ".join(self.words()), size(bytes_of(directory)))

    def is_of_functions(self):
        """True if most of the cost is for events of the program's functions and regions. The cost
        of storing depends on the load of the machine, and shrinks with the events."""
        return self.for_regions > (self.all - self.for_flushes) / 2

    def advice(self):
        """Advice for reducing the cost; "" if it is small."""
        part = self.part
        if part <= MOST:
            return ""
        if self.stacks < MANY_STACKS * self.processes:
            part -= self.for_stacks / self.time
            if part <= MOST:
                return ""
        elif self.for_stacks > self.all / 2:
            return ("that is much: the program calls MPI from ever new call paths; "
                    "scan --no-callpath records the calls without them")
        if self.for_samples > part / 2 * self.time:
            return "that is much: samples are taken so often; a lower rate costs less (scan --sample RATE)"
        if self.for_threads > part / 2 * self.time:
            return ("that is much: what is recorded of a thread is begun and ended with it, and this program begins many; "
                    "threads that live longer cost less")
        if self.for_filtered > part / 2 * self.time:
            return ("that is much: functions that the filter leaves out are called so often that asking it takes long; "
                    "leave them out when compiling (\"Every function\" in docs/regions.md)")
        if self.for_files > (self.all - self.for_flushes) / 2:
            return ("that is much: the program reads or writes so often in small pieces that these calls look longer than they are; "
                    "scan --files off leaves them out")
        if self.is_of_functions() or self.instrumented:
            return ("that is much, and functions look longer than they are: leave out small ones that are "
                    "called often (scan -f FILE)")
        return ("that is much: the program calls MPI so often that its calls look longer than they are; those that tell little "
                "can be left out (scan -f FILE, \"MPI functions\" in docs/regions.md)")


def of(info):
    """The cost, or None if the archive does not have the numbers."""
    try:
        return Cost(info)
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def short(seconds):
    """A time with two digits: 12 s, 1.2 s, 0.12 s, 12 ms, 0.12 ms."""
    if seconds < 0.0995:
        return "%.*f ms" % (max(0, 1 - digits(1e3 * seconds)), 1e3 * seconds)
    return "%.*f s" % (max(0, 1 - digits(seconds)), seconds)


def digits(number):
    """The place of the first digit: 0 for 1 to 9, 1 for 10 to 99, -1 for 0.1 to 0.9."""
    return int(("%.1e" % number).split("e")[1])


def size(count):
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            break
        count /= 1000
    else:
        unit = "GB"
    return "%.*f %s" % (0 if unit == "bytes" or count >= 10 else 1, count, unit)


def bytes_of(directory):
    """Size of the archive, as far as this host sees it."""
    total = 0
    for folder in (directory, os.path.join(directory, "traces")):
        try:
            with os.scandir(folder) as entries:
                total += sum(e.stat().st_size for e in entries
                             if e.is_file() and e.name.endswith((".evt", ".def", ".otf2")))
        except OSError:
            pass
    return total
