# SPDX-License-Identifier: BSD-3-Clause
"""Checks a command before anything runs."""
import functools
import os
import shutil
import subprocess

from . import elf
from .output import BYTES, quoted


class Refused(Exception):
    """An expected failure: a sentence on what is wrong, one on what to do, and the exit status."""

    def __init__(self, what, hint, status=2):
        super().__init__(what)
        self.what, self.hint, self.status = what, hint, status


class Failed(Exception):
    """A program of Latecomer failed: its output and its exit status."""

    def __init__(self, text, status):
        super().__init__(text)
        self.text, self.status = text, status


def check_command(command):
    if command.launcher is not None and shutil.which(command.launcher) is None:
        raise Refused("launcher %s: not found" % command.launcher,
                      "is MPI installed and in PATH? a module may have to be loaded")
    if not command.segments:
        raise Refused("no program found in the command",
                      "is it missing? -- marks it: scan mpiexec -n 4 -- ./app arguments")
    for segment in command.segments:
        check_target(segment.target, command)


def check_filter(path, judge):
    """Checks a filter file before the run, with the code that will read it."""
    if not os.path.exists(path):
        raise Refused("filter file %s: not found" % path, "check the path given with -f")
    if judge is None:
        return
    done = subprocess.run([judge, "--check-filter", path], stdin=subprocess.DEVNULL, capture_output=True, **BYTES)
    if done.returncode != 0:
        raise Failed(done.stderr, done.returncode)


def check_target(target, command):
    if shutil.which(target) is not None:
        return
    if command.named_hosts and not os.path.exists(target):
        return  # it may exist on the host where it runs
    if os.path.isdir(target):
        raise Refused("%s is a directory, not a program" % target, "give the program to run")
    if "/" in target and os.path.exists(target):
        raise Refused("program %s: not executable" % target, "chmod +x %s" % quoted(target))
    if command.launcher is None and target.startswith("-"):
        hint = "options of scan stand in front of the command: scan --help lists them"
    elif os.path.exists(target):
        hint = "give a path: %s" % quoted("./" + target)
    else:
        hint = "check the path; -- marks the program if scan took the wrong word for it"
    raise Refused("program %s: not found" % target, hint)


@functools.lru_cache(maxsize=None)
def program_file(target):
    """Properties of the program's file; None if there is no such file, because it may be on another
    host."""
    path = shutil.which(target)
    return elf.Program(path) if path else None


def is_preloaded(target):
    """True if the measurement library has to be preloaded: it is not linked into the program."""
    program = program_file(target)
    return program is None or not program.records_itself


FITTING_BUILD = "build Latecomer again where the headers of that MPI are, too: docs/howto/several-mpis.md"


def list_of(libraries):
    return " and ".join(sorted(filter(None, libraries))) or "an unknown MPI"


def fitting(target, libraries):
    """Those of the measurement libraries, by MPI, that may fit a program. If its file does not tell the MPI, all do:
    each finds out in the process, and those for other MPIs pass all calls on."""
    program = program_file(target)
    theirs = elf.mpi_family(program.libraries) if program is not None else None
    return {theirs: libraries[theirs]} if theirs in libraries else dict(libraries)


def check_preloading(command, libraries):
    """Refuses a command with no part into which a measurement library, by MPI, can be preloaded. Returns sentences on
    the parts of others, which run without being recorded."""
    for library in libraries.values():
        if any(letter in library for letter in " :"):
            raise Refused("%s: a library with a space or colon in its path cannot be preloaded" % library,
                          "install Latecomer somewhere else")
    refusals = [refusal(segment.target, libraries) for segment in command.segments]
    if refusals and None not in refusals:
        raise refusals[0]
    for segment in command.segments:
        program = program_file(segment.target)
        if program is not None:
            check_launcher(command.launcher, segment.target, elf.mpi_family(program.libraries))
    return list(dict.fromkeys("%s, so its ranks are not recorded" % one.what for one in refusals if one))


def refusal(target, libraries):
    """Why a program cannot be recorded, as Refused; None if it can be."""
    program = program_file(target)
    if program is None:
        return None
    if program.linkage == "static" and not program.records_itself:
        return Refused("program %s is statically linked: nothing can be preloaded into it" % target,
                       "link it dynamically, or with Latecomer's static library: "
                       "see \"Static programs\" in docs/reference.md")
    theirs = elf.mpi_family(program.libraries)
    if theirs and theirs not in libraries and None not in libraries:
        return Refused("program %s uses %s, this Latecomer was built for %s" % (target, theirs, list_of(libraries)),
                       FITTING_BUILD)
    return None


def why_nothing(target, launcher):
    """A hint for a program that ran without being recorded."""
    program = program_file(target)
    if program is not None and program.linkage == "other":
        return ("%s is a script: what it starts must be an MPI program, linked dynamically, and get the LD_PRELOAD that "
                "%s got: add to it, do not replace it" % ((os.path.basename(target),) * 2))
    if launcher is None:
        return "if it is a launcher, -- marks the program: scan launcher options -- ./app"
    if program is not None and program.linkage == "dynamic" and elf.mpi_family(program.libraries) is None:
        return ("it is not linked with an MPI library itself: programs that it starts must be linked dynamically and keep LD_PRELOAD; "
                "calls of functions that it has looked up with dlsym() are not seen")
    return ("is it an MPI program, and linked with the MPI library of the launcher? Of programs with MPI sessions only "
            "those are recorded that make a communicator of the process set mpi://WORLD")


def check_launcher(launcher, target, family):
    """Refuses a launcher of another MPI, because each process would believe it is the only one."""
    if launcher is None or family is None:
        return
    path = os.path.realpath(shutil.which(launcher))
    launched = elf.family_of_launcher(path)
    if launched is None or launched == family:
        return
    fitting = [name for name in ("mpiexec.mpich", "mpiexec.openmpi", "mpiexec.hydra", "orterun")
               if shutil.which(name) and elf.family_of_launcher(os.path.realpath(shutil.which(name))) == family]
    raise Refused("launcher %s is that of %s (%s), program %s uses %s: every process would be a run of its own" %
                  (launcher, launched, path, target, family),
                  "start it with %s" % (fitting[0] if fitting else "the launcher of %s" % family))
