// SPDX-License-Identifier: BSD-3-Clause
// Samples that the kernel takes of this test. None of the tests depends on how fast the machine is.
#include "tracer/sources/samples/sampler.hpp"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "tests/samples/thread_time.hpp"

using namespace latecomer::samples;
using namespace latecomer::test;

namespace {

// A container may forbid samples. Then there is nothing to test here.
bool opened(Sampler& sampler, std::uint64_t period) {
  const int error = sampler.open(period, CLOCK_MONOTONIC);
  if (error == 0) return true;
  REQUIRE((error == EPERM || error == EACCES || error == ENOSYS || error == EOPNOTSUPP));
  WARN("skipped: the kernel refuses samples: " << std::strerror(error));
  return false;
}

struct Taken {
  std::uint64_t time, period, ip;
};

std::vector<Taken> all(Sampler& sampler) {
  std::vector<Taken> samples;
  sampler.take([&](const RawSample& sample, std::uint64_t period) {
    samples.push_back({sample.time, period, sample.registers[8]});
  });
  return samples;
}

}  // namespace

TEST_CASE("samples are in the order of time, one per period of processor time") {
  Sampler sampler;
  if (!opened(sampler, kMillisecond)) return;
  static_cast<void>(all(sampler));  // of the time since the first ring was opened
  const std::uint64_t begin = nanoseconds(CLOCK_MONOTONIC);
  compute(30 * kMillisecond);
  CHECK(*sampler.written() != sampler.taken());
  const auto samples = all(sampler);
  const std::uint64_t end = nanoseconds(CLOCK_MONOTONIC);  // after the last sample
  CHECK(*sampler.written() >= sampler.taken());
  // A kernel with a slow timer takes fewer, and never more than one per period of real time.
  CHECK(samples.size() >= 3);
  CHECK(samples.size() <= (end - begin) / kMillisecond + 1);
  std::uint64_t before = begin;
  for (const Taken& sample : samples) {
    CHECK(sample.time >= before);
    CHECK(sample.time <= end);
    CHECK(sample.period == kMillisecond);
    before = sample.time;
  }
  CHECK(sampler.lost() == 0);
}

TEST_CASE("a thread that sleeps has no samples") {
  Sampler sampler;
  if (!opened(sampler, kMillisecond)) return;
  static_cast<void>(all(sampler));
  const timespec rest{0, 30 * static_cast<long>(kMillisecond)};
  nanosleep(&rest, nullptr);
  CHECK(all(sampler).size() <= 1);
}

TEST_CASE("samples have the program counter and the stack of the function that ran") {
  Sampler sampler;
  if (!opened(sampler, kMillisecond / 10)) return;
  std::size_t inside = 0, with_stack = 0;
  const auto mark = reinterpret_cast<std::uintptr_t>(&inside);
  compute(5 * kMillisecond);
  Dl_info own{}, found{};
  REQUIRE(dladdr(reinterpret_cast<void*>(&compute), &own) != 0);
  sampler.take([&](const RawSample& sample, std::uint64_t) {
    if (dladdr(reinterpret_cast<void*>(sample.registers[8]), &found) != 0 &&
        found.dli_fbase == own.dli_fbase) {
      ++inside;
    }
    const std::uint64_t sp = sample.registers[7];
    with_stack += mark >= sp && mark - sp < sample.stack.size() ? 1 : 0;
  });
  CHECK(inside != 0);
  CHECK(with_stack != 0);
}

TEST_CASE("where the first buffer is full the slower ones go on") {
  // The first one has room for about 60 samples. 10 ms at 0.02 ms are 500 samples, if the machine
  // is fast enough; the test only needs more than 100, and computes on until it has them.
  Sampler sampler;
  if (!opened(sampler, kMillisecond / 50)) return;
  const std::uint64_t full = 64 * 4096 - 2 * PerfRing::kStackBytes;
  for (int i = 0; i < 1000 && *sampler.written() < full; ++i) compute(kMillisecond);
  REQUIRE(*sampler.written() >= full);
  compute(20 * kMillisecond);
  const auto samples = all(sampler);
  std::uint64_t before = 0, period = kMillisecond / 50;
  std::size_t slower = 0;
  for (const Taken& sample : samples) {
    CHECK(sample.time >= before);
    CHECK(sample.period >= period);  // never faster again
    before = sample.time;
    period = sample.period;
    slower += period > kMillisecond / 50 ? 1 : 0;
  }
  CHECK(slower >= 2);
  // After that there is room again.
  compute(kMillisecond);
  const auto next = all(sampler);
  REQUIRE_FALSE(next.empty());
  CHECK(next.front().period == kMillisecond / 50);
}

TEST_CASE("records that reach over the end of the buffer are whole") {
  // 4096 bytes of stack do not divide the buffer, so over many rounds records are at all places.
  Sampler sampler;
  if (!opened(sampler, kMillisecond / 10)) return;
  std::size_t count = 0;
  std::uint64_t before = 0;
  for (int i = 0; i < 2000 && count < 300; ++i) {
    compute(2 * kMillisecond);
    for (const Taken& sample : all(sampler)) {
      CHECK(sample.time >= before);
      before = sample.time;
      ++count;
    }
  }
  CHECK(count >= 300);
  CHECK(sampler.taken() > 64 * 4096);
}

TEST_CASE("a sampler leaves no file descriptor, and no mapping at its end") {
  const auto descriptors = [] {
    int count = 0;
    for (int fd = 0; fd < 1000; ++fd)
      count += lseek(fd, 0, SEEK_CUR) >= 0 || errno != EBADF ? 1 : 0;
    return count;
  };
  const auto mappings = [] {
    std::size_t count = 0;
    std::FILE* const maps = std::fopen("/proc/self/maps", "re");
    char line[512];
    while (std::fgets(line, sizeof line, maps) != nullptr) {
      count += std::strstr(line, "perf_event") != nullptr ? 1 : 0;
    }
    std::fclose(maps);
    return count;
  };
  const int before = descriptors();
  const std::size_t mapped = mappings();
  {
    Sampler sampler;
    if (!opened(sampler, kMillisecond)) return;
    CHECK(descriptors() == before);
    CHECK(mappings() > mapped);
  }
  CHECK(mappings() == mapped);
}
