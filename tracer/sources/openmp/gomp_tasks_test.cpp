// SPDX-License-Identifier: BSD-3-Clause
// Tasks with a runtime that this test makes up. It copies their data as libgomp does.
#include <array>
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstring>

#include "tests/openmp/recorded_teams.hpp"
#include "tracer/session/process/session.hpp"

using latecomer::openmp::Symbol;
using latecomer::test::recorded;
using latecomer::test::set_runtime_function;

namespace {

constexpr unsigned kReductions = 1U << 12, kDetached = 1U << 13;

// The copy of a task's data.
struct Copy {
  alignas(128) std::array<std::byte, 1024> bytes{};
};
int handle = 0;  // of a detached task
void* reductions_seen = nullptr;

void fake_task(void (*body)(void*), void* data, void (*copy)(void*, void*), long size,
               long alignment, bool, unsigned flags, void**, int, void* detach) {
  REQUIRE(size <= 1024);
  REQUIRE(alignment <= 128);
  if ((flags & kDetached) != 0) {
    *static_cast<void**>(detach) = &handle;
    *static_cast<void**>(data) = &handle;
  }
  Copy to;
  if (copy != nullptr) {
    copy(&to, data);
  } else {
    std::memcpy(to.bytes.data(), data, static_cast<std::size_t>(size));
  }
  body(&to);
}

void fake_taskloop(void (*body)(void*), void* data, void (*copy)(void*, void*), long size, long,
                   unsigned flags, unsigned long tasks, int, long start, long end, long step) {
  REQUIRE(size <= 1024);
  if ((flags & kReductions) != 0)
    std::memcpy(&reductions_seen, static_cast<std::byte*>(data) + 16, 8);
  const long each = (end - start) / step / static_cast<long>(tasks) * step;
  for (unsigned long i = 0; i < tasks; ++i) {
    Copy to;
    copy(&to, data);
    const std::array<long, 2> range = {start, start + each};
    std::memcpy(to.bytes.data(), range.data(), sizeof range);
    body(&to);
    start += each;
  }
}

struct Numbers {
  long first = 0, second = 0;
  void* third = nullptr;
  long fourth = 0;
};
Numbers seen;
long sum = 0;

void body(void* data) { seen = *static_cast<Numbers*>(data); }
void add_range(void* data) {
  const auto& range = *static_cast<const Numbers*>(data);
  for (long i = range.first; i < range.second; ++i) sum += i * range.fourth;
}
void twice(void* to, void* from) {
  *static_cast<Numbers*>(to) = *static_cast<Numbers*>(from);
  static_cast<Numbers*>(to)->fourth *= 2;
}

void enter_team() {
  latecomer::session::detail::thread_state.in_team = true;
  set_runtime_function(Symbol::k_task, fake_task);
  set_runtime_function(Symbol::k_taskloop, fake_taskloop);
}

}  // namespace

TEST_CASE("a task gets its data, by bytes or by the program's function") {
  Numbers data{1, 2, &sum, 4};
  const auto texts =
      recorded(1, {{0, [&] {
                      enter_team();
                      GOMP_task(body, &data, nullptr, sizeof data, alignof(Numbers), true, 0,
                                nullptr, 0, nullptr);
                      CHECK((seen.first == 1 && seen.third == &sum));
                      CHECK(seen.fourth == 4);
                      GOMP_task(body, &data, twice, sizeof data, 64, true, 0, nullptr, 0, nullptr);
                      CHECK(seen.fourth == 8);
                    }}});
  CHECK(texts[0] == "(task task) (task task) ");
}

TEST_CASE("a detached task gets its handle") {
  Numbers data{1, 2, nullptr, 4};
  void* event = nullptr;
  const auto texts = recorded(1, {{0, [&] {
                                     enter_team();
                                     GOMP_task(body, &data, nullptr, sizeof data, 8, true,
                                               kDetached, nullptr, 0, &event);
                                   }}});
  CHECK(texts[0] == "(task task) ");
  CHECK(event == &handle);
  CHECK(seen.first == static_cast<long>(reinterpret_cast<std::intptr_t>(&handle)));
  CHECK(seen.fourth == 4);
}

// 0 + 1 + ... + 11 = 66, times 3.
TEST_CASE("tasks of a taskloop get their ranges, and the runtime its reductions") {
  Numbers data{-1, -1, &handle, 3};
  const auto texts = recorded(1, {{0, [&] {
                                     enter_team();
                                     sum = 0;
                                     GOMP_taskloop(add_range, &data, nullptr, sizeof data, 8,
                                                   kReductions, 4, 0, 0, 12, 1);
                                   }}});
  CHECK(texts[0] == "(taskloop (task task) (task task) (task task) (task task) taskloop) ");
  CHECK(sum == 3 * 66);
  CHECK(reductions_seen == &handle);
}

TEST_CASE("outside of recorded teams tasks run without records") {
  Numbers data{1, 2, nullptr, 5};
  const auto texts =
      recorded(1, {{0, [&] {
                      enter_team();
                      latecomer::session::detail::thread_state.in_team = false;
                      GOMP_task(body, &data, nullptr, sizeof data, 8, true, 0, nullptr, 0, nullptr);
                    }}});
  CHECK(texts[0].empty());
  CHECK(seen.fourth == 5);
}

// Thread 1 has no record when it begins the first task: it may have waited for that. The second one
// had been created before it left the first one. Tasks of its own are not waited for.
TEST_CASE("a thread that had to wait for a task says since when it was there") {
  static std::array<Copy, 2> copies;
  static std::size_t kept = 0;
  static std::array<void (*)(void*), 2> bodies;
  kept = 0;
  const auto keep = [](void (*run)(void*), void* data, void (*copy)(void*, void*), long, long, bool,
                       unsigned, void**, int, void*) {
    copy(&copies.at(kept), data);
    bodies.at(kept++) = run;
  };
  Numbers data{1, 2, nullptr, 4};
  const auto create = [&] {
    GOMP_task(body, &data, nullptr, sizeof data, 8, true, 0, nullptr, 0, nullptr);
  };
  const auto texts =
      recorded(2, {{0,
                    [&] {
                      enter_team();
                      void (*const deferred)(void (*)(void*), void*, void (*)(void*, void*), long,
                                             long, bool, unsigned, void**, int, void*) = keep;
                      set_runtime_function(Symbol::k_task, deferred);
                      create();
                      create();
                    }},
                   {1, [&] {
                      enter_team();
                      bodies[0](&copies[0]);
                      bodies[1](&copies[1]);
                      create();
                    }}});
  CHECK(texts[0].empty());
  CHECK(texts[1] == "awaited (task task) (task task) (task task) ");
}
