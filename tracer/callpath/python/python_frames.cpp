// SPDX-License-Identifier: BSD-3-Clause
// Walks the list of frames, which is nearly the same in all versions.
#include "tracer/callpath/python/python_frames.hpp"

#include <pthread.h>

#include <algorithm>

#include "tracer/callpath/python/readable.hpp"

namespace latecomer::python {
namespace {

// Frames that are no function have this owner, or a higher one. FRAME_OWNED_BY_CSTACK of 3.12 and
// 3.13, FRAME_OWNED_BY_INTERPRETER of 3.14.
constexpr std::uint8_t kOwnedByStack = 3;

std::uintptr_t innermost_loop(const Layout& l, std::uintptr_t thread) {
  return l.thread_loop == 0 ? 0 : read_address(thread + l.thread_loop);
}

std::uintptr_t innermost_frame(const Layout& l, std::uintptr_t thread) {
  if (l.thread_frame != 0) return read_address(thread + l.thread_frame);
  const std::uintptr_t loop = innermost_loop(l, thread);
  return loop == 0 ? 0 : read_address(loop + l.loop_frame);
}

bool is_entry_frame(const Layout& l, std::uintptr_t frame) {
  return l.chain == Chain::kEntryFrames &&
         read<std::uint8_t>(frame + l.frame_owner) >= kOwnedByStack;
}

std::uintptr_t code_of(const Layout& l, std::uintptr_t frame) {
  return read_address(frame + l.frame_code) & ~std::uintptr_t{l.frame_code_tags};
}

std::int64_t offset_in(const Layout& l, std::uintptr_t frame, std::uintptr_t code) {
  if (l.code_bytes == 0) {
    return std::int64_t{read<std::int32_t>(frame + l.frame_instruction)} * l.instruction_bytes;
  }
  return static_cast<std::int64_t>(read_address(frame + l.frame_instruction) -
                                   (code + l.code_bytes));
}

}  // namespace

std::size_t read_frames(const Layout& l, std::uintptr_t thread, std::span<Frame> frames) {
  std::uintptr_t loop = l.chain == Chain::kEntryFrames ? 0 : innermost_loop(l, thread);
  std::size_t count = 0, begin = 0;  // frames before `begin` know their loop
  for (auto frame = innermost_frame(l, thread); frame != 0 && count < frames.size();
       frame = read_address(frame + l.frame_previous)) {
    if (is_entry_frame(l, frame)) {
      while (begin < count) frames[begin++].loop = frame;
      continue;
    }
    const std::uintptr_t code = code_of(l, frame);
    if (code == 0) break;
    frames[count++] = {code, offset_in(l, frame, code), loop};
    const bool ends_loop =
        l.chain == Chain::kLoops ||
        (l.chain == Chain::kEntryFlags && read<std::uint8_t>(frame + l.frame_is_entry) != 0);
    if (ends_loop && loop != 0) loop = read_address(loop + l.loop_previous);
  }
  return count;
}

bool fits(const Layout& l, std::uintptr_t thread, std::uintptr_t code_type) {
  constexpr std::size_t kWord = 8;
  constexpr int kFrames = 16;  // that many are looked at
  if (!readable(thread, l.thread_size())) return false;
  if (read<std::uint64_t>(thread + l.thread_id) != static_cast<std::uint64_t>(pthread_self())) {
    return false;
  }
  std::uintptr_t loop = innermost_loop(l, thread);
  if (l.thread_loop != 0 && loop == 0) return false;
  if (loop != 0 && !readable(loop, std::max(l.loop_frame, l.loop_previous) + kWord)) return false;
  std::uintptr_t frame = innermost_frame(l, thread);
  for (int i = 0; i < kFrames && frame != 0; ++i, frame = read_address(frame + l.frame_previous)) {
    if (!readable(frame, l.frame_size())) return false;
    if (is_entry_frame(l, frame)) continue;
    const std::uintptr_t code = code_of(l, frame);
    if (!readable(code, l.code_size())) return false;
    if (read_address(code + l.object_type) != code_type) return false;
  }
  return true;
}

}  // namespace latecomer::python
