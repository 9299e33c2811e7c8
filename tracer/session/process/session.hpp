// SPDX-License-Identifier: BSD-3-Clause
// Measurement session of this process: the functions that MPI wrappers and the user API call.
//
// A wrapper looks like this. Nothing in here changes the program's errno.
//
//   int MPI_Send(...) {
//     auto* w = session::writer();
//     if (w == nullptr) return PMPI_Send(...);         // not recording: pass through
//     w->enter(kRegion, session::now());
//     w->send(...);
//     int result;
//     {
//       const session::Suspend inside(w);              // calls from inside MPI record nothing
//       result = PMPI_Send(...);
//     }
//     w->leave(kRegion, session::now());               // w stays valid for ever
//     return result;
//   }
//
// The session begins and ends in two MPI functions:
//
//   MPI_Init       writer() -> enter -> PMPI_Init -> mpi_initialized(provided) -> records -> leave
//   MPI_Finalize   PMPI_Finalize -> delete functions of attributes: first the program's, then ours:
//                  enter -> PMPI_Barrier -> records, leave, program_end -> finalize()
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "tracer/callpath/path_cache.hpp"
#include "tracer/record/definition_lines.hpp"
#include "tracer/record/writer.hpp"
#include "tracer/session/clocks/timer.hpp"
#include "tracer/state/process.hpp"

namespace latecomer::session {

using record::CommId;
using record::RequestId;
using record::ThreadWriter;

namespace detail {

// Begin and end of a visit of SessionState::iteration_region.
void iteration_begins();
void iteration_ends();

ThreadWriter* find_writer();
void take_samples(ThreadWriter* w);
// Store what was counted, and take samples if there are any; leave out what was counted inside MPI.
void store_counts(ThreadWriter* w);
// Records when the thread had no core in the MPI call that ended at `t`, before its leave.
void record_switches(ThreadWriter* w, Ticks t);
void leave_out_counts();

// True if there are samples or switches that are not taken yet. More may come at any time; those
// are taken at the next call.
inline bool has_samples(const ThreadState& t) {
  if (*static_cast<const volatile std::uint64_t*>(t.samples_written) != t.samples_taken)
    return true;
  const volatile std::uint64_t* const switches = t.switches;
  return switches != nullptr && switches[0] != switches[1];
}
// Leaves out the switches, or samples by signals, so far: they were inside MPI.
inline void forget_switches(const ThreadState& t) {
  if (t.switches == nullptr) return;
  const std::uint64_t written = std::atomic_ref(t.switches[0]).load(std::memory_order_acquire);
  if (written != t.switches[1])
    std::atomic_ref(t.switches[1]).store(written, std::memory_order_release);
}
void has_own_regions();
record::FrameId unknown_path(ThreadWriter* w, const callpath::CallPlace& place,
                             record::FrameId known);

}  // namespace detail

// The writer of this thread, or null if it must not record now: the call comes from inside MPI or
// the tracer, before a start or after the end. While recording is off, the writer only counts. The
// first call in a process begins the session; the first call in a thread creates its writer.
inline ThreadWriter* writer() {
  ThreadWriter* w = detail::thread_state.current;
  if (w == nullptr || detail::thread_state.seen != process().session.generation.load(
                                                       std::memory_order_relaxed)) [[unlikely]] {
    return detail::find_writer();
  }
  if (detail::thread_state.counting != nullptr) [[unlikely]] {
    detail::store_counts(w);
  } else if (detail::has_samples(detail::thread_state)) [[unlikely]] {
    detail::take_samples(w);
  }
  return w;
}

// During its lifetime writer() is null on this thread. `w` is the result of writer(), which may be
// null.
class Suspend {
 public:
  // `forgets`: what the kernel did in this time is left out. Otherwise has_switches() tells.
  explicit Suspend(ThreadWriter* w, bool forgets = true)
      : writer_(w), before_(detail::thread_state.suspended), forgets_(forgets) {
    detail::thread_state.current = nullptr;
    detail::thread_state.suspended = true;
  }
  ~Suspend() {
    if (forgets_) detail::forget_switches(detail::thread_state);
    if (detail::thread_state.counting != nullptr) [[unlikely]]
      detail::leave_out_counts();
    detail::thread_state.suspended = before_;
    detail::thread_state.current = writer_;
  }
  Suspend(const Suspend&) = delete;
  Suspend& operator=(const Suspend&) = delete;

 private:
  ThreadWriter* writer_;
  bool before_, forgets_;
};

// True if the thread may have lost its core in the MPI call that ends.
inline bool has_switches() {
  const volatile std::uint64_t* const switches = detail::thread_state.switches;
  return switches != nullptr && switches[0] != switches[1];
}

// Notes of the locks that this thread holds and waits for, for `latecomer stuck`. A thread that has
// recorded nothing has no room for them. Nor has one that ends: another one may have its writer.
[[gnu::always_inline]] inline void note_held(const volatile void* lock) {
  detail::ThreadState& t = detail::thread_state;
  if (detail::ThreadInfo* const info = t.info; info != nullptr && !t.ended)
    info->writer.live_state().hold(reinterpret_cast<std::uintptr_t>(lock));
}
[[gnu::always_inline]] inline void note_released(const volatile void* lock) {
  detail::ThreadState& t = detail::thread_state;
  if (detail::ThreadInfo* const info = t.info; info != nullptr && !t.ended)
    info->writer.live_state().release(reinterpret_cast<std::uintptr_t>(lock));
}
[[gnu::always_inline]] inline void note_wanted(const volatile void* lock) {
  detail::ThreadState& t = detail::thread_state;
  if (detail::ThreadInfo* const info = t.info; info != nullptr && !t.ended)
    info->writer.live_state().want(reinterpret_cast<std::uintptr_t>(lock));
}

// Records from which functions the program makes a call. `w` is the result of writer(), which may
// be null.
[[gnu::always_inline]] inline void note_call_path(ThreadWriter* w,
                                                  const callpath::CallPlace& place) {
  callpath::PathCache* const paths = detail::thread_state.paths;
  if (paths == nullptr || w == nullptr) return;
  record::FrameId path = paths->find(place);
  if (path >= callpath::PathCache::kFirstNative) [[unlikely]]
    path = detail::unknown_path(w, place, path);
  w->call_path(path);
}

// Does the same in the wrappers of MPI functions, in which it is inlined.
[[gnu::always_inline]] inline void note_call_path(ThreadWriter* w) {
  callpath::PathCache* const paths = detail::thread_state.paths;
  if (paths == nullptr || w == nullptr) return;
  // The frame of the wrapper: frame pointer of its caller, return address.
  const auto* const frame = static_cast<const std::uintptr_t*>(__builtin_frame_address(0));
  note_call_path(w, {reinterpret_cast<std::uintptr_t>(frame + 1), frame[1], frame[0]});
}

// The program reports its own regions (compiler instrumentation, latecomer.h). From then on they
// are the call paths of MPI calls, and stacks are not inspected any more.
inline void regions_begin() {
  if (detail::thread_state.paths != nullptr) [[unlikely]]
    detail::has_own_regions();
}

// Enter and leave of user and compiler regions. They stay balanced across recording(). A region
// entered while recording is on is left while it is off. A region entered while recording is off
// begins when it is switched on.
inline void enter_region(RegionId region) {
  if (ThreadWriter* w = writer(); w != nullptr) [[likely]] {
    regions_begin();
    if (region == process().session.iteration_region.load(std::memory_order_relaxed)) [[unlikely]]
      detail::iteration_begins();
    w->enter(region, now());
  }
}
inline void leave_region(RegionId region) {
  if (ThreadWriter* w = writer(); w != nullptr) [[likely]] {
    w->leave(region, now());
    if (region == process().session.iteration_region.load(std::memory_order_relaxed)) [[unlikely]]
      detail::iteration_ends();
  }
}

// Regions below this id are MPI functions (the index in their table).
inline constexpr RegionId kFirstDefinedRegion = record::kFirstOwnRegion;

// Logs a region under a new id and returns the id; `definition.id` is ignored. MT: any thread.
RegionId define_region(record::RegionDefinition definition);

// Logs a function that has only an address so far, and the program or library that contains it.
RegionId define_address(record::AddressDefinition definition);
void define_module(const record::ModuleDefinition& definition);
// Logs a region of a thread runtime under a new id and returns the id.
RegionId define_construct(record::ConstructDefinition definition);
// Defines the tracer's own region in which clocks are compared.
RegionId define_clock_measurement();

// Support of the region whose visits are a window of recording (LATECOMER_ITERATIONS).
// iterations_wanted() says if the user wants one. is_iteration_region() says if this is it: the
// first region that fits, by its readable name or the linker's name. use_iteration_region() sets
// it.
// MT: any thread, one at a time.
[[nodiscard]] bool iterations_wanted();
[[nodiscard]] bool is_iteration_region(const std::string& name, const std::string& mangled);
void use_iteration_region(RegionId region);

// Logs a communicator (including world and self) or its name. MT: any thread.
void define_comm(const record::CommDefinition& definition);
void name_comm(CommId id, const std::string& name);

// Logs the sources of this process in neighborhood operations. MT: any thread.
void define_neighbors(const record::NeighborsDefinition& definition);

// Logs a window, its name, or a group of processes. MT: any thread.
void define_window(const record::WindowDefinition& definition);
void name_window(record::WindowId id, const std::string& name);
void define_group(const record::GroupDefinition& definition);

// Logs a file or an open file. MT: any thread.
void define_file(const record::FileDefinition& definition);
void define_file_handle(const record::FileHandleDefinition& definition);

// Logs any other property. MT: any thread.
void define_property(const std::string& name, const std::string& value);

// Counts lost data under a name, e.g. "communicators". MT: any thread.
void lost(const std::string& what, std::uint64_t count = 1);

// Switches recording of the whole process. MPI_Pcontrol calls recording(true) before its enter and
// recording(false) after its leave, so the call itself is recorded. Other threads follow at their
// next event. Recording is on as long as no cause has switched it off.
enum class Cause : std::uint8_t {
  kProgram = 1,
  kWindow = 2,
  kRank = 4,
  kSize = 8,
  kIterations = 16
};
void recording(bool on, Cause cause = Cause::kProgram);
[[nodiscard]] bool recording(Cause cause);
// Called after the last record of MPI_Init: the settings about ranks, time and size take effect.
void begin_recording_less();
// Called before the first record of MPI_Finalize, which is always recorded.
void end_recording_less();

// True if nothing will be recorded any more, or if this process records nothing at all.
[[nodiscard]] bool over();

// The wrappers of MPI_Init and MPI_Init_thread call this after PMPI_Init has succeeded. They call
// it on the thread that called MPI, outside Suspend, and even if writer() was null. The function
// decides with the other processes whether to record at all, so writer() must be called again
// afterwards. Collective over all processes of world_comm (world.hpp). Agrees on the experiment
// directory, compares the clocks and moves the records to files. Problems of the measurement end
// the program here, with one message and exit code 2.
void mpi_initialized(int provided);

// Called in MPI_Finalize while MPI can still be used, after its barrier and its last record
// (program_end). Collective. Compares the clocks again, closes the records and makes the archive
// from them. Nothing is recorded afterwards.
void finalize();

}  // namespace latecomer::session
