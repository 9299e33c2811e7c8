# SPDX-License-Identifier: BSD-3-Clause
"""What measuring cost the program: from the number of events and what one takes on this machine."""
import os

MOST = 0.05  # of the run time; more deserves a warning
# Stacks per process from which on call paths are taken for ever new. Where fewer took long the machine
# was busy, and a longer run has hardly more of them.
MANY_STACKS = 1000
# Call paths that were not known; full pieces of records that were stored.
STACKS = "LATECOMER::STACKS_UNWOUND", "LATECOMER::STACK_COST"
FLUSHES = "LATECOMER::FLUSHES", "LATECOMER::FLUSH_COST"


def describe(info, directory):
    """(sentence, advice or "") from `latecomer info --json`; None where the archive does not tell."""
    found = numbers(info)
    if found is None:
        return None
    events, cost, part = found
    rows, (threads, thread) = calls_in_rows(info), threads_and_cost(info)
    (stacks, stack), (flushes, flush) = number_and_cost(info, *STACKS), number_and_cost(info, *FLUSHES)
    text = "measuring cost %s of the run time: %s events of %.0f ns%s%s%s%s, %s" % (
        percent(part), format(events, ","), cost, " and %s more tests in vain" % format(rows, ",") if rows else "",
        ", %s threads of %.*f us" % (format(threads, ","), 0 if thread > 10e3 else 1, thread * 1e-3) if thread else "",
        ", %s stacks unwound of %.1f us" % (format(stacks, ","), stack * 1e-3) if matters(stacks * stack, info) else "",
        ", %s times %.0f us to store them" % (format(flushes, ","), flush * 1e-3) if matters(flushes * flush, info) else "",
        size(bytes_of(directory)))
    return text, advice(part, info)


def share(info):
    """The part of the run time that measuring took; None where the archive does not tell."""
    found = numbers(info)
    return None if found is None else found[2]


def numbers(info):
    """(events, nanoseconds of one, part of the run time), or None."""
    try:
        cost = float(info["properties"]["LATECOMER::EVENT_COST"])
        locations = [location for process in info["processes"] for location in process["locations"]]
        events = sum(location["events"] for location in locations)
        records = events + 2 * calls_in_rows(info)
        time = info["duration"] * len(info["processes"])
    except (KeyError, TypeError, ValueError):
        return None
    if time <= 0 or events == 0:
        return None
    threads, thread = threads_and_cost(info)
    rest = sum(number * one for number, one in (number_and_cost(info, *STACKS), number_and_cost(info, *FLUSHES)))
    return events, cost, (records * cost + threads * thread + rest) * 1e-9 / time


def calls_in_rows(info):
    """Tests in vain that have no events of their own in the trace."""
    return int(info["properties"].get("LATECOMER::CALLS_IN_ROWS", 0))


def threads_and_cost(info):
    """(threads beside the first of each process, nanoseconds that begin and end of one took); the latter 0: not told."""
    threads = sum(len(process["locations"]) - 1 for process in info["processes"])
    threads += int(info["properties"].get("LATECOMER::THREADS_IN_TURN", 0))
    cost = int(info["properties"].get("LATECOMER::THREAD_COST", 0))
    return threads, cost / threads if threads > 0 else 0


def number_and_cost(info, number, cost):
    """(how many, nanoseconds that one took) of what the archive counts under these names."""
    count = int(info["properties"].get(number, 0))
    return count, int(info["properties"].get(cost, 0)) / count if count else 0


def matters(nanoseconds, info):
    """Whether a part of the cost deserves words of its own."""
    return nanoseconds * 1e-9 > 0.001 * info["duration"] * len(info["processes"])


def advice(part, info):
    if part <= MOST:
        return ""
    stacks, stack = number_and_cost(info, *STACKS)
    processes = len(info["processes"])
    of_stacks = stacks * stack * 1e-9 / (info["duration"] * processes)
    if stacks < MANY_STACKS * processes:
        part -= of_stacks
        if part <= MOST:
            return ""
    elif of_stacks > part / 2:
        return ("that is much: the program calls MPI from ever new call paths; "
                "scan --no-callpath records the calls without them")
    threads, thread = threads_and_cost(info)
    if threads * thread * 1e-9 > part / 2 * info["duration"] * processes:
        return ("that is much: what is recorded of a thread that calls MPI is begun and ended with it, and this program begins many; "
                "threads that live longer cost less")
    instrumented = info.get("regions", {}).get("compiler", 0) > 0
    if instrumented and "LATECOMER::CALL_PATHS_FROM_STACKS" not in info["properties"]:
        return ("that is much, and functions look longer than they are: leave out small ones that are "
                "called often (scan -f FILE)")
    return ("that is much: the program calls MPI so often that its calls look longer than they are; those that tell little "
            "can be left out (scan -f FILE, \"MPI functions\" in docs/regions.md)")


def percent(part):
    return "about %.1f %%" % (100 * part) if part >= 0.001 else "less than 0.1 %"


def size(count):
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            break
        count /= 1000
    else:
        unit = "GB"
    return "%.*f %s" % (0 if unit == "bytes" or count >= 10 else 1, count, unit)


def bytes_of(directory):
    """The archive, as far as it can be seen from here."""
    total = 0
    for folder in (directory, os.path.join(directory, "traces")):
        try:
            with os.scandir(folder) as entries:
                total += sum(e.stat().st_size for e in entries
                             if e.is_file() and e.name.endswith((".evt", ".def", ".otf2")))
        except OSError:
            pass
    return total
