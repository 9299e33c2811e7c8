// SPDX-License-Identifier: BSD-3-Clause
// A group that exchanges by way of MPI. It works between nodes.
#pragma once

#include <mpi.h>

#include "tracer/exchange/group.hpp"

namespace latecomer::exchange {

// Counts of MPI are ints: long texts travel in rounds of this many bytes, from or to all together.
inline constexpr std::size_t kRoundBytes = std::size_t{1} << 30;

// Only PMPI functions are called. Texts travel by nonblocking operations that give the core away
// while they wait; the other operations are blocking ones.
class MpiGroup final : public Group {
 public:
  // `comm` stays the caller's. It must be no communicator of the program.
  explicit MpiGroup(MPI_Comm comm, std::size_t round_bytes = kRoundBytes);

  void gather(const void* mine, std::size_t bytes, void* all) override;
  void broadcast(void* data, std::size_t bytes, int root) override;
  [[nodiscard]] int highest(int mine) override;
  void barrier() override;
  [[nodiscard]] std::vector<std::string> gather_texts(const std::string& mine) override;
  [[nodiscard]] std::string scatter_texts(const std::vector<std::string>& all) override;
  [[nodiscard]] std::string broadcast_text(std::string text) override;

 private:
  template <typename T>
  void broadcast_politely(T* values, std::size_t count);
  [[nodiscard]] std::size_t share() const;

  MPI_Comm comm_;
  std::size_t round_bytes_;
};

}  // namespace latecomer::exchange
