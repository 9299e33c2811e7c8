// SPDX-License-Identifier: BSD-3-Clause
// Exchange of messages. Senders group them by receiver, and receivers use the bytes as they arrive,
// so each message is written only once.
#include "analyzer/match/inbox.hpp"

#include <numeric>
#include <utility>

namespace latecomer::replay {
namespace {

// Header of the messages for one world rank in a batch.
struct Group {
  std::uint64_t target = 0, messages = 0;
};

}  // namespace

void Outbox::all_announced() {
  std::vector<std::vector<Group>> groups(batches_.size());
  std::vector<std::size_t> bytes(batches_.size());
  std::vector<std::size_t> first(announced_.size());  // offsets after the header, by rank
  for (std::uint32_t rank = 0; rank < announced_.size(); ++rank) {
    const auto host = static_cast<std::size_t>(partition_.host_of(rank));
    first[rank] = bytes[host];
    if (announced_[rank] == 0) continue;
    groups[host].push_back({rank, announced_[rank]});
    bytes[host] += announced_[rank] * sizeof(PackedSend);
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
  next_.resize(announced_.size());
  for (std::uint32_t rank = 0; rank < next_.size(); ++rank) {
    if (announced_[rank] == 0) continue;
    const auto host = static_cast<std::size_t>(partition_.host_of(rank));
    next_[rank] = batches_[host].bytes.data() + header[host] + first[rank];
  }
}

PackedSend Outbox::keep(const SentMessage& message) {
  auto& odd = batches_[static_cast<std::size_t>(partition_.host_of(message.target))].odd;
  odd.push_back(message);
  return PackedSend::odd(odd.size() - 1);
}

// Each process sends one batch to every other one. Pieces then index the messages by world rank,
// where they arrived, without copying.
Inbox::Inbox(std::vector<MessageBatch> outgoing, const trace::Definitions& definitions,
             parallel::Processes& processes)
    : batches_(outgoing.size()), first_(definitions.processes.size() + 1) {
  for (const auto& location : definitions.locations) sources_.push_back(location.process);
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
    if (batches_[p].bytes.empty()) continue;
    std::byte* data =
        batches_[p].bytes.data() + sizeof(std::uint64_t) + groups[p].size() * sizeof(Group);
    for (const Group& group : groups[p]) {
      const std::size_t at = next[group.target]++;
      const std::size_t before = at == first_[group.target] ? 0 : pieces_[at - 1].end;
      pieces_[at] = {before, before + group.messages, data, &batches_[p]};
      data += group.messages * sizeof(PackedSend);
    }
  }
}

// Enter and send record usually have the same shift, and most messages have the source of the one
// before.
void Inbox::retime(CorrectedTimes& corrected) {
  Shifts shifts(corrected, 0);
  for (std::uint32_t rank = 0; rank + 1 < first_.size(); ++rank) {
    std::size_t i = 0;
    for (const Piece& piece : pieces_of(rank)) {
      for (std::size_t at = 0; i < piece.end; ++i, ++at) {
        PackedSend send = packed(piece, at);
        if (send.comm != PackedSend::kOdd) [[likely]] {
          const std::uint32_t source = sources_[send.location];
          if (source != shifts.process()) shifts = Shifts(corrected, source);
          const trace::Ticks time = send.time, added = shifts.added(time - send.since_enter);
          if (shifts.same(time) && PackedSend::move(send, added)) [[likely]] {
            std::memcpy(piece.data + at * sizeof send, &send, sizeof send);
            continue;
          }
        }
        retime_whole(piece, at, rank, corrected);
      }
    }
  }
}

void Inbox::retime_whole(const Piece& piece, std::size_t i, std::uint32_t target,
                         CorrectedTimes& corrected) const {
  SentMessage message = unpack(piece, i, target, sources_);
  message.enter = corrected(message.source, message.enter);
  message.time = corrected(message.source, message.time);
  put(piece, i, message);
}

// Stores a message. One that is kept whole stays so.
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
