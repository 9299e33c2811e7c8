# SPDX-License-Identifier: BSD-3-Clause
"""Runs a command so that none of its processes is left, whatever happens."""
import ctypes
import os
import signal
import subprocess
import time

from .output import STDERR, put

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PATIENCE = 5  # seconds that a command has to end itself after a signal
of_scan = set()  # processes that do not belong to the command, and are not ended with it


class Interrupted(BaseException):
    """Raised when a signal comes that ends scan."""

    def __init__(self, number):
        super().__init__()
        self.number, self.time = number, time.time_ns()


def begin():
    """Turns signals into exceptions, and adopts processes whose parent dies (Linux), so that none
    is lost."""
    for number in SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:  # ignored signals stay ignored, as under nohup
            signal.signal(number, raise_interrupted)
    try:
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (OSError, AttributeError):
        pass


def raise_interrupted(number, _frame):
    raise Interrupted(number)


def run(words, on_signal=None, **more):
    """Returns the exit status of the command (128 + signal if it was killed). It has the streams of
    scan, unless `more` replaces them. When a signal comes, the command gets it too, `on_signal` its time, and no
    process of it is left when Interrupted leaves this function."""
    child = None
    try:
        child = subprocess.Popen(words, preexec_fn=end_with(os.getpid()), **more)
        if child.stdout is not None:
            relay(child.stdout.fileno())
        status = child.wait()
        if status != 0:
            wait_for_all()
    except Interrupted as interrupted:
        if on_signal is not None:
            on_signal(interrupted.time)
        end(child, interrupted.number)
        raise
    return status if status >= 0 else 128 - status


def run_own(words, **more):
    """Runs a program of Latecomer. It reads nothing, and is not affected if its output cannot be
    written."""
    return run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)


def relay(pipe):
    """Copies the output of a pipe to standard error, as far as possible."""
    while data := os.read(pipe, 1 << 16):
        put(STDERR, data)


def end_with(parent):
    """Returns the function that a new process executes so that it gets SIGTERM when scan is killed.
    Launchers end their ranks then."""
    def work():
        try:
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        except (OSError, AttributeError):
            return
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGTERM)
    return work


def wait_for_all():
    """Waits for all processes: after MPI_Abort a launcher may end before the last process does."""
    until = time.monotonic() + PATIENCE
    while set(descendants()) - of_scan and time.monotonic() < until:
        time.sleep(0.01)


def end(child, number):
    """Waits for the command to end itself; a second signal shortens the wait."""
    impatient = []
    for other in SIGNALS:
        if signal.getsignal(other) != signal.SIG_IGN:
            signal.signal(other, lambda *_: impatient.append(True))
    if child is not None:
        # A command started from a terminal got the signal already; a second one does no harm.
        child.send_signal(number)
        until = time.monotonic() + PATIENCE
        while child.poll() is None and time.monotonic() < until and not impatient:
            time.sleep(0.02)
    end_all()


def descendants():
    """Ids of all processes below this one."""
    parents = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open("/proc/%s/stat" % entry, "rb") as f:
                fields = f.read().rpartition(b")")[2].split()
        except OSError:
            continue
        if fields[0] != b"Z":
            parents[int(entry)] = int(fields[1])
    found, todo = [], [os.getpid()]
    while todo:
        parent = todo.pop()
        children = [pid for pid, of in parents.items() if of == parent]
        found += children
        todo += children
    return found


def end_all():
    """Ends all processes below this one: first politely, then by force."""
    for number, patience in ((signal.SIGTERM, 2), (signal.SIGKILL, 2)):
        for pid in set(descendants()) - of_scan:
            try:
                os.kill(pid, number)
            except OSError:
                pass
        until = time.monotonic() + patience
        while set(descendants()) - of_scan and time.monotonic() < until:
            time.sleep(0.05)
        if not set(descendants()) - of_scan:
            return
