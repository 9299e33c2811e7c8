# SPDX-License-Identifier: BSD-3-Clause
"""Times and rates in readable units: 500us, 1.5ms, 1Gbit."""
import re

TIMES = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}  # nanoseconds
RATES = {"bit": 1, "kbit": 1_000, "Mbit": 1_000_000, "Gbit": 1_000_000_000}  # per second


class WrongUnit(ValueError):
    pass


def number_with_unit(text, units, example):
    match = re.fullmatch(r"(-?\d+(?:\.\d+)?)([A-Za-z]+)", text)
    if not match or match[2] not in units:
        raise WrongUnit("%s: expected a number and one of %s, for instance %s"
                        % (text, ", ".join(units), example))
    return round(float(match[1]) * units[match[2]])


def signed_time(text):
    """Time in nanoseconds."""
    return number_with_unit(text, TIMES, "500us")


def time(text):
    """Time in nanoseconds, not negative."""
    value = signed_time(text)
    if value < 0:
        raise WrongUnit("%s: must not be negative" % text)
    return value


def rate(text):
    """Bits per second; 0 for 'unlimited'."""
    if text == "unlimited":
        return 0
    value = number_with_unit(text, RATES, "1Gbit")
    if value <= 0:
        raise WrongUnit("%s: must be positive, or the word unlimited" % text)
    return value
