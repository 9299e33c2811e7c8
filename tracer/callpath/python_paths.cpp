// SPDX-License-Identifier: BSD-3-Clause
// Reads Python frames, and keeps paths by a hash of all frames.
#include "tracer/callpath/python_paths.hpp"

#include <algorithm>
#include <cerrno>

#include "archive/hash.hpp"

namespace latecomer::callpath {

PythonPaths::PythonPaths(const python::Interpreter& interpreter)
    : interpreter_(interpreter),
      frames_(std::make_unique_for_overwrite<python::Frame[]>(kMostFrames)),
      sets_(std::make_unique<Set[]>(std::size_t{1} << kSetBits)) {}

std::span<const python::Frame> PythonPaths::read() {
  const std::uintptr_t thread = interpreter_.thread();
  if (thread == 0) return {};
  if (thread != tested_thread_) {
    const int saved = errno;
    const bool fits = python::fits(interpreter_.layout, thread, interpreter_.types.code);
    errno = saved;
    if (!fits) return {};
    tested_thread_ = thread;
  }
  const std::span<python::Frame> frames(frames_.get(), kMostFrames);
  return frames.first(python::read_frames(interpreter_.layout, thread, frames));
}

FrameId PythonPaths::native_number(const Stack& stack) {
  std::uint64_t hash = stack.depth;
  for (std::size_t i = 0; i < stack.depth; ++i) {
    hash = hash_with(hash_with(hash, stack.frames[i].place), stack.slots[i]);
  }
  constexpr FrameId kMost = PathCache::kUnknown - PathCache::kFirstNative - 1;
  return PathCache::kFirstNative + static_cast<FrameId>(hash >> 32) % kMost;
}

FrameId PythonPaths::find(const CallPlace& place, FrameId native,
                          std::span<const python::Frame> frames) {
  std::uint64_t key = hash_with(hash_with(place.slot, place.caller), native);
  for (const python::Frame& f : frames) {
    const auto code = python::fingerprint(interpreter_.layout, interpreter_.types, f.code);
    key = hash_with(key, code + spread(static_cast<std::uint64_t>(f.offset)) + f.loop);
  }
  key_ = key | 1;  // an unused entry has key 0
  const Set& set = sets_[slot_in_table(key_, kSetBits)];
  const auto* const found = std::ranges::find(set, key_, &Entry::key);
  return found == set.end() ? PathCache::kUnknown : found->path;
}

void PythonPaths::insert(FrameId path) {
  Set& set = sets_[slot_in_table(key_, kSetBits)];
  std::ranges::rotate(set, set.end() - 1);
  set.front() = {key_, path};
}

}  // namespace latecomer::callpath
