// SPDX-License-Identifier: BSD-3-Clause
// Full chunks that are stored between the records of a thread. The events of these flushes stand
// where they fit, whatever was going on.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "tests/convert/converted.hpp"

using namespace latecomer;
using namespace latecomer::test;

namespace {

record::Ticks at = 0;  // a clock that advances three ticks at each reading
record::Ticks slow_clock() { return at += 3; }

// The events of the main thread of rank 0.
Lines events(Experiment& experiment) {
  experiment.finish();
  const Converted c = converted(experiment);
  CHECK(c.archive.errors.empty());
  CHECK(c.report.notes.empty());  // no event had to be moved
  return c.archive.location(0).events;
}

// Calls of all sorts from changing functions, with recording off now and then.
class RandomCalls {
 public:
  RandomCalls(Experiment& e, unsigned seed, bool timed) : w_(e.thread(0)), random_(seed) {
    if (timed) w_.time_flushes(slow_clock);
    at = now_;
    for (std::uint32_t id = 1; id <= kFrames; ++id) {
      e.add(0, record::FrameDefinition{id, id / 2, 1, id, 0});
      e.add(0, record::FrameFunction{id, 0, "f" + std::to_string(id), "", "f.c", 5});
    }
    for (int i = 0; i < 2000; ++i) call();
  }

 private:
  static constexpr std::uint32_t kFrames = 7;

  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
  // The program does nothing while a chunk is stored.
  record::Ticks next() {
    now_ = std::max(now_ + below(3) * below(10), at);
    return at = now_;
  }
  void call() {
    const auto function = mpi(below(2) == 0 ? "MPI_Comm_dup" : "MPI_Sendrecv");
    if (below(3) == 0) w_.call_path(1 + below(kFrames));
    const auto begin = next();
    w_.enter(function, begin);
    unsuccessful_ =
        !unsuccessful_ && below(4) == 0;  // a flush divides a streak of unsuccessful tests
    if (unsuccessful_) return w_.leave_unsuccessful(function, next());
    switch (below(5)) {
      case 0:
        w_.collective_begin(begin);
        for (auto n = below(3); n > 0; --n) w_.comm_destroy(1, next());
        if (below(4) != 0)
          w_.collective_end({0, 0, record::kRootNone, 0, 0}, next());  // or it failed
        break;
      case 1:
        w_.send({0, 0, 7, 64}, begin);
        w_.recv({0, 0, 7, 64}, next());
        break;
      case 2:
        w_.request_test(below(9), begin);
        break;
      case 3:
        w_.measurement(false, next());
        w_.leave(function, next());
        w_.measurement(true, next());
        return;
      default:
        break;
    }
    w_.leave(function, next());
  }

  record::ThreadWriter& w_;
  std::mt19937 random_;
  record::Ticks now_ = 100;
  bool unsuccessful_ = false;
};

bool is_flush(const std::string& line) {
  return line.find(" BufferFlush until ") != std::string::npos;
}

// The events without times and without what depends on them.
Lines in_order(const Lines& lines) {
  Lines out;
  for (const auto& line : lines) {
    if (is_flush(line)) continue;
    out.push_back(line.substr(line.find(' '), line.find(" calls ") - line.find(' ')));
  }
  return out;
}

// Times never decrease. Returns the number of flushes.
int check_times(const Lines& lines) {
  int flushes = 0;
  record::Ticks last = 0;
  bool increase = true;
  for (const auto& line : lines) {
    increase = increase && std::stoull(line) >= last;
    last = std::stoull(is_flush(line) ? line.substr(line.rfind(' ')) : line);
    if (is_flush(line)) ++flushes;
  }
  CHECK(increase);
  return flushes;
}

}  // namespace

TEST_CASE("flushes are between the calls, also where the begin of a call makes one") {
  // A chunk has 4096 bytes. Calls take ten ticks and begin every four million, so that enter and
  // leave do not share a word (kVisit). The clock is read only before and after a flush: 3 ticks
  // after the event that does not fit, and 6.
  Experiment e(1);
  auto& w = e.thread(0);
  w.time_flushes(slow_clock);
  constexpr record::Ticks kStep = 4'000'000;
  for (record::Ticks t = 100; t < 100 + kStep * 2000; t += kStep) {
    at = t;
    w.enter(mpi("MPI_Barrier"), t);
    if (t % 7 == 0) w.collective_begin(t);  // so that each kind of record meets the end of a chunk
    at = t + 10;
    w.leave(mpi("MPI_Barrier"), t + 10);
  }
  const Lines all = events(e);
  int at_enter = 0, at_leave = 0;
  for (std::size_t i = 1; i + 1 < all.size(); ++i) {
    const auto flush = all[i].find(" BufferFlush until ");
    if (flush == std::string::npos) continue;
    const record::Ticks begin = std::stoull(all[i]), t = begin - 3;
    CHECK(all[i].substr(flush) == " BufferFlush until " + std::to_string(t + 6));
    if (t % 20 == 0 && all[i + 1].ends_with("Enter MPI_Barrier")) {  // it begins after the flush
      ++at_enter;
      CHECK(all[i + 1] == std::to_string(t + 6) + " Enter MPI_Barrier");
      CHECK(all[i + 2] == std::to_string(t + 10) + " Leave MPI_Barrier");
    } else if (t % 20 == 10) {
      ++at_leave;
      CHECK(all[i - 1] == std::to_string(t) + " Leave MPI_Barrier");
    } else {  // at a record inside the call
      CHECK(all[i - 1] == std::to_string(t) + " Enter MPI_Barrier");
    }
  }
  CHECK(at_enter > 0);
  CHECK(at_leave > 0);
}

TEST_CASE("flushes inside of collective operations") {
  // This case has all records of a call at different times. A flush may happen at the
  // begin of the operation, or at a change of communicators in it: before its end is known.
  Experiment e(1);
  auto& w = e.thread(0);
  w.time_flushes(slow_clock);
  for (record::Ticks t = 100; t < 100 + 40 * 3000; t += 40) {
    at = t;
    w.enter(mpi("MPI_Comm_dup"), t);
    if (t % 7 == 0) w.request_test(1, t);  // so that each kind of record meets the end of a chunk
    w.collective_begin(t);
    at = t + 10;
    w.comm_destroy(1, t + 10);
    at = t + 20;
    w.collective_end({0, 0, record::kRootNone, 0, 0}, t + 20);
    at = t + 30;
    w.leave(mpi("MPI_Comm_dup"), t + 30);
  }
  const Lines all = events(e);
  check_times(all);
  int inside = 0;
  bool open = false;
  for (const auto& line : all) {
    if (line.find("MpiCollectiveBegin") != std::string::npos) open = true;
    if (line.find("MpiCollectiveEnd") != std::string::npos) open = false;
    if (!is_flush(line)) continue;
    CHECK(line.ends_with(" BufferFlush until " + std::to_string(std::stoull(line) + 3)));
    if (open) ++inside;
  }
  CHECK(inside > 5);
}

TEST_CASE("a flush right behind the end of recording") {
  // The function is left when recording ended, whatever was stored since then.
  Experiment e(1);
  auto& w = e.thread(0);
  w.time_flushes(slow_clock);
  for (record::Ticks t = 100; t < 100 + 40 * 3000; t += 40) {
    at = t;
    w.enter(mpi("MPI_Pcontrol"), t);
    at = t + 10;
    w.measurement(false, t + 10);
    at = t + 20;
    if (t % 7 == 0) w.request_test(1, t + 20);
    w.leave(mpi("MPI_Pcontrol"), t + 20);
    at = t + 30;
    w.measurement(true, t + 30);
  }
  CHECK(check_times(events(e)) > 10);
}

TEST_CASE("flushes in random programs: times never decrease, and nothing else changes") {
  const char* const wanted = std::getenv("LATECOMER_RANDOM_PROGRAMS");
  const int programs = wanted != nullptr ? std::atoi(wanted) : 100;
  int flushes = 0;
  for (int seed = 1; seed <= programs; ++seed) {
    INFO("seed " << seed);
    Experiment timed(1), plain(1);
    RandomCalls(timed, static_cast<unsigned>(seed), true);
    RandomCalls(plain, static_cast<unsigned>(seed), false);
    const Lines found = events(timed);
    const bool same = in_order(found) == in_order(events(plain));
    CHECK(same);
    flushes += check_times(found);
  }
  CHECK(flushes > 10 * programs);
}
