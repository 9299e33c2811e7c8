# SPDX-License-Identifier: BSD-3-Clause
"""System calls for namespaces that Python 3.11 does not offer."""
import ctypes
import os

NEWTIME, NEWNS, NEWUTS, NEWIPC, NEWPID, NEWNET = (
    0x80, 0x20000, 0x4000000, 0x8000000, 0x20000000, 0x40000000)
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000
PR_SET_PDEATHSIG = 1

libc = ctypes.CDLL(None, use_errno=True)
libc.mount.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_ulong,
                       ctypes.c_char_p]


def check(result, what):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, "%s: %s" % (what, os.strerror(number)))


def unshare(flags, what):
    check(libc.unshare(flags), "a namespace of its own for " + what)


def enter(process, kind):
    """Enters a namespace of a process; kind is a name in /proc/PID/ns."""
    path = "/proc/%d/ns/%s" % (process, kind)
    with open(path) as f:
        check(libc.setns(f.fileno(), 0), path)


def mount(source, target, kind="", flags=0, options=""):
    words = [word.encode() if word else None for word in (source, target, kind)]
    check(libc.mount(*words, flags, options.encode() or None), "mounting on " + target)


def die_with_parent(signal):
    check(libc.prctl(PR_SET_PDEATHSIG, int(signal), 0, 0, 0), "prctl")
