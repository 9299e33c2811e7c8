// SPDX-License-Identifier: BSD-3-Clause
// The formulas of the wait states: worked examples, then properties with random input.
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "patterns/metric/imbalance.hpp"
#include "patterns/waits/barrier_completion.hpp"
#include "patterns/waits/barrier_wait.hpp"
#include "patterns/waits/early_reduce.hpp"
#include "patterns/waits/early_scan.hpp"
#include "patterns/waits/early_wait.hpp"
#include "patterns/waits/file_wait.hpp"
#include "patterns/waits/finalize_wait.hpp"
#include "patterns/waits/init_completion.hpp"
#include "patterns/waits/late_broadcast.hpp"
#include "patterns/waits/late_contributor.hpp"
#include "patterns/waits/late_neighbor.hpp"
#include "patterns/waits/late_post.hpp"
#include "patterns/waits/late_receiver.hpp"
#include "patterns/waits/late_sender.hpp"
#include "patterns/waits/lock_contention.hpp"
#include "patterns/waits/nxn_completion.hpp"
#include "patterns/waits/polling.hpp"
#include "patterns/waits/task_starvation.hpp"
#include "patterns/waits/thread_barrier_wait.hpp"
#include "patterns/waits/thread_lock_contention.hpp"
#include "patterns/waits/thread_management.hpp"
#include "patterns/waits/thread_wake_up.hpp"
#include "patterns/waits/wait_for_progress.hpp"
#include "patterns/waits/wait_nxn.hpp"
#include "patterns/waits/window_wait.hpp"
#include "patterns/waits/wrong_order.hpp"

using namespace latecomer::patterns;

TEST_CASE("late sender: receive entered 4 before the send") {
  // The send enters at 5, the receive enters at 1 and leaves at 6: min(5, 6) - 1 = 4
  CHECK(late_sender(1, 6, 5) == 4);
}

TEST_CASE("late sender: a sender that came first makes nobody wait") {
  CHECK(late_sender(5, 6, 1) == 0);  // min(1, 6) - 5 = -4: no wait
  CHECK(late_sender(5, 6, 5) == 0);  // at the same time
}

TEST_CASE("late sender: never longer than the call") {
  // Clocks disagree: the send seems to enter at 9, after the receive ended at 6.
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

TEST_CASE("late neighbor: up to the last of those that send to it") {
  // A row 0 - 1 - 2 - 3 begins at 3 9 4 1: the latest neighbors are 9 4 9 4.
  CHECK(late_neighbor(3, 10, 9) == 6);
  CHECK(late_neighbor(9, 10, 4) == 0);
  CHECK(late_neighbor(4, 10, 9) == 5);
  CHECK(late_neighbor(1, 5, 4) == 3);
  CHECK(late_neighbor(1, 3, 4) == 2);  // min(4, 3) - 1: at most until its end
}

TEST_CASE("late post and lock contention: in the call in which it ended") {
  for (const auto formula : {late_post, lock_contention}) {
    CHECK(formula(4, 9, 7) == 3);
    CHECK(formula(4, 9, 9) == 5);
    CHECK(formula(4, 9, 4) == 0);
    CHECK(formula(4, 9, 10) == 0);
  }
}

TEST_CASE("early wait: up to the last complete; late complete: behind the last transfer") {
  CHECK(early_wait(2, 10, 8) == 6);
  CHECK(early_wait(2, 10, 12) == 8);  // clocks disagree: at most the call
  CHECK(early_wait(2, 10, 1) == 0);
  CHECK(late_complete(2, 8, 6, 6) == 2);
  CHECK(late_complete(2, 8, 1, 6) == 6);  // nothing was transferred in the call
  CHECK(late_complete(2, 8, 9, 6) == 0);
  CHECK(late_complete(2, 12, 3, 8) == 8);  // never more than the wait
}

TEST_CASE("wait at windows: only where the call synchronized") {
  // begin 3 9 4: latest 9; the earliest end is 10
  CHECK(window_wait(3, 9, 10) == 6);
  CHECK(window_wait(9, 9, 10) == 0);
  CHECK(window_wait(4, 9, 10) == 5);
  CHECK(window_wait(3, 9, 9) == 0);  // one left when the last one came
  // fence from 2, waited 6, last transfer until 5; until 9; until 1
  CHECK(early_fence(2, 5, 6) == 3);
  CHECK(early_fence(2, 9, 6) == 6);
  CHECK(early_fence(2, 1, 6) == 0);
}

TEST_CASE("wait at files: only where the call synchronized") {
  // enter 3 9 4: latest 9; the earliest leave is 10
  CHECK(file_wait(3, 9, 10) == 6);
  CHECK(file_wait(9, 9, 10) == 0);
  CHECK(file_wait(4, 9, 10) == 5);
  CHECK(file_wait(3, 9, 9) == 0);  // one left when the last one came
  CHECK(file_wait(3, 9, 5) == 0);  // or before
}

TEST_CASE("wait at barrier: up to the last arrival") {
  // begin 3 9 4: latest 9
  CHECK(barrier_wait(3, 10, 9) == 6);
  CHECK(barrier_wait(9, 10, 9) == 0);
  CHECK(barrier_wait(4, 10, 9) == 5);
  CHECK(barrier_wait(4, 7, 9) == 3);  // min(9, 7) - 4
}

TEST_CASE("late receiver: only if the send was still going on when the receive was posted") {
  CHECK(late_receiver(1, 8, 5) == 4);  // 5 - 1
  CHECK(late_receiver(1, 4, 5) == 0);  // returned before
  CHECK(late_receiver(1, 5, 5) == 0);  // at that moment
  CHECK(late_receiver(5, 8, 1) == 0);  // posted before
}

TEST_CASE("wrong order: the whole wait, if a later received message was sent earlier") {
  CHECK(wrong_order(4, 7, 3) == 4);
  CHECK(wrong_order(4, 7, 7) == 0);
  CHECK(wrong_order(4, 7, 9) == 0);
}

TEST_CASE("init completion and wait at finalize") {
  // enter 0 4 1, leave 7 6 9: from max(4, 6)
  CHECK(init_completion(7, 4, 6) == 1);
  CHECK(init_completion(6, 4, 6) == 0);
  CHECK(init_completion(9, 4, 6) == 3);
  CHECK(init_completion(9, 8, 6) == 1);  // the latest enter comes after the earliest leave
  // enter 3 9 4, leave 10 10 8
  CHECK(finalize_wait(3, 10, 9) == 6);
  CHECK(finalize_wait(9, 10, 9) == 0);
  CHECK(finalize_wait(4, 8, 9) == 4);
}

TEST_CASE("completion: behind the last begin and the first end") {
  // begin 3 9 4, end 10 12 11
  CHECK(barrier_completion(10, 9, 10) == 0);
  CHECK(barrier_completion(12, 9, 10) == 2);
  CHECK(barrier_completion(11, 13, 10) == 0);  // clocks disagree
  CHECK(nxn_completion(12, 9, 10) == 2);
  CHECK(nxn_completion(8, 9, 8) == 0);
}

TEST_CASE("rooted operations and scans") {
  CHECK(early_reduce(2, 9, 5) == 3);
  CHECK(early_reduce(2, 4, 5) == 2);  // at most until the end
  CHECK(early_reduce(6, 9, 5) == 0);
  CHECK(late_contributor(2, 9, 5, 7) == 2);
  CHECK(late_contributor(6, 9, 5, 7) == 1);  // from its own begin on
  CHECK(late_contributor(2, 6, 5, 7) == 1);  // at most until the end
  CHECK(late_contributor(2, 4, 5, 7) == 0);
  CHECK(late_contributor(8, 9, 5, 7) == 0);
  CHECK(late_contributor(2, 9, 5, 5) == 0);  // a single one
  CHECK(late_broadcast(3, 11, 8) == 5);
  CHECK(late_broadcast(9, 12, 8) == 0);
  CHECK(early_scan(2, 9, 4) == 2);
  CHECK(early_scan(6, 9, 6) == 0);
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
      // No process waits beyond the event that ends the wait.
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
    const Ticks end = last + 1;  // a correct barrier: no rank leaves before the last enter
    for (const Ticks b : begin) {
      REQUIRE(barrier_wait(b, end, last) == last - b);
      REQUIRE(barrier_wait(b, end, last) <= barrier_wait(first, end, last));
    }
    REQUIRE(barrier_wait(last, end, last) == 0);
  }
}

TEST_CASE("threads: barriers, locks, teams") {
  CHECK(thread_barrier_wait(1, 7, 6, 0) == 5);
  CHECK(thread_barrier_wait(6, 7, 6, 0) == 0);
  CHECK(thread_barrier_wait(4, 7, 6, 2) == 0);
  CHECK(thread_barrier_wait(1, 4, 6, 1) == 2);  // at most the time in the call
  CHECK(thread_lock_contention(2, 6, 5) == 3);
  CHECK(thread_lock_contention(2, 4, 5) == 2);
  CHECK(thread_lock_contention(2, 6, 1) == 0);
  CHECK(thread_wake_up(2, 6, 5) == 3);
  CHECK(thread_wake_up(2, 4, 5) == 2);  // at most the time in the call
  CHECK(thread_wake_up(2, 6, 1) == 0);
  CHECK(fork_time(1, 4) == 3);
  CHECK(fork_time(4, 1) == 0);
  CHECK(join_time(4, 6) == 2);
}

TEST_CASE("wait for progress: until the target enters MPI, behind a lock") {
  // unlock 4..10, the target enters at 9
  CHECK(wait_for_progress(4, 10, 9, 0) == 5);
  CHECK(wait_for_progress(4, 10, 9, 2) == 3);   // it had waited 2 for the lock
  CHECK(wait_for_progress(4, 10, 9, 6) == 0);   // or until after 9
  CHECK(wait_for_progress(4, 10, 10, 0) == 0);  // over before: the target was not needed
}

TEST_CASE("polling: each test up to the time when it could succeed") {
  // Until 7: tests 1..2 and 4..6 are unsuccessful, 6.5..8 completes. In halves: 2 + 4 + 1
  CHECK(polled(2, 4, 14) + polled(8, 12, 14) + polled(13, 16, 14) == 7);
  CHECK(polled(15, 16, 14) == 0);
}

TEST_CASE("computational imbalance: what is above and below the average") {
  // 9, 3 and nothing (not visited): the average is 12 / 3 = 4.
  const Participation all{.locations = 3, .visitors = 2, .computation = 12};
  CHECK(imbalance(9, true, all).above == 5);
  CHECK(imbalance(9, true, all).single == 0);
  CHECK(imbalance(3, true, all).below == 1);
  CHECK(imbalance(3, true, all).bypass == 0);
  CHECK(imbalance(0, false, all).below == 4);
  CHECK(imbalance(0, false, all).bypass == 4);
  CHECK(imbalance(0, false, all).singularity == 0);
}

TEST_CASE("computational imbalance: one participant works 12, three could share it: average 3") {
  const Participation all{.locations = 4, .visitors = 1, .computation = 12};
  CHECK(imbalance(12, true, all).above == 9);
  CHECK(imbalance(12, true, all).single == 9);
  CHECK(imbalance(0, false, all).below == 3);
  CHECK(imbalance(0, false, all).singularity == 3);
  CHECK(imbalance(0, false, {}).below == 0);  // a run without locations
}

TEST_CASE("computational imbalance: above and below are equal in sum, but for rounding") {
  std::mt19937_64 random(11);
  for (int run = 0; run < 200; ++run) {
    std::vector<Duration> times(1 + random() % 9);
    Participation all{.locations = times.size()};
    for (auto& time : times) {
      time = static_cast<Duration>(random() % 1000);
      all.computation += time;
      if (time > 0) ++all.visitors;
    }
    Duration above = 0, below = 0;
    for (const auto time : times) {
      const auto parts = imbalance(time, time > 0, all);
      CHECK((parts.above == 0 || parts.below == 0));
      CHECK((parts.single == 0 || parts.single == parts.above));
      CHECK((parts.bypass == 0 || parts.bypass == parts.below));
      CHECK(parts.singularity <= parts.bypass);
      above += parts.above;
      below += parts.below;
    }
    CHECK(std::abs(above - below) <= static_cast<Duration>(times.size()) / 2);
  }
}

TEST_CASE("task starvation: no task, and none that waits for a thread") {
  // Tasks 2..5, 9..11 (created at 8, when the thread had none), 12..13 (created at 1).
  const std::vector<OwnTask> own = {{2, 5, 0}, {9, 11, 8}, {12, 13, 1}};
  CHECK(task_starvation(2, 20, own) == std::vector<Starved>{{5, 8}, {13, 20}});
  // The last task of the others ends at 7, or before this thread came.
  CHECK(task_starvation(2, 7, own) == std::vector<Starved>{{5, 7}});
  CHECK(task_starvation(6, 5, {}).empty());
  // A thread that has no task of its own waits all the time.
  CHECK(task_starvation(2, 20, {}) == std::vector<Starved>{{2, 20}});
  // A task that began before the last thread came to the barrier.
  CHECK(task_starvation(4, 20, std::vector<OwnTask>{{2, 6, 1}}) == std::vector<Starved>{{6, 20}});
}

TEST_CASE("task starvation of random tasks lies in the time without a task") {
  std::mt19937 random(1);
  const auto below = [&](unsigned limit) { return static_cast<Ticks>(random() % limit); };
  for (int round = 0; round < 10'000; ++round) {
    std::vector<OwnTask> own;
    Ticks at = below(20);
    for (auto tasks = below(5); tasks > 0; --tasks) {
      const Ticks begin = at + below(10), end = begin + below(10);
      own.push_back({begin, end, begin - below(20)});
      at = end;
    }
    const Ticks from = below(40), until = below(80);
    Ticks last = from, sum = 0;
    for (const auto& [begin, end] : task_starvation(from, until, own)) {
      CHECK((begin >= last && begin < end && end <= until));
      for (const auto& task : own) CHECK((task.end <= begin || task.begin >= end));
      last = end;
      sum += end - begin;
    }
    Ticks without = std::max<Ticks>(0, until - from);
    for (const auto& task : own) {
      without -= std::max<Ticks>(0, std::min(task.end, until) - std::max(task.begin, from));
    }
    CHECK(sum <= without);
  }
}
