// SPDX-License-Identifier: BSD-3-Clause
// Random constructs of threads, in construct words or record by record.
#pragma once

#include <cstdint>
#include <random>

#include "tracer/record/construct_words.hpp"
#include "tracer/record/extended.hpp"
#include "tracer/record/writer.hpp"

namespace latecomer::test {

// Writes the same records in both forms, from the same seed. Parallel regions and loops have the
// regions kFirst, kFirst + 2 and so on, and the one after each.
class RandomConstructs {
 public:
  static constexpr record::RegionId kFirst = 4096;
  static constexpr unsigned kPlaces = 5;  // of each kind

  RandomConstructs(record::ThreadWriter& w, bool one_by_one, unsigned seed)
      : w_(w), one_by_one_(one_by_one), random_(seed) {}

  // One construct. `t` is the time of the last record.
  void step(record::Ticks& t) {
    const auto place = static_cast<record::RegionId>(kFirst + 2 * below(kPlaces));
    switch (below(4)) {
      case 0:
        make_team(place, t);
        break;
      case 1:
        join_team(place, t);
        break;
      case 2:
        work(place, t);
        break;
      default:
        critical(place, t);
    }
  }
  void make_team(record::RegionId place, record::Ticks& t) {
    const record::TeamPart team{place, place + 1, next_team(), 2};
    const record::Ticks fork = later(t), begun = later(t);
    if (one_by_one_) {
      w_.extended_words(record::kTeamBegun, begun, record::two_halves(place, team.number),
                        to_word(record::MakerWord{true, 2, begun - fork}));
    } else {
      w_.team_begun(team, fork, begun);
    }
    inside(t);
    arrive(team, later(t));
    const record::Ticks end = later(t);
    if (!one_by_one_) return w_.team_left(team, end);
    w_.leave(team.barrier, end);
    w_.leave(team.parallel, end);
  }
  void join_team(record::RegionId place, record::Ticks& t) {
    const record::TeamPart team{place, place + 1, next_team(), 0};
    const record::Ticks begun = later(t);
    if (one_by_one_) {
      w_.extended_words(record::kTeamBegun, begun, record::two_halves(place, team.number));
    } else {
      w_.team_joined(team, begun);
    }
    inside(t);
    arrive(team, later(t));
  }
  void work(record::RegionId place, record::Ticks& t) {
    w_.enter(place, later(t));
    inside(t);
    const record::Ticks begin = later(t), end = later(t);
    if (!one_by_one_) {
      w_.work_barrier(place, place + 1, begin);
      w_.work_barrier_left(place, place + 1, end);
      return w_.work_left(place, place + 1, end);
    }
    w_.enter(place + 1, begin);
    w_.leave(place + 1, end);
    w_.leave(place, end);
  }
  void critical(record::RegionId place, record::Ticks& t) {
    const record::RegionId block = place + 1;
    holders_ += below(8) == 0 ? 300 : below(3);
    const std::uint32_t lock = place % 7, number = holders_++;
    const record::Ticks wanted = later(t), acquired = later(t);
    if (one_by_one_) {
      w_.enter(place, wanted);
      w_.extended_words(record::kLockAcquired, acquired, record::two_halves(lock, number));
      w_.enter(block, acquired);
    } else {
      w_.lock_wanted(place, block, lock, number, wanted);
      w_.lock_acquired(place, block, lock, number, acquired);
    }
    inside(t);
    const record::Ticks released = later(t), left = later(t);
    if (!one_by_one_) {
      w_.lock_released(place, block, lock, number, released);
      return w_.lock_left(place, lock, left);
    }
    w_.leave(block, released);
    w_.extended_words(record::kLockReleased, released, record::two_halves(lock, number));
    w_.leave(place, left);
  }

 private:
  [[nodiscard]] std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>(random_() % n);
  }
  // Most times are short.
  record::Ticks later(record::Ticks& t) {
    constexpr record::Ticks kMost = 4'000;
    switch (below(16)) {
      case 0:
        return t += std::uint64_t{random_()} % (record::Ticks{1} << 26);
      case 1:
        return t += below(6'000);
      default:
        return t += below(kMost / 16);
    }
  }
  std::uint32_t next_team() { return team_ += below(10) == 0 ? 1 + below(50) : 1; }
  // Something else is recorded inside now and then.
  void inside(record::Ticks& t) {
    if (below(4) != 0) return;
    w_.enter(3, later(t));
    w_.leave(3, later(t));
  }
  void arrive(const record::TeamPart& team, record::Ticks t) {
    if (!one_by_one_) return w_.team_arrived(team, t);
    w_.extended_words(record::kTeamArrived, t, record::two_halves(team.barrier, team.number));
  }

  record::ThreadWriter& w_;
  bool one_by_one_;
  std::mt19937 random_;
  std::uint32_t team_ = 0, holders_ = 0;
};

}  // namespace latecomer::test
