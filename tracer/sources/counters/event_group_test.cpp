// SPDX-License-Identifier: BSD-3-Clause
// Pages of counters that are made up, and the counters of this machine.
#include "tracer/sources/counters/event_group.hpp"

#include <dirent.h>

#include <catch2/catch.hpp>
#include <memory>

using namespace latecomer;
using namespace latecomer::counters;

namespace {

EventCount count_in(std::int64_t offset, std::uint64_t enabled, std::uint64_t running) {
  perf_event_mmap_page page{};
  page.offset = offset;
  page.time_enabled = enabled;
  page.time_running = running;
  return read_count(page);
}

int descriptors() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/fd"), closedir);
  int count = 0;
  while (folder != nullptr && readdir(folder.get()) != nullptr) ++count;
  return count;
}

}  // namespace

TEST_CASE("a counter that is not on the processor has the value of its page") {
  CHECK(count_in(1000, 50, 50).value == 1000);
  CHECK_FALSE(count_in(1000, 50, 50).is_scaled);
  CHECK(count_in(1000, 0, 0).value == 1000);  // never on the processor so far
}

TEST_CASE("a counter that was seen for a part of the time is scaled") {
  // It ran for 20 of 50 ns, so 1000 stand for 2500.
  const EventCount count = count_in(1000, 50, 20);
  CHECK(count.value == 2500);
  CHECK(count.is_scaled);
}

TEST_CASE("events of this machine are counted, or refused, without a descriptor") {
  const int before = descriptors();
  const auto chosen = *parse_counters("page-faults,instructions,task-clock,cycles");
  EventGroup group;
  const int error = group.open(chosen);
  CHECK(descriptors() == before);
  if (error != 0) {
    WARN("skipped: no hardware counters here, as in most virtual machines");
    return;
  }
  std::array<std::uint64_t, 2> first{}, second{};
  REQUIRE(group.size() == 2);
  group.read(first);
  for (volatile int i = 0; i < 100'000;) i = i + 1;
  group.read(second);
  CHECK(second[0] - first[0] > 300'000);
  CHECK(second[1] > first[1]);
}

TEST_CASE("an event that no machine has is refused") {
  EventGroup group;
  CHECK(group.open(*parse_counters("no-such-event=12345678:1")) != 0);
  CHECK(group.size() == 0);
  EventGroup none;
  CHECK(none.open(*parse_counters("page-faults")) == 0);
  CHECK(none.size() == 0);
}
