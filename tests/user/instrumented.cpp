// SPDX-License-Identifier: BSD-3-Clause
// Functions compiled with -finstrument-functions: each one below is a region.
#include "tests/user/instrumented.hpp"

#include <stdexcept>
#include <utility>

#include "tracer/include/latecomer.h"

namespace instrumented {
namespace {

thread_local volatile int sink = 0;

[[gnu::noinline]] void thrower() { throw std::runtime_error("expected"); }

template <int N>
[[gnu::noinline]] void numbered() {
  sink = N;
}

// The table is a plain array, since functions of the standard library would be instrumented, too.
template <int... N>
[[gnu::no_instrument_function]] void call(int first, int count, std::integer_sequence<int, N...>) {
  static constexpr void (*kFunctions[])() = {&numbered<N>...};
  for (int i = first; i < first + count; ++i) kFunctions[i]();
}

struct Early {
  [[gnu::noinline]] Early() : ran(true) { leaf(); }
  bool ran;
};
const Early early;

}  // namespace

[[gnu::noinline]] void leaf() { sink = 1; }

[[gnu::noinline]] void foo() {
  leaf();
  leaf();
}

[[gnu::noinline]] void throwing() {
  try {
    thrower();
  } catch (const std::runtime_error&) {
    leaf();
  }
}

[[gnu::noinline]] int recursive(int depth) { return depth == 0 ? 0 : 1 + recursive(depth - 1); }

[[gnu::noinline]] void with_region() {
  LATECOMER_REGION(marked, "marked");
  LATECOMER_ENTER(marked);
  leaf();
  LATECOMER_LEAVE(marked);
}

[[gnu::no_instrument_function]] void many(int first, int count) {
  call(first, count, std::make_integer_sequence<int, 1000>());
}

bool constructor_ran() { return early.ran; }

}  // namespace instrumented
