// SPDX-License-Identifier: BSD-3-Clause
// Tasks of programs that GCC compiled. Without them, a thread that executes tasks in a barrier
// would look as if it waited there.
//
// The runtime copies the data of a task, and calls the task with the copy. So the copy gets a
// header in front of the data, which says what the task is:
//
//   TaskHeader | ... | data of the program
//              offset
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "tracer/sources/openmp/runtime_functions.hpp"
#include "tracer/sources/openmp/team.hpp"

namespace latecomer::openmp {
namespace {

// The runtime writes the handle of such a task to the beginning of its data.
constexpr unsigned kDetached = 1U << 13;
constexpr std::size_t kLeastAlignment = 16;

struct TaskHeader {
  void (*body)(void*) = nullptr;
  RegionId region = 0;
  std::uint32_t offset = 0;  // of the data, in bytes
};

// What the copy is made of.
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

[[gnu::section("latecomer_pass")]] void run_task(void* argument) {
  TaskHeader header;
  std::memcpy(&header, argument, sizeof header);
  void* const data = static_cast<std::byte*>(argument) + header.offset;
  ThreadWriter* const w = session::writer();
  session::detail::ThreadState& t = session::detail::thread_state;
  const bool in_team = t.in_team;
  if (w == nullptr || (!in_team && w->paused())) return header.body(data);
  // At the end of the parallel region the thread's own part in the team is over.
  const record::FrameId path = t.team_path;
  if (!in_team) t.team_path = w->call_path();
  t.in_team = true;
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
  if (region == 0 || (flags & kDetached) != 0) return pass();
  const std::size_t aligned =
      std::max(kLeastAlignment, static_cast<std::size_t>(std::max(alignment, 1L)));
  const std::size_t offset = (sizeof(TaskHeader) + aligned - 1) / aligned * aligned;
  TaskSource source{{body, region, static_cast<std::uint32_t>(offset)},
                    data,
                    copy,
                    static_cast<std::size_t>(std::max(size, 0L))};
  real(run_task, &source, copy_task, static_cast<long>(offset + source.size),
       static_cast<long>(aligned), is_deferred, flags, depend, priority, detach);
}

void GOMP_taskwait() {
  const std::uintptr_t place = LATECOMER_PLACE();
  auto* const real = LATECOMER_NEXT(taskwait, place);
  if (real == nullptr) return;
  ThreadWriter* const w = member_writer();
  around(w, w == nullptr ? 0 : region_of(Construct::kTaskWait, place), real);
}

void GOMP_taskgroup_end() {
  const std::uintptr_t place = LATECOMER_PLACE();
  auto* const real = LATECOMER_NEXT(taskgroup_end, place);
  if (real == nullptr) return;
  ThreadWriter* const w = member_writer();
  around(w, w == nullptr ? 0 : region_of(Construct::kTaskGroup, place), real);
}

// The thread waits for its turn.
void GOMP_ordered_start() {
  const std::uintptr_t place = LATECOMER_PLACE();
  auto* const real = LATECOMER_NEXT(ordered_start, place);
  if (real == nullptr) return;
  ThreadWriter* const w = member_writer();
  around(w, w == nullptr ? 0 : region_of(Construct::kOrdered, place), real);
}

}  // extern "C"
