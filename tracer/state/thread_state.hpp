// SPDX-License-Identifier: BSD-3-Clause
// What each thread has of its own: its writer, and the data with which it finds call paths.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "tracer/callpath/path_cache.hpp"
#include "tracer/callpath/python_paths.hpp"
#include "tracer/callpath/stack.hpp"
#include "tracer/record/definition_lines.hpp"
#include "tracer/record/writer.hpp"
#include "tracer/state/blocked_calls.hpp"

namespace latecomer::counters {
struct ThreadCounters;
}
namespace latecomer::samples {
struct ThreadSamples;
}
namespace latecomer::openmp {
class SinglePlace;
}

namespace latecomer::session::detail {

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
  callpath::Stack stack;                          // the one found last
  std::unique_ptr<callpath::PythonPaths> python;  // null: no Python, or an unknown one
};

// A location that is no thread. Its writer belongs to the thread that holds the lock.
struct OtherLocation {
  record::LocationDefinition definition;
  std::mutex in_use;
};

// Calls on files outside MPI without a record. Only the thread itself counts.
struct FileCalls {
  std::atomic<std::uint64_t> in_memory{0};  // on streams, without access to the file
  std::atomic<std::uint64_t> left_out{0};   // nothing could be recorded

  static void count(std::atomic<std::uint64_t>& calls) {
    calls.store(calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
};

// A thread that has recorded something, or another location. It is never deleted, since a wrapper
// may still hold the writer.
struct ThreadInfo {
  ThreadInfo(std::uint32_t number, std::size_t chunk_bytes, record::Ticks start,
             std::uint32_t ring_chunks)
      : writer(number, chunk_bytes, start, ring_chunks) {}
  record::ThreadWriter writer;
  std::unique_ptr<ThreadPaths> paths;    // null: call paths are not recorded
  bool ended = false;                    // the thread has ended
  std::unique_ptr<OtherLocation> other;  // null: a thread
  FileCalls file_calls;
  pid_t kernel_id = 0;  // of the thread
  // Cores that it could use when it ended, as far as it has; only the first ones of a machine.
  std::unique_ptr<cpu_set_t> affinity;
  std::array<char, 16> name{};  // the kernel's name of it when it ended
  // Number of the thread whose begin was recorded and whose end will be (0: none), and the path of
  // the function that it began with.
  std::uint32_t begun = 0;
  record::FrameId first_frame = 0;
  // When it began, in nanoseconds, and how many threads in a row with that function were short.
  record::Ticks begun_at = 0;
  std::atomic<std::uint32_t>* short_threads = nullptr;
};

// Distance of timed hooks. It is prime, so that no loop of the program keeps in step with it.
inline constexpr std::uint32_t kHooksPerSample = 1009;

// What a thread without samples looks at.
inline constexpr std::uint64_t kNoSamples = 0;

struct ThreadState {
  record::ThreadWriter* current = nullptr;  // null: not recording now, or not begun yet
  std::uint32_t seen = 0;  // value of SessionState::generation for which `current` was found
  bool suspended = false;  // inside MPI or inside the tracer
  bool ended = false;      // the thread is being torn down
  ThreadInfo* info = nullptr;
  callpath::PathCache* paths = nullptr;  // null: call paths are not recorded
  // Bytes of samples by the kernel, or their number by signals, which changes at any time; and how
  // many of them were taken out.
  const std::uint64_t* samples_written = &kNoSamples;
  std::uint64_t samples_taken = 0;
  samples::ThreadSamples* samples = nullptr;  // null: this thread is not sampled
  // The first number changes at any time: bytes of switches by the kernel, or samples by signals.
  // The second one is how many were taken out, or left out since they were inside MPI.
  std::uint64_t* switches = nullptr;
  blocking::BlockedCalls* blocked = nullptr;        // null: `switches` are not those by the kernel
  counters::ThreadCounters* counters = nullptr;     // null: this thread has no counters
  counters::ThreadCounters* counting = nullptr;     // the same, but null if they cannot be read now
  std::uint32_t hooks_to_sample = kHooksPerSample;  // hook_cost.hpp
  // Parallel regions (tracer/sources/openmp): whether the thread is in a recorded team, the call
  // path of what it does there, and the region of its open loop, sections or `single` (0: none).
  bool in_team = false;
  record::FrameId team_path = 0;
  record::RegionId worksharing = 0;
  // The `single` whose end is still to come (null: none), and since when this thread is past its
  // begin, if another thread executes it (else 0).
  openmp::SinglePlace* single = nullptr;
  record::Ticks single_since = 0;
  bool is_short = false;  // threads like this one end before they could be sampled
  // A thread that the program made before MPI_Init: its number (else 0), the function that it began
  // with, and what records that when the thread gets its writer.
  std::uint32_t early_number = 0;
  std::uintptr_t early_function = 0;
  void (*record_early_begin)(record::ThreadWriter&) = nullptr;
};

extern thread_local constinit ThreadState thread_state [[gnu::tls_model("initial-exec")]];

}  // namespace latecomer::session::detail
