// SPDX-License-Identifier: BSD-3-Clause
// The one session of this process. Inside tracer/session only.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tracer/callpath/frame_table.hpp"
#include "tracer/callpath/stack.hpp"
#include "tracer/record/definition_log.hpp"
#include "tracer/record/writer.hpp"
#include "tracer/session/clocks/timer.hpp"
#include "tracer/session/process/session.hpp"

namespace latecomer::session {
namespace detail {

// Data with which a thread finds the call paths of its MPI calls.
struct ThreadPaths {
  // Another thread continues. The cache rests on words of the stack, so it is only valid for a
  // thread with the same stack.
  void begin_thread() {
    const auto before = std::exchange(own, callpath::StackBounds::of_this_thread());
    if (own != before) cache.clear();
  }

  callpath::StackBounds own = callpath::StackBounds::of_this_thread();
  callpath::PathCache cache;
  callpath::Stack stack;  // the one found last
};

// A thread that has recorded something. It is never deleted, since a wrapper may still hold the
// writer.
struct ThreadInfo {
  ThreadInfo(std::uint32_t number, std::size_t chunk_bytes, Ticks start)
      : writer(number, chunk_bytes, start) {}
  record::ThreadWriter writer;
  std::unique_ptr<ThreadPaths> paths;  // null: call paths are not recorded
  bool ended = false;                  // the thread has ended
};

// kFresh -> kEarly (before MPI_Init) -> kRunning -> kOver. A process that records nothing goes to
// kOver directly.
enum class Phase : int { kFresh, kEarly, kRunning, kOver };

}  // namespace detail

// State of the session. MT: `mutex` guards the members below it.
struct Process {
  Moment start;  // time at which the library was loaded
  std::atomic<detail::Phase> phase{detail::Phase::kFresh};
  std::atomic<unsigned> off{0};  // sum of the causes for which recording is off
  std::atomic<bool> reached_mpi{false};
  // the program reports regions, so call paths are not looked for
  std::atomic<bool> own_regions{false};
  std::atomic<RegionId> next_region{kFirstDefinedRegion};
  record::DefinitionLog definitions;
  pthread_key_t thread_end{};
  std::unique_ptr<callpath::FrameTable> frames;  // null: call paths are not recorded

  std::atomic<std::uint32_t> threads_before_mpi{1};
  std::atomic<std::uint32_t> threads_of_mpi{0};  // threads that MPI_Init has started

  std::atomic<std::uint64_t> stacks{0};      // number of unwound stacks, in all threads
  std::atomic<std::uint64_t> stack_cost{0};  // nanoseconds spent on unwinding

  std::mutex mutex;
  std::size_t chunk_bytes = 0;
  record::Budget budget;
  std::string records;  // directory of the records, once it is known
  std::uint32_t rank = 0;
  std::uint32_t size = 0;
  bool apart = false;  // some processes do not record, so no message is sent (apart.cpp)
  std::vector<std::unique_ptr<detail::ThreadInfo>> threads;
  std::vector<detail::ThreadInfo*> free;  // left by ended threads for new ones; a heap
  // time for the begin and end of all threads except the first
  std::chrono::nanoseconds thread_cost{};
  std::map<std::string, std::uint64_t> losses;
};

// The session. It is never destroyed, since other threads may record until the very end.
Process& process();

// Reads settings and sets the timer; the first step in a process that records.
void begin();

// Keeps the writer of an ended thread for a new one. `mutex` is held.
void keep_for_others(Process& p, detail::ThreadInfo& thread);

// Moves the records of a thread to a file. `mutex` is held; the caller is the owner of the thread's
// writer, or the owner has ended.
void place(Process& p, detail::ThreadInfo& thread);

// Ends recording for good, in this process only.
void stop_recording();

// During a scope, records nothing on this thread and keeps errno.
class Inside {
 public:
  Inside() : errno_(errno), suspended_(detail::thread_state.suspended) {
    detail::thread_state.suspended = true;
    detail::thread_state.current = nullptr;
    detail::thread_state.seen = detail::generation.load() - 1;  // forces a new search afterwards
  }
  ~Inside() {
    detail::thread_state.suspended = suspended_;
    errno = errno_;
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  int errno_;
  bool suspended_;
};

}  // namespace latecomer::session
