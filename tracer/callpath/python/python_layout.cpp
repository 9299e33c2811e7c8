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

// Words of _Py_DebugOffsets in 3.13 that are used here, by their index.
enum Described : std::size_t {
  kVersion = 1,
  kFreeThreaded = 2,
  kThreadFrame = 23,
  kThreadId = 24,
  kFramePrevious = 29,
  kFrameCode = 30,
  kFrameInstruction = 31,
  kFrameOwner = 33,
  kCodeFilename = 35,
  kCodeName = 37,
  kCodeLines = 38,
  kCodeFirstLine = 39,
  kCodeBytes = 43,
  kObjectType = 45,
  kBytesSize = 65,
  kBytesData = 66,
  kTextState = 68,
  kTextLength = 69,
  kTextAscii = 70,
  kWords = 73
};

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
  if (std::memcmp(words.data(), "xdebugpy", 8) != 0 || words[kVersion] >> 16 != 0x030d ||
      words[kFreeThreaded] != 0) {
    return std::nullopt;
  }
  bool fits = true;
  const auto offset = [&](Described index) {
    constexpr std::uint64_t kMost = 4096;
    fits = fits && words[index] < kMost;
    return static_cast<std::uint16_t>(words[index]);
  };
  Layout l{.minor = 13,
           .chain = Chain::kEntryFrames,
           .lines = LineFormat::kLocations,
           .runtime_key = 2160,
           .thread_id = offset(kThreadId),
           .thread_frame = offset(kThreadFrame),
           .frame_code = offset(kFrameCode),
           .frame_previous = offset(kFramePrevious),
           .frame_instruction = offset(kFrameInstruction),
           .frame_owner = offset(kFrameOwner),
           .code_first_line = offset(kCodeFirstLine),
           .code_filename = offset(kCodeFilename),
           .code_name = offset(kCodeName),
           .code_lines = offset(kCodeLines),
           .code_bytes = offset(kCodeBytes),
           .object_type = offset(kObjectType),
           .bytes_size = offset(kBytesSize),
           .bytes_data = offset(kBytesData),
           .text_length = offset(kTextLength),
           .text_state = offset(kTextState),
           .text_ascii = offset(kTextAscii)};
  l.text_hash = l.text_length + kWord;
  l.text_compact = l.text_ascii + 2 * kWord;  // and the UTF-8 form: length, address
  if (!fits) return std::nullopt;
  return l;
}

}  // namespace latecomer::python
