# SPDX-License-Identifier: BSD-3-Clause
"""Opens files of an experiment, as archive/plain_file.hpp does. Anything may lie under their names:
a FIFO without a writer, an endless device, a link to a file elsewhere. An OSError if it is not a
regular file."""
import contextlib
import errno
import os
import stat

from .output import BYTES


def _opened(path, flags):
    """A descriptor of a regular file. O_NONBLOCK, because opening a FIFO would wait for its other
    end."""
    try:
        number = os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC, 0o666)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise OSError(errno.EINVAL, "not a regular file", path) from error
        raise
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise OSError(errno.EINVAL, "not a regular file", path)
    return number


def reading(path, mode="r"):
    """Opens a file for reading; follows links."""
    return open(_opened(path, os.O_RDONLY), mode, **({} if "b" in mode else BYTES))


def writing(path):
    """Opens a new file that replaces what is there: links are replaced, not followed."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
    return open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666), "w", **BYTES)


def appending(path):
    """Opens a file for appending, or creates it. Links are not followed."""
    return open(_opened(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW), "a", **BYTES)
