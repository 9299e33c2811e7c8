#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A reader of CUBE 4 reports that shares no code with ours: an independent check of what the
writer wrote.

  cube_reader.py REPORT      the stored values, as JSON

It is strict where ours is lenient: headers have checksums, indices ascend, and rows have the full
length."""
import gzip
import json
import re
import struct
import sys
import xml.etree.ElementTree
import zlib

BLOCK = 512
TYPES = {"DOUBLE": "d", "FLOAT": "d", "MINDOUBLE": "d", "MAXDOUBLE": "d", "UINT64": "Q", "UNSIGNED INTEGER": "Q",
         "INT64": "q", "INTEGER": "q", "UINT32": "I", "UNSIGNED INT": "I", "INT32": "i", "INT": "i"}


class Wrong(Exception):
    """The file is not a report that every reader can read."""


def need(condition, *what):
    if not condition:
        raise Wrong(" ".join(map(str, what)))


def members_of(data):
    """{name: contents} of the tar file. A member of whole blocks is followed by one more block, as
    CUBE itself writes it."""
    found, at, long = {}, 0, None
    while at + BLOCK <= len(data):
        header = data[at:at + BLOCK]
        at += BLOCK
        if not any(header):
            continue
        need(header[257:262] == b"ustar", "no ustar header before byte", at)
        own = sum(header[:148]) + 8 * ord(" ") + sum(header[156:])
        need(int(header[148:156].strip(b"\0 "), 8) == own, "wrong checksum before byte", at)
        size, name = int(header[124:135].strip(b"\0 ") or b"0", 8), header[:100].split(b"\0")[0].decode()
        extended = header[156:157] == b"x"
        if long is not None and not extended:
            size, long = long, None
        need(at + size <= len(data), name, "ends after the file")
        body = data[at:at + size]
        at += (size // BLOCK + 1) * BLOCK if size else 0
        if extended:  # sizes of 8 GiB and more
            long = int(re.search(rb"size=(\d+)\n", body).group(1))
        else:
            need(name not in found, name, "is there twice")
            found[name] = body
    return found


class CallPath:
    def __init__(self, element, parent, regions):
        self.id = int(element.get("id"))
        self.names = (parent.names if parent else []) + [regions[element.get("calleeId")]]
        self.children = []


class Cube:
    """`metrics` are elements of the anchor by unique name; `rows` are {metric: {id of a call path:
    [value, ...]}}."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.members = members_of(file.read())
        anchor = self.members["anchor.xml"]
        if anchor[:2] == b"\x1f\x8b":
            anchor = gzip.decompress(anchor)
        root = xml.etree.ElementTree.fromstring(anchor)
        self.paths, self.roots = {}, []
        program = root.find("program")
        self.regions = {region.get("id"): region.findtext("name") for region in program.findall("region")}
        for element in program.findall("cnode"):
            self.roots.append(self.add_paths(element, None))
        places = [place for tag in ("location", "thread") for place in root.find("system").iter(tag)]
        need(sorted(int(place.get("Id")) for place in places) == list(range(len(places))), "numbers of locations")
        self.locations = len(places)
        self.metrics, self.rows = {}, {}
        for metric in root.find("metrics").iter("metric"):
            name = metric.findtext("uniq_name")
            need(name not in self.metrics, "metric", name, "is there twice")
            self.metrics[name] = metric
            self.rows[name] = self.rows_of(metric)

    def add_paths(self, element, parent):
        path = CallPath(element, parent, self.regions)
        need(path.id not in self.paths, "call path", path.id, "is there twice")
        self.paths[path.id] = path
        path.children = [self.add_paths(child, path) for child in element.findall("cnode")]
        return path

    def order(self, kind):
        """Ids of call paths in the order of rows: depth first, or siblings together where values
        are inclusive."""
        found = []

        def deep(path):
            found.append(path.id)
            for child in path.children:
                deep(child)

        def wide(path):
            found.extend(child.id for child in path.children)
            for child in path.children:
                wide(child)

        for root in self.roots:
            if kind == "EXCLUSIVE":
                deep(root)
            else:
                found.append(root.id)
                wide(root)
        return found

    def rows_of(self, metric):
        kind = metric.get("type") or "EXCLUSIVE"
        if kind not in ("EXCLUSIVE", "INCLUSIVE", "SIMPLE"):
            return {}  # a formula
        name = ("ghost_" if (metric.get("viztype") or "").upper() == "GHOST" else "") + metric.get("id")
        if name + ".index" not in self.members:
            need(name + ".data" not in self.members, name, "has no index")
            return {}
        index, data = self.members[name + ".index"], self.members[name + ".data"]
        need(index[:11] == b"CUBEX.INDEX", name, "has no marker in its index")
        order = "<" if index[11:15] == b"\1\0\0\0" else ">"
        one, _, form = struct.unpack(order + "IHB", index[11:18])
        need(one == 1 and form in (1, 3), name, "has an index of form", form)
        ids = self.order(kind)
        rows = list(range(len(ids)))
        if form == 1:
            count, = struct.unpack(order + "I", index[18:22])
            need(len(index) == 22 + 4 * count, name, "has an index of wrong length")
            rows = list(struct.unpack("%s%dI" % (order, count), index[22:]))
            need(rows == sorted(set(rows)) and all(row < len(ids) for row in rows), name, "has rows in disorder")
        item = order + "%d" % self.locations + TYPES[metric.findtext("dtype")]
        size = struct.calcsize(item)
        found = {}
        for place, raw in self.raw_rows(name, data, order, size, len(rows)):
            need(len(raw) == size, name, "has a row of", len(raw), "bytes")
            found[ids[rows[place]]] = list(struct.unpack(item, raw))
        return found

    @staticmethod
    def raw_rows(name, data, order, size, count):
        """(number of the row, its bytes)"""
        if data[:11] == b"ZCUBEX.DATA":
            parts, = struct.unpack(order + "Q", data[11:19])
            base = 19 + 24 * parts
            for begin, at, length in struct.iter_unpack(order + "3Q", data[19:base]):
                yield begin // size, zlib.decompress(data[base + at:base + at + length])
            return
        need(data[:10] == b"CUBEX.DATA", name, "has no marker in its data")
        need(len(data) >= 10 + count * size, name, "has rows after its end")
        for row in range(count):
            yield row, data[10 + row * size:10 + (row + 1) * size]

    def exclusive(self, name):
        """{"main/foo/MPI_Recv": [value, ...]} of exclusive values; rows of zeros are left out."""
        rows, found = self.rows[name], {}
        inclusive = self.metrics[name].get("type") == "INCLUSIVE"
        for number, values in rows.items():
            if inclusive:
                for child in self.paths[number].children:
                    values = [a - b for a, b in zip(values, rows.get(child.id, [0] * len(values)))]
            if any(values):
                path = "/".join(self.paths[number].names)
                found[path] = [a + b for a, b in zip(values, found.get(path, [0] * len(values)))]
        return found


def values_of(path):
    """{metric: {"unit": unit, "values": {call path: [value per location]}}} of a report, without
    zeros."""
    cube, found = Cube(path), {}
    for name, metric in cube.metrics.items():
        values = cube.exclusive(name)
        if values:
            found[name] = {"unit": metric.findtext("uom"), "values": values}
    return found


if __name__ == "__main__":
    json.dump(values_of(sys.argv[1]), sys.stdout, indent=1, sort_keys=True)
