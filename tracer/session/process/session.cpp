// SPDX-License-Identifier: BSD-3-Clause
// Begin and end of recording in this process, definitions, losses, fork.
#include "tracer/session/process/session.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <bit>
#include <new>

#include "archive/first_umask.hpp"
#include "archive/layout.hpp"
#include "archive/settings.hpp"
#include "tracer/session/process/inside.hpp"

namespace latecomer::session {
namespace {

using detail::Phase;

// Runs when the library is loaded. Nothing else happens in a process that never calls MPI, such as
// a shell or a launcher.
[[gnu::constructor]] void note_start() {
  process().session.loaded = read_moment();
  note_first_umask();
}

// The end of a thread whose begin was recorded. What it did last belongs to it.
void record_end() {
  detail::ThreadInfo* const info = detail::thread_state.info;
  if (info == nullptr || info->begun == 0) return;
  if (std::atomic<std::uint32_t>* const known = info->short_threads; known != nullptr) {
    const bool was_short =
        clock_nanoseconds(CLOCK_MONOTONIC) - info->begun_at < posix::PosixState::kShort;
    known->store(was_short ? known->load() + 1 : 0);
  }
  if (ThreadWriter* const w = writer(); w != nullptr) {
    if (detail::thread_state.paths != nullptr) w->call_path(info->first_frame);
    const std::uint64_t word = info->begun;
    w->extended(record::kThreadEnded, now(), {&word, 1});
  }
  info->begun = 0;
}

// Threads that come by the thousand share locations. The last one counts.
void note_affinity(detail::ThreadInfo& info) {
  if (info.affinity == nullptr) info.affinity.reset(new (std::nothrow) cpu_set_t);
  if (info.affinity == nullptr) return;
  CPU_ZERO(info.affinity.get());
  sched_getaffinity(0, sizeof(cpu_set_t), info.affinity.get());
}

void end_samples(SessionState& s) {
  if (s.counter_watch.ends != nullptr) s.counter_watch.ends();
  if (s.watch.ends != nullptr) s.watch.ends();
}

// Called when a thread has ended. Another thread may continue its file; otherwise the file gets its
// final length.
void end_thread(void* argument) {
  record_end();
  detail::thread_state.ended = true;
  detail::thread_state.current = nullptr;
  auto* info = static_cast<detail::ThreadInfo*>(argument);
  SessionState& s = process().session;
  const int saved = errno;
  end_samples(s);
  errno = saved;
  if (s.phase.load() == Phase::kOver) return;
  const auto since = std::chrono::steady_clock::now();
  const std::lock_guard lock(s.mutex);
  info->ended = true;
  detail::thread_state.paths = nullptr;
  info->writer.live_state().begin().awaited = record::Awaited::kThreadEnded;
  info->writer.live_state().left(now());
  info->writer.live_state().end();
  info->writer.live_state().forget_locks();
  info->writer.resume(now());  // writes what was only counted
  info->writer.settle(now());
  note_affinity(*info);
  prctl(PR_GET_NAME, info->name.data());
  const bool running = s.phase.load() == Phase::kRunning;
  if (running && info->writer.in_memory()) place(s, *info);
  if (running && info->writer.thread() != 0 && info->writer.can_go_on()) {
    keep_for_others(s, *info);
  } else {
    info->paths.reset();  // frees half a megabyte that no other thread uses
    info->writer.close();
  }
  s.thread_cost += std::chrono::steady_clock::now() - since;
  errno = saved;
}

// The child has no ring buffers and no pages of counters, and handlers of the program may run there
// before ours.
void before_fork() {
  detail::thread_state.samples_written = &detail::kNoSamples;
  detail::thread_state.samples_taken = 0;
  detail::thread_state.switches = nullptr;
  detail::thread_state.counting = nullptr;
}
void parent_after_fork() {
  const SessionState& s = process().session;
  if (s.watch.goes_on != nullptr) s.watch.goes_on();
  if (s.counter_watch.goes_on != nullptr) s.counter_watch.goes_on();
}

// Ends recording in a forked child. It shares the mapped chunks with its parent and must not write
// to them. Locks may be held by threads that do not exist in the child.
void child_after_fork() {
  detail::thread_state.current = nullptr;
  detail::thread_state.paths = nullptr;
  detail::thread_state.ended = true;
  detail::thread_state.samples = nullptr;
  detail::thread_state.blocked = nullptr;
  detail::thread_state.counters = nullptr;
  process().session.phase.store(Phase::kOver);
  process().session.generation.fetch_add(1);
}

// The live chunk is one part of the memory of a thread, the ring the others. Frequent definitions
// (communicators, call paths) must not fill the disk in a long run.
void use_rings(SessionState& s) {
  constexpr std::uint32_t kParts = 16;
  constexpr std::size_t kMostDefinitions = std::size_t{64} << 20;
  constexpr std::uint64_t kLeast = kParts * 4096, kMost = std::uint64_t{1} << 30;
  const auto bytes = std::clamp(setting_bytes(SettingId::kWatchSize), kLeast, kMost);
  s.chunk_bytes = static_cast<std::size_t>(bytes / kParts);
  s.ring_chunks = kParts - 1;
  const std::string directory = setting_text(SettingId::kWatchDirectory);
  if (!directory.empty()) s.ring_directory = directory;
  s.definitions.limit(kMostDefinitions);
}

}  // namespace

bool over() { return process().session.phase.load(std::memory_order_acquire) == Phase::kOver; }

void begin() {
  SessionState& s = process().session;
  if (s.phase.load(std::memory_order_acquire) != Phase::kFresh) return;
  const std::lock_guard lock(s.mutex);
  if (s.phase.load() != Phase::kFresh) return;
  if (!setting_flag(SettingId::kEnable) || pthread_key_create(&s.thread_end, end_thread) != 0) {
    s.phase.store(Phase::kOver);
    return;
  }
  s.start = s.loaded.counter != 0 || s.loaded.monotonic != 0 ? s.loaded : read_moment();
  use_timer(default_timer());
  s.chunk_bytes = static_cast<std::size_t>(setting_bytes(SettingId::kBufferSize));
  if (setting_text(SettingId::kWatch) == "only") use_rings(s);
  // Modules of a static program cannot tell the program from MPI, and names cannot be looked up.
  if (callpath::kSupported && !user::is_static_program() && setting_flag(SettingId::kCallpath)) {
    const auto most = std::clamp<std::int64_t>(setting_number(SettingId::kCallpathDepth), 1,
                                               callpath::Stack::kMostFrames);
    s.frames = std::make_unique<callpath::FrameTable>(
        static_cast<std::size_t>(most),
        [](const std::string& line) { process().session.definitions.append(line); },
        python::find_interpreter());
    if (const std::string& unknown = s.frames->python().unknown; !unknown.empty()) {
      s.definitions.append(to_line(record::Property{layout::kLogUnknownPython, unknown}));
    }
  }
  if (setting_text(SettingId::kFiles) == "on") {
    process().files.table.store(files::DescriptorTable::make(), std::memory_order_release);
  }
  const std::string threads = setting_text(SettingId::kThreads);
  process().openmp.is_recorded.store(threads != "off");
  process().openmp.only_waits.store(threads == "waits");
  process().posix.is_recorded.store(threads != "off");
  pthread_atfork(before_fork, parent_after_fork, child_after_fork);
  s.phase.store(Phase::kEarly, std::memory_order_release);
}

void stop_recording() {
  process().session.phase.store(Phase::kOver);
  process().session.generation.fetch_add(1);
}

RegionId define_region(record::RegionDefinition definition) {
  const Inside inside;
  begin();
  definition.id = process().session.next_region.fetch_add(1);
  if (!over()) process().session.definitions.append(to_line(definition));
  return definition.id;
}

RegionId define_address(record::AddressDefinition definition) {
  const Inside inside;
  begin();
  definition.region = process().session.next_region.fetch_add(1);
  if (!over()) process().session.definitions.append(to_line(definition));
  return definition.region;
}

RegionId define_construct(record::ConstructDefinition definition) {
  const Inside inside;
  definition.region = process().session.next_region.fetch_add(1);
  if (!over()) process().session.definitions.append(to_line(definition));
  return definition.region;
}

void define_module(const record::ModuleDefinition& definition) {
  const Inside inside;
  begin();
  if (!over()) process().session.definitions.append(to_line(definition));
}

RegionId define_clock_measurement() {
  return define_region({0, "measurement", "artificial", "CLOCK MEASUREMENT", "", "", 0, 0});
}

void define_comm(const record::CommDefinition& definition) {
  const Inside inside;
  if (!over()) process().session.definitions.append(to_line(definition));
}

void name_comm(CommId id, const std::string& name) {
  const Inside inside;
  if (!over()) process().session.definitions.append(to_line(record::CommName{id, name}));
}

void define_neighbors(const record::NeighborsDefinition& definition) {
  const Inside inside;
  if (!over()) process().session.definitions.append(to_line(definition));
}

void define_window(const record::WindowDefinition& definition) {
  const Inside inside;
  if (!over()) process().session.definitions.append(to_line(definition));
}

void name_window(record::WindowId id, const std::string& name) {
  const Inside inside;
  if (!over()) process().session.definitions.append(to_line(record::WindowName{id, name}));
}

void define_group(const record::GroupDefinition& definition) {
  const Inside inside;
  if (!over()) process().session.definitions.append(to_line(definition));
}

void define_file(const record::FileDefinition& definition) {
  const Inside inside;
  if (!over()) process().session.definitions.append(to_line(definition));
}

void define_file_handle(const record::FileHandleDefinition& definition) {
  const Inside inside;
  if (!over()) process().session.definitions.append(to_line(definition));
}

void define_property(const std::string& name, const std::string& value) {
  const Inside inside;
  if (!over()) process().session.definitions.append(to_line(record::Property{name, value}));
}

// Logs the totals at 1, 2, 4, 8, ... so that a killed process has about the right number; the exact
// totals are logged at the end.
void lost(const std::string& what, std::uint64_t count) {
  const Inside inside;
  if (over()) return;
  SessionState& s = process().session;
  const std::lock_guard lock(s.mutex);
  std::uint64_t& total = s.losses.get()[what];
  const auto before = std::bit_width(total);
  total += count;
  if (std::bit_width(total) != before) {
    s.definitions.append(to_line(record::LostDefinition{what, total}));
  }
}

void recording(bool on, Cause cause) {
  writer();  // makes earlier events belong to the old state, even the first one of a process
  const auto bit = static_cast<unsigned>(cause);
  if (on) {
    process().session.off.fetch_and(~bit);
  } else {
    process().session.off.fetch_or(bit);
  }
  process().session.generation.fetch_add(1);
  writer();
}

bool recording(Cause cause) {
  return !over() && (process().session.off.load() & static_cast<unsigned>(cause)) == 0;
}

}  // namespace latecomer::session
