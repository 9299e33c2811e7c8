# SPDX-License-Identifier: BSD-3-Clause
"""Determines LD_PRELOAD for the program: Latecomer's libraries, and those that the user gave in any
way."""
import os

from . import checks

LIBRARIES, SANITIZER = "LD_PRELOAD", "ASAN_OPTIONS"


def given(command, segment, name):
    """The value of a variable that the program of this part would find: from `env` before it,
    options of the launcher, or the environment."""
    if name in segment.variables:
        return segment.variables[name] or ""
    return "" if segment.cleared else of_launcher(command, segment).get(name, os.environ.get(name, ""))


def of_launcher(command, segment):
    """The variables that options of the launcher set for the program of this part."""
    found = {}
    everywhere = command.known.everywhere if command.known else ()
    for option in [option for other in command.segments for option in other.options if option.name in everywhere] + [
            option for option in segment.options if option.name not in everywhere]:
        found.update(option.variables)
    return found


def is_for_launched(command):
    """True if options of the launcher would preload into everything that it starts."""
    return any(LIBRARIES in of_launcher(command, segment) for segment in command.segments)


def joined(ours, command, segment):
    theirs = given(command, segment, LIBRARIES)
    return ":".join(ours + ([theirs] if theirs else []))


def for_sanitizer(command, segment):
    """Options for AddressSanitizer. It ends a program if another library is loaded before its own.
    The measurement library switches that check off, unless the program itself defines options."""
    program = checks.program_file(segment.target)
    if program is None or not program.answers_sanitizer:
        return []
    theirs = given(command, segment, SANITIZER)
    return ["%s=verify_asan_link_order=0%s" % (SANITIZER, ":" + theirs if theirs else "")]
