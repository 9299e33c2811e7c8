// SPDX-License-Identifier: BSD-3-Clause
// Counting sort: sizes of the groups, their starts, then every message into its group.
#include "analyzer/replay/inbox.hpp"

#include <cstring>
#include <numeric>

namespace latecomer::replay {

Inbox::Inbox(std::vector<parallel::Bytes> batches, const trace::Definitions& definitions)
    : definitions_(&definitions), first_(definitions.processes.size() + 1) {
  const auto each = [](const parallel::Bytes& batch, auto&& f) {
    for (std::size_t at = 0; at < batch.size(); at += sizeof(SentMessage)) {
      SentMessage message;
      std::memcpy(&message, batch.data() + at, sizeof message);
      f(message);
    }
  };
  for (const auto& batch : batches) {
    each(batch, [&](const SentMessage& message) { ++first_[message.target + 1]; });
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  sorted_.resize(first_.back());
  auto next = first_;
  for (auto& batch : batches) {
    each(batch, [&](const SentMessage& message) {
      Packed& to = sorted_[next[message.target]++];
      to.comm = 0;
      pack(message, to);
    });
    batch = {};
  }
}

void Inbox::pack(const SentMessage& message, Packed& to) {
  const bool was_odd = to.comm == kOdd;
  const auto since_enter =
      static_cast<std::uint64_t>(trace::difference(message.time, message.enter));
  const std::int64_t time = message.time << 16 >> 16;
  if (!was_odd && !message.is_gap() && message.comm < kOdd && since_enter <= UINT32_MAX &&
      time == message.time) {
    to = {
        message.location, message.index, message.tag, static_cast<std::uint32_t>(since_enter), time,
        message.comm};
    return;
  }
  if (!was_odd) {
    to = {0, static_cast<std::uint32_t>(odd_.size()), 0, 0, 0, kOdd};
    odd_.emplace_back();
  }
  odd_[to.index] = message;
}

}  // namespace latecomer::replay
