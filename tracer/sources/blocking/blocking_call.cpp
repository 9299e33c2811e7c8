// SPDX-License-Identifier: BSD-3-Clause
// Finds the call path of a call in which the thread was blocked.
#include "tracer/sources/blocking/blocking_call.hpp"

#include <array>
#include <cerrno>
#include <exception>
#include <utility>

#include "tracer/session/process/inside.hpp"

namespace latecomer::blocking {
namespace {

using session::RegionId;
using session::detail::thread_state;
using session::detail::ThreadState;

constexpr auto kCount = static_cast<std::size_t>(Function::kCount);
static_assert(kCount <= std::tuple_size_v<decltype(BlockingState::regions)>);

constexpr std::array<const char*, kCount> kNames = {
#define LATECOMER_ONE(name) #name,
    LATECOMER_BLOCKING_REPLACED(LATECOMER_ONE) LATECOMER_BLOCKING_ELSEWHERE(LATECOMER_ONE)
#undef LATECOMER_ONE
};

// Two threads may define it at the same time. Then conversion makes one of both.
RegionId region_of(Function function) {
  const auto index = static_cast<std::size_t>(function);
  std::atomic<std::uint32_t>& known = process().blocking.regions[index];
  RegionId region = known.load(std::memory_order_relaxed);
  if (region == 0) {
    region = session::define_region({0, "unknown", "function", kNames[index], "", "", 0, 0});
    known.store(region, std::memory_order_relaxed);
  }
  return region;
}

// The same as for an MPI call from this place.
record::FrameId caller_of(const callpath::CallPlace& place) {
  ThreadState& t = thread_state;
  if (t.paths == nullptr) return 0;
  const record::FrameId path = t.paths->find(place);
  if (path < callpath::PathCache::kFirstNative) return path;
  // The search leaves out what the kernel did meanwhile, which must not be the call itself.
  std::uint64_t* const switches = std::exchange(t.switches, nullptr);
  const record::FrameId found = session::detail::unknown_path(t.current, place, path);
  t.switches = switches;
  return found;
}

}  // namespace

[[gnu::noinline, gnu::cold]] void note(Function function, const callpath::CallPlace& place,
                                       std::uint64_t begin) {
  const ThreadState& t = thread_state;
  const bool is_current =
      t.seen == process().session.generation.load(std::memory_order_relaxed) &&
      process().session.phase.load(std::memory_order_relaxed) == session::detail::Phase::kRunning;
  if (t.current == nullptr || !is_current || !t.current->can_go_on() ||
      must_pass(place.caller - 1)) {
    return;
  }
  const int saved = errno;
  if (!is_in_handler(place)) {
    try {
      const std::uint64_t end = switches_so_far();
      t.blocked->add({begin, end, region_of(function), caller_of(place)});
    } catch (const std::exception&) {
      // Out of memory: the thread was blocked at no known place.
    }
  }
  errno = saved;
}

}  // namespace latecomer::blocking
