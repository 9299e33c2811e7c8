// SPDX-License-Identifier: BSD-3-Clause
// Copies of real stacks, unwound as libgcc unwinds the stacks themselves.
#include "tracer/callpath/stack_copy.hpp"

#include <alloca.h>
#include <dlfcn.h>
#include <signal.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#if defined(__x86_64__)

namespace latecomer::callpath::stack_copy_test {

namespace {

// An interrupted thread, as the kernel would show it.
struct Sample {
  Registers registers;
  std::uintptr_t low = 0;
  std::size_t size = 0;
  std::array<std::byte, 1U << 17> memory;

  [[nodiscard]] StackCopy copy() const { return {low, {memory.data(), size}}; }
  [[nodiscard]] StackCopy copy_from(std::size_t offset) const {
    return {low + offset, {memory.data() + offset, size - offset}};
  }
};

// A function that calls no other may use this many bytes below the stack pointer. Signal handlers
// leave them alone, but the kernel's copies begin at the stack pointer.
constexpr std::size_t kRedZone = 128;

// Copied without memcpy: address sanitizers refuse to read what lies between variables.
[[gnu::noinline]] void copy_stack(Sample& sample, const StackBounds& bounds) {
  sample.low = sample.registers.values[Registers::kSp] - kRedZone;
  sample.size = std::min(bounds.high - sample.low, sample.memory.size());
  const void* from = reinterpret_cast<const void*>(sample.low);
  void* to = sample.memory.data();
  std::size_t count = sample.size;
  asm volatile("rep movsb" : "+S"(from), "+D"(to), "+c"(count) : : "memory");
}

// Registers that a context has, by their numbers in DWARF. getcontext() saves those that a called
// function preserves.
constexpr std::array<int, Registers::kCount> kContext = {
    REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
    REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
bool preserved(std::size_t number) {
  return number == 3 || number == 6 || number == 7 || number >= 12;
}
void take_registers(const ucontext_t& context, bool all, Registers& registers) {
  registers = {};
  for (std::size_t i = 0; i < Registers::kCount; ++i) {
    if (!all && !preserved(i)) continue;
    registers.set(i, static_cast<std::uintptr_t>(context.uc_mcontext.gregs[kContext[i]]));
  }
}

// The same stack as libgcc unwinds it, from the first frame on for which begins() is true.
struct Backtrace {
  std::array<StackFrame, Stack::kMostFrames> frames;
  std::size_t depth = 0;
  std::uintptr_t first_function = 0;  // 0: begins with the frame that a signal interrupted
  bool begun = false;
  bool ends_at_signal = false;

  static _Unwind_Reason_Code visit(_Unwind_Context* context, void* data) {
    auto& self = *static_cast<Backtrace*>(data);
    int exact = 0;
    const std::uintptr_t address = _Unwind_GetIPInfo(context, &exact);
    const std::uintptr_t function = _Unwind_GetRegionStart(context);
    if (!self.begun) {
      self.begun = self.first_function == 0 ? exact != 0 : function == self.first_function;
      if (!self.begun) return _URC_NO_REASON;
    } else if (exact != 0) {
      self.ends_at_signal = true;
      return _URC_END_OF_STACK;
    }
    if (address == 0 || self.depth == self.frames.size()) return _URC_END_OF_STACK;
    self.frames[self.depth++] = {exact != 0 ? address : address - 1, function};
    return _URC_NO_REASON;
  }
  void take() { _Unwind_Backtrace(&Backtrace::visit, this); }
};

Sample sample;
StackBounds bounds;
std::vector<StackFrame> expected;

// Takes a copy and unwinds the stack itself.
[[gnu::noinline]] void take_sample() {
  ucontext_t context;
  getcontext(&context);
  take_registers(context, false, sample.registers);
  copy_stack(sample, bounds);
  Backtrace live;
  live.first_function = reinterpret_cast<std::uintptr_t>(&take_sample);
  live.take();
  expected.assign(live.frames.begin(), live.frames.begin() + live.depth);
  asm volatile("" ::: "memory");
}

std::vector<StackFrame> unwound(const StackCopy& copy, bool& whole) {
  std::vector<StackFrame> frames(Stack::kMostFrames);
  const CopiedPath path = unwind_copy(sample.registers, copy, frames);
  whole = path.whole;
  frames.resize(path.depth);
  return frames;
}

// Takes a sample below `way` and compares both paths.
void check_way(const std::function<void()>& way) {
  bounds = StackBounds::of_this_thread();
  expected.clear();
  way();
  REQUIRE(expected.size() > 2);
  bool whole = false;
  const auto found = unwound(sample.copy(), whole);
  CHECK(whole);
  REQUIRE(found.size() == expected.size());
  // The copy was made before libgcc was called from the same function.
  CHECK(found[0].function == expected[0].function);
  for (std::size_t i = 1; i < found.size(); ++i) REQUIRE(found[i] == expected[i]);
}

// A number that is unknown to the compiler, so that it keeps calls and loops as they are.
std::size_t unknown(std::size_t n) {
  asm volatile("" : "+r"(n));
  return n;
}

[[gnu::noinline]] void plain(void (*next)()) {
  next();
  asm volatile("" ::: "memory");
}
[[gnu::noinline]] void variable(void (*next)()) {
  auto* const memory = static_cast<volatile char*>(alloca(unknown(300)));
  memory[0] = 1;
  next();
  memory[1] = 1;
}
[[gnu::noinline]] void aligned(void (*next)()) {
  alignas(64) std::array<char, 192> memory;
  asm volatile("" ::"r"(memory.data()));
  next();
  asm volatile("" ::"r"(memory.data()));
}
[[gnu::noinline]] void aligned_and_variable(void (*next)()) {
  alignas(256) std::array<char, 256> memory;
  auto* const more = static_cast<volatile char*>(alloca(unknown(16)));
  asm volatile("" ::"r"(memory.data()), "r"(more));
  next();
  asm volatile("" ::"r"(memory.data()), "r"(more));
}
[[gnu::noinline]] void big(void (*next)()) {
  std::array<char, 40000> memory;
  asm volatile("" ::"r"(memory.data()));
  next();
  asm volatile("" ::"r"(memory.data()));
}
// Needs all registers that a called function preserves.
[[gnu::noinline]] std::size_t busy_registers(void (*next)()) {
  std::size_t a = unknown(1), b = unknown(2), c = unknown(3), d = unknown(4), e = unknown(5);
  std::size_t f = unknown(6);
  next();
  asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
  return a + b + c + d + e + f;
}
[[gnu::noinline]] std::string with_cleanup(void (*next)()) {
  std::string text(unknown(50), 'x');
  try {
    next();
    if (unknown(0) != 0) throw std::runtime_error(text);
  } catch (const std::exception& error) {
    text += error.what();
  }
  return text;
}
[[noreturn, gnu::noinline]] void leaves(void (*next)()) {
  next();
  throw std::runtime_error("left");
}
[[gnu::noinline]] void calls_leaving(void (*next)()) { leaves(next); }
[[gnu::noinline]] void recursive(std::size_t depth, void (*next)()) {
  if (depth == 0) {
    next();
  } else {
    recursive(depth - 1, next);
  }
  asm volatile("" ::: "memory");
}
[[gnu::noinline]] void through_qsort() {
  std::array<int, 2> numbers = {2, 1};
  std::qsort(numbers.data(), numbers.size(), sizeof(int), [](const void* a, const void* b) {
    take_sample();
    return *static_cast<const int*>(a) - *static_cast<const int*>(b);
  });
}

}  // namespace

TEST_CASE("copies of stacks are unwound as the stacks themselves") {
  check_way(take_sample);
  check_way([] { plain(take_sample); });
  check_way([] { variable(take_sample); });
  check_way([] { aligned(take_sample); });
  check_way([] { aligned_and_variable(take_sample); });
  check_way([] { big(take_sample); });
  check_way([] { busy_registers(take_sample); });
  check_way([] { with_cleanup(take_sample); });
  check_way([] {
    try {
      calls_leaving(take_sample);
    } catch (const std::runtime_error&) {
    }
  });
  check_way([] { recursive(20, [] { aligned([] { variable(take_sample); }); }); });
  check_way(through_qsort);
  std::thread([] { check_way([] { with_cleanup(take_sample); }); }).join();
}

TEST_CASE("the copy of a deep stack yields as many frames as fit") {
  bounds = StackBounds::of_this_thread();
  recursive(2 * Stack::kMostFrames, take_sample);
  bool whole = true;
  CHECK(unwound(sample.copy(), whole).size() == Stack::kMostFrames);
  CHECK_FALSE(whole);
  std::array<StackFrame, 3> few;
  const CopiedPath path = unwind_copy(sample.registers, sample.copy(), few);
  CHECK(path.depth == 3);
  CHECK_FALSE(path.whole);
  CHECK(unwind_copy(sample.registers, sample.copy(), {}).depth == 0);
}

TEST_CASE("registers are kept in each frame of a function that is watched") {
  bounds = StackBounds::of_this_thread();
  recursive(50, [] { busy_registers(take_sample); });
  std::vector<StackFrame> found(Stack::kMostFrames);
  const std::size_t depth = unwind_copy(sample.registers, sample.copy(), found).depth;
  RowCache rows;
  std::size_t most = 0;
  for (std::size_t i = 0; i < depth; ++i) {
    WatchedFunction watched{.function = found[i].function};
    (void)unwind_copy(sample.registers, sample.copy(), found, &rows, &watched);
    const auto times = static_cast<std::size_t>(std::count_if(
        found.begin(), found.begin() + depth,
        [&](auto& one) { return one.function == watched.function && one.function != 0; }));
    CHECK(watched.count == std::min(times, WatchedFunction::kMost));
    for (std::size_t k = 0; k < watched.count; ++k) {
      const auto& frame = watched.frames[k];
      CHECK(found[frame.depth].function == watched.function);
      CHECK(frame.registers.values[Registers::kIp] ==
            found[frame.depth].place + (frame.depth == 0 ? 0 : 1));
      CHECK((k == 0 || watched.frames[k - 1].registers.values[Registers::kSp] <
                           frame.registers.values[Registers::kSp]));
    }
    most = std::max(most, times);
  }
  CHECK(most >= 50);
}

TEST_CASE("a shorter copy yields a part of the path") {
  bounds = StackBounds::of_this_thread();
  recursive(5, [] { aligned([] { variable([] { busy_registers(take_sample); }); }); });
  bool whole = false;
  const auto all = unwound(sample.copy(), whole);
  REQUIRE(whole);
  const std::size_t size = sample.size;
  std::size_t last = 0;
  RowCache rows;
  for (std::size_t length = 0; length <= std::min<std::size_t>(size, 20000); ++length) {
    const auto part = unwound({sample.low, {sample.memory.data(), length}}, whole);
    REQUIRE(part.size() >= std::max<std::size_t>(last, 1));
    REQUIRE(part.size() <= all.size());
    REQUIRE(std::equal(part.begin(), part.end(), all.begin()));
    if (part.size() < all.size()) REQUIRE_FALSE(whole);
    std::vector<StackFrame> cached(Stack::kMostFrames);
    const CopiedPath path =
        unwind_copy(sample.registers, {sample.low, {sample.memory.data(), length}}, cached, &rows);
    REQUIRE(path.depth == part.size());
    REQUIRE(path.whole == whole);
    REQUIRE(std::equal(part.begin(), part.end(), cached.begin()));
    last = part.size();
  }
  CHECK(last > 5);
}

TEST_CASE("code without tables is the end of the path") {
  bounds = StackBounds::of_this_thread();
  take_sample();
  std::array<StackFrame, 4> found;
  const auto path_from = [&](std::uintptr_t ip) {
    Registers registers = sample.registers;
    registers.set(Registers::kIp, ip);
    return unwind_copy(registers, sample.copy(), found);
  };
  const auto on_heap = std::make_unique<int>();
  for (const std::uintptr_t ip :
       {std::uintptr_t{0}, std::uintptr_t{1}, ~std::uintptr_t{0}, std::uintptr_t{1} << 47,
        reinterpret_cast<std::uintptr_t>(on_heap.get()), sample.low}) {
    const CopiedPath path = path_from(ip);
    CHECK(path.depth == 1);
    CHECK_FALSE(path.whole);
    CHECK(found[0] == StackFrame{ip, 0});
  }
  Registers without_stack = sample.registers;
  without_stack.forget(Registers::kSp);
  CHECK(unwind_copy(without_stack, sample.copy(), found).depth == 1);
  CHECK(unwind_copy({}, sample.copy(), found).depth == 0);
}

namespace {

// A handler that compares both ways of unwinding from the place of the interrupt. It neither
// allocates nor reports, so it may interrupt anything.
struct Comparison {
  bool with_libgcc = true;
  std::size_t interrupts = 0;
  std::size_t frames = 0;
  std::size_t whole = 0;
  std::size_t different = 0;
  std::size_t shorter = 0;  // paths of copies without the red zone
  Backtrace live;           // of the first difference, else of the last interrupt
  std::array<StackFrame, Stack::kMostFrames> found, found_without, found_cached;
  RowCache rows;
  CopiedPath path;
};
Comparison comparison;
timer_t timer;
std::uint32_t timer_random;

void compare_at(const ucontext_t& context) {
  if (comparison.different != 0) return;
  take_registers(context, true, sample.registers);
  copy_stack(sample, bounds);
  comparison.path = unwind_copy(sample.registers, sample.copy(), comparison.found);
  ++comparison.interrupts;
  comparison.frames += comparison.path.depth;
  comparison.whole += comparison.path.whole ? 1 : 0;
  if (!comparison.with_libgcc) return;
  comparison.live.depth = 0;
  comparison.live.begun = false;
  comparison.live.take();
  const auto& live = comparison.live;
  bool same = comparison.path.depth == live.depth;
  for (std::size_t i = 0; same && i < live.depth; ++i) {
    // libgcc keeps the last function where it finds none.
    same = comparison.found[i].place == live.frames[i].place &&
           (comparison.found[i].function == live.frames[i].function ||
            comparison.found[i].function == 0);
  }
  // What is not known without the red zone is left out; nothing else changes.
  const CopiedPath without =
      unwind_copy(sample.registers, sample.copy_from(kRedZone), comparison.found_without);
  same = same && without.depth <= comparison.path.depth &&
         std::equal(comparison.found.begin(), comparison.found.begin() + without.depth,
                    comparison.found_without.begin());
  // The cache changes nothing, wherever its rows come from.
  const CopiedPath cached =
      unwind_copy(sample.registers, sample.copy(), comparison.found_cached, &comparison.rows);
  same = same && cached.depth == comparison.path.depth && cached.whole == comparison.path.whole &&
         std::equal(comparison.found.begin(), comparison.found.begin() + cached.depth,
                    comparison.found_cached.begin());
  comparison.shorter += without.depth < comparison.path.depth ? 1 : 0;
  if (!same) ++comparison.different;
}

void at_step(int, siginfo_t*, void* context) {
  ucontext_t& at = *static_cast<ucontext_t*>(context);
  compare_at(at);
#ifdef LATECOMER_SANITIZED
  // The sanitizer checks millions of bytes, a step each, so that steps end before the test does.
  constexpr std::size_t kMostSteps = 50'000;
  constexpr greg_t kTrapFlag = 0x100;
  if (comparison.interrupts == kMostSteps) at.uc_mcontext.gregs[REG_EFL] &= ~kTrapFlag;
#endif
}

void arm_timer() {
  timer_random = timer_random * 1664525 + 1013904223;
  itimerspec next{};
  next.it_value.tv_nsec = 20000 + static_cast<long>(timer_random >> 15) % 80000;
  timer_settime(timer, 0, &next, nullptr);
}
void at_tick(int, siginfo_t*, void* context) {
  compare_at(*static_cast<const ucontext_t*>(context));
  arm_timer();
}

class Handler {
 public:
  Handler(int number, void (*function)(int, siginfo_t*, void*)) : number_(number) {
    bounds = StackBounds::of_this_thread();
    comparison = {};
    comparison.live.take();  // libgcc may set itself up at the first call
    struct sigaction action {};
    action.sa_sigaction = function;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(number, &action, &before_);
  }
  ~Handler() { sigaction(number_, &before_, nullptr); }
  Handler(const Handler&) = delete;
  Handler& operator=(const Handler&) = delete;

 private:
  int number_;
  struct sigaction before_ {};
};

// The processor's trap flag makes each instruction a signal.
extern "C" void set_trap_flag();
extern "C" void clear_trap_flag();
asm(R"(
.text
.type set_trap_flag, @function
set_trap_flag:
  .cfi_startproc
  pushfq
  .cfi_def_cfa_offset 16
  orq $0x100, (%rsp)
  popfq
  .cfi_def_cfa_offset 8
  ret
  .cfi_endproc
.type clear_trap_flag, @function
clear_trap_flag:
  .cfi_startproc
  pushfq
  .cfi_def_cfa_offset 16
  andq $-0x101, (%rsp)
  popfq
  .cfi_def_cfa_offset 8
  ret
  .cfi_endproc
)");

[[gnu::noinline]] double computes(std::size_t seed) {
  const auto x = static_cast<double>(seed % 100 + 1);
  return std::sin(x) + std::exp(-x) + std::pow(x, 0.3) + std::log(x) + std::fmod(x, 0.7);
}
void does_nothing() { asm volatile("" ::: "memory"); }

// Goes through all shapes of functions, and through the C and C++ libraries.
[[gnu::noinline]] double busy(std::size_t seed) {
  double sum = computes(seed);
  plain(does_nothing);
  variable(does_nothing);
  aligned(does_nothing);
  aligned_and_variable(does_nothing);
  big(does_nothing);
  sum += static_cast<double>(busy_registers(does_nothing));
  sum += static_cast<double>(with_cleanup(does_nothing).size());
  recursive(3 + seed % 5, does_nothing);
  std::array<int, 16> numbers;
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = int((i * 7 + seed) % 16);
  std::qsort(numbers.data(), numbers.size(), sizeof(int), [](const void* a, const void* b) {
    return *static_cast<const int*>(a) - *static_cast<const int*>(b);
  });
  std::array<char, 100> text;
  sum += std::snprintf(text.data(), text.size(), "%d %s %.3f", numbers[3], "text", sum);
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  sum += static_cast<double>(now.tv_nsec);
  const std::function<double()> more = [&] { return sum / computes(seed + 1); };
  std::vector<double> many(seed % 500 + 1, 1.0);
  return more() + many.back() + static_cast<double>(getppid());
}

[[gnu::noinline]] std::size_t throws() {
  try {
    calls_leaving(does_nothing);
  } catch (const std::runtime_error& error) {
    return static_cast<std::size_t>(error.what()[0]);
  }
  return 0;
}

std::string difference() {
  std::string text;
  char line[120];
  for (std::size_t i = 0; i < std::max(comparison.path.depth, comparison.live.depth); ++i) {
    const auto& copied = comparison.found[i];
    const auto& live = comparison.live.frames[i];
    std::snprintf(line, sizeof line, "%2zu %12lx %12lx   %12lx %12lx\n", i,
                  i < comparison.path.depth ? copied.place : 0,
                  i < comparison.path.depth ? copied.function : 0,
                  i < comparison.live.depth ? live.place : 0,
                  i < comparison.live.depth ? live.function : 0);
    text += line;
  }
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(comparison.found[0].place), &info) != 0) {
    text += info.dli_fname;
    text += ' ';
    text += info.dli_sname == nullptr ? "?" : info.dli_sname;
  }
  return text;
}

std::size_t wanted_interrupts(std::size_t usual) {
  const char* const wanted = std::getenv("LATECOMER_RANDOM_PROGRAMS");
  return wanted == nullptr ? usual : static_cast<std::size_t>(std::atoll(wanted));
}

}  // namespace

TEST_CASE("a copy is unwound at each instruction, in a signal handler") {
  double sum = 0;
  {
    const Handler handler(SIGTRAP, at_step);
    set_trap_flag();
    sum = busy(1);
    clear_trap_flag();
  }
  INFO(difference());
  CHECK(comparison.different == 0);
  CHECK(comparison.interrupts > 1000);
  CHECK(comparison.whole == comparison.interrupts);
  CHECK(std::isfinite(sum));
}

// Before libgcc jumps to a handler of exceptions, it replaces words of its own frame. At that
// moment it cannot unwind its stack: it reads anything, or crashes.
TEST_CASE(
    "a copy at each instruction while an exception is thrown has an end, in a signal handler") {
  std::size_t letter = 0;
  {
    const Handler handler(SIGTRAP, at_step);
    comparison.with_libgcc = false;
    set_trap_flag();
    letter = throws();
    clear_trap_flag();
  }
  CHECK(letter == 'l');
  CHECK(comparison.interrupts > 1000);
  CHECK(comparison.whole > comparison.interrupts / 10 * 9);
}

TEST_CASE("a copy is unwound at random times, in a signal handler") {
  const std::size_t wanted = wanted_interrupts(300);
  const Handler handler(SIGPROF, at_tick);
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGPROF;
  event._sigev_un._tid = gettid();
  REQUIRE(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  arm_timer();
  double sum = 0;
  for (std::size_t i = 0; comparison.interrupts < wanted && comparison.different == 0; ++i) {
    sum += busy(i);
  }
  timer_delete(timer);
  INFO(difference());
  CHECK(comparison.different == 0);
  CHECK(comparison.whole == comparison.interrupts);
  CHECK(std::isfinite(sum));
}

TEST_CASE("the frame of a signal handler is the end of the path") {
  const Handler handler(SIGUSR1, [](int, siginfo_t*, void*) { take_sample(); });
  plain([] { raise(SIGUSR1); });
  bool whole = true;
  const auto found = unwound(sample.copy(), whole);
  CHECK_FALSE(whole);
  // take_sample(), the handler (one or two functions) and the C library's code behind it.
  REQUIRE(found.size() <= 4);
  REQUIRE(expected.size() == found.size());
  CHECK(std::equal(found.begin() + 1, found.end(), expected.begin() + 1));
}

TEST_CASE("any registers and any copy have an end") {
  std::mt19937_64 random(36);
  bounds = StackBounds::of_this_thread();
  aligned(take_sample);
  std::vector<std::uintptr_t> places;
  for (const auto& frame : expected) places.push_back(frame.place);
  places.push_back(reinterpret_cast<std::uintptr_t>(&std::qsort));
  places.push_back(reinterpret_cast<std::uintptr_t>(&std::snprintf));
  std::vector<StackFrame> found(Stack::kMostFrames);
  const std::size_t rounds = wanted_interrupts(300) * 20;
  std::vector<std::byte> bytes(4096);
  RowCache rows;
  for (std::size_t round = 0; round < rounds; ++round) {
    const auto any = [&]() -> std::uintptr_t {
      switch (random() % 4) {
        case 0:
          return places[random() % places.size()] + random() % 4096 - 2048;
        case 1:
          return sample.low + random() % bytes.size();
        case 2:
          return sample.low + (random() % bytes.size() & ~std::size_t{7});
        default:
          return random() >> random() % 64;
      }
    };
    Registers registers;
    for (std::size_t i = 0; i < Registers::kCount; ++i) {
      if (random() % 8 != 0) registers.set(i, any());
    }
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uintptr_t)) {
      const std::uintptr_t word = any();
      std::memcpy(&bytes[at], &word, sizeof word);
    }
    const std::size_t size = random() % (bytes.size() + 1);
    const CopiedPath path = unwind_copy(registers, {sample.low, {bytes.data(), size}}, found);
    REQUIRE(path.depth <= found.size());
    std::vector<StackFrame> cached(path.depth);
    CHECK(unwind_copy(registers, {sample.low, {bytes.data(), size}}, cached, &rows).depth ==
          path.depth);
    REQUIRE(std::equal(cached.begin(), cached.end(), found.begin()));
  }
}

}  // namespace latecomer::callpath::stack_copy_test

#endif
