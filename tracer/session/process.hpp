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
#include "tracer/session/session.hpp"
#include "tracer/session/timer.hpp"

namespace latecomer::session {
namespace detail {

// What a thread needs to find the call paths of its MPI calls.
struct ThreadPaths {
  // Another thread goes on: what is known rests on words of the stack, so it needs the same one.
  void begin_thread() {
    const auto before = std::exchange(own, callpath::StackBounds::of_this_thread());
    if (own != before) cache.clear();
  }

  callpath::StackBounds own = callpath::StackBounds::of_this_thread();
  callpath::PathCache cache;
  callpath::Stack stack;  // found last
};

// A thread that has recorded something. Never deleted: a wrapper may still hold the writer.
struct ThreadInfo {
  ThreadInfo(std::uint32_t number, std::size_t chunk_bytes, Ticks start)
      : writer(number, chunk_bytes, start) {}
  record::ThreadWriter writer;
  std::unique_ptr<ThreadPaths> paths;  // null: none are recorded
  bool ended = false;                  // the thread is gone
};

// kFresh -> kEarly (before MPI_Init) -> kRunning -> kOver; kOver also where nothing is recorded.
enum class Phase : int { kFresh, kEarly, kRunning, kOver };

}  // namespace detail

// MT: `mutex` guards what is below it.
struct Process {
  Moment start;  // when the library was loaded
  std::atomic<detail::Phase> phase{detail::Phase::kFresh};
  std::atomic<unsigned> off{0};  // causes why recording is off
  std::atomic<bool> reached_mpi{false};
  std::atomic<bool> own_regions{false};  // so call paths are not looked for
  std::atomic<RegionId> next_region{kFirstDefinedRegion};
  record::DefinitionLog definitions;
  pthread_key_t thread_end{};
  std::unique_ptr<callpath::FrameTable> frames;  // null: call paths are not recorded

  std::atomic<std::uint32_t> threads_before_mpi{1};
  std::atomic<std::uint32_t> threads_of_mpi{0};  // that MPI_Init has started

  std::atomic<std::uint64_t> stacks{0};      // unwound, in all threads
  std::atomic<std::uint64_t> stack_cost{0};  // nanoseconds that it took

  std::mutex mutex;
  std::size_t chunk_bytes = 0;
  record::Budget budget;
  std::string records;  // directory, once it is known
  std::uint32_t rank = 0;
  std::uint32_t size = 0;
  bool apart = false;  // not everybody records, so nothing is sent to anybody (apart.cpp)
  std::vector<std::unique_ptr<detail::ThreadInfo>> threads;
  std::vector<detail::ThreadInfo*> free;   // of threads that ended, for the next ones; a heap
  std::chrono::nanoseconds thread_cost{};  // what begin and end of all but the first one took
  std::map<std::string, std::uint64_t> losses;
};

// Never destroyed: other threads may record until the very end.
Process& process();

// First thing that happens in a process that records: settings and timer.
void begin();

// Keeps what a thread recorded with, which has ended, for one that begins. `mutex` is held.
void keep_for_others(Process& p, detail::ThreadInfo& thread);

// Puts the records of a thread into a file. `mutex` is held; the caller is the owner, or it is
// gone.
void place(Process& p, detail::ThreadInfo& thread);

// Ends recording for good, in this process only.
void stop_recording();

// For the length of a scope, nothing on this thread is recorded and errno is kept.
class Inside {
 public:
  Inside() : errno_(errno), suspended_(detail::thread_state.suspended) {
    detail::thread_state.suspended = true;
    detail::thread_state.current = nullptr;
    detail::thread_state.seen = detail::generation.load() - 1;  // found again afterwards
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
