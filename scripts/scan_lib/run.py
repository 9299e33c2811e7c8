# SPDX-License-Identifier: BSD-3-Clause
"""Running a command so that nothing of it stays behind, whatever happens."""
import ctypes
import os
import signal
import subprocess
import time

PR_SET_CHILD_SUBREAPER = 36


class Interrupted(Exception):
    """SIGINT or SIGTERM came; the command is gone."""


def adopt_orphans():
    """Processes whose parent dies become ours, so that none of them can be lost (Linux)."""
    try:
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (OSError, AttributeError):
        pass


def run(words, environment=None):
    """Exit status of the command (128 + signal if it was killed); its streams are ours."""
    interrupted = []

    def remember(number, _frame):
        interrupted.append(number)

    old = {number: signal.signal(number, remember) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        child = subprocess.Popen(words, env=environment)
        told = 0
        while True:
            try:
                status = child.wait(timeout=0.2)
                break
            except subprocess.TimeoutExpired:
                pass
            if interrupted and not told:
                # From a terminal the command got the signal as well; a second one does no harm.
                child.send_signal(interrupted[0])
                told = time.monotonic()
            elif told and time.monotonic() - told > 5:
                end_all()
        if interrupted:
            end_all()
            raise Interrupted()
        return status if status >= 0 else 128 - status
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)


def descendants():
    """Ids of all processes below this one."""
    parents = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open("/proc/%s/stat" % entry) as f:
                fields = f.read().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] != "Z":
            parents[int(entry)] = int(fields[1])
    found, todo = [], [os.getpid()]
    while todo:
        parent = todo.pop()
        children = [pid for pid, of in parents.items() if of == parent]
        found += children
        todo += children
    return found


def end_all():
    """Ends all processes below this one: politely, then surely."""
    for number, patience in ((signal.SIGTERM, 2), (signal.SIGKILL, 2)):
        for pid in descendants():
            try:
                os.kill(pid, number)
            except OSError:
                pass
        until = time.monotonic() + patience
        while descendants() and time.monotonic() < until:
            time.sleep(0.05)
        if not descendants():
            return
