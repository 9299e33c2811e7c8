// SPDX-License-Identifier: BSD-3-Clause
// `single` with a runtime that this test makes up.
#include <catch2/catch.hpp>

#include "tests/openmp/recorded_teams.hpp"
#include "tracer/session/process/session.hpp"

using latecomer::openmp::SinglePlace;
using latecomer::openmp::SinglePlaces;
using latecomer::openmp::Symbol;
using latecomer::test::recorded;
using latecomer::test::set_runtime_function;
using latecomer::test::Step;

namespace {

bool executes = false;  // whether the next thread executes the `single`
int value = 7;

void begin(bool is_executor) {
  executes = is_executor;
  latecomer::session::detail::thread_state.in_team = true;
  set_runtime_function(
      Symbol::k_single_start, +[] { return executes; });
  set_runtime_function(
      Symbol::k_single_copy_start, +[]() -> void* { return executes ? nullptr : &value; });
  set_runtime_function(
      Symbol::k_single_copy_end, +[](void*) {});
  set_runtime_function(
      Symbol::k_barrier, +[] {});
}

// Other work: longer than what the begin of a `single` and its barrier may be apart.
void work() {
  const auto since = latecomer::session::now();
  while (latecomer::session::now() - since < 2 * SinglePlace::kAtOnce) {
  }
}

// One `single` in the program for each number.
template <int>
[[gnu::noinline]] void visit(bool is_executor, bool is_nowait) {
  begin(is_executor);
  GOMP_single_start();
  if (is_nowait) work();
  GOMP_barrier();
}

}  // namespace

TEST_CASE("a single ends at its barrier, which is implicit") {
  const auto texts = recorded(1, {{0, [] { visit<1>(true, false); }}});
  CHECK(texts[0] == "(single single) (implicit barrier implicit barrier) ");
}

TEST_CASE("a single without a barrier is recorded only until that is known") {
  const auto texts = recorded(2, {{0, [] { visit<2>(true, true); }},
                                  {1, [] { visit<2>(false, true); }},
                                  {0, [] { visit<2>(true, true); }}});
  CHECK(texts[0] == "(single single) (implicit barrier implicit barrier) (barrier barrier) ");
  CHECK(texts[1] == "(barrier barrier) ");
}

TEST_CASE("the next shared work ends a single, too") {
  const auto texts = recorded(1, {{0, [] {
                                     begin(true);
                                     GOMP_single_start();
                                     GOMP_single_start();
                                     GOMP_barrier();
                                   }}});
  CHECK(texts[0] == "(single single) (single single) (implicit barrier implicit barrier) ");
}

TEST_CASE("with copyprivate the others wait at the begin, the executor at the end") {
  const auto texts = recorded(2, {{0,
                                   [] {
                                     begin(true);
                                     CHECK(GOMP_single_copy_start() == nullptr);
                                     GOMP_single_copy_end(&value);
                                   }},
                                  {1, [] {
                                     begin(false);
                                     CHECK(GOMP_single_copy_start() == &value);
                                   }}});
  CHECK(texts[0] == "(single single) (implicit barrier implicit barrier) ");
  CHECK(texts[1] == "(implicit barrier implicit barrier) ");
}

TEST_CASE("most threads decide whether a single has a barrier") {
  SinglePlace place;
  CHECK(place.ends_at_next());
  place.note(SinglePlace::kAtOnce);
  CHECK_FALSE(place.ends_at_next());
  place.note(SinglePlace::kAtOnce - 1);
  CHECK(place.ends_at_next());
  for (int i = 0; i < 100; ++i) place.note(SinglePlace::kAtOnce * 100);
  for (int i = 0; i < 8; ++i) place.note(1);
  CHECK(place.ends_at_next());  // old decisions do not stay for ever
}

TEST_CASE("each single has its own entry; those beyond the table share one") {
  SinglePlaces places;
  SinglePlace* const first = places.find(1000);
  CHECK(places.find(1000) == first);
  CHECK(places.find(2000) != first);
  for (std::uintptr_t place = 1; place < 200; ++place) places.find(place);
  CHECK(places.find(1000) == first);
  CHECK(places.find(500000) == places.find(600000));
}
