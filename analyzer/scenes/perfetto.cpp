// SPDX-License-Identifier: BSD-3-Clause
// Field numbers are those of Perfetto's published protocol buffer definitions.
#include "analyzer/scenes/perfetto.hpp"

namespace latecomer::replay::perfetto {
namespace {

constexpr unsigned kPacket = 1;  // field of Trace
// Fields of TracePacket.
constexpr unsigned kTimestamp = 8, kSequence = 10, kTrackEvent = 11, kInterned = 12, kFlags = 13,
                   kTrackDescriptor = 60;
constexpr std::uint64_t kStateCleared = 1, kNeedsState = 2;
// Fields of TrackEvent.
constexpr unsigned kNotes = 4, kType = 9, kNameNumber = 10, kTrack = 11, kFlow = 47;
constexpr std::uint64_t kBegin = 1, kEnd = 2, kInstant = 3;
// Fields of InternedData and of its entries.
constexpr unsigned kEventNames = 2, kNoteNames = 3, kEntryNumber = 1, kEntryName = 2;
// Fields of DebugAnnotation.
constexpr unsigned kNoteNumber = 1, kInteger = 4, kText = 6;
// Fields of TrackDescriptor, ProcessDescriptor and ThreadDescriptor.
constexpr unsigned kUuid = 1, kTrackName = 2, kProcess = 3, kThread = 4, kParent = 5;
constexpr unsigned kPid = 1, kSortIndex = 3, kProcessName = 6, kTid = 2, kThreadName = 5;

constexpr unsigned kVarint = 0, kFixed64 = 1, kLength = 2;  // wire types

std::string packet(const Message& content) { return Message().message(kPacket, content).bytes(); }

std::string descriptor(const Message& track) {
  return packet(Message().message(kTrackDescriptor, track));
}

}  // namespace

void Message::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
  bytes_ += static_cast<char>(value);
}

Message& Message::number(unsigned field, std::uint64_t value) {
  varint(field << 3 | kVarint);
  varint(value);
  return *this;
}

Message& Message::fixed(unsigned field, std::uint64_t value) {
  varint(field << 3 | kFixed64);
  for (int i = 0; i < 8; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
  return *this;
}

Message& Message::text(unsigned field, std::string_view value) {
  varint(field << 3 | kLength);
  varint(value.size());
  bytes_ += value;
  return *this;
}

std::string process_track(std::uint64_t track, std::int32_t pid, const std::string& name,
                          std::uint64_t place) {
  const auto number = static_cast<std::uint64_t>(pid);
  const auto process =
      Message().number(kPid, number).number(kSortIndex, place).text(kProcessName, name);
  return descriptor(Message().number(kUuid, track).message(kProcess, process));
}

std::string thread_track(std::uint64_t track, std::int32_t pid, std::int32_t tid,
                         const std::string& name) {
  const auto thread = Message()
                          .number(kPid, static_cast<std::uint64_t>(pid))
                          .number(kTid, static_cast<std::uint64_t>(tid))
                          .text(kThreadName, name);
  return descriptor(Message().number(kUuid, track).message(kThread, thread));
}

std::string child_track(std::uint64_t track, std::uint64_t parent, const std::string& name) {
  return descriptor(Message().number(kUuid, track).text(kTrackName, name).number(kParent, parent));
}

void Sequence::begin(std::uint64_t track, std::int64_t time, const std::string& name, Notes notes) {
  event(kBegin, track, time, &name, 0, notes);
}

void Sequence::end(std::uint64_t track, std::int64_t time) {
  event(kEnd, track, time, nullptr, 0, {});
}

void Sequence::instant(std::uint64_t track, std::int64_t time, const std::string& name,
                       std::uint64_t flow, Notes notes) {
  event(kInstant, track, time, &name, flow, notes);
}

void Sequence::event(std::uint64_t type, std::uint64_t track, std::int64_t time,
                     const std::string* name, std::uint64_t flow, Notes notes) {
  Message interned;
  const auto number_of = [&](auto& known, unsigned kind, std::string_view word) {
    const auto found = known.find(word);
    if (found != known.end()) return found->second;
    const std::uint64_t number = known.size() + 1;  // 0 means no number
    known.emplace(word, number);
    interned.message(kind, Message().number(kEntryNumber, number).text(kEntryName, word));
    return number;
  };
  const bool first = bytes_.empty();
  Message track_event;
  for (const auto& note : notes) {
    Message annotation;
    annotation.number(kNoteNumber, number_of(note_names_, kNoteNames, note.name));
    if (note.is_text) {
      annotation.text(kText, note.text);
    } else {
      annotation.number(kInteger, static_cast<std::uint64_t>(note.number));
    }
    track_event.message(kNotes, annotation);
  }
  track_event.number(kType, type);
  if (name != nullptr) track_event.number(kNameNumber, number_of(names_, kEventNames, *name));
  track_event.number(kTrack, track);
  if (flow != 0) track_event.fixed(kFlow, flow);

  Message content;
  content.number(kTimestamp, static_cast<std::uint64_t>(time)).number(kSequence, id_);
  content.message(kTrackEvent, track_event);
  if (!interned.bytes().empty()) content.message(kInterned, interned);
  content.number(kFlags, first ? kStateCleared | kNeedsState : kNeedsState);
  bytes_ += packet(content);
}

}  // namespace latecomer::replay::perfetto
