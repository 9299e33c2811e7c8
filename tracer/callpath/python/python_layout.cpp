// SPDX-License-Identifier: BSD-3-Clause
// Offsets of CPython's structures, from the headers that each version installs (Include/internal).
#include "tracer/callpath/python/python_layout.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace latecomer::python {
namespace {

constexpr Layout frames_of(std::uint32_t minor) {
  return {.minor = minor,
          .chain = Chain::kFrames,
          .lines = LineFormat::kIncrements,
          .runtime_key = 584,
          .thread_id = 176,
          .thread_frame = 24,
          .frame_code = 32,
          .frame_previous = 24,
          .frame_instruction = 104,
          .code_first_line = 40,
          .code_filename = 104,
          .code_name = 112,
          .code_lines = 120,
          .instruction_bytes = 1,
          .text_ascii = 48,
          .text_compact = 72};
}

constexpr Layout python_3_8() {
  Layout l = frames_of(8);
  l.runtime_key = 1392;
  return l;
}

constexpr Layout python_3_10() {
  Layout l = frames_of(10);
  l.chain = Chain::kLoops;
  l.lines = LineFormat::kRanges;
  l.thread_loop = 48;
  l.loop_previous = 8;
  l.frame_instruction = 96;
  l.instruction_bytes = 2;
  return l;
}

constexpr Layout python_3_11() {
  return {.minor = 11,
          .chain = Chain::kEntryFlags,
          .lines = LineFormat::kLocations,
          .runtime_key = 592,
          .thread_id = 152,
          .thread_loop = 56,
          .loop_frame = 8,
          .loop_previous = 16,
          .frame_code = 32,
          .frame_previous = 48,
          .frame_instruction = 56,
          .frame_is_entry = 68,
          .frame_owner = 69,
          .code_first_line = 72,
          .code_filename = 112,
          .code_name = 128,
          .code_lines = 136,
          .code_bytes = 184,
          .text_ascii = 48,
          .text_compact = 72};
}

constexpr Layout python_3_12() {
  return {.minor = 12,
          .chain = Chain::kEntryFrames,
          .lines = LineFormat::kLocations,
          .runtime_key = 1544,
          .thread_id = 136,
          .thread_loop = 56,
          .loop_frame = 0,
          .loop_previous = 8,
          .frame_code = 0,
          .frame_previous = 8,
          .frame_instruction = 56,
          .frame_owner = 70,
          .code_first_line = 68,
          .code_filename = 112,
          .code_name = 128,
          .code_lines = 136,
          .code_bytes = 192,
          .text_ascii = 40,
          .text_compact = 56};
}

constexpr std::size_t kWord = 8;

// Words of _Py_DebugOffsets that are used here, by their index.
enum Header : std::size_t { kVersion = 1, kFreeThreaded = 2 };
struct Described {
  std::size_t thread_frame, thread_id;
  std::size_t frame_previous, frame_code, frame_instruction, frame_owner;
  std::size_t code_filename, code_name, code_lines, code_first_line, code_bytes;
  std::size_t object_type, bytes_size, bytes_data, text_state, text_length, text_ascii;
};
constexpr Described kIn_3_13 = {.thread_frame = 23,
                                .thread_id = 24,
                                .frame_previous = 29,
                                .frame_code = 30,
                                .frame_instruction = 31,
                                .frame_owner = 33,
                                .code_filename = 35,
                                .code_name = 37,
                                .code_lines = 38,
                                .code_first_line = 39,
                                .code_bytes = 43,
                                .object_type = 45,
                                .bytes_size = 65,
                                .bytes_data = 66,
                                .text_state = 68,
                                .text_length = 69,
                                .text_ascii = 70};
// There are three more words for the interpreter, two more for frames, one for code, and those of
// sets.
constexpr Described kIn_3_14 = {.thread_frame = 26,
                                .thread_id = 27,
                                .frame_previous = 32,
                                .frame_code = 33,
                                .frame_instruction = 34,
                                .frame_owner = 36,
                                .code_filename = 40,
                                .code_name = 42,
                                .code_lines = 43,
                                .code_first_line = 44,
                                .code_bytes = 48,
                                .object_type = 51,
                                .bytes_size = 75,
                                .bytes_data = 76,
                                .text_state = 78,
                                .text_length = 79,
                                .text_ascii = 80};
constexpr std::size_t kWords = kIn_3_14.text_ascii + 1;

}  // namespace

std::size_t Layout::thread_size() const {
  return std::max({thread_id, thread_frame, thread_loop}) + kWord;
}

std::size_t Layout::frame_size() const {
  return std::max({frame_code, frame_previous, frame_instruction, frame_is_entry, frame_owner}) +
         kWord;
}

std::size_t Layout::code_size() const {
  return std::max({code_first_line, code_filename, code_name, code_lines, code_bytes}) + kWord;
}

std::optional<Layout> layout_of(std::uint32_t minor) {
  switch (minor) {
    case 8:
      return python_3_8();
    case 9:
      return frames_of(9);
    case 10:
      return python_3_10();
    case 11:
      return python_3_11();
    case 12:
      return python_3_12();
    default:
      return std::nullopt;
  }
}

std::optional<Layout> described_layout(const void* runtime) {
  std::array<std::uint64_t, kWords> words{};
  std::memcpy(words.data(), runtime, sizeof words);
  const std::uint64_t version = words[kVersion] >> 16;
  if (std::memcmp(words.data(), "xdebugpy", 8) != 0 || words[kFreeThreaded] != 0 ||
      (version != 0x030d && version != 0x030e)) {
    return std::nullopt;
  }
  const bool is_3_14 = version == 0x030e;
  const Described& at = is_3_14 ? kIn_3_14 : kIn_3_13;
  bool fits = true;
  const auto offset = [&](std::size_t index) {
    constexpr std::uint64_t kMost = 4096;
    fits = fits && words[index] < kMost;
    return static_cast<std::uint16_t>(words[index]);
  };
  Layout l{.minor = is_3_14 ? 14U : 13U,
           .chain = Chain::kEntryFrames,
           .lines = LineFormat::kLocations,
           .runtime_key = 2160,
           .thread_id = offset(at.thread_id),
           .thread_frame = offset(at.thread_frame),
           .frame_code = offset(at.frame_code),
           .frame_previous = offset(at.frame_previous),
           .frame_instruction = offset(at.frame_instruction),
           .frame_owner = offset(at.frame_owner),
           .code_first_line = offset(at.code_first_line),
           .code_filename = offset(at.code_filename),
           .code_name = offset(at.code_name),
           .code_lines = offset(at.code_lines),
           .code_bytes = offset(at.code_bytes),
           .object_type = offset(at.object_type),
           .bytes_size = offset(at.bytes_size),
           .bytes_data = offset(at.bytes_data),
           .text_length = offset(at.text_length),
           .text_state = offset(at.text_state),
           .text_ascii = offset(at.text_ascii)};
  l.text_hash = l.text_length + kWord;
  l.text_compact = l.text_ascii + 2 * kWord;  // and the UTF-8 form: length, address
  if (is_3_14) {
    constexpr std::uint16_t kTags = 3, kKind = 16;
    l.runtime_key = 0;
    l.frame_code_tags = kTags;
    l.text_kind = kKind;
  }
  if (!fits) return std::nullopt;
  return l;
}

}  // namespace latecomer::python
