// SPDX-License-Identifier: BSD-3-Clause
// The later costs of waits: they are passed back from each wait to the waits that caused it.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <tuple>
#include <vector>

#include "analyzer/causes/wait_graph.hpp"
#include "analyzer/memory/ratio.hpp"

namespace latecomer::causes {

// Visits waits, latest first. A wait hands costs to all waits of its cause in an interval of
// points, each in proportion to its length. An interval is therefore one factor. The cost of a
// wait is its length times the sum of the factors of all intervals around it. Factors are
// integers in units of 2^-40.
//
//   wait of rank 1: 6 s; its cause, rank 0, worked 2 s longer and waited 4 s: sum 6
//   factor 6/6 = 1 for the points of rank 0; a wait of 4 s among them costs 4 s
class CostChains {
 public:
  CostChains(std::size_t locations, bool point_to_point_only)
      : point_to_point_only_(point_to_point_only), intervals_(locations) {}

  // `number` is the number of the wait in `chains`.
  void visit(const GraphWait& wait, std::uint32_t number, Chains& chains);

 private:
  using Factor = memory::Wide;
  static constexpr std::size_t kKinds = patterns::kWaitKindCount;

  // A set of kinds of waits, one bit each. Few of them occur at a time.
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

  // The open intervals of one location: those that may contain the next waits. Waits come in
  // descending order of their points.
  class Intervals {
   public:
    // The interval begins at the point `first` and contains the waits visited from now on.
    void add(std::uint32_t first, WaitKind kind, Factor factor);
    void add_scale(std::uint32_t first, Factor scale) { scales_.push({first, scale}); }
    // This interval ends before the point `last`: waits there or later, visited from now on, are
    // out.
    void add_until(std::uint32_t last, std::uint32_t first, WaitKind kind, Factor factor) {
      later_.push({last, first, kind, false, factor});
    }
    void add_scale_until(std::uint32_t last, std::uint32_t first, Factor scale) {
      later_.push({last, first, WaitKind::kLateSender, true, scale});
    }
    // Closes the intervals that begin after the point, and opens those that end after it.
    void reach(std::uint32_t point);
    [[nodiscard]] const Kinds& carried() const { return carried_; }
    [[nodiscard]] bool empty() const { return left_ == open_.size(); }
    [[nodiscard]] Factor sum(std::size_t kind) const { return sum_[kind]; }
    [[nodiscard]] Factor largest_scale() const { return scales_.empty() ? 0 : scales_.top().scale; }

   private:
    // An interval from the point `first` on.
    struct Open {
      std::uint32_t first = 0;
      WaitKind kind = WaitKind::kLateSender;
      Factor factor = 0;
    };
    // Scale of an interval; the queue has the largest one on top.
    struct Scale {
      std::uint32_t first = 0;
      Factor scale = 0;
      friend bool operator<(const Scale& a, const Scale& b) {
        return std::tie(a.scale, b.first) < std::tie(b.scale, a.first);
      }
    };
    // An interval that is not open yet. The queue has the one on top that ends last.
    struct Later {
      std::uint32_t last = 0, first = 0;
      WaitKind kind = WaitKind::kLateSender;
      bool is_scale = false;
      Factor factor = 0;
      friend bool operator<(const Later& a, const Later& b) { return a.last < b.last; }
    };
    void open_next();

    // In descending order of `first`: a new interval usually begins before all others. The first
    // `left_` elements are closed.
    std::vector<Open> open_;
    std::size_t left_ = 0;
    std::priority_queue<Scale> scales_;
    std::priority_queue<Later> later_;
    std::array<Factor, kKinds> sum_{};
    std::array<std::uint32_t, kKinds> count_{};
    Kinds carried_;  // kinds with an open interval
  };

  // Receiver of the costs of a wait: an interval of the points of a location.
  struct Handed {
    Ticks event = 0;
    std::uint32_t to = 0, first = 0, last = 0;  // location and interval of its points
    WaitKind kind = WaitKind::kLateSender;
    Factor scale = 0;
  };
  struct Load : Handed {  // kept until its event is reached
    std::array<Factor, kKinds> factors{};
    friend bool operator<(const Load& a, const Load& b) { return a.event < b.event; }
  };
  void add(const Handed& handed, std::size_t kind, Factor factor);
  void add_scale(const Handed& handed);
  void hand_on(const Load& load);

  bool point_to_point_only_;
  std::vector<Intervals> intervals_;  // by location
  // Waits that were seen later than their events happened. They must not pass costs to waits of
  // their causes that came after the event, so they are held back until the walk reaches it.
  std::priority_queue<Load> early_;
};

}  // namespace latecomer::causes
