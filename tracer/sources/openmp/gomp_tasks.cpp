// SPDX-License-Identifier: BSD-3-Clause
// Tasks of programs that GCC compiled. Without them, a thread that executes tasks in a barrier
// would look as if it waited there.
//
// The runtime copies the data of a task, and calls the task with the copy. So the copy gets a
// header in front of the data, which says what the task is:
//
//   runtime's words | rest of TaskHeader | ... data of the program
//                                        offset
//
// The runtime writes to the first words of the data: the range of a task of `taskloop`, the handle
// of a detached task. They are put in front of the program's data when the task begins.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tracer/sources/openmp/runtime_functions.hpp"
#include "tracer/sources/openmp/team.hpp"

namespace latecomer::openmp {
namespace {

// Flags of tasks (the ABI of libgomp).
constexpr unsigned kReductions = 1U << 12, kDetached = 1U << 13;
constexpr std::size_t kLeastAlignment = 16;
// The runtime reads up to so many bytes of the data of a `taskloop` with reductions.
constexpr std::size_t kMostRead = 3 * sizeof(std::uint64_t);

struct TaskHeader {
  std::array<std::byte, kMostRead> runtime;  // its own words
  void (*body)(void*) = nullptr;
  RegionId region = 0;
  std::uint16_t offset = 0;   // of the data, in bytes
  std::uint16_t written = 0;  // bytes of `runtime` that replace those of the data
  record::Ticks created = 0;
  const void* creator = nullptr;  // state of the thread that created it
};

// What the copy is made of. The runtime takes it for the data.
struct TaskSource {
  TaskHeader header;
  void* data = nullptr;
  void (*copy)(void*, void*) = nullptr;  // of the program; null: bytes
  std::size_t size = 0;
};

void copy_task(void* to, void* from) {
  const auto& source = *static_cast<const TaskSource*>(from);
  std::memcpy(to, &source.header, sizeof source.header);
  std::byte* const data = static_cast<std::byte*>(to) + source.header.offset;
  if (source.copy != nullptr) {
    source.copy(data, source.data);
  } else if (source.size != 0) {
    std::memcpy(data, source.data, source.size);
  }
}

// How the runtime makes its copy.
struct TaskCopy {
  std::size_t alignment = 0, size = 0;
};

// Prepares a task; false: it cannot be recorded.
bool prepare(TaskSource& source, TaskCopy& made, long size, long alignment) {
  source.header.created = session::now();
  source.header.creator = &session::detail::thread_state;
  made.alignment = std::max(kLeastAlignment, static_cast<std::size_t>(std::max(alignment, 1L)));
  const std::size_t offset =
      (sizeof(TaskHeader) + made.alignment - 1) / made.alignment * made.alignment;
  if (offset > UINT16_MAX) return false;
  source.header.offset = static_cast<std::uint16_t>(offset);
  source.size = static_cast<std::size_t>(std::max(size, 0L));
  made.size = offset + source.size;
  return source.size >= source.header.written;
}

[[gnu::section("latecomer_pass")]] void run_task(void* argument) {
  TaskHeader header;
  std::memcpy(&header, argument, sizeof header);
  void* const data = static_cast<std::byte*>(argument) + header.offset;
  if (header.written != 0) std::memcpy(data, &header.runtime, header.written);
  const record::Ticks last = last_record();
  ThreadWriter* const w = session::writer();
  session::detail::ThreadState& t = session::detail::thread_state;
  const bool in_team = t.in_team;
  if (w == nullptr || (!in_team && w->paused())) return header.body(data);
  // At the end of the parallel region the thread's own part in the team is over.
  const record::FrameId path = t.team_path;
  if (!in_team) t.team_path = w->call_path();
  t.in_team = true;
  // A thread does not wait for its own tasks. It executes some of them at once.
  if (header.creator != &t) note_creation(*w, header.created, last);
  around(w, header.region, [&] { header.body(data); });
  t.in_team = in_team;
  t.team_path = path;
}

}  // namespace
}  // namespace latecomer::openmp

using namespace latecomer::openmp;

extern "C" {

void GOMP_task(void (*body)(void*), void* data, void (*copy)(void*, void*), long size,
               long alignment, bool is_deferred, unsigned flags, void** depend, int priority,
               void* detach) {
  const std::uintptr_t place = LATECOMER_PLACE();
  auto* const real = LATECOMER_NEXT(task, place);
  if (real == nullptr) return body(data);
  const auto pass = [&] {
    real(body, data, copy, size, alignment, is_deferred, flags, depend, priority, detach);
  };
  ThreadWriter* const w = member_writer();
  const RegionId region = w == nullptr ? 0 : region_of(Construct::kTask, place);
  if (region == 0) return pass();
  TaskSource source{{{}, body, region}, data, copy};
  TaskCopy made;
  if ((flags & kDetached) != 0 && data != nullptr && size != 0) {
    source.header.written = sizeof(void*);
  }
  if (!prepare(source, made, size, alignment)) return pass();
  real(run_task, &source, copy_task, static_cast<long>(made.size),
       static_cast<long>(made.alignment), is_deferred, flags, depend, priority, detach);
}

// Without the runtime's function nothing divides the loop.
#define LATECOMER_TASKLOOP(symbol, type)                                               \
  const std::uintptr_t place = LATECOMER_PLACE();                                      \
  auto* const real = LATECOMER_NEXT(symbol, place);                                    \
  if (real == nullptr) return;                                                         \
  const auto pass = [&] {                                                              \
    real(body, data, copy, size, alignment, flags, tasks, priority, start, end, step); \
  };                                                                                   \
  ThreadWriter* const w = member_writer();                                             \
  const RegionId region = w == nullptr ? 0 : region_of(Construct::kTask, place);       \
  if (region == 0) {                                                                   \
    return around(w, w == nullptr ? 0 : region_of(Construct::kTaskLoop, place), pass); \
  }                                                                                    \
  TaskSource source{{{}, body, region}, data, copy};                                   \
  TaskCopy made;                                                                       \
  source.header.written = 2 * sizeof(type);                                            \
  if (!prepare(source, made, size, alignment)) return pass();                          \
  if ((flags & kReductions) != 0) {                                                    \
    std::memcpy(&source.header.runtime, data, std::min(kMostRead, source.size));       \
  }                                                                                    \
  around(w, region_of(Construct::kTaskLoop, place), [&] {                              \
    real(run_task, &source, copy_task, static_cast<long>(made.size),                   \
         static_cast<long>(made.alignment), flags, tasks, priority, start, end, step); \
  });

void GOMP_taskloop(void (*body)(void*), void* data, void (*copy)(void*, void*), long size,
                   long alignment, unsigned flags, unsigned long tasks, int priority, long start,
                   long end, long step) {
  LATECOMER_TASKLOOP(taskloop, long)
}

void GOMP_taskloop_ull(void (*body)(void*), void* data, void (*copy)(void*, void*), long size,
                       long alignment, unsigned flags, unsigned long tasks, int priority,
                       unsigned long long start, unsigned long long end, unsigned long long step) {
  LATECOMER_TASKLOOP(taskloop_ull, unsigned long long)
}

void GOMP_taskwait() {
  const std::uintptr_t place = LATECOMER_PLACE();
  auto* const real = LATECOMER_NEXT(taskwait, place);
  if (real == nullptr) return;
  ThreadWriter* const w = member_writer();
  around(w, w == nullptr ? 0 : region_of(Construct::kTaskWait, place), real);
}

void GOMP_taskwait_depend(void** depend) {
  const std::uintptr_t place = LATECOMER_PLACE();
  auto* const real = LATECOMER_NEXT(taskwait_depend, place);
  if (real == nullptr) return;
  ThreadWriter* const w = member_writer();
  around(w, w == nullptr ? 0 : region_of(Construct::kTaskWait, place), [=] { real(depend); });
}

void GOMP_taskgroup_end() {
  const std::uintptr_t place = LATECOMER_PLACE();
  auto* const real = LATECOMER_NEXT(taskgroup_end, place);
  if (real == nullptr) return;
  ThreadWriter* const w = member_writer();
  around(w, w == nullptr ? 0 : region_of(Construct::kTaskGroup, place), real);
}

}  // extern "C"
