# SPDX-License-Identifier: BSD-3-Clause
"""Estimates from the number of events whether the analysis of a trace fits into memory."""
import os

from .cost import size

# Memory of the analyzer (`latecomer-analyzer -v` prints it), in bytes. Measured: at most 24 per
# event, plus the needs of each process.
PER_EVENT, PER_PROCESS = 30, 32_000_000
SHARE = 0.8  # share of the available memory; the analyzer puts data beyond it into a file


def needed(events, processes):
    return events * PER_EVENT + processes * PER_PROCESS


def available(root="/"):
    """Bytes that new processes on this host can use, at most as many as their control group allows;
    None: unknown."""
    found = []
    try:
        with open(os.path.join(root, "proc/meminfo")) as f:
            found += [1024 * int(line.split()[1]) for line in f if line.startswith("MemAvailable:")]
        found += left_in_groups(root)
    except (OSError, ValueError, IndexError):
        pass
    return min(found) if found else None


def left_in_groups(root):
    """Bytes left in the control groups (version 2) of this process, innermost first. Groups without
    a limit are left out."""
    with open(os.path.join(root, "proc/self/cgroup")) as f:
        own = next((line.strip()[3:] for line in f if line.startswith("0::")), None)
    left = []
    while own:
        directory = os.path.join(root, "sys/fs/cgroup", own.strip("/"))
        try:
            limit, used = (open_number(os.path.join(directory, name)) for name in ("memory.max", "memory.current"))
            # The file cache of the group can be reclaimed.
            left.append(max(0, limit - used) + file_cache(directory))
        except (OSError, ValueError):
            pass
        own = os.path.dirname(own) if own.strip("/") else None
    return left


def open_number(path):
    with open(path) as f:
        return int(f.read())


def file_cache(directory):
    with open(os.path.join(directory, "memory.stat")) as f:
        return sum(int(line.split()[1]) for line in f if line.startswith("inactive_file "))


def warning(events, processes, nodes, room):
    """A sentence if the analysis will probably not fit on `nodes` nodes like this one, otherwise
    None. `room` is the available memory of a node; None: unknown."""
    if room is None or not events:
        return None
    need = needed(events, processes)
    if need <= SHARE * room * nodes:
        return None
    where = "this node has" if nodes == 1 else "%d nodes like this one have" % nodes
    return ("warning: the analysis of %s events takes about %s of memory, %s %s: much of it will lie "
            "in a file, and it will take long. More nodes (scan -a EXPERIMENT with a launcher that uses them) or recording less "
            "(--from, --for, --iterations, --ranks, -f) help" % (format(events, ","), size(need), where, size(room * nodes)))
