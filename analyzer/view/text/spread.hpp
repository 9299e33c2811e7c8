// SPDX-License-Identifier: BSD-3-Clause
// Describes the distribution of time over many ranks, when each rank has only a small part of it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace latecomer::view {

// The part of a time that one rank has.
struct RankShare {
  std::uint32_t rank = 0;
  double seconds = 0;
};

// Places of the ranks: names of nodes and metahosts, and the number of ranks on each.
class RankPlaces {
 public:
  // Adds a rank. A rank that is already known is ignored, so threads may be added one by one.
  void add(std::uint32_t rank, const std::string& node, const std::string& metahost);
  [[nodiscard]] std::size_t ranks() const { return of_rank_.size(); }

  // Metahosts or nodes with more than their part: "juelich 90%", "nodes n17 12%, n18 11%".
  // Otherwise "evenly over 65,000 ranks" or "half of it on 1,200 of 65,536 ranks". Empty if the
  // ranks themselves say more: there are at most 100, or one of them has at least 1 %. `shares` is
  // sorted, largest first.
  [[nodiscard]] std::string spread(std::span<const RankShare> shares) const;

 private:
  struct Place {
    std::string name;
    std::size_t ranks = 0;
  };
  struct Of {
    std::size_t node = 0, metahost = 0;
  };
  static std::size_t place(std::vector<Place>& places, std::map<std::string, std::size_t>& by_name,
                           const std::string& key, const std::string& name);
  // Names the places with at least `times` their part of `all`, largest first; empty unless they
  // have `least` of it together. `seconds` is by place.
  [[nodiscard]] static std::string uncommon(const std::vector<Place>& places,
                                            const std::vector<double>& seconds, double all,
                                            std::size_t ranks, double times, double least);

  std::vector<Place> nodes_, metahosts_;
  std::map<std::string, std::size_t> node_by_name_, metahost_by_name_;
  std::map<std::uint32_t, Of> of_rank_;
};

}  // namespace latecomer::view
