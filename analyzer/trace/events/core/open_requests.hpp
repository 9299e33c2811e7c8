// SPDX-License-Identifier: BSD-3-Clause
// Requests that one thread of a process starts and another one completes.
#pragma once

#include <cstdint>
#include <vector>

namespace latecomer::trace {

// A request that this location started but did not complete, or the reverse. Exists only in
// processes with several threads, until join_requests() has handled it.
struct HandedRequest {
  enum class Kind : std::uint8_t { kSend, kReceive, kCollective, kFile, kCancelled };
  Kind kind = Kind::kSend;
  bool counts = false, writes = false;  // file operation: its bytes count; it writes
  // Index in the list of its kind. For files: node that began it, or Call that completed it.
  std::uint32_t index = 0;
  std::uint32_t handle = 0xffffffff;  // file handle
  std::uint64_t id = 0;
  std::uint64_t bytes = 0;  // bytes of a completed file operation
};

// The place of an operation that another thread completed.
struct Elsewhere {
  std::uint32_t index = 0;     // index in this location
  std::uint32_t location = 0;  // index in the list of this process's LocationEvents
  std::uint32_t there = 0;     // index there
};

// All such requests of one location.
struct OpenRequests {
  std::vector<HandedRequest> open_here, completed_here;
};

}  // namespace latecomer::trace
