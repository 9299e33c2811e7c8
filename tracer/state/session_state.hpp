// SPDX-License-Identifier: BSD-3-Clause
// State of tracer/session: timer, phases, threads, windows of recording, points of clock
// measurements, the communicator of all processes.
#pragma once

#include <mpi.h>
#include <pthread.h>
#include <time.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "archive/result.hpp"
#include "sync/clock_model.hpp"
#include "tracer/callpath/frame_table.hpp"
#include "tracer/record/definition_lines.hpp"
#include "tracer/record/definition_log.hpp"
#include "tracer/record/writer.hpp"
#include "tracer/state/on_first_use.hpp"
#include "tracer/state/thread_state.hpp"

namespace latecomer::session {

using record::RegionId;
using record::Ticks;

// Types of the folder's own, which it alone knows.
class Attendance;
struct ClockPoints;
struct Iterations;
struct Run;
struct TimeWindow;

// One moment on all clocks; `wall` is nanoseconds since 1970.
struct Moment {
  Ticks counter = 0;
  Ticks monotonic = 0;
  Ticks wall = 0;
};

// The timer in use. It is set once, before the first record. Ticks of the two clocks other than the
// counter are nanoseconds.
struct TimerState {
  bool is_tsc = false;
  clockid_t clock = CLOCK_MONOTONIC;
};

// Samples of all threads: of hooks that record, or of hooks in regions that a filter leaves out.
struct HookSamples {
  std::atomic<std::uint64_t> number{0};
  std::atomic<std::uint64_t> ticks{0};  // sum over all samples
};

// Calibrations of a hook while the program runs: the ticks of each round, of which the last ones
// are kept.
struct HookRounds {
  static constexpr std::size_t kKept = 256;
  std::atomic<std::uint64_t> number{0};
  std::array<std::atomic<std::uint64_t>, kKept> ticks{};  // round n is at n % kKept
  // Where they record. One thread at a time has it. It needs no allocator, since a signal handler
  // may have interrupted that of the program.
  std::atomic_flag taken;
  std::optional<record::ThreadWriter> nowhere;
  std::uint64_t rounds_there = 0;
};

// A source of events wants to know that threads begin and end. All is called on the thread itself,
// in which nothing else is recorded meanwhile.
struct ThreadWatch {
  void (*begins)() = nullptr;
  void (*ends)() = nullptr;
  void (*take_samples)(record::ThreadWriter&) = nullptr;
  void (*goes_on)() = nullptr;  // in the parent, after a fork
  // A call in which the thread lost its core ended at this time.
  void (*mpi_ends)(record::ThreadWriter&, record::Ticks) = nullptr;
};

// Samples of the computation (tracer/sources/samples).
struct SampleState {
  std::atomic<std::uint64_t> lost{0};
  std::atomic<std::uint64_t> cost{0};  // nanoseconds for taking them out of their buffers
  std::atomic<int> refused{0};         // errno, if the first thread could not be sampled
  std::atomic<int> by_signals{0};      // errno of the kernel, if signals take samples in its place
  std::atomic<int> no_signals{0};  // errno, if signals were to take them and cannot; EBUSY: in use
  std::atomic<bool> user_only{false};  // processor time in the kernel is not sampled
  std::atomic<std::uint64_t> switches_lost{
      0};  // stretches with too many; threads with unknown ones
};

// Counters want to know where the computation ends and goes on. All is called on the thread itself.
struct CounterWatch {
  void (*begins)() = nullptr;
  void (*ends)() = nullptr;
  void (*computation_ends)() = nullptr;
  void (*computation_goes_on)() = nullptr;
  void (*store)(record::ThreadWriter&) = nullptr;  // what was counted so far
  void (*goes_on)() = nullptr;                     // in the parent, after a fork
};

// Counters (tracer/sources/counters).
struct CounterState {
  // `refused` has this value if the kernel counts, but the program cannot read it without a system
  // call.
  static constexpr int kNotReadable = -1;

  std::atomic<bool> is_logged{false};  // the log says what is counted
  std::atomic<int> refused{0};         // errno, if the first thread could not count
  std::atomic<bool> scaled{false};     // counters took turns
  std::atomic<std::uint64_t> lost{0};  // later threads that could not
};

namespace detail {

// kFresh -> kEarly (before MPI_Init) -> kRunning -> kOver. A process that records nothing goes to
// kOver directly.
enum class Phase : int { kFresh, kEarly, kRunning, kOver };

}  // namespace detail

// MT: `mutex` guards the members below it.
struct SessionState {
  // Incremented by every change that all threads must notice: recording on or off, directory known,
  // end.
  std::atomic<std::uint32_t> generation{1};
  // Visits of this region switch recording on and off (--iterations); 0: no such region.
  std::atomic<RegionId> iteration_region{0};

  Moment loaded;  // time at which the library was loaded; all 0: its constructor has not run yet
  Moment start;   // the same, as begin() found it
  std::atomic<detail::Phase> phase{detail::Phase::kFresh};
  std::atomic<unsigned> off{0};  // sum of the causes for which recording is off
  std::atomic<bool> reached_mpi{false};
  // the program reports regions, so call paths are not looked for
  std::atomic<bool> own_regions{false};
  std::atomic<RegionId> next_region{record::kFirstOwnRegion};
  record::DefinitionLog definitions;
  pthread_key_t thread_end{};
  std::unique_ptr<callpath::FrameTable> frames;  // null: call paths are not recorded
  Run* run = nullptr;  // from MPI_Init on, for ever; null if nothing is recorded
  OnFirstUse<Attendance> attendance;
  OnFirstUse<Result<std::optional<sync::ClockSpec>>> emulated_clock;

  std::atomic<std::uint32_t> threads_before_mpi{1};
  std::atomic<std::uint32_t> threads_of_mpi{0};  // threads that MPI_Init has started

  std::atomic<std::uint64_t> stacks{0};      // number of unwound stacks, in all threads
  std::atomic<std::uint64_t> stack_cost{0};  // nanoseconds spent on unwinding
  HookSamples recorded_hooks, filtered_hooks;
  HookRounds hook_rounds;
  ThreadWatch watch;
  SampleState samples;
  CounterWatch counter_watch;
  CounterState counters;

  std::mutex mutex;
  std::size_t chunk_bytes = 0;
  // The program is only watched: its records are rings of so many chunks, and there is no trace.
  // 0: it is traced.
  std::uint32_t ring_chunks = 0;
  std::optional<std::string> ring_directory;  // where rings are in memory; none: in `records`
  record::Budget budget;
  std::optional<std::string> records;  // directory of the records, once it is known
  std::uint32_t rank = 0;
  std::uint32_t size = 0;
  bool apart = false;  // some processes do not record, so no message is sent (apart.cpp)
  std::vector<std::unique_ptr<detail::ThreadInfo>> threads;
  std::vector<detail::ThreadInfo*> free;  // left by ended threads for new ones; a heap
  // time for the begin and end of all threads except the first
  std::chrono::nanoseconds thread_cost{};
  OnFirstUse<std::map<std::string, std::uint64_t>> losses;
};

// Recording less (less.cpp, iterations.cpp).
struct LessState {
  OnFirstUse<TimeWindow> window;
  OnFirstUse<Iterations> iterations;
  bool was_full = false;  // recording was stopped because of its size
};

// Clock measurements during the run (clock_points.hpp).
// MT: the operations that count are ordered on each process, so no two threads are here.
struct ClockPointState {
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  // Number of completed blocking collective operations over all processes, and the next count at
  // which something happens.
  std::atomic<std::uint64_t> collectives_done{0};
  std::atomic<std::uint64_t> next{kNever};
  OnFirstUse<ClockPoints> points;
};

// The tracer's own communicator in a program that only uses sessions; set before mpi_initialized().
struct WorldState {
  MPI_Comm own{};
  bool has_own = false;
};

}  // namespace latecomer::session
