# SPDX-License-Identifier: BSD-3-Clause
"""Looks after a run that may hang: an answer on SIGUSR1, a hint when nothing moves, a last look when it was ended."""
import glob
import json
import os
import re
import signal
import struct
import subprocess

from .checks import Refused
from .output import BYTES, STDERR, put, quoted
from .values import UNITS, fits

DEFAULT = "60s"
LOOKS = 4  # per time, so that the hint is at most a quarter late
SHORTEST_PAUSE, LONGEST_PAUSE = 0.1, 15.0
STUCK = 1  # exit status of latecomer-stuck: ranks wait for something that cannot come
# The words of a thread in its file (tracer/record/live_state.hpp): where they begin, and the first three, which are the
# number of changes, and the times when the last call began and ended.
WORDS, FIRST_WORDS = 512, struct.Struct("=QQQ")


def wanted(chosen):
    """Seconds without progress after which there is a hint; None: never."""
    text = chosen.own.get("hang", DEFAULT)
    if text == "off":
        return None
    if not fits("time", text) or not re.search(r"[1-9]", text):
        raise Refused("--hang %s is not understood" % text, "off, or a time, such as 30s, 5min or 1h")
    found = re.fullmatch(r"(\d+)(ms|s|min|h|)", text)
    return int(found[1]) * UNITS[found[2]]


def words_of(path):
    """The first words of a thread; None if it has made no call that may wait, or is writing them."""
    try:
        with open(path, "rb", buffering=0) as f:
            f.seek(WORDS)
            sequence, entered, left = FIRST_WORDS.unpack(f.read(FIRST_WORDS.size))
    except (OSError, struct.error):
        return None
    return (sequence, entered, left) if sequence and not sequence & 1 else None


class Watch:
    """Looks at a run from time to time, in a signal handler of scan: so scan sleeps in between."""

    def __init__(self, experiment, tools, seconds, say):
        self.experiment, self.tools, self.seconds, self.say = experiment, tools, seconds, say
        self.before, self.looks, self.said = None, 0, False
        self.is_looking = False  # signals may come while one is being handled

    def __enter__(self):
        signal.signal(signal.SIGUSR1, self.asked)
        if self.seconds is not None and self.tools.stuck is not None:
            self.pause = min(max(self.seconds / LOOKS, SHORTEST_PAUSE), LONGEST_PAUSE)
            signal.signal(signal.SIGALRM, self.look)
            signal.setitimer(signal.ITIMER_REAL, self.pause, self.pause)
        return self

    def __exit__(self, *_):
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)  # one that comes late must not end scan

    def stuck(self, *options):
        """(exit status, output) of latecomer-stuck."""
        if self.tools.stuck is None:
            return 3, ""
        done = subprocess.run([self.tools.stuck, *options, self.experiment.path], stdin=subprocess.DEVNULL,
                              capture_output=True, check=False, **BYTES)
        return done.returncode, done.stdout or done.stderr

    def asked(self, *_):
        """The user wants to know (SIGUSR1)."""
        _, text = self.stuck()
        put(STDERR, text)
        self.experiment.log(text)

    def look(self, *_):
        if self.is_looking or self.said:
            return
        self.is_looking = True
        try:
            self.compare()
        finally:
            self.is_looking = False

    def compare(self):
        """Notes the words of all main threads. If all are in MPI calls, and none has moved for so many looks, there is
        a hint, once. A rank that computes is in no call, so long computations are no reason."""
        paths = glob.glob(os.path.join(glob.escape(self.experiment.file("records")), "*.0.rec"))
        now = {path: words_of(path) for path in paths}
        waits = bool(now) and all(words is not None and words[2] == 0 for words in now.values())
        self.looks = self.looks + 1 if waits and now == self.before else 0
        self.before = now
        if self.looks * self.pause < self.seconds:
            return
        _, text = self.stuck("--json")
        try:
            answer = json.loads(text)
        except ValueError:
            return
        # Ranks of other hosts may be computing.
        if any(rank["standing"] == "unseen" or rank["moved"] for rank in answer["ranks"]):
            return
        self.said = True
        self.say("nothing has moved for %g s: latecomer stuck %s says who waits for whom" % (
            self.looks * self.pause, quoted(self.experiment.path)))

    def last_words(self):
        """After the end of a run that was interrupted: what its ranks were doing."""
        if not self.experiment.has_records or self.experiment.has_trace:
            return
        status, text = self.stuck()
        if status in (0, STUCK, 4):
            put(STDERR, text)
            self.experiment.log(text)
