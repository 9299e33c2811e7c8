// SPDX-License-Identifier: BSD-3-Clause
// The formulas of the wait states: worked examples, then properties on random input.
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "patterns/barrier_wait.hpp"
#include "patterns/late_sender.hpp"
#include "patterns/wait_nxn.hpp"

using namespace latecomer::patterns;

TEST_CASE("late sender: receive entered 4 before the send") {
  // send enters at 5, receive enters at 1 and leaves at 6: min(5, 6) - 1 = 4
  CHECK(late_sender(1, 6, 5) == 4);
}

TEST_CASE("late sender: a sender that came first makes nobody wait") {
  CHECK(late_sender(5, 6, 1) == 0);  // min(1, 6) - 5 = -4: no wait
  CHECK(late_sender(5, 6, 5) == 0);  // at the same time
}

TEST_CASE("late sender: never longer than the call") {
  // Clocks that disagree: the send seems to enter at 9, after the receive was over at 6.
  CHECK(late_sender(1, 6, 9) == 5);  // min(9, 6) - 1
}

TEST_CASE("wait at n x n: up to the last contributor") {
  // begin 3 9 4, end 10 11 8, latest begin 9
  CHECK(wait_nxn(3, 10, 9) == 6);  // min(9, 10) - 3
  CHECK(wait_nxn(9, 11, 9) == 0);  // the last one itself
  CHECK(wait_nxn(4, 8, 9) == 4);   // min(9, 8) - 4: at most until its end
}

TEST_CASE("wait at n x n: a process that contributes nothing may come last without waiting") {
  // It begins at 12, the last contributor began at 9.
  CHECK(wait_nxn(12, 13, 9) == 0);
}

TEST_CASE("wait at barrier: up to the last arrival") {
  // begin 3 9 4: latest 9
  CHECK(barrier_wait(3, 10, 9) == 6);
  CHECK(barrier_wait(9, 10, 9) == 0);
  CHECK(barrier_wait(4, 10, 9) == 5);
  CHECK(barrier_wait(4, 7, 9) == 3);  // min(9, 7) - 4
}

TEST_CASE("times before the start of the trace are times like any other") {
  // Corrected clocks may give negative ticks: send enters at -2, receive -10 .. -1, wait 8.
  CHECK(late_sender(-10, -1, -2) == 8);
  CHECK(barrier_wait(-10, 5, 0) == 10);
}

TEST_CASE("waits lie between zero and the time inside the call") {
  std::mt19937 random(20240607);
  std::uniform_int_distribution<Ticks> when(-1000, 1000), length(0, 500);
  for (int i = 0; i < 20000; ++i) {
    const Ticks enter = when(random), leave = enter + length(random), other = when(random);
    for (const Duration wait : {late_sender(enter, leave, other), wait_nxn(enter, leave, other),
                                barrier_wait(enter, leave, other)}) {
      REQUIRE(wait >= 0);
      REQUIRE(wait <= leave - enter);
      // Nobody waits beyond the event that ends the wait.
      REQUIRE(enter + wait <= std::max(enter, other));
    }
  }
}

TEST_CASE("moving all clocks together changes no wait") {
  std::mt19937 random(7);
  std::uniform_int_distribution<Ticks> when(0, 1000), length(0, 500), shift(-100000, 100000);
  for (int i = 0; i < 5000; ++i) {
    const Ticks enter = when(random), leave = enter + length(random), other = when(random);
    const Ticks by = shift(random);
    REQUIRE(late_sender(enter, leave, other) == late_sender(enter + by, leave + by, other + by));
    REQUIRE(wait_nxn(enter, leave, other) == wait_nxn(enter + by, leave + by, other + by));
    REQUIRE(barrier_wait(enter, leave, other) == barrier_wait(enter + by, leave + by, other + by));
  }
}

TEST_CASE("at a barrier the last one never waits and the first one waits longest") {
  std::mt19937 random(99);
  std::uniform_int_distribution<Ticks> when(0, 1000);
  std::uniform_int_distribution<std::size_t> ranks(2, 40);
  for (int i = 0; i < 500; ++i) {
    std::vector<Ticks> begin(ranks(random));
    for (auto& b : begin) b = when(random);
    const Ticks first = *std::ranges::min_element(begin), last = *std::ranges::max_element(begin);
    const Ticks end = last + 1;  // a correct barrier: nobody leaves before the last has come
    for (const Ticks b : begin) {
      REQUIRE(barrier_wait(b, end, last) == last - b);
      REQUIRE(barrier_wait(b, end, last) <= barrier_wait(first, end, last));
    }
    REQUIRE(barrier_wait(last, end, last) == 0);
  }
}
