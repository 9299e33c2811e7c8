// SPDX-License-Identifier: BSD-3-Clause
// Real stacks: functions that call a stand-in for an MPI wrapper.
#include "tracer/callpath/stack.hpp"

#include <alloca.h>
#include <signal.h>
#include <ucontext.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "tracer/callpath/frame_table.hpp"

using namespace latecomer;
using namespace latecomer::callpath;

namespace {

StackBounds own;
PathCache* cache;
Stack* stack;
std::size_t unwound;
FrameId found_path;
std::vector<std::string> lines;
FrameTable* table;

// Functions without a frame pointer, called by others that may have one. call_with_register(value,
// function) has the value in that register; call_with_same_register(function) does not change it.
extern "C" void call_with_register(std::uintptr_t, void (*)());
extern "C" void call_with_same_register(void (*)());
asm(R"(
.text
.type call_with_register, @function
call_with_register:
  .cfi_startproc
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rdi, %rbp
  call *%rsi
  popq %rbp
  .cfi_def_cfa_offset 8
  .cfi_restore %rbp
  ret
  .cfi_endproc
.type call_with_same_register, @function
call_with_same_register:
  .cfi_startproc
  subq $8, %rsp
  .cfi_def_cfa_offset 16
  call *%rdi
  addq $8, %rsp
  .cfi_def_cfa_offset 8
  ret
  .cfi_endproc
)");

// Finds the call path as an MPI wrapper does.
[[gnu::noinline]] void wrapper() {
  const auto* const frame = static_cast<const std::uintptr_t*>(__builtin_frame_address(0));
  const CallPlace place{reinterpret_cast<std::uintptr_t>(frame + 1), frame[1], frame[0]};
  found_path = cache->find(place);
  if (found_path == PathCache::kUnknown) {
    ++unwound;
    unwind(place, own, *stack);
    found_path = table->path(*stack);
    if (stack->keep) cache->insert(place, stack->basis(), found_path);
  }
  asm volatile("" ::: "memory");
}

struct Fixture {
  Fixture() {
    own = StackBounds::of_this_thread();
    cache = &paths;
    stack = memory.get();
    table = &frames;
    unwound = 0;
    lines.clear();
  }
  PathCache paths;
  std::unique_ptr<Stack> memory = std::make_unique<Stack>();
  FrameTable frames{64, [](const std::string& line) { lines.push_back(line); }};
};

bool stack_goes_through(void (*function)()) {
  for (std::size_t i = 0; i < stack->depth; ++i) {
    if (stack->frames[i].function == reinterpret_cast<std::uintptr_t>(function)) return true;
  }
  return false;
}

[[gnu::noinline]] void exchange() {
  wrapper();
  asm volatile("" ::: "memory");
}
[[gnu::noinline]] void solve() {
  exchange();
  asm volatile("" ::: "memory");
}
[[gnu::noinline]] void other() {
  exchange();
  asm volatile("" ::: "memory");
}

// A number that is unknown to the compiler, so that it keeps loops as they are.
[[gnu::noinline]] std::size_t number(std::size_t n) {
  asm volatile("" : "+r"(n));
  return n;
}

// A frame of variable size, which the compiler addresses through the frame pointer.
[[gnu::noinline]] void pad(std::size_t bytes, const std::function<void()>& next) {
  auto* const memory = static_cast<volatile char*>(alloca(bytes));
  memory[0] = 1;
  next();
  memory[bytes - 1] = 1;
}

[[gnu::noinline]] void recurse(int depth) {
  if (depth == 0) {
    exchange();
  } else {
    recurse(depth - 1);
  }
  asm volatile("" ::: "memory");
}

// Paths of these calls, which are all made at one place.
[[gnu::noinline]] std::vector<FrameId> paths_of(const std::vector<void (*)()>& ways) {
  std::vector<FrameId> found(ways.size());
#pragma GCC unroll 1
  for (std::size_t i = 0; i < ways.size(); ++i) {
    ways[i]();
    found[i] = found_path;
  }
  return found;
}

}  // namespace

TEST_CASE_METHOD(Fixture, "bounds of the stack of this thread and of another") {
  int here = 0;
  CHECK(own.contains(reinterpret_cast<std::uintptr_t>(&here)));
  std::thread([&] {
    const StackBounds mine = StackBounds::of_this_thread();
    int there = 0;
    CHECK(mine.contains(reinterpret_cast<std::uintptr_t>(&there)));
    CHECK_FALSE(mine.contains(reinterpret_cast<std::uintptr_t>(&here)));
  }).join();
}

TEST_CASE_METHOD(Fixture, "a path is unwound once per call place") {
  auto found = paths_of({solve, solve, solve});
  CHECK(unwound == 1);
  CHECK(found == std::vector(3, found[0]));
  CHECK(stack->frames[0].function == reinterpret_cast<std::uintptr_t>(&exchange));
  CHECK(stack->frames[1].function == reinterpret_cast<std::uintptr_t>(&solve));
  CHECK(stack->depth > 5);  // up to main and beyond
  found = paths_of({solve, other, solve, other, solve});
  CHECK(found[0] != found[1]);
  CHECK(found == std::vector{found[0], found[1], found[0], found[1], found[0]});
  CHECK(unwound == 3);  // paths_of() was called at another place
}

TEST_CASE_METHOD(Fixture, "paths of the cache are those of unwinding") {
  // Call chains of all kinds lead to one function at few places; the cache must never be wrong.
  // Every path is unwound a second time with an empty cache.
  const std::vector<void (*)()> ways = {exchange, solve, other};
  const std::vector<std::size_t> sizes = {16, 64, 65, 512, 4000};
  const std::function<void()> calls[] = {ways[0], ways[1], ways[2]};
#pragma GCC unroll 1
  for (int round = 0; round < 4; ++round) {
    for (std::size_t k = 0; k < 300; ++k) {
      const auto& way = calls[k % 3];
      FrameId from_cache = 0;
      const auto twice = [&] {
        pad(sizes[k / 3 % 5],
            [&] { pad(sizes[k / 15 % 5], [&] { recurse(int(k / 75)), way(); }); });
        return found_path;
      };
      PathCache fresh;
      for (const bool checks : {false, true}) {
        cache = checks ? &fresh : &paths;
        const FrameId path = twice();
        if (!checks) from_cache = path;
        REQUIRE(path == from_cache);
      }
      cache = &paths;
    }
  }
  CHECK(unwound < 4 * 300 * 2 + 600);  // fresh caches always, the other in round 1
}

namespace {

// Functions that call MPI, each with its own use of the frame pointer register.
void (*inner)();
std::uintptr_t last_slot;

[[gnu::noinline]] void inner_hangs_on_it() {
  auto* const memory = static_cast<volatile char*>(alloca(number(16)));
  asm volatile("" ::"r"(memory));
  wrapper();
  asm volatile("" ::: "memory");
}
void inner_counts_with_it() {
  static std::uintptr_t counter = 0;
  call_with_register(++counter, wrapper);
}
void inner_leaves_it() { call_with_same_register(wrapper); }

// The frame has variable size, so it depends on the frame pointer, which inner() saves or keeps.
[[gnu::noinline]] void outer(std::size_t bytes) {
  auto* const memory = static_cast<volatile char*>(alloca(bytes));
  asm volatile("" ::"r"(memory));
  last_slot = reinterpret_cast<std::uintptr_t>(memory);
  inner();
  asm volatile("" ::: "memory");
}
[[gnu::noinline]] void near_way(std::size_t bytes) {
  outer(bytes);
  asm volatile("" ::: "memory");
}
// This function has a large frame that it does not touch, so return addresses of earlier calls
// remain there.
[[gnu::noinline]] void far_way(std::size_t bytes) {
  std::array<char, 512> memory;
  asm volatile("" ::"r"(memory.data()));
  outer(bytes);
  asm volatile("" ::: "memory");
}

// A frame of variable size as well: only a word below the frame pointer shows where it ends.
[[gnu::noinline]] void aligned() {
  alignas(256) std::array<char, 256> memory;
  auto* const more = static_cast<volatile char*>(alloca(number(16)));
  asm volatile("" ::"r"(memory.data()), "r"(more));
  inner();
  asm volatile("" ::: "memory");
}
[[gnu::noinline]] void aligned_way() {
  aligned();
  asm volatile("" ::: "memory");
}
[[gnu::noinline]] void other_aligned_way() {
  aligned();
  asm volatile("" ::: "memory");
}

struct Ways {
  std::array<FrameId, 2> paths{};
  std::array<std::uintptr_t, 2> slots{};
};
[[gnu::noinline]] Ways both_ways(std::size_t bytes, std::size_t more,
                                 const std::array<PathCache*, 2>& caches) {
  Ways ways;
  for (std::size_t i = 0; i < number(2); ++i) {
    cache = caches[i];
    (i == 0 ? near_way : far_way)(i == 0 ? bytes + more : bytes);
    ways.paths[i] = found_path;
    ways.slots[i] = last_slot;
  }
  return ways;
}

}  // namespace

TEST_CASE_METHOD(Fixture, "return addresses that an earlier call left behind do not count") {
  // Both chains reach MPI at the same depth: the far one has a larger frame, outer() a smaller one.
  // The near chain has its return address into near_way() in memory that the far chain does not
  // touch, so the old address is still there.
  inner = GENERATE(inner_hangs_on_it, inner_counts_with_it, inner_leaves_it);
  std::array<PathCache, 2> first;
  const Ways apart = both_ways(64, 0, {&first[0], &first[1]});
  const std::size_t more = apart.slots[0] - apart.slots[1];  // by how much the far frame is larger
  int meetings = 0;
  for (std::size_t bytes = 16; bytes < 512; bytes += 16) {
    std::array<PathCache, 2> fresh;
    const std::array<std::array<PathCache*, 2>, 2> caches{
        {{&paths, &paths}, {&fresh[0], &fresh[1]}}};
    std::array<Ways, 2> found{};
    for (std::size_t i = 0; i < number(2); ++i) found[i] = both_ways(bytes, more, caches[i]);
    CHECK(found[0].paths == found[1].paths);
    CHECK(found[0].paths[0] != found[0].paths[1]);
    CHECK(stack->on_register == (inner != inner_counts_with_it));
    if (found[0].slots[0] == found[0].slots[1]) ++meetings;
  }
  CHECK(meetings > 10);
}

TEST_CASE_METHOD(Fixture, "what a function keeps in the frame pointer register does not matter") {
  std::array<std::uintptr_t, 200> values{};  // a counter, then a pointer that goes through an array
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = i < 100 ? i : reinterpret_cast<std::uintptr_t>(&values[i]);
  }
  std::array<FrameId, 200> found{};
#pragma GCC unroll 1
  for (std::size_t i = 0; i < number(values.size()); ++i) {
    call_with_register(values[i], wrapper);
    found[i] = found_path;
  }
  for (const FrameId path : found) CHECK(path == found[0]);
  CHECK(unwound == 1);
}

TEST_CASE_METHOD(Fixture, "an aligned frame hangs on the frame pointer, too") {
  // The compiler places such a frame depending on the depth of the stack.
  inner = GENERATE(inner_hangs_on_it, inner_counts_with_it, inner_leaves_it);
#pragma GCC unroll 1
  for (std::size_t k = 0; k < 64; ++k) {
    PathCache fresh;
    std::array<FrameId, 2> found{};
#pragma GCC unroll 1
    for (std::size_t i = 0; i < number(2); ++i) {
      cache = i == 0 ? &paths : &fresh;
      pad(16 + 16 * (k % 8), [&] { (k % 3 == 0 ? aligned_way : other_aligned_way)(); });
      found[i] = found_path;
    }
    REQUIRE(found[0] == found[1]);
    REQUIRE(stack->on_register == (inner != inner_counts_with_it));
  }
  CHECK(unwound < 64 + 3 * 8 * 2);
}

TEST_CASE_METHOD(Fixture, "deep recursion ends at the limit") {
  const auto found = paths_of({[] { recurse(10000); }, [] { recurse(10000); }});
  CHECK(stack->depth == Stack::kMostFrames);
  CHECK(found[0] != 0);
}

TEST_CASE_METHOD(Fixture, "on another stack only the caller is known") {
  static ucontext_t outside, inside;
  std::vector<char> memory(256 << 10);
  getcontext(&inside);
  inside.uc_stack.ss_sp = memory.data();
  inside.uc_stack.ss_size = memory.size();
  inside.uc_link = &outside;
  makecontext(
      &inside, [] { solve(); }, 0);
  swapcontext(&outside, &inside);
  CHECK(stack->depth == 1);
  CHECK_FALSE(stack->keep);
  CHECK(stack->frames[0].place >= reinterpret_cast<std::uintptr_t>(&exchange));
}

namespace {
void handler(int) { solve(); }
}  // namespace

TEST_CASE_METHOD(Fixture, "a signal handler ends the stack, on an alternate stack the caller") {
  for (const bool alternate : {false, true}) {
    std::vector<char> memory(256 << 10);
    stack_t there{};
    there.ss_sp = memory.data();
    there.ss_size = memory.size();
    stack_t before{};
    if (alternate) REQUIRE(sigaltstack(&there, &before) == 0);
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = alternate ? SA_ONSTACK : 0;
    struct sigaction old {};
    sigaction(SIGUSR1, &action, &old);
    raise(SIGUSR1);
    sigaction(SIGUSR1, &old, nullptr);
    if (alternate) {
      CHECK(stack->depth == 1);
      sigaltstack(&before, nullptr);
    } else {
      CHECK(stack_goes_through(solve));
      CHECK(stack->depth <= 4);
    }
  }
}

TEST_CASE_METHOD(Fixture, "frames are logged once, callers first, with their module") {
  solve();
  std::size_t modules = 0, frame_lines = 0;
  const auto log = [&] {
    std::string text;
    for (const auto& line : lines) text += line;
    return record::parse_definitions(text);
  };
  record::Definitions d = log();
  CHECK(d.bad_lines.empty());
  modules = d.modules.size();
  frame_lines = d.frames.size();
  CHECK(modules >= 1);
  REQUIRE(frame_lines >= 3);
  CHECK(d.frames.front().parent == 0);
  for (std::size_t i = 1; i < d.frames.size(); ++i) CHECK(d.frames[i].parent == d.frames[i - 1].id);
  CHECK(d.frames.back().id == found_path);
  CHECK(frames.outermost(found_path) == d.frames.front().id);
  for (const auto& frame : d.frames) {
    CHECK(frame.function != 0);
    CHECK(frame.function <= frame.place);
    CHECK(frame.module >= FrameTable::kFirstModule);
  }
  // The C library, which calls main, is left out.
  for (const auto& module : d.modules) CHECK(module.path.find("libc.so") == std::string::npos);
  const FrameId first = found_path;
  other();  // shares all except the last two frames
  CHECK(log().frames.size() <= frame_lines + 3);
  CHECK(found_path != first);
}

TEST_CASE_METHOD(Fixture, "the outermost functions are kept") {
  FrameTable three(3, [](const std::string& line) { lines.push_back(line); });
  solve();
  const FrameId path = three.path(*stack);
  CHECK(path == 3);
  CHECK(three.outermost(path) == 1);
  CHECK(three.outermost(0) == 0);
  CHECK(three.outermost(99) == 0);
}
