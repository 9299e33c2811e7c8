// SPDX-License-Identifier: BSD-3-Clause
// Every operation is a message from each process to rank 0, or one from rank 0 to each, or both.
#include "tracer/exchange/node_group.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tracer/exchange/pipe.hpp"

namespace latecomer::exchange {
namespace {

std::string_view bytes_of(const void* data, std::size_t bytes) {
  return {static_cast<const char*>(data), bytes};
}

void copy(const std::string& message, void* to, std::size_t bytes) {
  std::memcpy(to, message.data(), std::min(bytes, message.size()));
}

// Polls of a word before the process goes to sleep.
constexpr unsigned kPolls = 200;

}  // namespace

NodeGroup::NodeGroup(NodeBoard& board, int rank, int size, Progress progress)
    : Group(rank, size), board_(board), progress_(std::move(progress)) {}

template <typename Function>
void NodeGroup::repeat(std::atomic<std::uint32_t>& word, Function step) {
  for (unsigned polls = 0;; ++polls) {
    const std::uint32_t seen = word.load(std::memory_order_acquire);
    const Step went = step();
    if (went == Step::kDone) return;
    if (went == Step::kWent) polls = 0;
    if (went == Step::kWent || polls < kPolls) continue;
    sleep_while(word, seen);
    progress_(false);
  }
}

std::vector<std::string> NodeGroup::collect(std::string_view mine) {
  const auto count = static_cast<std::size_t>(size());
  std::vector<std::string> all(count);
  std::vector<Incoming> incoming(count);
  std::size_t missing = count - 1;
  all[0] = mine;
  repeat(board_.activity(), [&] {
    bool went = false;
    for (std::size_t rank = 1; rank < count && missing > 0; ++rank) {
      Pipe& pipe = board_.pipe(static_cast<int>(rank));
      if (incoming[rank].done() || pipe.state.load(std::memory_order_acquire) != Pipe::kToRoot) {
        continue;
      }
      went = true;
      incoming[rank].take_piece(pipe);
      wake(pipe.state);
      if (!incoming[rank].done()) continue;
      all[rank] = incoming[rank].take();
      --missing;
    }
    return missing == 0 ? Step::kDone : went ? Step::kWent : Step::kNothing;
  });
  return all;
}

std::string NodeGroup::receive(int from) {
  Pipe& pipe = board_.pipe(from);
  Incoming message;
  repeat(board_.activity(), [&] {
    if (pipe.state.load(std::memory_order_acquire) != Pipe::kToRoot) return Step::kNothing;
    message.take_piece(pipe);
    wake(pipe.state);
    return message.done() ? Step::kDone : Step::kWent;
  });
  return message.take();
}

// Returns when the last pieces are in the pipes: nobody waits for a process that comes late.
void NodeGroup::distribute(const std::vector<std::string_view>& messages) {
  std::vector<std::pair<Pipe*, Outgoing>> outgoing;
  for (std::size_t rank = 1; rank < messages.size(); ++rank) {
    if (messages[rank].data() == nullptr) continue;
    outgoing.emplace_back(&board_.pipe(static_cast<int>(rank)), Outgoing(messages[rank]));
  }
  repeat(board_.activity(), [&] {
    bool went = false;
    std::erase_if(outgoing, [&went](auto& entry) {
      auto& [pipe, message] = entry;
      if (pipe->state.load(std::memory_order_acquire) != Pipe::kEmpty) return false;
      went = true;
      message.put_piece(*pipe, Pipe::kFromRoot);
      wake(pipe->state);
      return message.done();
    });
    return outgoing.empty() ? Step::kDone : went ? Step::kWent : Step::kNothing;
  });
}

void NodeGroup::spread(std::string_view message, int but_not_to) {
  std::vector<std::string_view> messages(static_cast<std::size_t>(size()), message);
  messages[static_cast<std::size_t>(but_not_to)] = {};
  distribute(messages);
}

void NodeGroup::send(std::string_view message) {
  Pipe& pipe = board_.pipe(rank());
  Outgoing outgoing(message);
  repeat(pipe.state, [&] {
    if (pipe.state.load(std::memory_order_acquire) != Pipe::kEmpty) return Step::kNothing;
    outgoing.put_piece(pipe, Pipe::kToRoot);
    board_.activity().fetch_add(1, std::memory_order_release);
    wake(board_.activity());
    return outgoing.done() ? Step::kDone : Step::kWent;
  });
}

std::string NodeGroup::receive() {
  Pipe& pipe = board_.pipe(rank());
  Incoming message;
  repeat(pipe.state, [&] {
    if (pipe.state.load(std::memory_order_acquire) != Pipe::kFromRoot) return Step::kNothing;
    message.take_piece(pipe);
    board_.activity().fetch_add(1, std::memory_order_release);
    wake(board_.activity());
    return message.done() ? Step::kDone : Step::kWent;
  });
  return message.take();
}

void NodeGroup::gather(const void* mine, std::size_t bytes, void* all) {
  progress_(true);
  if (rank() != 0) return send(bytes_of(mine, bytes));
  char* to = static_cast<char*>(all);
  for (const std::string& message : collect(bytes_of(mine, bytes))) {
    copy(message, to, bytes);
    to += bytes;
  }
}

void NodeGroup::broadcast(void* data, std::size_t bytes, int root) {
  progress_(true);
  if (rank() == 0) {
    if (root != 0) copy(receive(root), data, bytes);
    return spread(bytes_of(data, bytes), root);
  }
  if (rank() == root) return send(bytes_of(data, bytes));
  copy(receive(), data, bytes);
}

int NodeGroup::highest(int mine) {
  std::vector<int> all(static_cast<std::size_t>(rank() == 0 ? size() : 1), mine);
  gather(&mine, sizeof mine, all.data());
  int found = *std::ranges::max_element(all);
  broadcast(&found, sizeof found, 0);
  return found;
}

void NodeGroup::barrier() { static_cast<void>(highest(0)); }

std::vector<std::string> NodeGroup::gather_texts(const std::string& mine) {
  progress_(true);
  if (rank() == 0) return collect(mine);
  send(mine);
  return {};
}

std::string NodeGroup::scatter_texts(const std::vector<std::string>& all) {
  progress_(true);
  if (rank() != 0) return receive();
  std::vector<std::string_view> messages(all.begin(), all.end());
  messages.resize(static_cast<std::size_t>(size()), "");
  distribute(messages);
  return all.empty() ? std::string() : all.front();
}

std::string NodeGroup::broadcast_text(std::string text) {
  progress_(true);
  if (rank() != 0) return receive();
  spread(text, 0);
  return text;
}

}  // namespace latecomer::exchange
