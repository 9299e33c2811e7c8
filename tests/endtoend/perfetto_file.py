# SPDX-License-Identifier: BSD-3-Clause
"""Reads traces for Perfetto, strictly: unknown fields, wrong types and wrong nesting are errors.

The reader follows the description of the format (protocol buffers of TracePacket and its contents), not our writer. A
file is a Trace, a sequence of TracePackets. Packets with a sequence id may refer to interned names of the same
sequence. Slices of a track nest. Instants with the same flow id are joined by an arrow.
"""
import collections
import struct

VARINT, FIXED64, LENGTH = 0, 1, 2
TEXT, NUMBER, DOUBLE, FLOW = "text", "number", "double", "flow"

# Maps each message to its fields: number -> (name, type). A type that is a message is its name; "*"
# marks repeated fields.
SCHEMA = {
    "Trace": {1: ("packet*", "TracePacket")},
    "TracePacket": {8: ("timestamp", NUMBER), 10: ("trusted_packet_sequence_id", NUMBER),
                    11: ("track_event", "TrackEvent"), 12: ("interned_data", "InternedData"),
                    13: ("sequence_flags", NUMBER), 58: ("timestamp_clock_id", NUMBER),
                    60: ("track_descriptor", "TrackDescriptor")},
    "TrackDescriptor": {1: ("uuid", NUMBER), 2: ("name", TEXT), 3: ("process", "ProcessDescriptor"),
                        4: ("thread", "ThreadDescriptor"), 5: ("parent_uuid", NUMBER)},
    "ProcessDescriptor": {1: ("pid", NUMBER), 3: ("legacy_sort_index", NUMBER), 6: ("process_name", TEXT)},
    "ThreadDescriptor": {1: ("pid", NUMBER), 2: ("tid", NUMBER), 5: ("thread_name", TEXT)},
    "InternedData": {1: ("event_categories*", "Interned"), 2: ("event_names*", "Interned"),
                     3: ("debug_annotation_names*", "Interned")},
    "Interned": {1: ("iid", NUMBER), 2: ("name", TEXT)},
    "TrackEvent": {3: ("category_iids*", NUMBER), 4: ("debug_annotations*", "DebugAnnotation"), 9: ("type", NUMBER),
                   10: ("name_iid", NUMBER), 11: ("track_uuid", NUMBER), 22: ("categories*", TEXT), 23: ("name", TEXT),
                   47: ("flow_ids*", FLOW), 48: ("terminating_flow_ids*", FLOW)},
    "DebugAnnotation": {1: ("name_iid", NUMBER), 3: ("uint_value", NUMBER), 4: ("int_value", NUMBER),
                        5: ("double_value", DOUBLE), 6: ("string_value", TEXT), 10: ("name", TEXT)},
}
WIRE = {TEXT: LENGTH, NUMBER: VARINT, DOUBLE: FIXED64, FLOW: FIXED64}


class Wrong(Exception):
    pass


def need(condition, text):
    if not condition:
        raise Wrong(text)


def varint(data, at):
    value = shift = 0
    while True:
        need(at < len(data) and shift < 70, "a number is cut")
        value |= (data[at] & 0x7f) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 0x80:
            return value, at


def decode(data, message):
    """A dictionary of the fields; repeated fields are lists."""
    out, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        field, wire = key >> 3, key & 7
        need(field in SCHEMA[message], "%s has no field %d" % (message, field))
        name, kind = SCHEMA[message][field]
        need(wire == WIRE.get(kind, LENGTH), "%s.%s is of another type" % (message, name))
        if wire == VARINT:
            value, at = varint(data, at)
            need(value < 1 << 64, "%s.%s has more than 64 bits" % (message, name))
        elif wire == FIXED64:
            need(at + 8 <= len(data), "%s.%s is cut" % (message, name))
            value = struct.unpack_from("<d" if kind == DOUBLE else "<Q", data, at)[0]
            at += 8
        else:
            length, at = varint(data, at)
            need(at + length <= len(data), "%s.%s is cut" % (message, name))
            part = data[at:at + length]
            value = part.decode("utf-8") if kind == TEXT else decode(part, kind)
            at += length
        if name.endswith("*"):
            out.setdefault(name[:-1], []).append(value)
        else:
            need(name not in out, "%s.%s stands twice" % (message, name))
            out[name] = value
    return out


Slice = collections.namedtuple("Slice", "track begin end name notes depth")
Instant = collections.namedtuple("Instant", "track time name flows notes inside")


class Trace:
    """processes {pid: name}, threads {track: (pid, tid, name)}, children {track: (parent, name)}, slices, instants,
    arrows [(earlier instant, later instant)]."""

    def __init__(self, path):
        with open(path, "rb") as file:
            packets = decode(memoryview(file.read()).tobytes(), "Trace").get("packet", [])
        self.processes, self.threads, self.children, self.order = {}, {}, {}, []
        self.slices, self.instants = [], []
        self.places = {}  # {pid: its position in Perfetto}
        self.interned = collections.defaultdict(lambda: (dict(), dict()))
        events = []
        for number, packet in enumerate(packets):
            need(("track_event" in packet) != ("track_descriptor" in packet), "a packet holds nothing or two things")
            if "track_descriptor" in packet:
                self.describe(packet["track_descriptor"])
            else:
                events.append((packet["timestamp"], number, self.resolve(packet)))
        self.play(sorted(events, key=lambda event: event[:2]))

    def describe(self, track):
        uuid = track["uuid"]
        need(uuid != 0 and uuid not in self.threads and uuid not in self.children and uuid not in self.order,
             "track %d is defined twice" % uuid)
        if "process" in track:
            process = track["process"]
            need(process["pid"] > 0 and process["pid"] not in self.processes, "pid %d" % process["pid"])
            self.processes[process["pid"]] = process["process_name"]
            self.places[process["pid"]] = process["legacy_sort_index"]
            self.order.append(uuid)
        elif "thread" in track:
            thread = track["thread"]
            need(thread["pid"] in self.processes, "a thread without a process")
            need(thread["tid"] not in [known[1] for known in self.threads.values()], "a tid stands twice")
            self.threads[uuid] = (thread["pid"], thread["tid"], thread["thread_name"])
        else:
            need(track["parent_uuid"] in self.order, "a track below one that is not there")
            self.children[uuid] = (track["parent_uuid"], track["name"])

    def resolve(self, packet):
        sequence, flags = packet["trusted_packet_sequence_id"], packet["sequence_flags"]
        need(sequence > 0, "a packet without sequence")
        names, notes = self.interned[sequence]
        if flags & 1:
            names.clear(), notes.clear()
        need(flags & 2, "a packet that uses interned data does not say so")
        for known, field in ((names, "event_names"), (notes, "debug_annotation_names")):
            for entry in packet.get("interned_data", {}).get(field, []):
                need(entry["iid"] > 0 and entry["iid"] not in known, "an interned name is written twice")
                known[entry["iid"]] = entry["name"]
        event = packet["track_event"]
        event["notes"] = {}
        for note in event.get("debug_annotations", []):
            values = [note[key] for key in ("int_value", "uint_value", "double_value", "string_value") if key in note]
            need(len(values) == 1, "a note without a value, or with several")
            event["notes"][notes[note["name_iid"]]] = values[0]
        if event["type"] != 2:
            event["name"] = names[event["name_iid"]]
        return event

    def play(self, events):
        open_slices = collections.defaultdict(list)
        for time, _, event in events:
            track = event["track_uuid"]
            need(track in self.threads or track in self.children, "an event on track %d, which is not defined" % track)
            stack = open_slices[track]
            if event["type"] == 1:
                stack.append((time, event))
            elif event["type"] == 2:
                need(stack, "a slice ends that did not begin")
                begin, opened = stack.pop()
                self.slices.append(Slice(track, begin, time, opened["name"], opened["notes"], len(stack)))
            else:
                need(event["type"] == 3, "an event of type %d" % event["type"])
                inside = stack[-1][1]["name"] if stack else None
                self.instants.append(Instant(track, time, event["name"], event.get("flow_ids", []), event["notes"],
                                             inside))
        need(not any(open_slices.values()), "a slice does not end")
        flows = collections.defaultdict(list)
        for instant in self.instants:
            for flow in instant.flows:
                flows[flow].append(instant)
        need(all(len(ends) == 2 for ends in flows.values()), "an arrow has not two ends")
        self.arrows = list(flows.values())

    def rank_of(self, track):
        if track in self.threads:
            return self.threads[track][0] - 1
        return self.order.index(self.children[track][0])
