#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program plain and recorded. Both runs must end alike and print the same, and the archive
must hold what the program did.

usage: transparency_test.py MPIEXEC LIBRARY_DIRECTORY RANKS [OPTIONS] PROGRAM [ARGUMENTS]
  --no-archive   the program does not initialize MPI: nothing is left behind
  --says TEXT    the measurement says this, and nothing else
  --lines N      the program prints at least so many lines per process, the same ones in both runs
"""
import collections
import os
import re
import subprocess
import sys
import tempfile

MPIEXEC, LIBRARIES, RANKS = sys.argv[1:4]
COMMAND = sys.argv[4:]
OPTIONS, SAYS, LINES = set(), "", 0
while COMMAND[0].startswith("--"):
    OPTIONS.add(COMMAND.pop(0))
    if "--says" in OPTIONS and not SAYS:
        SAYS = COMMAND.pop(0)
    if "--lines" in OPTIONS and not LINES:
        LINES = int(COMMAND.pop(0)) * int(RANKS)
RECORD = re.compile(r"^([A-Z_]+) +(\d+) +\d+ +(.*)$")
MESSAGE = re.compile(r"(?:Receiver|Sender): \d+ \(.*?<(\d+)>\), Communicator: .*?<(\d+)>, Tag: (\d+), "
                     r"Length: (\d+)")


def fail(text):
    sys.exit("FAILED: %s\n%s" % (" ".join(COMMAND), text))


def run(libraries, scratch, **more):
    preload = " ".join(os.path.join(LIBRARIES, "lib%s.so" % name) for name in libraries)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LATECOMER_")}
    environment.update(more, LATECOMER_FILES="on")
    return subprocess.run([MPIEXEC, "-n", RANKS, "env", "LD_PRELOAD=" + preload] + COMMAND, cwd=scratch,
                          env=environment, capture_output=True, text=True, timeout=200, check=False)


def is_of_mpi(row, handles):
    """False for operations on files outside MPI, which the test programs do not count."""
    handle = re.match(r'Handle: ".*?" <(\d+)>', row[2]) if row[0].startswith("IO_") else None
    return handle is None or handle.group(1) in handles


def read(archive):
    """[(kind, location, text)]"""
    silent = subprocess.run(["otf2-print", "-A", "--silent", archive], capture_output=True, text=True,
                            check=False)
    if silent.returncode != 0 or "error:" in silent.stdout + silent.stderr:
        fail("otf2-print complains: " + silent.stdout[-500:] + silent.stderr[-500:])
    printed = subprocess.run(["otf2-print", archive], capture_output=True, text=True, check=True).stdout
    definitions = subprocess.run(["otf2-print", "-G", archive], capture_output=True, text=True, check=True).stdout
    handles = set(re.findall(r'^IO_HANDLE +(\d+) .*I/O Paradigm: "MPI I/O"', definitions, re.MULTILINE))
    rows = [match.groups() for match in map(RECORD.match, printed.splitlines()) if match]
    return [row for row in rows if is_of_mpi(row, handles)]


def process(location):
    return int(location) & 0xffffffff  # (thread << 32) | rank


def check_messages(rows):
    """Every message that was sent was received, with the same length unless it was truncated."""
    sent, received = collections.Counter(), collections.Counter()
    for kind, location, text in rows:
        if kind in ("MPI_SEND", "MPI_ISEND", "MPI_RECV", "MPI_IRECV"):
            peer, comm, tag, length = MESSAGE.search(text).groups()
            location, peer = process(location), process(peer)
            if kind.endswith("SEND"):
                sent[location, peer, comm, tag, length] += 1
            else:
                received[peer, location, comm, tag, length] += 1
    missing = sent - received
    for key, count in (received - sent).items():
        longer = sum(n for k, n in missing.items() if k[:4] == key[:4])
        if key[4] != "0" or longer < count:
            fail("received, but not sent: from %s to %s, communicator %s, tag %s, length %s" % key)
    if sum(sent.values()) != sum(received.values()):
        fail("(from, to, communicator, tag, length) sent, but not received: %s" % dict(missing))


def check_requests(rows):
    """Everything that is completed was started, and nothing is completed twice."""
    opens = {"MPI_ISEND": "send", "MPI_IRECV_REQUEST": "receive",
             "NON_BLOCKING_COLLECTIVE_REQUEST": "collective"}
    closes = {"MPI_ISEND_COMPLETE": ("send",), "MPI_IRECV": ("receive",),
              "NON_BLOCKING_COLLECTIVE_COMPLETE": ("collective",),
              "MPI_REQUEST_CANCELLED": ("send", "receive")}
    active = {}
    for kind, location, text in rows:
        if kind not in opens and kind not in closes:
            continue
        key = process(location), re.search(r"Request: (\d+)", text).group(1)
        if kind in opens:
            active[key] = opens[kind]
        elif active.pop(key, None) not in closes[kind]:
            fail("%s of a request that is not active: %s" % (kind, text))


def check_transfers(rows):
    """One-sided transfers are completed at most once, here and at the target, and nothing else is."""
    here, there = set(), set()
    for kind, location, text in rows:
        if not kind.startswith("RMA_") or "Matching: " not in text:
            continue
        key = process(location), re.search(r"Matching: (\d+)", text).group(1)
        if kind in ("RMA_PUT", "RMA_GET", "RMA_ATOMIC"):
            here.add(key)
            there.add(key)
            continue
        open_ones = here if kind == "RMA_OP_COMPLETE_NON_BLOCKING" else there
        if key not in open_ones:
            fail("%s of a transfer that is not under way: %s" % (kind, text))
        open_ones.remove(key)
    if here:
        fail("transfers that were never completed: %s" % sorted(here))


def main():
    with tempfile.TemporaryDirectory() as scratch:
        plain = run(["latecomer-yield"], scratch)
        if "skipped:" in plain.stdout:
            print(plain.stdout)
            return
        wanted_output = plain.stdout if LINES and plain.stdout.count("\n") >= LINES else "ok\n"
        if plain.returncode != 0 or plain.stdout != wanted_output or plain.stderr != "":
            fail("plain: status %d\n%s%s" % (plain.returncode, plain.stdout, plain.stderr))
        wanted = os.path.join(scratch, "records")
        experiment = os.path.join(scratch, "experiment")
        recorded = run(["latecomer", "latecomer-yield"], scratch, CONFORM_RECORDS=wanted,
                       LATECOMER_EXPERIMENT_DIRECTORY=experiment)
        said = recorded.stderr
        if SAYS and said.count("\n") == 1 and SAYS in said:
            said = ""
        elif SAYS:
            fail("it did not say %s, but: %s" % (SAYS, said))
        if (recorded.returncode, recorded.stdout, said) != (0, wanted_output, ""):
            fail("recorded: status %d\n%s%s" % (recorded.returncode, recorded.stdout, recorded.stderr))
        if "--no-archive" in OPTIONS:
            if os.path.exists(experiment):
                fail("an experiment was left behind")
            return
        rows = read(os.path.join(experiment, "traces.otf2"))
        check_messages(rows)
        check_requests(rows)
        check_transfers(rows)
        with open(wanted) as lines:
            for line in lines:
                kind, count = line.split()
                # Only MPI regions are counted: the functions that make the calls are in the trace
                # as well.
                got = sum(1 for row in rows if row[0] == kind and
                          (kind not in ("ENTER", "LEAVE") or 'Region: "MPI_' in row[2]))
                if got != int(count):
                    fail("%s: %d records, the program made %s" % (kind, got, count))


main()
