# SPDX-License-Identifier: BSD-3-Clause
"""What was measured before, as lines of JSON, and whether a new value differs by more than noise.

Noise model: a ratio is the median over rounds. Its logarithm has the standard error of a median
within a session, and a spread between sessions that the history shows: the deviations of sessions
from the median of all sessions of the same version. A change counts if it is larger than three
times both together."""

import json
import math
import os
import statistics
from collections import defaultdict
from pathlib import Path

USUAL_SPREAD = 0.05  # between sessions, as long as the history has too few of one version
FEWEST_DEVIATIONS = 3
SIGMAS = 3


def default_file(environment=os.environ):
    state = environment.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "latecomer" / "bench.jsonl"


def load(file):
    """All sessions of a history; lines that cannot be read are left out."""
    sessions = []
    if not file.exists():
        return sessions
    for line in file.read_text().splitlines():
        try:
            session = json.loads(line)
            if isinstance(session, dict) and "machine" in session and "rows" in session:
                sessions.append(session)
        except ValueError:
            continue
    return sessions


def append(file, session):
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as out:
        out.write(json.dumps(session) + "\n")


def spread(values):
    """Standard deviation, estimated from the median deviation: single outliers do not matter."""
    middle = statistics.median(values)
    return 1.4826 * statistics.median(abs(v - middle) for v in values)


def logarithm(ratios):
    """Median of the logarithms of the ratios of one session, and its standard error."""
    logs = [math.log(r) for r in ratios]
    return statistics.median(logs), 1.2533 * spread(logs) / math.sqrt(len(logs))


def between_sessions(by_version):
    """Spread of sessions of the same version; by_version: {version: medians of its sessions}."""
    deviations = []
    for medians in by_version.values():
        if len(medians) > 1:
            middle = statistics.median(medians)
            deviations += [abs(m - middle) for m in medians]
    if len(deviations) < FEWEST_DEVIATIONS:
        return USUAL_SPREAD
    return 1.4826 * statistics.median(deviations)


def compare(sessions, session):
    """For each ratio of a session that was measured before on the same kind of machine: a dict with
    key, before, now, change and noise (relative), and whether it differs. Sessions with other load do not
    count."""
    # key -> version -> medians; the version that was measured last is the last one
    earlier = defaultdict(dict)
    for old in sessions:
        if old["machine"] != session["machine"]:
            continue
        for row in old["rows"]:
            if row["loaded"] or not row["ratios"]:
                continue
            of_key = earlier[row["key"]]
            of_key[old["version"]] = of_key.pop(old["version"], []) + [logarithm(row["ratios"])[0]]
    found = []
    for row in session["rows"]:
        versions = earlier.get(row["key"])
        if not versions or row["loaded"] or not row["ratios"]:
            continue
        now, error = logarithm(row["ratios"])
        others = [v for v in versions if v != session["version"]]
        before = statistics.median(versions[others[-1] if others else session["version"]])
        noise = SIGMAS * math.hypot(error, between_sessions(versions))
        found.append({"key": row["key"], "before": math.exp(before), "now": math.exp(now),
                      "change": math.expm1(now - before), "noise": math.expm1(noise),
                      "differs": abs(now - before) > noise})
    return found
