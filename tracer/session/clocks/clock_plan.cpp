// SPDX-License-Identifier: BSD-3-Clause
// Builds the common order link by link; each process keeps only its own links.
#include "tracer/session/clocks/clock_plan.hpp"

#include <map>

#include "sync/measurement.hpp"

namespace latecomer::session {
namespace {

using sync::Scheme;

class Plan {
 public:
  Plan(int rank, std::span<const Place> places, SyncMode mode, SyncMoment moment)
      : rank_(rank), places_(places) {
    const auto bit = [](Scheme scheme) { return static_cast<std::uint8_t>(scheme); };
    if (mode == SyncMode::kHierarchical || mode == SyncMode::kAll) {
      hierarchical_ = bit(Scheme::kHierarchical);
    }
    if (mode == SyncMode::kFlat || mode == SyncMode::kAll) flat_ = bit(Scheme::kFlat);
    if (moment == SyncMoment::kInit && (mode == SyncMode::kFlatSingle || mode == SyncMode::kAll)) {
      flat_ |= bit(Scheme::kFlatSingle);
    }
    for (int r = 0; r < static_cast<int>(places.size()); ++r) {
      // Ranks ascend, so the lowest rank of each metahost becomes its master.
      masters_.try_emplace(place(r).metahost, r);
    }
  }

  void masters_against_root() {
    for (const auto& [metahost, master] : masters_) {
      if (is_leader(master)) add(master, 0, static_cast<std::uint8_t>(hierarchical_ | flat_));
    }
  }
  void leaders_against_masters() {
    for (int r = 1; r < static_cast<int>(places_.size()); ++r) {
      const int master = masters_.at(place(r).metahost);
      if (!is_leader(r) || r == master) continue;
      const int flat = master == 0 ? flat_ : 0;
      add(r, master, static_cast<std::uint8_t>(hierarchical_ | flat));
    }
  }
  void others_against_root() {
    for (int r = 1; r < static_cast<int>(places_.size()); ++r) {
      const int master = masters_.at(place(r).metahost);
      if (is_leader(r) && master != 0 && r != master) add(r, 0, flat_);
    }
  }
  void latencies() {
    const bool all_pairs = masters_.size() <= kMaxPairedMetahosts;
    for (const auto& [a, partner] : masters_) {
      for (const auto& [b, child] : masters_) {
        // A leader was already compared with rank 0, which yields the latency, too.
        if (b <= a || (partner == 0 && is_leader(child))) continue;
        if (partner == 0 || all_pairs) keep({child, partner, 0, true});
      }
    }
  }

  [[nodiscard]] std::vector<ClockLink> take() { return std::move(links_); }

 private:
  [[nodiscard]] const Place& place(int rank) const {
    return places_[static_cast<std::size_t>(rank)];
  }
  // True for the lowest rank of each clock except rank 0's, which is the reference.
  [[nodiscard]] bool is_leader(int rank) const { return rank != 0 && place(rank).clock == rank; }

  void add(int child, int partner, std::uint8_t schemes) {
    if (schemes == 0) return;
    keep({child, partner, schemes, place(child).metahost != place(partner).metahost});
  }
  void keep(const ClockLink& link) {
    if (link.child == rank_ || link.partner == rank_) links_.push_back(link);
  }

  int rank_;
  std::span<const Place> places_;
  std::uint8_t hierarchical_ = 0;
  std::uint8_t flat_ = 0;
  std::map<std::int32_t, int> masters_;  // master by metahost; indices ascend like ranks
  std::vector<ClockLink> links_;
};

}  // namespace

std::vector<ClockLink> links_of(int rank, std::span<const Place> places, SyncMode mode,
                                SyncMoment moment) {
  Plan plan(rank, places, mode, moment);
  plan.masters_against_root();
  plan.leaders_against_masters();
  plan.others_against_root();
  if (moment != SyncMoment::kBetween) plan.latencies();
  return plan.take();
}

}  // namespace latecomer::session
