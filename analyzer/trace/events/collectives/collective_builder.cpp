// SPDX-License-Identifier: BSD-3-Clause
// Completes participations in collective operations.
#include "analyzer/trace/events/collectives/collective_builder.hpp"

#include <otf2/otf2.h>

namespace latecomer::trace {
namespace {

constexpr auto kNeighborhood =
    static_cast<std::uint8_t>(patterns::CollectiveOperation::kNeighborhood);

// Number of a persistent operation on its communicator, from 1; otherwise 0.
std::uint32_t series_of(const Event& event) {
  const std::uint32_t wanted = event.definitions.persistent;
  if (event.record.attributes.at_end() || wanted == kNone) return 0;
  const auto number = event.find_attribute(wanted, AttributeType::kUint32);
  return number ? static_cast<std::uint32_t>(*number) + 1 : 0;
}

}  // namespace

bool CollectiveBuilder::take(Event& event) {
  switch (event.record.type) {
    case kMpiCollectiveBegin:
      begin(event.time);
      return true;
    case kNonBlockingCollectiveRequest:
      return event.with<std::uint64_t>([&](std::uint64_t request) {
        nonblocking_request(event.time, request, event.is_left_out());
      });
    default:
      return take_end(event);
  }
}

bool CollectiveBuilder::take_end(Event& event) {
  const bool blocking = event.record.type == kMpiCollectiveEnd;
  if (blocking && event.record.attributes.at_end()) {
    return take_plain_end(event, event.record.fields);
  }
  std::uint8_t named = 0;
  std::uint32_t comm = 0, root = 0;
  std::uint64_t sent = 0, received = 0, request = 0;
  if (!event.take(named, comm, root, sent, received)) return false;
  comm = event.id(IdKind::kComm, comm);
  std::uint8_t operation = std::min(named, kMostNamed);
  bool all_positive = false;
  // Attributes of Alltoallv and Alltoallw can add more information.
  if (named == OTF2_COLLECTIVE_OP_ALLTOALLV || named == OTF2_COLLECTIVE_OP_ALLTOALLW) {
    const Definitions& d = event.definitions;
    all_positive = event.attribute(d.all_positive, AttributeType::kUint8) != 0;
    const std::uint64_t neighborhood = event.attribute(d.neighborhood, AttributeType::kUint8);
    if (neighborhood != 0) {
      operation = kNeighborhood;
      all_positive = neighborhood > 1;
    }
  }
  if (blocking) {
    end(event.time, operation, comm, root, sent, received, all_positive);
    return true;
  }
  if (!event.take(request)) return false;
  nonblocking_complete(event.time, operation, comm, root, sent, received, request, all_positive,
                       series_of(event), event.is_left_out());
  return true;
}

// Index of a kind, which is added if it is new.
std::uint32_t CollectiveBuilder::kind_index(const CollectiveKind& kind) {
  const auto next = static_cast<std::uint32_t>(out_.kinds.size());
  last_kind_ = kinds_.at(kind, next);
  if (last_kind_ == next) out_.kinds.push_back(kind);
  return last_kind_;
}

[[gnu::always_inline]] inline bool CollectiveBuilder::participate(Collective& slot, Ticks t,
                                                                  const CollectiveKind& kind) {
  if (kind.comm == kNone) {
    regions_.unknown_reference();
    return false;
  }
  const std::uint32_t in = regions_.call();
  if (in == kNone) return false;
  const bool again = last_kind_ != kNone && out_.kinds[last_kind_] == kind;
  slot.kind = again ? last_kind_ : kind_index(kind);
  if (slot.start == kNone) slot.start = in;
  slot.call = in;
  slot.end = t;
  if (regions_.definitions().comms[kind.comm].spans_metahosts) regions_.crosses_metahosts(in);
  return true;
}

// The inlined form is for blocking operations; this one serves rarer records.
void CollectiveBuilder::complete(Collective& slot, Ticks t, const CollectiveKind& kind) {
  participate(slot, t, kind);
}

void CollectiveBuilder::end(Ticks t, std::uint8_t operation, std::uint32_t comm, std::uint32_t root,
                            std::uint64_t sent, std::uint64_t received, bool all_positive) {
  regions_.advance(t);
  Collective slot;
  slot.begin = begin_of_call();
  if (participate(
          slot, t,
          {regions_.peers(comm).comm, root, operation, false, sent, received, all_positive, 0})) {
    out_.collectives.push_back(slot);
  }
}

void CollectiveBuilder::nonblocking_request(Ticks t, std::uint64_t request, bool left_out) {
  left_out = left_out || regions_.is_off();
  regions_.advance(t);
  const auto index = static_cast<std::uint32_t>(out_.collectives.size());
  auto& slot = out_.collectives.emplace_back();
  slot.begin = t;
  if (!left_out) slot.start = regions_.call();
  (left_out ? adopted_ : by_request_).at({request}, index) = index;
}

// An operation that was started or completed while recording was off takes its place as a gap.
void CollectiveBuilder::nonblocking_complete(Ticks t, std::uint8_t operation, std::uint32_t comm,
                                             std::uint32_t root, std::uint64_t sent,
                                             std::uint64_t received, std::uint64_t request,
                                             bool all_positive, std::uint32_t series,
                                             bool left_out) {
  regions_.advance(t);
  left_out = left_out || regions_.is_off();
  const std::uint32_t index = regions_.definitions().comm_ids.find(comm);
  std::uint32_t slot = by_request_.take({request});
  if (left_out || adopted_.size() != 0) [[unlikely]] {
    const std::uint32_t adopted = adopted_.take({request});
    if (left_out || adopted != kNone) {
      if (slot == kNone) slot = adopted;
      if (index == kNone) return regions_.unknown_reference();
      const auto last = static_cast<std::uint32_t>(out_.collectives.size());
      out_.collective_gaps.push_back({1, std::min(slot, last), index, 0, 0, series, t});
      return;
    }
  }
  if (slot == kNone) {
    slot = static_cast<std::uint32_t>(out_.collectives.size());
    out_.collectives.emplace_back().begin = t;
    regions_.completed_for_another(HandedRequest::Kind::kCollective, request, slot);
  }
  complete(out_.collectives[slot], t,
           {index, root, operation, true, sent, received, all_positive, series});
}

void CollectiveBuilder::unrecorded(Ticks t, std::uint32_t comm, std::uint32_t series,
                                   std::uint64_t count) {
  regions_.advance(t);
  const std::uint32_t index = regions_.definitions().comm_ids.find(comm);
  if (index == kNone) return regions_.unknown_reference();
  add_gap({count, 0, index, 0, series, series, t});
}

void CollectiveBuilder::add(Ticks begin, Ticks end, const CollectiveKind& kind) {
  Collective slot;
  slot.begin = begin;
  complete(slot, end, kind);
  if (slot.kind != Collective::kOpen) out_.collectives.push_back(slot);
}

bool CollectiveBuilder::is_last(std::uint32_t call) const {
  if (out_.collectives.empty()) return false;
  const auto& last = out_.collectives[out_.collectives.size() - 1];
  return last.kind != Collective::kOpen && last.call == call;
}

CollectiveEvents CollectiveBuilder::finish() {
  by_request_.each([&](const IntKey& request, std::uint32_t index) {
    regions_.hand_on(
        {.kind = HandedRequest::Kind::kCollective, .index = index, .id = request.value});
  });
  regions_.unresolved(by_request_.size() + adopted_.size());
  std::ranges::stable_sort(out_.collective_gaps, {}, &Gap::before);
  return std::move(out_);
}

}  // namespace latecomer::trace
