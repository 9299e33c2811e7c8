// SPDX-License-Identifier: BSD-3-Clause
// A group whose processes are all on one node: it exchanges by way of the node's board.
#pragma once

#include <functional>
#include <string_view>

#include "tracer/exchange/group.hpp"
#include "tracer/exchange/node_board.hpp"

namespace latecomer::exchange {

// Waiting processes sleep. A process that polls keeps the core from the process that it waits for,
// and collective operations of MPI poll. That matters with many more processes than cores.
//
// Messages of the program may need this process while it waits. So `progress` is called at the
// begin of each operation (with true) and about every 10 ms of a wait (with false). It has to let
// MPI make progress.
class NodeGroup final : public Group {
 public:
  using Progress = std::function<void(bool begins)>;

  // `board` must have pipes and outlive this.
  NodeGroup(NodeBoard& board, int rank, int size, Progress progress);

  void gather(const void* mine, std::size_t bytes, void* all) override;
  void broadcast(void* data, std::size_t bytes, int root) override;
  [[nodiscard]] int highest(int mine) override;
  void barrier() override;
  [[nodiscard]] std::vector<std::string> gather_texts(const std::string& mine) override;
  [[nodiscard]] std::string scatter_texts(const std::vector<std::string>& all) override;
  [[nodiscard]] std::string broadcast_text(std::string text) override;

 private:
  // On rank 0.
  [[nodiscard]] std::vector<std::string> collect(std::string_view mine);
  [[nodiscard]] std::string receive(int from);
  void distribute(const std::vector<std::string_view>& messages);  // nullptr: none for this rank
  void spread(std::string_view message, int but_not_to);
  // Elsewhere.
  void send(std::string_view message);
  [[nodiscard]] std::string receive();

  // Calls `step` until it says that all is done, and sleeps on `word` where it changed nothing.
  enum class Step { kDone, kWent, kNothing };
  template <typename Function>
  void repeat(std::atomic<std::uint32_t>& word, Function step);

  NodeBoard& board_;
  Progress progress_;
};

}  // namespace latecomer::exchange
