// SPDX-License-Identifier: BSD-3-Clause
// The interface by which the processes of a run exchange data of the measurement.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace latecomer::exchange {

// All processes of a run, numbered as in MPI_COMM_WORLD. Every operation is collective: all
// processes call it in the same order with fitting arguments.
class Group {
 public:
  Group(int rank, int size) : rank_(rank), size_(size) {}
  virtual ~Group() = default;
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }

  // `bytes` of each process, by rank, to `all` on rank 0; `all` is not used elsewhere.
  virtual void gather(const void* mine, std::size_t bytes, void* all) = 0;
  // `bytes` of the process `root` to all.
  virtual void broadcast(void* data, std::size_t bytes, int root) = 0;
  // The highest value that a process has, on all processes.
  [[nodiscard]] virtual int highest(int mine) = 0;
  // No process returns before all have come.
  virtual void barrier() = 0;

  // Texts have any length. By rank on rank 0, empty elsewhere.
  [[nodiscard]] virtual std::vector<std::string> gather_texts(const std::string& mine) = 0;
  // One text per process; `all` is used on rank 0 only.
  [[nodiscard]] virtual std::string scatter_texts(const std::vector<std::string>& all) = 0;
  // The text of rank 0 on all processes.
  [[nodiscard]] virtual std::string broadcast_text(std::string text) = 0;

 private:
  int rank_;
  int size_;
};

}  // namespace latecomer::exchange
