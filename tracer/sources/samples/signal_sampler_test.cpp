// SPDX-License-Identifier: BSD-3-Clause
// Samples that threads of this test take of themselves. All amounts are processor time, so nothing
// depends on how fast the machine is.
#include "tracer/sources/samples/signal_sampler.hpp"

#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdio>
#include <thread>
#include <vector>

#include "tests/samples/thread_time.hpp"
#include "tracer/session/process/session.hpp"

using namespace latecomer;
using namespace latecomer::samples;
using namespace latecomer::test;

namespace {

struct Taken {
  std::uint64_t time, period, ip, sp;
  std::size_t stack;  // bytes
};

std::vector<Taken> all(SignalSampler& sampler) {
  std::vector<Taken> samples;
  sampler.take([&](const RawSample& sample, std::uint64_t period) {
    CHECK_FALSE(sample.in_kernel);
    samples.push_back(
        {sample.time, period, sample.registers[8], sample.registers[7], sample.stack.size()});
  });
  return samples;
}

std::uint64_t sum(const std::vector<Taken>& samples) {
  std::uint64_t all = 0;
  for (const Taken& sample : samples) all += sample.period;
  return all;
}

bool is_here(std::uint64_t ip) {
  Dl_info own{}, found{};
  return dladdr(reinterpret_cast<void*>(&compute), &own) != 0 &&
         dladdr(reinterpret_cast<void*>(ip), &found) != 0 && found.dli_fbase == own.dli_fbase;
}

// An action for SIGURG; at its end the one that was there before.
class Action {
 public:
  explicit Action(void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    sigaction(SIGURG, &action, &before_);
  }
  ~Action() { sigaction(SIGURG, &before_, nullptr); }
  Action(const Action&) = delete;
  Action& operator=(const Action&) = delete;

 private:
  struct sigaction before_ {};
};

volatile int calls = 0;
void count(int) { calls = calls + 1; }

// Timers of this process, if the kernel lists them; else 0.
int timers() {
  std::FILE* const file = std::fopen("/proc/self/timers", "re");
  if (file == nullptr) return 0;
  int count = 0;
  char line[256];
  while (std::fgets(line, sizeof line, file) != nullptr) {
    count += line[0] == 'I' && line[1] == 'D' ? 1 : 0;
  }
  std::fclose(file);
  return count;
}

ucontext_t test_context, other_context;
std::uint64_t other_time = 0;
void compute_on_other_stack() { compute(other_time); }

}  // namespace

TEST_CASE("signals sample all processor time of a thread") {
  SignalSampler sampler;
  const std::uint64_t used = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  const std::uint64_t begin = nanoseconds(CLOCK_MONOTONIC);
  REQUIRE(sampler.open(kMillisecond, CLOCK_MONOTONIC, 64) == 0);
  const int local = 0;
  const auto mark = reinterpret_cast<std::uintptr_t>(&local);
  errno = 77;
  compute(300 * kMillisecond);
  CHECK(errno == 77);
  CHECK(sampler.numbers()[0] != sampler.taken());
  const auto samples = all(sampler);
  CHECK(sampler.taken() >= samples.size());
  const std::uint64_t took = nanoseconds(CLOCK_THREAD_CPUTIME_ID) - used;
  const std::uint64_t end = nanoseconds(CLOCK_MONOTONIC);
  CHECK(samples.size() >= 3);
  // The time since the last signal is missing; a slow kernel looks every 10 ms. Powers of two may
  // leave half of a sample's time to the next one.
  CHECK(sum(samples) <= took);
  CHECK(sum(samples) >= 150 * kMillisecond);
  std::uint64_t before = begin;
  std::size_t here = 0;
  for (const Taken& sample : samples) {
    CHECK(sample.time >= before);
    CHECK(sample.time <= end);
    before = sample.time;
    const std::uint64_t periods = sample.period / kMillisecond;
    CHECK(periods * kMillisecond == sample.period);
    CHECK(std::has_single_bit(periods));
    here += is_here(sample.ip) ? 1 : 0;
    CHECK(mark >= sample.sp);
    CHECK(mark - sample.sp < sample.stack);
  }
  CHECK(here != 0);  // others are in the C library and the kernel's clocks
}

TEST_CASE("a timer does not interrupt a thread that sleeps") {
  SignalSampler sampler;
  REQUIRE(sampler.open(kMillisecond, CLOCK_MONOTONIC, 64) == 0);
  const timespec rest{0, 30 * static_cast<long>(kMillisecond)};
  CHECK(nanosleep(&rest, nullptr) == 0);
  static_cast<void>(all(sampler));
  CHECK(nanosleep(&rest, nullptr) == 0);
  CHECK(all(sampler).size() <= 1);
}

TEST_CASE("a sampler of signals ends with its timer") {
  const int before = timers();
  {
    SignalSampler sampler;
    REQUIRE(sampler.open(kMillisecond, CLOCK_MONOTONIC, 64) == 0);
    CHECK(timers() - before <= 1);
    compute(20 * kMillisecond);
  }
  CHECK(timers() == before);
  compute(20 * kMillisecond);
}

TEST_CASE("signals of others are no samples") {
  SignalSampler sampler;
  REQUIRE(sampler.open(std::uint64_t{1000} * 1000 * kMillisecond, CLOCK_MONOTONIC, 64) == 0);
  raise(SIGURG);
  sigqueue(getpid(), SIGURG, sigval{.sival_ptr = &sampler});
  CHECK(sampler.numbers()[0] == 0);
}

TEST_CASE("a program that handles the signal keeps its handler") {
  SignalSampler sampler;
  {
    const Action own(count);
    CHECK(sampler.open(kMillisecond, CLOCK_MONOTONIC, 64) == EBUSY);
    CHECK(timers() == 0);
    calls = 0;
    raise(SIGURG);
    CHECK(calls == 1);
  }
  {
    const Action ignored(SIG_IGN);
    REQUIRE(sampler.open(kMillisecond, CLOCK_MONOTONIC, 64) == 0);
    compute(50 * kMillisecond);
    CHECK_FALSE(all(sampler).empty());
  }
}

TEST_CASE("a program that takes the signal later gets one of ours at most") {
  SignalSampler sampler;
  REQUIRE(sampler.open(kMillisecond, CLOCK_MONOTONIC, 64) == 0);
  calls = 0;
  const Action own(count);
  compute(100 * kMillisecond);
  CHECK(calls <= 1);
}

TEST_CASE("a blocked signal comes once, and stands for all the time") {
  SignalSampler sampler;
  REQUIRE(sampler.open(kMillisecond, CLOCK_MONOTONIC, 64) == 0);
  sigset_t all_signals, before;
  sigfillset(&all_signals);
  pthread_sigmask(SIG_BLOCK, &all_signals, &before);
  static_cast<void>(all(sampler));
  compute(100 * kMillisecond);
  CHECK(all(sampler).empty());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  const auto samples = all(sampler);
  REQUIRE(samples.size() == 1);
  CHECK(samples[0].period >= 50 * kMillisecond);
}

TEST_CASE("the default action of the signal ends samples, and not the program") {
  SignalSampler sampler;
  REQUIRE(sampler.open(kMillisecond, CLOCK_MONOTONIC, 64) == 0);
  const Action own(SIG_DFL);
  compute(50 * kMillisecond);
  const std::uint64_t number = sampler.numbers()[0];
  compute(50 * kMillisecond);
  CHECK(sampler.numbers()[0] == number);
}

TEST_CASE("no signals come after the end of recording") {
  SignalSampler sampler;
  REQUIRE(sampler.open(kMillisecond, CLOCK_MONOTONIC, 64) == 0);
  process().session.phase.store(session::detail::Phase::kOver);
  compute(50 * kMillisecond);
  process().session.phase.store(session::detail::Phase::kFresh);
  const std::uint64_t number = sampler.numbers()[0];
  compute(50 * kMillisecond);
  CHECK(sampler.numbers()[0] == number);
}

TEST_CASE("nothing is copied of a stack that the program has made") {
  std::vector<std::byte> memory(std::size_t{1} << 18);
  SignalSampler sampler;
  REQUIRE(sampler.open(kMillisecond, CLOCK_MONOTONIC, 64) == 0);
  REQUIRE(getcontext(&other_context) == 0);
  other_context.uc_stack.ss_sp = memory.data();
  other_context.uc_stack.ss_size = memory.size();
  other_context.uc_link = &test_context;
  other_time = 100 * kMillisecond;
  makecontext(&other_context, compute_on_other_stack, 0);
  REQUIRE(swapcontext(&test_context, &other_context) == 0);
  const auto low = reinterpret_cast<std::uintptr_t>(memory.data());
  std::size_t inside = 0;
  for (const Taken& sample : all(sampler)) {
    const bool is_other = sample.sp - low < memory.size();
    CHECK((sample.stack == 0) == is_other);
    inside += is_other ? 1 : 0;
  }
  CHECK(inside != 0);
}

TEST_CASE("a child has no timer") {
  SignalSampler sampler;
  REQUIRE(sampler.open(kMillisecond, CLOCK_MONOTONIC, 64) == 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::uint64_t before = sampler.numbers()[0];
    compute(50 * kMillisecond);
    _exit(sampler.numbers()[0] == before ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  compute(50 * kMillisecond);
  CHECK_FALSE(all(sampler).empty());
}

TEST_CASE("threads that come and go sample themselves") {
  // 200 threads of 2 ms, four at a time.
  std::atomic<std::uint64_t> sampled{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&sampled] {
      for (int k = 0; k < 50; ++k) {
        std::thread([&sampled] {
          SignalSampler sampler;
          if (sampler.open(kMillisecond / 10, CLOCK_MONOTONIC, 16) != 0) return;
          compute(2 * kMillisecond);
          sampler.take([&](const RawSample&, std::uint64_t period) { sampled += period; });
        }).join();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(sampled != 0);
  CHECK(sampled < 1000 * kMillisecond);
  CHECK(timers() == 0);
}

TEST_CASE("a long stretch is sampled to its end by signals") {
  SignalSampler sampler;
  const std::uint64_t used = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  REQUIRE(sampler.open(kMillisecond, CLOCK_MONOTONIC, 4) == 0);
  for (int i = 0; i < 100 && sampler.numbers()[0] < 8; ++i) compute(20 * kMillisecond);
  CHECK(sampler.numbers()[0] >= 8);
  const auto samples = all(sampler);
  const std::uint64_t took = nanoseconds(CLOCK_THREAD_CPUTIME_ID) - used;
  CHECK(samples.size() <= 4);
  CHECK(sum(samples) <= took);
  CHECK(sum(samples) >= took / 4);
}
