// SPDX-License-Identifier: BSD-3-Clause
// Writes traces in Perfetto's format: protocol buffers, field by field. Only the part that a
// timeline of calls, messages and waits needs (perfetto/trace/trace_packet.proto, stable part:
// track events).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

namespace latecomer::replay::perfetto {

// A message of protocol buffers: fields in the order in which they are put.
class Message {
 public:
  Message& number(unsigned field, std::uint64_t value);  // varint
  Message& fixed(unsigned field, std::uint64_t value);   // fixed64
  Message& text(unsigned field, std::string_view value);
  Message& message(unsigned field, const Message& value) { return text(field, value.bytes_); }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value);
  std::string bytes_;
};

// A number or text that is shown with an event.
struct Note {
  Note(std::string_view name, std::int64_t value) : name(name), number(value) {}
  Note(std::string_view name, std::string_view value) : name(name), text(value), is_text(true) {}
  std::string_view name;
  std::int64_t number = 0;
  std::string_view text;
  bool is_text = false;
};
using Notes = std::initializer_list<Note>;

// Descriptors of tracks. Ids of tracks are unique in the whole trace. Processes are shown in the
// order of `place`.
[[nodiscard]] std::string process_track(std::uint64_t track, std::int32_t pid,
                                        const std::string& name, std::uint64_t place);
[[nodiscard]] std::string thread_track(std::uint64_t track, std::int32_t pid, std::int32_t tid,
                                       const std::string& name);
[[nodiscard]] std::string child_track(std::uint64_t track, std::uint64_t parent,
                                      const std::string& name);

// Events of one writer. A name is written once and then referred to by number. Times are in
// nanoseconds and need not ascend; events at the same time keep their order.
class Sequence {
 public:
  explicit Sequence(std::uint32_t id) : id_(id) {}
  void begin(std::uint64_t track, std::int64_t time, const std::string& name, Notes notes = {});
  void end(std::uint64_t track, std::int64_t time);
  // Instants with the same flow are joined by an arrow from the earlier to the later; 0: none.
  void instant(std::uint64_t track, std::int64_t time, const std::string& name, std::uint64_t flow,
               Notes notes = {});
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  void event(std::uint64_t type, std::uint64_t track, std::int64_t time, const std::string* name,
             std::uint64_t flow, Notes notes);

  std::uint32_t id_;
  std::map<std::string, std::uint64_t, std::less<>> names_, note_names_;
  std::string bytes_;
};

}  // namespace latecomer::replay::perfetto
