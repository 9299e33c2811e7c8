// SPDX-License-Identifier: BSD-3-Clause
// What waits cost later: costs on their way back from wait to wait.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <tuple>
#include <vector>

#include "analyzer/causes/ratio.hpp"
#include "analyzer/causes/wait_graph.hpp"

namespace latecomer::causes {

// Visits waits, latest first. A wait hands costs to all waits of its cause in an interval, each in
// proportion to its length: so an interval is one factor, and what a wait gets is its length times
// the sum of the factors of the intervals it lies in. Factors are integers in units of 2^-40.
class CostChains {
 public:
  CostChains(std::size_t locations, bool point_to_point_only)
      : point_to_point_only_(point_to_point_only), intervals_(locations) {}

  // `number` is what the wait is called in `chains`.
  void visit(const GraphWait& wait, std::uint32_t number, Chains& chains);

 private:
  using Factor = Wide;
  static constexpr std::size_t kKinds = patterns::kWaitKinds.size();

  // A set of kinds: few of them occur at a time.
  class Kinds {
   public:
    void add(std::size_t kind) { bits_ |= std::uint32_t{1} << kind; }
    void remove(std::size_t kind) { bits_ &= ~(std::uint32_t{1} << kind); }
    template <typename F>
    void for_each(F&& f) const {
      for (auto rest = bits_; rest != 0; rest &= rest - 1) {
        f(static_cast<std::size_t>(std::countr_zero(rest)));
      }
    }

   private:
    static_assert(kKinds <= 32);
    std::uint32_t bits_ = 0;
  };

  // The intervals of one location in which the waits that come next may lie. Waits come in
  // descending order of their points.
  class Intervals {
   public:
    // From the point `first` on.
    void add(std::uint32_t first, WaitKind kind, Factor factor);
    void add_scale(std::uint32_t first, Factor scale) { scales_.push({first, scale}); }
    // Leaves what begins behind the point.
    void reach(std::uint32_t point);
    [[nodiscard]] const Kinds& carried() const { return carried_; }
    [[nodiscard]] bool empty() const { return left_ == open_.size(); }
    [[nodiscard]] Factor sum(std::size_t kind) const { return sum_[kind]; }
    [[nodiscard]] Factor largest_scale() const { return scales_.empty() ? 0 : scales_.top().scale; }

   private:
    struct Open {
      std::uint32_t first = 0;
      WaitKind kind = WaitKind::kLateSender;
      Factor factor = 0;
    };
    struct Scale {
      std::uint32_t first = 0;
      Factor scale = 0;
      friend bool operator<(const Scale& a, const Scale& b) {
        return std::tie(a.scale, b.first) < std::tie(b.scale, a.first);
      }
    };
    // Descending: what comes next mostly begins before all others. The first ones are left.
    std::vector<Open> open_;
    std::size_t left_ = 0;
    std::priority_queue<Scale> scales_;
    std::array<Factor, kKinds> sum_{};
    std::array<std::uint32_t, kKinds> count_{};
    Kinds carried_;  // those of which there are any
  };

  // What a wait hands on, and to whom.
  struct Handed {
    Ticks event = 0;
    std::uint32_t to = 0, first = 0;  // location, and its first point
    WaitKind kind = WaitKind::kLateSender;
    Factor scale = 0;
  };
  struct Load : Handed {  // for later
    std::array<Factor, kKinds> factors{};
    friend bool operator<(const Load& a, const Load& b) { return a.event < b.event; }
  };
  void add(const Handed& handed, std::size_t kind, Factor factor);
  void add_scale(const Handed& handed);
  void hand_on(const Load& load);

  bool point_to_point_only_;
  std::vector<Intervals> intervals_;  // by location
  // Of waits that came before their events: what their causes waited after these is none of theirs.
  std::priority_queue<Load> early_;
};

}  // namespace latecomer::causes
