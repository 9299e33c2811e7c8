// SPDX-License-Identifier: BSD-3-Clause
// Signal handlers of the program that record while the program records.
#include "tracer/record/writer.hpp"

#include <signal.h>
#include <sys/time.h>

#include <catch2/catch.hpp>

#include "tests/support/read_records.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace latecomer;
using namespace latecomer::record;
using latecomer::test::calls_of;
using latecomer::test::read_file;
using latecomer::test::read_records;
using latecomer::test::TemporaryDirectory;

namespace {
ThreadWriter* interrupted = nullptr;
volatile Ticks program_time = 0;
volatile sig_atomic_t handled = 0;

void record_in_handler(int) {
  // Time continues in the handler.
  interrupted->send(Message{}, program_time);
  handled = handled + 1;
}
}  // namespace

TEST_CASE("signal handlers that record leave the records of the program whole") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, 4096, 0);
  REQUIRE(w.move_to(directory.file("a"), 0) == 0);
  interrupted = &w;
  struct sigaction action {};
  action.sa_handler = record_in_handler;
  REQUIRE(sigaction(SIGALRM, &action, nullptr) == 0);
  const itimerval often{{0, 50}, {0, 50}};
  setitimer(ITIMER_REAL, &often, nullptr);
  const Ticks many = 3'000'000;
  for (Ticks i = 0; i < many; ++i) {
    program_time = i;
    w.leave(static_cast<RegionId>(i & 1023), i);
  }
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  w.close();
  std::uint64_t program = 0, handlers = 0;
  for (const Record& r : read_records(read_file(directory.file("a")))) {
    if (r.kind == Kind::kLeave) {
      if (r.ticks != program || r.id != (program & 1023)) FAIL("record " << program);
      ++program;
    } else {
      ++handlers;
    }
  }
  CHECK(program == many);
  CHECK(handled > 0);
  CHECK(handlers + w.losses().records == static_cast<std::uint64_t>(handled));
  CHECK(w.losses().clamped_times == 0);
}

TEST_CASE("signal handlers that record leave rows of tests whole") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, 4096, 0);
  REQUIRE(w.move_to(directory.file("a"), 0) == 0);
  interrupted = &w;
  handled = 0;
  struct sigaction action {};
  action.sa_handler = record_in_handler;
  REQUIRE(sigaction(SIGALRM, &action, nullptr) == 0);
  const itimerval often{{0, 50}, {0, 50}};
  setitimer(ITIMER_REAL, &often, nullptr);
  const Ticks many = 5'000'000;
  for (Ticks i = 0; i < many; ++i) {
    program_time = 2 * i;
    w.enter(3, 2 * i);
    program_time = 2 * i + 1;
    w.leave_unsuccessful(3, 2 * i + 1);
  }
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  w.close();
  std::uint64_t program = 0, handlers = 0;
  for (const Record& r : read_records(read_file(directory.file("a")))) {
    if (r.kind == Kind::kLeaveUnsuccessful) program += calls_of(r);
    if (r.kind == Kind::kSend) ++handlers;
  }
  CHECK(program == many);
  CHECK(handled > 0);
  CHECK(handlers + w.losses().records == static_cast<std::uint64_t>(handled));
}
