# SPDX-License-Identifier: BSD-3-Clause
"""Removes directories in memory that a scan could not remove, since it was killed. Nothing is removed unless it is certain
that nobody uses it: scan has died, and no process has mapped a file of it."""
import fcntl
import os
import shutil
import stat

OWNER = ".scan"  # in the directory; scan has locked it as long as it lives
MOST = 1000  # letters


def here():
    """Names the processes that can be seen from here: the boot, and the namespace of processes. Elsewhere others may use
    the same memory."""
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as f:
        return f.read().strip() + " " + os.readlink("/proc/self/ns/pid")


def own(directory):
    """Marks a directory as that of this process. Returns the descriptor of the lock, or None: then it is never removed."""
    try:
        lock = os.open(os.path.join(directory, OWNER), os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.write(lock, here().encode())
        return lock
    except OSError:
        os.close(lock)
        return None


def remove(base, prefix):
    """Removes such directories of this user. Returns their paths."""
    try:
        names = [name for name in os.listdir(base) if name.startswith(prefix)]
    except OSError:
        return []
    return [path for path in (os.path.join(base, name) for name in sorted(names)) if remove_one(path)]


def remove_one(path):
    try:
        about = os.lstat(path)
        if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.geteuid():
            return False
        lock = os.open(os.path.join(path, OWNER), os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # refused while its scan lives
        if os.read(lock, MOST) != here().encode() or is_mapped(path):
            return False
        shutil.rmtree(path, ignore_errors=True)
        return not os.path.exists(path)
    except OSError:
        return False
    finally:
        os.close(lock)


def is_mapped(directory):
    """True if a process of this user has mapped a file of the directory, or if that is not known."""
    wanted = os.fsencode(os.path.realpath(directory)) + b"/"
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            if os.stat("/proc/" + name).st_uid != os.geteuid():
                continue
            with open("/proc/%s/maps" % name, "rb") as f:
                if wanted in f.read():
                    return True
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue  # it has ended, or has more rights than this user, which programs of a scan do not have
        except OSError:
            return True
    return False
