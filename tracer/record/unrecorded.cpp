// SPDX-License-Identifier: BSD-3-Clause
// Counts unrecorded operations: a switch over the kinds of records whose order matters.
#include "tracer/record/unrecorded.hpp"

#include <algorithm>
#include <tuple>

namespace latecomer::record {

void Unrecorded::start(Kind kind) { open_[words_[1]] = {started_++, kind}; }

// Returns false if the request was started before; its completion is then written late.
bool Unrecorded::complete(Kind kind) {
  const unsigned payload = payload_words(kind);
  if (open_.erase(words_[payload]) != 0) return true;
  Late late{kind, id_, {}};
  std::copy_n(words_ + 1, payload, late.words);
  completions_.push_back(late);
  return false;
}

void Unrecorded::account() {
  const Kind kind = static_cast<Kind>(words_[0] & ((1U << kKindBits) - 1));
  words_[0] = 0;
  switch (kind) {
    case Kind::kSend:
    case Kind::kIsend:
      return count(UnrecordedOperation::kSend, words_[1]);
    case Kind::kRecv:
      return count(UnrecordedOperation::kReceive, words_[1]);
    case Kind::kIrecvRequest:
    case Kind::kNonblockingRequest:
      // A nonblocking operation counts when it completes; until then it is open.
      return start(kind);
    case Kind::kIrecv:
      if (complete(kind)) count(UnrecordedOperation::kReceive, words_[1]);
      return;
    case Kind::kRequestCancelled:
      complete(kind);
      return;
    case Kind::kCollectiveEnd:
      return count(UnrecordedOperation::kCollective, 0);
    case Kind::kNonblockingComplete:
      if (complete(kind)) {
        count(UnrecordedOperation::kCollective, (words_[1] >> kSeriesShift & kSeriesMask) << 32);
      }
      return;
    case Kind::kRmaCollectiveEnd:
      return count(UnrecordedOperation::kWindowCollective, 0);
    case Kind::kRmaGroupSync: {
      const auto level = static_cast<std::uint32_t>(words_[1] >> 32);
      if ((level & kLevelMemory) != 0) return;  // the end of an epoch
      return count((level & kAccess) != 0 ? UnrecordedOperation::kAccessEpoch
                                          : UnrecordedOperation::kExposureEpoch,
                   words_[1] & 0xffffffff);
    }
    case Kind::kRmaRequestLock:
      return count(UnrecordedOperation::kLock, words_[1] & 0xffffffff);
    case Kind::kRmaPut:
    case Kind::kRmaGet:
    case Kind::kRmaAtomic:
      return count(UnrecordedOperation::kTransfer, 0);
    case Kind::kFileOpened:
    case Kind::kFileClosed:
    case Kind::kFileCall:
      return count(UnrecordedOperation::kFileCollective, 0);
    case Kind::kFileBegin: {
      // Both halves of a split operation count, but no operation with a request.
      const auto flags = static_cast<std::uint32_t>(words_[1] >> 32);
      const bool has_request = (flags & kFileNonblocking) != 0 && (words_[3] & kSplit) == 0;
      if ((flags & kFileCollective) == 0 || has_request) return;
      return count(UnrecordedOperation::kFileCollective, 0);
    }
    case Kind::kFileComplete:
      if ((words_[2] & kSplit) == 0) return;
      return count(UnrecordedOperation::kFileCollective, 0);
    case Kind::kEnter:
      if (id_ >= kFirstOwnRegion) entered_.push_back(id_);
      return;
    case Kind::kLeave:
      if (id_ < kFirstOwnRegion) return;
      // A leave without an enter belongs to a region that was entered before recording was off.
      if (entered_.empty()) {
        leaves_.push_back({kind, id_, {}});
      } else if (entered_.back() == id_) {
        entered_.pop_back();
      }
      return;
    default:
      return;
  }
}

Unrecorded::Order Unrecorded::order_of(Kind kind) {
  switch (kind) {
    case Kind::kSend:
    case Kind::kIsend:
      return Order::kSends;
    case Kind::kRecv:
    case Kind::kIrecvRequest:
    case Kind::kIrecv:
    case Kind::kRequestCancelled:
      return Order::kReceives;
    case Kind::kCollectiveBegin:
    case Kind::kNonblockingRequest:
    case Kind::kNonblockingComplete:
    case Kind::kRmaCollectiveBegin:
      return Order::kCollectives;
    case Kind::kRmaGroupSync:
    case Kind::kRmaRequestLock:
    case Kind::kRmaReleaseLock:
      return Order::kOneSided;
    case Kind::kFileOpened:
    case Kind::kFileClosed:
    case Kind::kFileCall:
    case Kind::kFileBegin:
    case Kind::kFileComplete:
      return Order::kFiles;
    default:
      return Order::kNone;
  }
}

Unrecorded::Order Unrecorded::order_of(UnrecordedOperation operation) {
  switch (operation) {
    case UnrecordedOperation::kSend:
      return Order::kSends;
    case UnrecordedOperation::kReceive:
      return Order::kReceives;
    case UnrecordedOperation::kCollective:
    case UnrecordedOperation::kWindowCollective:
      return Order::kCollectives;
    case UnrecordedOperation::kFileCollective:
      return Order::kFiles;
    default:
      return Order::kOneSided;
  }
}

bool Unrecorded::stands_before(Kind kind, std::uint64_t id, std::uint64_t word) const {
  // Sends only keep the order on their channel, so other channels stay counted.
  const Order order = order_of(kind);
  if (order == Order::kSends) return counts_.contains({id, word, UnrecordedOperation::kSend});
  const bool completes =
      kind == Kind::kIrecv || kind == Kind::kNonblockingComplete || kind == Kind::kRequestCancelled;
  if (completes) return open_.contains(word);
  return std::ranges::any_of(completions_,
                             [&](const Late& late) { return order_of(late.kind) == order; }) ||
         std::ranges::any_of(
             open_, [&](const auto& entry) { return order_of(entry.second.kind) == order; }) ||
         std::ranges::any_of(
             counts_, [&](const auto& entry) { return order_of(entry.first.operation) == order; });
}

Unrecorded Unrecorded::take_before(Kind kind, std::uint64_t id, std::uint64_t word) {
  const Order order = order_of(kind);
  Unrecorded taken;
  if (order == Order::kSends) {
    if (auto node = counts_.extract({id, word, UnrecordedOperation::kSend}); node) {
      taken.counts_.insert(std::move(node));
    }
    return taken;
  }
  std::erase_if(counts_, [&](const auto& entry) {
    if (order_of(entry.first.operation) != order) return false;
    taken.counts_.insert(entry);
    return true;
  });
  std::erase_if(open_, [&](const auto& entry) {
    if (order_of(entry.second.kind) != order) return false;
    taken.open_.insert(entry);
    return true;
  });
  std::erase_if(completions_, [&](const Late& late) {
    if (order_of(late.kind) != order) return false;
    taken.completions_.push_back(late);
    return true;
  });
  return taken;
}

std::vector<UnrecordedCount> Unrecorded::counts() const {
  std::vector<UnrecordedCount> list;
  for (const auto& [channel, count] : counts_) {
    list.push_back({channel.operation, channel.comm, static_cast<std::uint32_t>(channel.words),
                    static_cast<std::uint32_t>(channel.words >> 32), count});
  }
  const auto key = [](const UnrecordedCount& c) {
    return std::tuple(c.operation, c.comm, c.peer, c.tag);
  };
  std::ranges::sort(list, {}, key);
  return list;
}

std::vector<Unrecorded::Late> Unrecorded::requests() const {
  std::vector<Late> list = completions_;
  std::vector<std::pair<std::uint64_t, Late>> open;
  for (const auto& [request, started] : open_) {
    open.push_back({started.order, {started.kind, 0, {request}}});
  }
  std::ranges::sort(open, {}, [](const auto& entry) { return entry.first; });
  for (const auto& [order, late] : open) list.push_back(late);
  return list;
}

}  // namespace latecomer::record
