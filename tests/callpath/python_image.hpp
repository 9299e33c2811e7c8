// SPDX-License-Identifier: BSD-3-Clause
// Structures of a Python interpreter in memory, made up from the layout of a version.
#pragma once

#include <pthread.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <deque>
#include <string_view>
#include <vector>

#include "tracer/callpath/python/interpreter.hpp"

namespace latecomer::test {

// The beginning of _PyRuntime in 3.13.0, as far as it is read. Other words are 0.
inline std::array<std::uint64_t, 73> description_of_3_13() {
  std::array<std::uint64_t, 73> words{};
  std::memcpy(words.data(), "xdebugpy", 8);
  words[1] = 0x030d00f0;
  const auto put = [&words](std::size_t first, std::initializer_list<std::uint64_t> values) {
    for (const auto value : values) words[first++] = value;
  };
  put(23, {72, 152});                 // PyThreadState: current_frame, thread_id
  put(29, {8, 0, 56, 80, 70});        // frame: previous, executable, instr_ptr, locals, owner
  put(35, {112, 120, 128, 136, 68});  // code: filename, name, qualname, linetable, firstlineno
  put(43, {200});                     // co_code_adaptive
  put(45, {8});                       // ob_type
  put(65, {16, 32});                  // bytes: ob_size, ob_sval
  put(68, {32, 16, 40});              // string: state, length, size of its header
  return words;
}

// The same of 3.14, by its public header; no interpreter was looked at. Offsets in structures are
// those of a build with the global lock.
inline std::array<std::uint64_t, 81> description_of_3_14() {
  std::array<std::uint64_t, 81> words{};
  std::memcpy(words.data(), "xdebugpy", 8);
  words[1] = 0x030e00f0;
  const auto put = [&words](std::size_t first, std::initializer_list<std::uint64_t> values) {
    for (const auto value : values) words[first++] = value;
  };
  put(26, {72, 152});                 // PyThreadState: current_frame, thread_id
  put(32, {8, 0, 56, 80, 74});        // frame: previous, executable, instr_ptr, locals, owner
  put(40, {112, 120, 128, 136, 68});  // code: filename, name, qualname, linetable, firstlineno
  put(48, {208});                     // co_code_adaptive
  put(51, {8});                       // ob_type
  put(75, {16, 32});                  // bytes: ob_size, ob_sval
  put(78, {32, 16, 40});              // string: state, length, size of its header
  return words;
}

// Layouts of all versions that are known.
inline std::vector<python::Layout> known_layouts() {
  std::vector<python::Layout> all;
  for (const std::uint32_t minor : {8U, 9U, 10U, 11U, 12U})
    all.push_back(*python::layout_of(minor));
  // Python's own data goes on after the description, so 3.13 may be read as far as 3.14.
  std::array<std::uint64_t, 81> older{};
  std::ranges::copy(description_of_3_13(), older.begin());
  all.push_back(*python::described_layout(older.data()));
  all.push_back(*python::described_layout(description_of_3_14().data()));
  return all;
}

class PythonImage {
 public:
  explicit PythonImage(const python::Layout& layout) : layout_(layout) {
    types = {block(64), block(64), block(64)};
    runtime = block(4096);
    thread = block(512);
    set(thread + layout.thread_id, pthread_self());
    // Below the outermost call of the loop is a CFrame that belongs to the thread.
    if (layout.thread_loop != 0) set(thread + layout.thread_loop, block(64));
  }

  template <typename T>
  static void set(std::uintptr_t address, T value) {
    std::memcpy(reinterpret_cast<void*>(address), &value, sizeof value);
  }

  // A string of `width` bytes per character, of the given characters.
  std::uintptr_t text(std::u32string_view characters, std::uint32_t width, bool is_ascii = false) {
    const python::Layout& l = layout_;
    const std::size_t header = is_ascii ? l.text_ascii : l.text_compact;
    const std::uintptr_t object = block(header + (characters.size() + 1) * width);
    set(object + l.object_type, types.text);
    set(object + l.text_length, std::uint64_t{characters.size()});
    set(object + l.text_hash, std::hash<std::u32string_view>{}(characters));
    set(object + l.text_state, (width | 1U << 3 | (is_ascii ? 1U : 0U) << 4) << l.text_kind);
    std::uintptr_t at = object + header;
    for (const char32_t c : characters) {
      std::memcpy(reinterpret_cast<void*>(at), &c, width);  // little endian
      at += width;
    }
    return object;
  }
  std::uintptr_t text(std::string_view ascii) {
    return text(std::u32string(ascii.begin(), ascii.end()), 1, true);
  }

  std::uintptr_t bytes(const std::vector<std::uint8_t>& content) {
    const std::uintptr_t object = block(layout_.bytes_data + content.size() + 1);
    set(object + layout_.object_type, types.bytes);
    set(object + layout_.bytes_size, std::uint64_t{content.size()});
    std::ranges::copy(content, reinterpret_cast<std::uint8_t*>(object + layout_.bytes_data));
    return object;
  }

  std::uintptr_t code(std::string_view name, std::string_view file, std::int32_t first_line,
                      const std::vector<std::uint8_t>& lines) {
    const std::uintptr_t object = block(layout_.code_size() + 256);
    set(object + layout_.object_type, types.code);
    set(object + layout_.code_name, text(name));
    set(object + layout_.code_filename, text(file));
    set(object + layout_.code_first_line, first_line);
    set(object + layout_.code_lines, bytes(lines));
    return object;
  }

  // Lines in which the first four bytes of code are on the second line, and the rest on the third.
  [[nodiscard]] std::vector<std::uint8_t> three_lines() const {
    switch (layout_.lines) {
      case python::LineFormat::kIncrements:
        return {0, 1, 4, 1};
      case python::LineFormat::kRanges:
        return {4, 1, 200, 1};
      case python::LineFormat::kLocations:
        // 0x80 | kind << 3 | units - 1: one line further, two units; then once more, eight units.
        return {0x80 | 11 << 3 | 1, 0, 0, 0x80 | 11 << 3 | 7, 0, 0};
    }
    return {};
  }

  // Calls a function; it is at `offset` of its code. `new_loop`: another call of the evaluation
  // loop runs it. Returns an address in the stack frame of its loop; 0: the version does not tell.
  std::uintptr_t call(std::uintptr_t code, std::int32_t offset, bool new_loop = true) {
    const python::Layout& l = layout_;
    const bool loop_per_frame =
        l.chain == python::Chain::kFrames || l.chain == python::Chain::kLoops;
    new_loop = new_loop || loop_per_frame || loop_ == 0;
    if (new_loop && l.chain == python::Chain::kEntryFrames) {
      const std::uintptr_t entry = block(l.frame_size());
      set(entry + l.frame_owner, std::uint8_t{3});
      set(entry + l.frame_previous, innermost_);
      innermost_ = entry;
    }
    frame = block(l.frame_size());
    set(frame + l.frame_code, code | (l.frame_code_tags & 1U));
    set(frame + l.frame_previous, innermost_);
    if (l.code_bytes == 0) {
      set(frame + l.frame_instruction, offset / l.instruction_bytes);
    } else {
      set(frame + l.frame_instruction, code + l.code_bytes + static_cast<std::uint64_t>(offset));
    }
    if (new_loop && l.thread_loop != 0) {
      const std::uintptr_t loop = block(64);
      std::uintptr_t before = 0;
      std::memcpy(&before, reinterpret_cast<void*>(thread + l.thread_loop), sizeof before);
      set(loop + l.loop_previous, before);
      set(thread + l.thread_loop, loop);
      if (l.frame_is_entry != 0) set(frame + l.frame_is_entry, std::uint8_t{1});
      loop_ = loop;
    }
    if (new_loop && l.chain == python::Chain::kEntryFrames) loop_ = innermost_;
    innermost_ = frame;
    if (l.thread_frame != 0) {
      set(thread + l.thread_frame, frame);
    } else {
      std::uintptr_t loop = 0;
      std::memcpy(&loop, reinterpret_cast<void*>(thread + l.thread_loop), sizeof loop);
      set(loop + l.loop_frame, frame);
    }
    return l.chain == python::Chain::kFrames ? 0 : loop_;
  }

  // The interpreter, whose key of threads has this thread.
  python::Interpreter interpreter(pthread_key_t key) {
    set(runtime + layout_.runtime_key, std::int32_t{1});
    set(runtime + layout_.runtime_key + 4, key);
    static thread_local pthread_key_t of_thread;
    of_thread = key;
    return {layout_, types, runtime, 0, [] { return pthread_getspecific(of_thread); }};
  }

  std::uintptr_t block(std::size_t size) {
    auto& memory = memory_.emplace_back((size + 7) / 8);
    return reinterpret_cast<std::uintptr_t>(memory.data());
  }

  python::Types types;
  std::uintptr_t runtime = 0, thread = 0;
  std::uintptr_t frame = 0;  // of the function that was called last

 private:
  const python::Layout layout_;
  std::deque<std::vector<std::uint64_t>> memory_;
  std::uintptr_t innermost_ = 0;  // frame, or entry frame
  std::uintptr_t loop_ = 0;       // of the innermost frame
};

}  // namespace latecomer::test
