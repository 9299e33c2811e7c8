// SPDX-License-Identifier: BSD-3-Clause
// The common part of the replaced functions: a call in which the thread was blocked is noted.
//
//   int usleep(useconds_t time) {
//     return blocking_call(Function::k_usleep, this_place(), [&] { return next(time); });
//   }
//
// Nothing here changes errno. A call that does not block, or that nobody watches, costs two loads.
// If the thread is cancelled in the call, there is no note.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "tracer/sources/blocking/blocking_functions.hpp"
#include "tracer/sources/blocking/callers.hpp"
#include "tracer/state/process.hpp"

namespace latecomer::blocking {

// Bytes of switches that the kernel has written for this thread; kNoRing: nobody watches.
inline constexpr std::uint64_t kNoRing = ~std::uint64_t{0};
[[gnu::always_inline]] inline std::uint64_t switches_so_far() {
  const session::detail::ThreadState& t = session::detail::thread_state;
  if (t.blocked == nullptr || t.suspended || t.switches == nullptr || !t.blocked->is_alive()) {
    return kNoRing;
  }
  return std::atomic_ref(t.switches[0]).load(std::memory_order_relaxed);
}

// Notes a call that began when so many bytes had been written.
void note(Function function, const callpath::CallPlace& place, std::uint64_t begin);

template <typename Call>
[[gnu::always_inline]] inline auto blocking_call(Function function,
                                                 const callpath::CallPlace& place, Call&& call) {
  const std::uint64_t begin = switches_so_far();
  const auto result = call();
  if (begin != kNoRing && switches_so_far() != begin) [[unlikely]]
    note(function, place, begin);
  return result;
}

}  // namespace latecomer::blocking
