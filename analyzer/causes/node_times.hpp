// SPDX-License-Identifier: BSD-3-Clause
// Times by node of a call tree, kept for a short while.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/trace/events/location_events.hpp"

namespace latecomer::causes {

// Remembers which nodes were touched, even if their time is 0 again. Reused without reallocation.
class NodeTimes {
  using Word = std::uint64_t;
  static constexpr std::uint32_t kPerWord = 64;

 public:
  // Makes many additions in a row fast. What they need stays in registers, including the bits of
  // the first 64 nodes, which are all nodes of most call trees.
  class Adding {
   public:
    explicit Adding(NodeTimes& to)
        : times_(to.times_.data()), touched_(to.touched_.data()), first_(touched_[0]) {}
    Adding(const Adding&) = delete;
    Adding& operator=(const Adding&) = delete;
    ~Adding() { touched_[0] = first_; }
    void add(std::uint32_t node, trace::Ticks time) {
      times_[node] += time;
      if (node < kPerWord) {
        first_ |= Word{1} << node;
      } else {
        touched_[node / kPerWord] |= Word{1} << (node % kPerWord);
      }
    }

   private:
    trace::Ticks* const times_;
    Word* const touched_;
    Word first_;
  };

  explicit NodeTimes(std::size_t nodes) : times_(nodes), touched_(nodes / kPerWord + 1) {}
  void add(std::uint32_t node, trace::Ticks time) { Adding(*this).add(node, time); }
  // Sets all times to those of `a` minus those of `b`. Until the times are cleared, a node then
  // counts as touched if its time is not 0.
  void put_difference(const trace::Ticks* a, const trace::Ticks* b) {
    trace::Ticks* const times = times_.data();
    const std::size_t nodes = times_.size();
    for (std::size_t n = 0; n < nodes; ++n) times[n] = a[n] - b[n];
    by_time_ = true;
  }
  // Adds time to one node after put_difference().
  void put_more(std::uint32_t node, trace::Ticks time) { times_[node] += time; }
  // Calls f(node, time) for the nodes that were touched, in ascending order.
  template <typename F>
  void for_each(F&& f) const {
    if (by_time_) {
      const trace::Ticks* const times = times_.data();
      const auto nodes = static_cast<std::uint32_t>(times_.size());
      for (std::uint32_t node = 0; node < nodes; ++node) {
        if (times[node] != 0) f(node, times[node]);
      }
      return;
    }
    for (std::uint32_t w = 0; w < touched_.size(); ++w) {
      for (Word rest = touched_[w]; rest != 0; rest &= rest - 1) {
        const auto node = w * kPerWord + static_cast<std::uint32_t>(std::countr_zero(rest));
        f(node, times_[node]);
      }
    }
  }
  // Calls f(node, excess) for the touched nodes with more time than `other` has there.
  template <typename F>
  void for_each_longer_than(const NodeTimes& other, F&& f) const {
    const trace::Ticks *const times = times_.data(), *const others = other.times_.data();
    const auto nodes = static_cast<std::uint32_t>(times_.size());
    for (std::uint32_t node = 0; node < nodes; ++node) {
      if (times[node] > others[node] && is_touched(node)) f(node, times[node] - others[node]);
    }
  }
  [[nodiscard]] trace::Ticks operator[](std::uint32_t node) const { return times_[node]; }
  void clear() {
    for_each([&](std::uint32_t node, trace::Ticks) { times_[node] = 0; });
    for (Word& touched : touched_) touched = 0;
    by_time_ = false;
  }

 private:
  [[nodiscard]] bool is_touched(std::uint32_t node) const {
    if (by_time_) return times_[node] != 0;
    return ((touched_[node / kPerWord] >> (node % kPerWord)) & 1) != 0;
  }
  std::vector<trace::Ticks> times_;
  std::vector<Word> touched_;
  bool by_time_ = false;
};

}  // namespace latecomer::causes
