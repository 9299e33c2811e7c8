# SPDX-License-Identifier: BSD-3-Clause
"""Files of an experiment, in which anything may lie under their names (as archive/plain_file.hpp): a FIFO that nobody
writes to, a device without an end, a link to a file elsewhere. What is no regular file is an OSError."""
import contextlib
import errno
import os
import stat

from .output import BYTES


def _opened(path, flags):
    """A descriptor of a regular file; O_NONBLOCK: a FIFO would wait for its other end."""
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
    """Opened for reading, also behind links."""
    return open(_opened(path, os.O_RDONLY), mode, **({} if "b" in mode else BYTES))


def writing(path):
    """A new file in place of what is there: links are replaced, not followed."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
    return open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666), "w", **BYTES)


def appending(path):
    """Opened for adding to its end; made where there is none. Links are not followed."""
    return open(_opened(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW), "a", **BYTES)
