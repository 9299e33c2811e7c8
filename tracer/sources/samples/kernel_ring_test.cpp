// SPDX-License-Identifier: BSD-3-Clause
// The kernel tells what it did with this test. None of the tests depends on how fast the machine
// is.
#include "tracer/sources/samples/kernel_ring.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <time.h>

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <span>
#include <thread>

#include "tests/samples/thread_time.hpp"

using namespace latecomer::samples;
using namespace latecomer::test;

namespace {

std::uint64_t now() { return nanoseconds(CLOCK_MONOTONIC); }

void sleep_for(std::uint64_t time) {
  const timespec t{.tv_sec = 0, .tv_nsec = static_cast<long>(time)};
  nanosleep(&t, nullptr);
}

// A container may forbid the event. Then there is nothing to test here.
bool opened_kernel(KernelRing& ring, std::size_t pages = 16) {
  const int error = ring.open(pages, CLOCK_MONOTONIC);
  if (error == 0) return true;
  REQUIRE((error == EPERM || error == EACCES || error == ENOSYS || error == EOPNOTSUPP));
  WARN("skipped: the kernel refuses its events: " << std::strerror(error));
  return false;
}

// Puts this thread on the core where it runs, until the end of the test.
class OneCore {
 public:
  OneCore() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  ~OneCore() { sched_setaffinity(0, sizeof before_, &before_); }

 private:
  cpu_set_t before_;
};

}  // namespace

TEST_CASE("a thread that sleeps is blocked") {
  KernelRing ring;
  if (!opened_kernel(ring)) return;
  static_cast<void>(ring.take(0));
  const std::uint64_t begin = now();
  sleep_for(20 * kMillisecond);
  const std::uint64_t end = now();
  const KernelUse use = ring.take(0);
  CHECK(use.blocked >= 19 * kMillisecond);  // the call itself takes some time before it sleeps
  CHECK(use.blocked + use.preempted <= end - begin);
  CHECK_FALSE(use.is_cut);
  const KernelUse rest = ring.take(0);
  CHECK(rest.blocked <= now() - end);  // it is counted once; the thread may be blocked again since
}

TEST_CASE("a thread is blocked in the calls that were noted") {
  KernelRing ring;
  if (!opened_kernel(ring)) return;
  static_cast<void>(ring.take(0));
  latecomer::blocking::BlockedCalls* const calls = latecomer::blocking::BlockedCalls::make();
  REQUIRE(calls != nullptr);
  sleep_for(5 * kMillisecond);  // not noted
  for (const std::uint64_t milliseconds : {20, 10}) {
    const std::uint64_t begin = ring.head_and_tail()[0];
    sleep_for(milliseconds * kMillisecond);
    calls->add({.begin = begin,
                .end = ring.head_and_tail()[0],
                .function = 1,
                .caller = static_cast<std::uint32_t>(milliseconds)});
    sleep_for(1 * kMillisecond);
  }
  REQUIRE(calls->size() == 2);
  std::array<std::uint64_t, 2> times{};
  const KernelUse use = ring.take(0, calls, times);
  CHECK(times[0] >= 19 * kMillisecond);
  CHECK(times[1] >= 9 * kMillisecond);
  CHECK(use.blocked >= times[0] + times[1] + 6 * kMillisecond);
  latecomer::blocking::BlockedCalls::destroy(calls);
}

TEST_CASE("what began before the stretch counts from its begin on") {
  KernelRing ring;
  if (!opened_kernel(ring)) return;
  const std::uint64_t begin = now() + 15 * kMillisecond;
  sleep_for(20 * kMillisecond);
  const std::uint64_t end = now();
  CHECK(ring.take(begin).blocked <= end - begin);
  sleep_for(1 * kMillisecond);
  const std::uint64_t later = now();
  const KernelUse rest = ring.take(later);
  CHECK(rest.blocked <= now() - later);
}

TEST_CASE("a thread whose core is taken by another one is preempted") {
  KernelRing ring;
  if (!opened_kernel(ring)) return;
  const OneCore one;
  static_cast<void>(ring.take(0));
  std::atomic<bool> done = false;
  std::atomic<std::uint64_t> other = 0;  // processor time that another thread had on this core
  std::thread competitor([&] {
    while (!done) other = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  });
  while (other < 20 * kMillisecond) {
  }
  const std::uint64_t had = other;
  const KernelUse use = ring.take(0);
  done = true;
  competitor.join();
  // The other one may run on a bit between the two readings.
  CHECK(use.preempted > had / 2);
  CHECK(use.preempted > use.blocked);
}

TEST_CASE("the last long times without a core are kept") {
  KernelRing ring;
  if (!opened_kernel(ring)) return;
  const OneCore one;
  std::array<KernelRing::Preempted, 2> times;
  static_cast<void>(ring.take_preempted(0, times));
  const std::uint64_t begin = now();
  sleep_for(5 * kMillisecond);  // blocked, which does not count
  std::atomic<bool> done = false;
  std::atomic<std::uint64_t> other = 0;
  std::thread competitor([&] {
    while (!done) other = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  });
  while (other < 40 * kMillisecond) {
  }
  const std::size_t number = ring.take_preempted(kMillisecond / 10, times);
  const std::uint64_t end = now();
  done = true;
  competitor.join();
  REQUIRE(number > 0);
  REQUIRE(number <= times.size());
  std::uint64_t before = begin;
  for (const auto& [until, length] : std::span(times).first(number)) {
    CHECK(length >= kMillisecond / 10);
    CHECK(until - length >= before);  // in order, and apart
    before = until;
  }
  CHECK(before <= end);
  CHECK(ring.take_preempted(100'000 * kMillisecond, times) == 0);  // none is so long
}

TEST_CASE("page faults are counted in steps") {
  KernelRing ring;
  if (!opened_kernel(ring)) return;
  static_cast<void>(ring.take(0));
  constexpr std::size_t kPages = 10'000, kBytes = 4096;
  void* const memory =
      mmap(nullptr, kPages * kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  madvise(memory, kPages * kBytes, MADV_NOHUGEPAGE);
  for (std::size_t i = 0; i < kPages; ++i) static_cast<volatile char*>(memory)[i * kBytes] = 1;
  munmap(memory, kPages * kBytes);
  const KernelUse use = ring.take(0);
  CHECK(use.faults + KernelRing::kFaults > kPages);
  CHECK(use.faults < 2 * kPages);  // the test itself has some, more with a sanitizer
  CHECK(use.faults % KernelRing::kFaults == 0);
}

TEST_CASE("a thread that goes to another core has migrated") {
  cpu_set_t all;
  sched_getaffinity(0, sizeof all, &all);
  if (CPU_COUNT(&all) < 2) {
    WARN("skipped: there is one core only");
    return;
  }
  KernelRing ring;
  if (!opened_kernel(ring)) return;
  const auto move_to = [](std::size_t core) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    sched_setaffinity(0, sizeof one, &one);
  };
  std::size_t first = 0;
  while (!CPU_ISSET(first, &all)) ++first;
  std::size_t second = first + 1;
  while (!CPU_ISSET(second, &all)) ++second;
  move_to(first);
  static_cast<void>(ring.take(0));
  move_to(second);
  CHECK(ring.take(0).migrations == 1);
  move_to(first);
  move_to(second);
  CHECK(ring.take(0).migrations == 2);
  sched_setaffinity(0, sizeof all, &all);
}

TEST_CASE("a full buffer is told, and room is there again afterwards") {
  KernelRing ring;
  if (!opened_kernel(ring, 1)) return;  // 4096 bytes, 170 records
  for (int i = 0; i < 200; ++i) sleep_for(1000);
  CHECK(ring.take(0).is_cut);
  sleep_for(1 * kMillisecond);
  const KernelUse use = ring.take(0);
  CHECK_FALSE(use.is_cut);
  CHECK(use.blocked > 0);
}

TEST_CASE("what is left out does not count") {
  KernelRing ring;
  if (!opened_kernel(ring)) return;
  sleep_for(5 * kMillisecond);
  std::uint64_t* const both = ring.head_and_tail();
  CHECK(both[0] != both[1]);
  const std::uint64_t left_out = now();
  std::atomic_ref(both[1]).store(std::atomic_ref(both[0]).load());
  const KernelUse rest = ring.take(0);
  CHECK(rest.blocked <= now() - left_out);
}
