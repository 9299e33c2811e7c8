// SPDX-License-Identifier: BSD-3-Clause
// Writers of threads: created at the first record, found again, moved to files, ended.
#include <algorithm>
#include <cerrno>
#include <exception>

#include "tracer/convert/process_records.hpp"
#include "tracer/session/process/mpi_library.hpp"
#include "tracer/session/process/process.hpp"

namespace latecomer::session {
namespace detail {

thread_local constinit ThreadState thread_state [[gnu::tls_model("initial-exec")]];
std::atomic<std::uint32_t> generation{1};

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
ThreadInfo* add_thread(Process& p) {
  const auto number = static_cast<std::uint32_t>(p.threads.size());
  const std::size_t chunk =
      number < kThreadsWithWholeChunks ? p.chunk_bytes : std::min(p.chunk_bytes, kSmallChunk);
  const Ticks start = number == 0 ? ticks_of(p.start) : now();
  auto& info = p.threads.emplace_back(std::make_unique<ThreadInfo>(number, chunk, start));
  info->writer.set_budget(&p.budget);
  info->writer.time_flushes([] { return now(); });
  if (number == 0) info->writer.program_begin(start);
  if (p.frames != nullptr && !p.own_regions.load()) info->paths = std::make_unique<ThreadPaths>();
  pthread_setspecific(p.thread_end, info.get());
  return info.get();
}

// Reuses the writer of an ended thread. A file for each of thousands of short threads would cost
// half a millisecond each. The lowest number is taken, so that consecutive single threads share one
// file.
ThreadInfo* take_over(Process& p) {
  std::pop_heap(p.free.begin(), p.free.end(), higher_number);
  ThreadInfo* const info = p.free.back();
  p.free.pop_back();
  info->ended = false;
  info->writer.begin_thread(now());
  if (p.own_regions.load()) info->paths.reset();
  if (info->paths != nullptr) info->paths->begin_thread();
  pthread_setspecific(p.thread_end, info);
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
void follow_paths(ThreadState& t, Process& p) {
  if (t.paths == nullptr && t.info->paths != nullptr && !p.own_regions.load()) {
    t.paths = &t.info->paths->cache;
  }
  if (t.paths == nullptr || !p.own_regions.load()) return;
  t.paths = nullptr;
  t.info->writer.call_path(p.frames->outermost(t.info->writer.call_path()));
}

}  // namespace

[[gnu::noinline, gnu::cold]] void has_own_regions() {
  const Inside inside;
  Process& p = process();
  if (!p.own_regions.exchange(true)) generation.fetch_add(1);
  if (thread_state.info != nullptr) follow_paths(thread_state, p);
}

// Finds a call path that the cache does not have, or not from this place. Signal handlers of the
// program that come in between record nothing, so they cannot meet the lock.
[[gnu::noinline, gnu::cold]] record::FrameId unknown_path(ThreadWriter* w,
                                                          const callpath::CallPlace& place) {
  const int saved = errno;
  const auto since = std::chrono::steady_clock::now();
  record::FrameId path = 0;
  try {
    const Suspend inside(w);
    ThreadPaths& paths = *thread_state.info->paths;
    callpath::unwind(place, paths.own, paths.stack);
    path = process().frames->path(paths.stack);
    if (paths.stack.keep) paths.cache.insert(place, paths.stack.basis(), path);
  } catch (const std::exception&) {
    path = 0;  // out of memory: the call is recorded without its path
  }
  Process& p = process();
  p.stacks.fetch_add(1, std::memory_order_relaxed);
  p.stack_cost.fetch_add(
      static_cast<std::uint64_t>((std::chrono::steady_clock::now() - since).count()),
      std::memory_order_relaxed);
  errno = saved;
  return path;
}

[[gnu::noinline, gnu::cold]] ThreadWriter* find_writer() {
  ThreadState& t = thread_state;
  if (t.suspended || t.ended) return nullptr;
  Process& p = process();
  if (t.info == nullptr && !p.reached_mpi.load(std::memory_order_relaxed)) {
    const Inside inside;
    reach_mpi();
    p.reached_mpi.store(true);
  }
  if (p.phase.load(std::memory_order_acquire) == Phase::kOver) return nullptr;
  const std::uint32_t now_seen = generation.load(std::memory_order_acquire);
  if (t.info != nullptr && t.seen == now_seen) return t.current;
  {
    const Inside inside;
    begin();
    const auto since = std::chrono::steady_clock::now();
    const std::lock_guard lock(p.mutex);
    const Phase phase = p.phase.load();
    if (phase == Phase::kOver) return nullptr;
    const bool is_new = t.info == nullptr;
    if (is_new) t.info = p.free.empty() ? add_thread(p) : take_over(p);
    if (phase == Phase::kRunning && t.info->writer.in_memory()) place(p, *t.info);
    if (is_new && t.info->writer.thread() != 0) {
      p.thread_cost += std::chrono::steady_clock::now() - since;
    }
    follow(*t.info, p.off.load() == 0);
    follow_paths(t, p);
  }
  t.current = &t.info->writer;
  t.seen = now_seen;
  return t.current;
}

}  // namespace detail

void keep_for_others(Process& p, detail::ThreadInfo& thread) {
  try {
    p.free.push_back(&thread);
    std::push_heap(p.free.begin(), p.free.end(), detail::higher_number);
  } catch (const std::exception&) {
    thread.writer.close();  // out of memory
  }
}

void place(Process& p, detail::ThreadInfo& thread) {
  const std::uint32_t number = thread.writer.thread();
  thread.writer.move_to(convert::thread_path(p.records, p.rank, number), p.rank);
  p.definitions.append(to_line(record::ThreadDefinition{
      number, number == 0 ? "Master thread" : "Thread " + std::to_string(number)}));
}

}  // namespace latecomer::session
