// SPDX-License-Identifier: BSD-3-Clause
// Senders sort, receivers use what arrives as it lies: each message is written once.
#include "analyzer/replay/inbox.hpp"

#include <numeric>
#include <utility>

namespace latecomer::replay {
namespace {

struct Group {
  std::uint64_t target = 0, messages = 0;
};

}  // namespace

bool PackedSend::pack(const SentMessage& message, PackedSend& to) {
  const auto since_enter =
      static_cast<std::uint64_t>(trace::difference(message.time, message.enter));
  const std::int64_t time = message.time << 16 >> 16;
  to = {message.location, message.index, message.tag, static_cast<std::uint32_t>(since_enter), time,
        message.comm};
  return !message.is_gap() && message.comm < kOdd && since_enter <= UINT32_MAX &&
         time == message.time;
}

void Outbox::all_announced() {
  std::vector<std::vector<Group>> groups(batches_.size());
  std::vector<std::size_t> bytes(batches_.size());
  for (std::uint32_t rank = 0; rank < next_.size(); ++rank) {
    const auto host = static_cast<std::size_t>(partition_.host_of(rank));
    const std::size_t messages = std::exchange(next_[rank], bytes[host]);
    if (messages == 0) continue;
    groups[host].push_back({rank, messages});
    bytes[host] += messages * sizeof(PackedSend);
  }
  std::vector<std::size_t> header(batches_.size());
  for (std::size_t p = 0; p < batches_.size(); ++p) {
    if (groups[p].empty()) continue;
    parallel::Packer pack;
    pack.put_all(std::span<const Group>(groups[p]));
    batches_[p].bytes = pack.take();
    header[p] = batches_[p].bytes.size();
    batches_[p].bytes.resize(header[p] + bytes[p]);
  }
  for (std::uint32_t rank = 0; rank < next_.size(); ++rank) {
    next_[rank] += header[static_cast<std::size_t>(partition_.host_of(rank))];
  }
}

void Outbox::put(const SentMessage& message) {
  auto& batch = batches_[static_cast<std::size_t>(partition_.host_of(message.target))];
  PackedSend send;
  if (!PackedSend::pack(message, send)) [[unlikely]] {
    send = PackedSend::odd(batch.odd.size());
    batch.odd.push_back(message);
  }
  std::memcpy(batch.bytes.data() + next_[message.target], &send, sizeof send);
  next_[message.target] += sizeof send;
}

Inbox::Inbox(std::vector<MessageBatch> outgoing, const trace::Definitions& definitions,
             parallel::Processes& processes)
    : definitions_(&definitions),
      batches_(outgoing.size()),
      first_(definitions.processes.size() + 1) {
  std::vector<parallel::Bytes> bytes;
  std::vector<parallel::Packer> odd(outgoing.size());
  for (std::size_t p = 0; p < outgoing.size(); ++p) {
    bytes.push_back(std::move(outgoing[p].bytes));
    odd[p].put_all(std::span<const SentMessage>(outgoing[p].odd));
  }
  outgoing.clear();
  bytes = processes.exchange(std::move(bytes));
  const auto odd_arrived = processes.exchange(take_all(odd));

  std::vector<std::vector<Group>> groups(batches_.size());
  for (std::size_t p = 0; p < batches_.size(); ++p) {
    batches_[p].bytes = std::move(bytes[p]);
    parallel::Unpacker(odd_arrived[p]).get_all(batches_[p].odd);
    if (batches_[p].bytes.empty()) continue;
    parallel::Unpacker(batches_[p].bytes).get_all(groups[p]);
    for (const Group& group : groups[p]) ++first_[group.target + 1];
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  pieces_.resize(first_.back());
  auto next = first_;
  for (std::size_t p = 0; p < batches_.size(); ++p) {
    std::byte* data =
        batches_[p].bytes.data() + sizeof(std::uint64_t) + groups[p].size() * sizeof(Group);
    for (const Group& group : groups[p]) {
      const std::size_t at = next[group.target]++;
      const std::size_t before = at == first_[group.target] ? 0 : pieces_[at - 1].end;
      pieces_[at] = {before + group.messages, data, &batches_[p]};
      data += group.messages * sizeof(PackedSend);
    }
  }
}

// One that was odd stays odd.
void Inbox::put(const Piece& piece, std::size_t i, const SentMessage& message) {
  PackedSend send = packed(piece, i);
  if (send.comm == PackedSend::kOdd) {
    piece.batch->odd[send.index] = message;
    return;
  }
  if (!PackedSend::pack(message, send)) {
    send = PackedSend::odd(piece.batch->odd.size());
    piece.batch->odd.push_back(message);
  }
  std::memcpy(piece.data + i * sizeof send, &send, sizeof send);
}

}  // namespace latecomer::replay
