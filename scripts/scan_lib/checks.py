# SPDX-License-Identifier: BSD-3-Clause
"""What can be said before anything runs, and afterwards about an experiment directory."""
import os
import shutil
import struct


class Refused(Exception):
    """An expected failure: one sentence what is wrong, one what to do; and the exit status."""

    def __init__(self, what, hint, status=2):
        super().__init__(what)
        self.what, self.hint, self.status = what, hint, status


def check_command(command):
    if command.launcher is not None and shutil.which(command.launcher) is None:
        raise Refused("launcher %s: not found" % command.launcher,
                      "is MPI installed and in PATH? a module may have to be loaded")
    if not command.segments:
        raise Refused("no program found in the command",
                      "mark it with --:  scan launcher options -- program arguments")
    for segment in command.segments:
        check_target(segment.target, command.named_hosts)


def check_target(target, elsewhere):
    path = shutil.which(target)
    if path is None:
        if elsewhere:
            return  # it may be there where it runs
        if os.path.isdir(target):
            raise Refused("%s is a directory, not a program" % target, "give the program to run")
        if os.path.exists(target):
            raise Refused("program %s: not executable" % target, "chmod +x %s" % target)
        hint = "give a path, ./%s" % target if os.path.exists("./" + target) else \
            "check the path; -- marks the program if scan took the wrong word for it"
        raise Refused("program %s: not found" % target, hint)
    if is_static(path):
        raise Refused("program %s is statically linked: it cannot be measured by preloading" % target,
                      "link it with -llatecomer before the MPI library, or link it dynamically")


def is_static(path):
    """An ELF program without interpreter and without dynamic section."""
    try:
        with open(path, "rb") as f:
            head = f.read(64)
            if len(head) < 64 or head[:4] != b"\x7fELF" or head[4] != 2:
                return False
            offset, = struct.unpack_from("<Q", head, 32)
            size, count = struct.unpack_from("<HH", head, 54)
            f.seek(offset)
            table = f.read(size * count)
    except OSError:
        return False
    kinds = [struct.unpack_from("<I", table, i * size)[0]
             for i in range(count) if len(table) >= i * size + 4]
    return 2 not in kinds and 3 not in kinds  # PT_DYNAMIC, PT_INTERP


def is_experiment(path):
    return any(os.path.exists(os.path.join(path, part))
               for part in ("traces.otf2", "traces.def", "traces", "analysis.cubex", "records"))


def has_records(path):
    """Whether a run that was not completed left events: a record file is longer than its header."""
    records = os.path.join(path, "records")
    try:
        return any(name.endswith(".rec") and os.path.getsize(os.path.join(records, name)) > 4096
                   for name in os.listdir(records))
    except OSError:
        return False


def check_directory(path, overwrite, take_next):
    """The directory to use; an existing experiment is never overwritten unasked."""
    wanted, number = path, 2
    while take_next and os.path.exists(path):
        path, number = "%s_%d" % (wanted, number), number + 1
    if os.path.exists(path) and not os.path.isdir(path):
        raise Refused("%s exists and is not an experiment directory" % path, "choose another one: -e DIR")
    if os.path.isdir(path) and is_experiment(path) and not overwrite:
        raise Refused("experiment directory %s exists already" % path,
                      "--next takes a fresh number, --overwrite replaces it, -e DIR chooses another one")
    parent = os.path.dirname(os.path.abspath(path))
    while not os.path.exists(parent):
        parent = os.path.dirname(parent)
    if not os.access(parent, os.W_OK):
        raise Refused("experiment directory %s: no permission to write in %s" % (path, parent),
                      "choose a place where you may write: -e DIR")
    return path
