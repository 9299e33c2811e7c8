// SPDX-License-Identifier: BSD-3-Clause
// Where the fields of CPython's structures are, by version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace latecomer::python {

// How a thread leads to the frames of its Python functions, and how these tell which call of the
// interpreter's evaluation loop runs them. The loop has a part of the structures on its own stack.
enum class Chain : std::uint8_t {
  kFrames,      // 3.8, 3.9: a call of the loop per frame; its place on the stack is not known
  kLoops,       // 3.10: the same; a list of the loops' CFrames beside the list of frames
  kEntryFlags,  // 3.11: a loop runs the frames up to one with the flag is_entry
  kEntryFrames  // from 3.12 on: after a loop's frames comes one on its stack, which is no function
};

enum class LineFormat : std::uint8_t {
  kIncrements,  // 3.8, 3.9: co_lnotab
  kRanges,      // 3.10: co_linetable
  kLocations    // from 3.11 on: co_linetable
};

// Offsets in bytes, on 64-bit processors. 0 where the version has no such field.
struct Layout {
  std::uint32_t minor = 0;  // of version 3
  Chain chain = Chain::kFrames;
  LineFormat lines = LineFormat::kIncrements;
  // _PyRuntime: Py_tss_t of the thread states; 0: a function tells (Interpreter::thread_state)
  std::uint16_t runtime_key = 0;
  std::uint16_t thread_id = 0;      // PyThreadState: pthread_t
  std::uint16_t thread_frame = 0;   // PyThreadState: innermost frame
  std::uint16_t thread_loop = 0;    // PyThreadState: CFrame of the innermost loop
  std::uint16_t loop_frame = 0;     // CFrame: innermost frame, if the thread does not have it
  std::uint16_t loop_previous = 0;  // CFrame
  std::uint16_t frame_code = 0;
  std::uint16_t frame_code_tags = 0;  // bits of that address that mean something else
  std::uint16_t frame_previous = 0;
  std::uint16_t frame_instruction = 0;  // address; up to 3.10 a number of type int
  std::uint16_t frame_is_entry = 0;
  std::uint16_t frame_owner = 0;
  std::uint16_t code_first_line = 0;
  std::uint16_t code_filename = 0;
  std::uint16_t code_name = 0;  // the qualified name from 3.11 on
  std::uint16_t code_lines = 0;
  std::uint16_t code_bytes = 0;         // instructions inside the code object; 0: elsewhere
  std::uint16_t instruction_bytes = 0;  // bytes per unit of frame_instruction, up to 3.10
  std::uint16_t object_type = 8;
  std::uint16_t object_size = 16;  // of code: its instructions, from 3.11 on
  std::uint16_t bytes_size = 16;
  std::uint16_t bytes_data = 32;
  std::uint16_t text_length = 16;
  std::uint16_t text_hash = 24;
  std::uint16_t text_state = 32;
  std::uint16_t text_kind = 2;     // bit of the state from which on it says how characters are kept
  std::uint16_t text_ascii = 0;    // data of an ASCII string
  std::uint16_t text_compact = 0;  // data of other compact strings

  // The last field that is read of each structure, and the 8 bytes of it.
  [[nodiscard]] std::size_t thread_size() const;
  [[nodiscard]] std::size_t frame_size() const;
  [[nodiscard]] std::size_t code_size() const;
};

// Layout of a version that is known without its own description: 3.8 to 3.12.
[[nodiscard]] std::optional<Layout> layout_of(std::uint32_t minor);

// Layout of 3.13 or 3.14, which describe themselves at the beginning of _PyRuntime
// (_Py_DebugOffsets). Empty if the description is another one, or one of a build without the global
// lock.
[[nodiscard]] std::optional<Layout> described_layout(const void* runtime);

}  // namespace latecomer::python
