# SPDX-License-Identifier: BSD-3-Clause
"""Writes the messages of scan. Names may contain any bytes, and streams may be closed, full, or
without a reader: none of this ends a run."""
import errno
import fcntl
import os
import select
import shlex
import sys

# Encoding of files and pipes that contain names: bytes come out as they went in.
BYTES = {"encoding": sys.getfilesystemencoding(), "errors": "surrogateescape"}
STDOUT, STDERR = 1, 2

# Control characters, line and paragraph separators, and characters that change the direction of
# writing.
ACTS = {*range(0x20), *range(0x7f, 0xa0), 0x200e, 0x200f, 0x2028, 0x2029, *range(0x202a, 0x202f), *range(0x2066, 0x206a)}
NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def begin():
    """Prepares streams and variables so that the program gets those that scan got. Closed streams
    stay closed for it, and no file of scan takes their numbers. The variable LC_CTYPE, which
    Python sets if there is no locale, is restored."""
    try:
        with open("/proc/self/environ", "rb") as f:
            got = dict(entry.partition(b"=")[::2] for entry in f.read().split(b"\0"))
    except OSError:
        got = os.environb
    if os.environb.get(b"LC_CTYPE") != got.get(b"LC_CTYPE"):
        os.environb.pop(b"LC_CTYPE")
        os.environb.update({b"LC_CTYPE": got[b"LC_CTYPE"]} if b"LC_CTYPE" in got else {})
    for number in (0, STDOUT, STDERR):
        try:
            fcntl.fcntl(number, fcntl.F_GETFD)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number; programs do not inherit it


def put(number, text):
    """Writes text or bytes to a stream; returns the error, or None."""
    data = text.encode(**BYTES) if isinstance(text, str) else text
    while data:
        try:
            data = data[os.write(number, data):]
        except BlockingIOError:
            select.select([], [number], [])
        except OSError as error:
            return error
    return None


def say(text):
    put(STDERR, "scan: %s\n" % printable(text))


def complain(what, hint, word="error"):
    put(STDERR, "%s: %s\nhint:  %s\n" % (word, printable(what), printable(hint)))


def warn(what, hint):
    complain(what, hint, "warning")


def answer(text):
    """Prints requested output. Returns False if it could not be written, unless the reader has
    closed the pipe."""
    error = put(STDOUT, text + "\n")
    if error is None or error.errno == errno.EPIPE:
        return True
    complain("standard output: %s" % error.strerror, "is it closed, or its disk full?")
    return False


def printable(text):
    """The text in one line that has no effect on a terminal, like printable() of
    archive/printable.hpp."""
    return text if text.isprintable() else "".join(map(shown, text))


def shown(character):
    code = ord(character)
    if 0xdc80 <= code <= 0xdcff:
        return "\\x%02x" % (code - 0xdc00)  # a byte that is not UTF-8
    if code not in ACTS:
        return character
    return NAMED.get(character) or ("\\x%02x" if code < 0x80 else "\\u%04x") % code


def quoted(word):
    """A word of a command that is printed to be copied: as from shlex.quote(), but with $'\\377'
    for bytes that cannot be shown."""
    if printable(word) == word:
        return shlex.quote(word)
    return "$'%s'" % "".join(map(escaped, word))


def escaped(character):
    if character in "\\'":
        return "\\" + character
    if character in NAMED or shown(character) == character:
        return shown(character)
    return "".join("\\%03o" % byte for byte in character.encode(**BYTES))


def command_line(words):
    """A shell takes a first word with = for a variable, unless it is quoted."""
    texts = [quoted(word) for word in words]
    if texts and texts[0] == words[0] and "=" in words[0]:
        texts[0] = "'%s'" % words[0]
    return " ".join(texts)
