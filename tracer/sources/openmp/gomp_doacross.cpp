// SPDX-License-Identifier: BSD-3-Clause
// Waits for other iterations in programs that GCC compiled: `ordered`, and `ordered depend(sink)`.
#include <array>
#include <cstdarg>
#include <cstddef>

#include "tracer/sources/openmp/runtime_functions.hpp"
#include "tracer/sources/openmp/team.hpp"

namespace latecomer::openmp {
namespace {

// The runtime knows how many numbers an iteration has, this function does not. So it passes on
// more of them than any program has loops in each other; those after the last one are ignored.
constexpr std::size_t kMostLoops = 16;
template <typename Number>
using Iteration = std::array<Number, kMostLoops>;

template <typename Number>
[[gnu::always_inline]] inline Iteration<Number> iteration(Number first, std::va_list& more) {
  Iteration<Number> all{first};
  for (std::size_t i = 1; i < all.size(); ++i) all[i] = va_arg(more, Number);
  return all;
}

template <typename Call>
[[gnu::always_inline]] inline void wait_in_order(std::uintptr_t place, Call&& call) {
  ThreadWriter* const w = member_writer();
  around(w, w == nullptr ? 0 : region_of(Construct::kOrdered, place), call);
}

}  // namespace
}  // namespace latecomer::openmp

using namespace latecomer::openmp;

extern "C" {

// The thread waits for its turn.
void GOMP_ordered_start() {
  const std::uintptr_t place = LATECOMER_PLACE();
  auto* const real = LATECOMER_NEXT(ordered_start, place);
  if (real != nullptr) wait_in_order(place, real);
}

#define LATECOMER_DOACROSS(symbol, type)                                                         \
  const std::uintptr_t place = LATECOMER_PLACE();                                                \
  auto* const real = LATECOMER_NEXT(symbol, place);                                              \
  if (real == nullptr) return;                                                                   \
  std::va_list more;                                                                             \
  va_start(more, first);                                                                         \
  const Iteration<type> i = iteration<type>(first, more);                                        \
  va_end(more);                                                                                  \
  wait_in_order(place, [&] {                                                                     \
    real(i[0], i[1], i[2], i[3], i[4], i[5], i[6], i[7], i[8], i[9], i[10], i[11], i[12], i[13], \
         i[14], i[15]);                                                                          \
  });

void GOMP_doacross_wait(long first, ...) { LATECOMER_DOACROSS(doacross_wait, long) }

void GOMP_doacross_ull_wait(unsigned long long first, ...) {
  LATECOMER_DOACROSS(doacross_ull_wait, unsigned long long)
}

}  // extern "C"
