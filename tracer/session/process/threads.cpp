// SPDX-License-Identifier: BSD-3-Clause
// Writers of threads: created at the first record, found again, moved to files, ended.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>

#include "tracer/convert/process_records.hpp"
#include "tracer/session/process/hook_cost.hpp"
#include "tracer/session/process/inside.hpp"
#include "tracer/session/process/mpi_library.hpp"

namespace latecomer::session {
namespace detail {

namespace {

// Programs that begin a thread for each piece of work have thousands of them, with few records
// each.
constexpr std::uint32_t kThreadsWithWholeChunks = 32;
constexpr std::size_t kSmallChunk = std::size_t{16} << 10;

bool higher_number(const ThreadInfo* a, const ThreadInfo* b) {
  return a->writer.thread() > b->writer.thread();
}

// Creates the writer of a thread. The records of the first thread begin when the library was
// loaded, as the program did.
ThreadInfo* add_thread(SessionState& s) {
  const auto number = static_cast<std::uint32_t>(s.threads.size());
  const std::size_t chunk =
      number < kThreadsWithWholeChunks ? s.chunk_bytes : std::min(s.chunk_bytes, kSmallChunk);
  const Ticks start = number == 0 ? ticks_of(s.start) : now();
  auto& info =
      s.threads.emplace_back(std::make_unique<ThreadInfo>(number, chunk, start, s.ring_chunks));
  info->writer.set_budget(&s.budget);
  info->writer.time_flushes([] { return now(); }, calibrate_hooks);
  if (number == 0) info->writer.program_begin(start);
  if (s.frames != nullptr && !s.own_regions.load()) {
    info->paths = std::make_unique<ThreadPaths>();
    if (const auto& python = s.frames->python().interpreter) {
      info->paths->python = std::make_unique<callpath::PythonPaths>(*python);
    }
  }
  pthread_setspecific(s.thread_end, info.get());
  return info.get();
}

// Reuses the writer of an ended thread. A file for each of thousands of short threads would cost
// half a millisecond each. The lowest number is taken, so that consecutive single threads share one
// file.
ThreadInfo* take_over(SessionState& s) {
  std::pop_heap(s.free.begin(), s.free.end(), higher_number);
  ThreadInfo* const info = s.free.back();
  s.free.pop_back();
  info->ended = false;
  info->writer.begin_thread(now());
  if (s.own_regions.load()) info->paths.reset();
  if (info->paths != nullptr) info->paths->begin_thread();
  pthread_setspecific(s.thread_end, info);
  return info;
}

// Records switching on and off where the thread notices it.
void follow(ThreadInfo& info, bool on) {
  if (info.writer.paused() == !on) return;
  if (on) {
    info.writer.resume(now());
  } else {
    info.writer.pause(now());
  }
}

// Once the program reports regions, only the outermost function of the call path stays: it is
// active as long as the thread is.
void follow_paths(ThreadState& t, SessionState& s) {
  if (t.paths == nullptr && t.info->paths != nullptr && !s.own_regions.load()) {
    t.paths = &t.info->paths->cache;
  }
  if (t.paths == nullptr || !s.own_regions.load()) return;
  t.paths = nullptr;
  t.info->writer.call_path(s.frames->outermost(t.info->writer.call_path()));
}

// What is counted from here on belongs to the measurement, or to MPI.
void computation_ends() {
  if (thread_state.counting != nullptr) process().session.counter_watch.computation_ends();
}

}  // namespace

[[gnu::noinline, gnu::cold]] void has_own_regions() {
  const Inside inside;
  SessionState& s = process().session;
  if (!s.own_regions.exchange(true)) s.generation.fetch_add(1);
  if (thread_state.info != nullptr) follow_paths(thread_state, s);
}

// Finds a call path that the cache does not have, or not from this place. In Python programs the
// cache only has the number of the native stack: `native`, or kUnknown. Signal handlers of the
// program that come in between record nothing, so they cannot meet the lock.
[[gnu::noinline]] record::FrameId unknown_path(ThreadWriter* w, const callpath::CallPlace& place,
                                               record::FrameId native) {
  callpath::PythonPaths* const python = thread_state.info->paths->python.get();
  if (native != callpath::PathCache::kUnknown) {
    const auto known = python->find(place, native, python->read());
    if (known != callpath::PathCache::kUnknown) return known;
  }
  const int saved = errno;
  const auto since = std::chrono::steady_clock::now();
  record::FrameId path = 0;
  computation_ends();
  try {
    const Suspend inside(w);
    ThreadPaths& paths = *thread_state.info->paths;
    callpath::unwind(place, paths.own, paths.stack);
    callpath::FrameTable& frames = *process().session.frames;
    if (python == nullptr) {
      path = frames.path(paths.stack);
      if (paths.stack.keep) paths.cache.insert(place, paths.stack.basis(), path);
    } else {
      const auto functions = python->read();
      const record::FrameId number = callpath::PythonPaths::native_number(paths.stack);
      path = python->find(place, number, functions);
      if (path == callpath::PathCache::kUnknown) {
        path = frames.path(paths.stack, functions);
        python->insert(path);
      }
      if (paths.stack.keep) paths.cache.insert(place, paths.stack.basis(), number);
    }
  } catch (const std::exception&) {
    path = 0;  // out of memory: the call is recorded without its path
  }
  SessionState& s = process().session;
  s.stacks.fetch_add(1, std::memory_order_relaxed);
  s.stack_cost.fetch_add(
      static_cast<std::uint64_t>((std::chrono::steady_clock::now() - since).count()),
      std::memory_order_relaxed);
  errno = saved;
  return path;
}

[[gnu::noinline, gnu::cold]] void take_samples(ThreadWriter* w) {
  const int saved = errno;
  computation_ends();
  const Suspend inside(w);
  process().session.watch.take_samples(*w);
  errno = saved;
}

[[gnu::noinline, gnu::cold]] void record_switches(ThreadWriter* w, Ticks t) {
  const int saved = errno;
  process().session.watch.mpi_ends(*w, t);
  forget_switches(thread_state);
  errno = saved;
}

// Samples are earlier than the record of what was counted.
[[gnu::noinline, gnu::cold]] void store_counts(ThreadWriter* w) {
  if (has_samples(thread_state)) {
    take_samples(w);
  } else {
    computation_ends();
  }
  process().session.counter_watch.store(*w);
}

[[gnu::noinline, gnu::cold]] void leave_out_counts() {
  process().session.counter_watch.computation_goes_on();
}

[[gnu::noinline, gnu::cold]] ThreadWriter* find_writer() {
  ThreadState& t = thread_state;
  if (t.suspended || t.ended) return nullptr;
  SessionState& s = process().session;
  if (t.info == nullptr && !s.reached_mpi.load(std::memory_order_relaxed)) {
    const Inside inside;
    reach_mpi();
    s.reached_mpi.store(true);
  }
  if (s.phase.load(std::memory_order_acquire) == Phase::kOver) return nullptr;
  const std::uint32_t now_seen = s.generation.load(std::memory_order_acquire);
  if (t.info != nullptr && t.seen == now_seen) return t.current;
  // Before recording may be switched off.
  if (t.counting != nullptr) {
    store_counts(&t.info->writer);
  } else if (has_samples(t)) {
    take_samples(&t.info->writer);
  }
  bool is_new = false;
  {
    const Inside inside;
    begin();
    const auto since = std::chrono::steady_clock::now();
    const std::lock_guard lock(s.mutex);
    const Phase phase = s.phase.load();
    if (phase == Phase::kOver) return nullptr;
    is_new = t.info == nullptr;
    if (is_new) t.info = s.free.empty() ? add_thread(s) : take_over(s);
    if (phase == Phase::kRunning && t.info->writer.in_memory()) place(s, *t.info);
    if (is_new && t.info->writer.thread() != 0) {
      s.thread_cost += std::chrono::steady_clock::now() - since;
    }
    follow(*t.info, s.off.load() == 0);
    follow_paths(t, s);
  }
  if (is_new) {
    const Inside inside;
    t.info->kernel_id = gettid();
    if (s.counter_watch.begins != nullptr) s.counter_watch.begins();
    if (s.watch.begins != nullptr) s.watch.begins();
    if (t.record_early_begin != nullptr) t.record_early_begin(t.info->writer);
  }
  t.current = &t.info->writer;
  t.seen = now_seen;
  return t.current;
}

}  // namespace detail

void keep_for_others(SessionState& s, detail::ThreadInfo& thread) {
  try {
    s.free.push_back(&thread);
    std::push_heap(s.free.begin(), s.free.end(), detail::higher_number);
  } catch (const std::exception&) {
    thread.writer.close();  // out of memory
  }
}

namespace {

// A ring is in memory if there is room. The directory of the records has a link to it.
void begin_file(const SessionState& s, ThreadWriter& w) {
  const std::string path = convert::thread_path(*s.records, s.rank, w.thread());
  if (const std::string ring = ring_path(w.thread()); !ring.empty()) {
    if (symlink(ring.c_str(), path.c_str()) == 0) {
      if (w.try_move_to(ring, s.rank) == 0) return;
      unlink(path.c_str());
    }
  }
  w.move_to(path, s.rank);
}

}  // namespace

std::string ring_path(std::uint32_t thread) {
  const SessionState& s = process().session;
  if (!s.ring_directory) return "";
  // Several programs of a run, or several runs, may have the same directory.
  return *s.ring_directory + '/' + std::to_string(getpid()) + '.' + std::to_string(s.rank) + '.' +
         std::to_string(thread) + ".rec";
}

void place(SessionState& s, detail::ThreadInfo& thread) {
  const std::uint32_t number = thread.writer.thread();
  if (thread.other != nullptr) {
    const std::lock_guard in_use(thread.other->in_use);
    begin_file(s, thread.writer);
    thread.other->definition.number = number;
    s.definitions.append(to_line(thread.other->definition));
    return;
  }
  begin_file(s, thread.writer);
  s.definitions.append(to_line(record::ThreadDefinition{
      number, number == 0 ? "Master thread" : "Thread " + std::to_string(number)}));
}

}  // namespace latecomer::session
