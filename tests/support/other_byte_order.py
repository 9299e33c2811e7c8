# SPDX-License-Identifier: BSD-3-Clause
"""Writes an OTF2 archive as a machine of the other byte order would have: little endian to big endian.

A file is chunks of records. A record is a type byte, a length, and fields; a field has a fixed size, or is a text that
ends with a zero, or an integer: the number of its bytes without leading zeros, then these bytes (255: undefined). In a
file of the other byte order the bytes of every number are reversed. The layout was found by comparing files with the
values that were given to the library. otf2-print shows the same for both archives. A record that is not in the tables,
or has another length, is an error.
"""
import os
import struct

LITTLE, BIG = ord("B"), ord("#")
END_OF_CHUNK, END_OF_FILE, CHUNK_HEADER, TIME, ATTRIBUTES = 0, 2, 3, 5, 6
UNDEFINED = 255

# Codes of fields: 1 2 4 8 bytes, u integer, s text, v value after its type, (...) repeated by the
# integer or the byte before it.
EVENTS = {
    ATTRIBUTES: "u(uv)", 10: "8", 11: "1", 12: "u", 13: "u", 14: "uuuu", 15: "uuuuu", 16: "u", 17: "u", 18: "uuuu",
    19: "uuuuu", 20: "u", 21: "u", 22: "", 23: "1uuuu", 31: "u1(v)", 68: "uuu", 83: "uu(u)", 84: "u", 85: "u", 86: "1uuuuu", 87: "u", 88: "u",
}
GLOBAL_DEFINITIONS = {
    5: "uuuu", 6: "1u1", 7: "11v", 10: "us", 11: "uu1u", 12: "uuuu", 13: "uu1uu", 14: "uu1uu", 15: "uuu1uuuu11u",
    16: "uuuu", 18: "uu1u(u)11u", 19: "uuu1111uu", 20: "u1(u)11", 22: "uuuuu", 23: "uu1", 26: "uuuv", 27: "u1", 28: "uuuv",
    29: "uuuv", 33: "uuu", 34: "uuuu", 36: "uu11uu", 43: "uuuuuu",
}
# Events with one integer, whose size is the length of the record.
SINGLE = {12, 13, 16, 17, 20, 21}
LOCAL_DEFINITIONS = {6: "8u8"}
# Codes of the value of an attribute or property, by its type.
VALUES = {1: "1", 2: "2", 3: "u", 4: "u", 5: "1", 6: "2", 7: "u", 8: "u", 9: "4", 10: "8"}
REFERENCE = "u"


class File:
    """Copies a file's bytes and reverses those of numbers."""

    def __init__(self, data):
        self.data, self.at, self.out = data, 0, bytearray()

    def copy(self, size):
        self.out += self.data[self.at:self.at + size]
        self.at += size

    def turn(self, size):
        self.out += self.data[self.at:self.at + size][::-1]
        self.at += size

    def integer(self):
        size = self.data[self.at]
        self.copy(1)
        if size == UNDEFINED:
            return None
        value = int.from_bytes(self.data[self.at:self.at + size], "little")
        self.turn(size)
        return value

    def text(self):
        self.copy(self.data.index(0, self.at) + 1 - self.at)

    def value(self):
        kind = self.data[self.at]
        self.copy(1)
        self.fields(VALUES.get(kind, REFERENCE))

    def fields(self, fields):
        last, at = None, 0
        while at < len(fields):
            field = fields[at]
            at += 1
            if field.isdigit():
                last = self.data[self.at] if field == "1" else last
                self.turn(int(field))
            elif field == "u":
                last = self.integer()
            elif field == "s":
                self.text()
            elif field == "v":
                self.value()
            elif field == "(":
                end = fields.index(")", at)
                for _ in range(last):
                    self.fields(fields[at:end])
                at = end + 1

    def order(self):
        assert self.data[self.at] == LITTLE, "not a little endian file"
        self.out.append(BIG)
        self.at += 1

    def record(self, kind, table):
        start = self.at
        if kind in SINGLE and table is EVENTS:
            self.integer()
            return
        length = self.data[self.at]
        self.copy(1)
        if length == 255:
            length = struct.unpack_from("<Q", self.data, self.at)[0]
            self.turn(8)
        begin = self.at
        self.fields(table.get(kind, ""))
        if self.at != begin + length:
            raise ValueError("record type %d at %d is not %s: %s" % (
                kind, start - 1, table.get(kind), self.data[begin:begin + length].hex(" ")))


def turned(data, chunk, table, times):
    """An event or definition file in the other byte order; only events have time stamps."""
    file = File(data)
    while file.at < len(data):
        kind = data[file.at]
        file.copy(1)
        if kind == CHUNK_HEADER:
            file.order()
            file.turn(8), file.turn(8)
        elif kind in (END_OF_CHUNK, END_OF_FILE):
            # The end of a chunk is padded up to the next chunk. After the end of a file there is
            # only a mark.
            file.copy(-file.at % chunk if kind == END_OF_CHUNK else len(data) - file.at)
        elif kind == TIME and times:
            file.turn(8)
        else:
            file.record(kind, table)
    return bytes(file.out)


def turned_anchor(data):
    file = File(data)
    file.copy(1)
    file.order()
    file.text()
    file.copy(5)  # versions
    file.turn(8), file.turn(8)  # chunk sizes
    file.copy(2)
    file.turn(8), file.turn(8)  # numbers of locations and definitions
    for _ in range(3):
        file.text()
    properties = struct.unpack_from("<I", data, file.at)[0]
    file.turn(4)
    for _ in range(2 * properties):
        file.text()
    file.turn(8)  # id of the trace
    file.turn(4), file.turn(4)  # numbers of snapshots and thumbnails
    file.copy(len(data) - file.at)
    return bytes(file.out)


def write_other_byte_order(source, target):
    """Writes the archive in directory `source` to the new directory `target`, in the other byte
    order."""
    os.makedirs(os.path.join(target, "traces"))

    def read(name):
        with open(os.path.join(source, name), "rb") as f:
            return f.read()

    def write(name, data):
        with open(os.path.join(target, name), "wb") as f:
            f.write(data)

    anchor = read("traces.otf2")
    event_chunk, definition_chunk = struct.unpack_from("<QQ", anchor, 12)
    write("traces.otf2", turned_anchor(anchor))
    write("traces.def", turned(read("traces.def"), definition_chunk, GLOBAL_DEFINITIONS, False))
    for name in os.listdir(os.path.join(source, "traces")):
        data = read(os.path.join("traces", name))
        if name.endswith(".evt"):
            data = turned(data, event_chunk, EVENTS, True)
        else:
            data = turned(data, definition_chunk, LOCAL_DEFINITIONS, False)
        write(os.path.join("traces", name), data)
