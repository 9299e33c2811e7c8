// SPDX-License-Identifier: BSD-3-Clause
// Collects the participations of one location in collective operations, also those on windows and
// files.
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/memory/flat_index.hpp"
#include "analyzer/trace/events/collectives/collective_events.hpp"
#include "analyzer/trace/events/core/region_builder.hpp"
#include "patterns/calls/collective_class.hpp"

namespace latecomer::trace {

// Communicators are the archive's ids, except in CollectiveKind and Gap.
class CollectiveBuilder {
 public:
  explicit CollectiveBuilder(RegionBuilder& regions) : regions_(regions) {}

  // Handles an event of this family. False: a field is missing.
  bool take(Event& event);
  // Handles the end of a blocking operation without attributes, whose fields are in `from`.
  bool take_plain_end(Event& event, Fields from) {
    std::uint8_t named = 0;
    std::uint32_t comm = 0, root = 0;
    std::uint64_t sent = 0, received = 0;
    if (!Event::take_from(from, named, comm, root, sent, received)) return false;
    end(event.time, std::min(named, kMostNamed), event.comm(comm), root, sent, received);
    return true;
  }

  void begin(Ticks t) {
    regions_.advance(t);
    begin_ = t;
  }
  void end(Ticks t, std::uint8_t operation, std::uint32_t comm, std::uint32_t root,
           std::uint64_t sent, std::uint64_t received, bool all_positive = false);
  // `left_out`: in a call that a filter left out; only the place in the order is kept.
  void nonblocking_request(Ticks t, std::uint64_t request, bool left_out = false);
  void nonblocking_complete(Ticks t, std::uint8_t operation, std::uint32_t comm, std::uint32_t root,
                            std::uint64_t sent, std::uint64_t received, std::uint64_t request,
                            bool all_positive = false, std::uint32_t series = 0,
                            bool left_out = false);
  // Adds operations that were not recorded.
  void unrecorded(Ticks t, std::uint32_t comm, std::uint32_t series, std::uint64_t count);

  // The following are for operations on windows and files.
  // Begin of the operation in the current call. If the call has no begin record, the last one
  // belongs to an earlier call.
  [[nodiscard]] Ticks begin_of_call() const {
    return std::max(begin_, regions_.open().back().enter);
  }
  // Adds an operation that ends now, if it refers to what the archive defines.
  void add(Ticks begin, Ticks end, const CollectiveKind& kind);
  void add_gap(Gap gap) {
    gap.before = static_cast<std::uint32_t>(out_.collectives.size());
    out_.collective_gaps.push_back(gap);
  }
  // True if the last operation is that of this Call.
  [[nodiscard]] bool is_last(std::uint32_t call) const;
  void set_end_of_last(Ticks t) { out_.collectives[out_.collectives.size() - 1].end = t; }

  [[nodiscard]] CollectiveEvents finish();

 private:
  // Numbers above stand for operations that OTF2 does not have. Archives must not use them.
  static constexpr auto kMostNamed = static_cast<std::uint8_t>(
      static_cast<std::uint8_t>(patterns::CollectiveOperation::kNeighborhood) - 1);

  bool take_end(Event& event);
  void complete(Collective& slot, Ticks t, const CollectiveKind& kind);
  bool participate(Collective& slot, Ticks t, const CollectiveKind& kind);
  std::uint32_t kind_index(const CollectiveKind& kind);

  RegionBuilder& regions_;
  CollectiveEvents out_;
  Ticks begin_ = INT64_MIN;
  std::uint32_t last_kind_ = kNone;
  FlatIndex<IntKey> by_request_;
  FlatIndex<IntKey> adopted_;  // started while recording was off
  FlatIndex<CollectiveKind> kinds_;
};

}  // namespace latecomer::trace
