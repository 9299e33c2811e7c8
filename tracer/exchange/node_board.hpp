// SPDX-License-Identifier: BSD-3-Clause
// A small file in shared memory, by which processes of one node that were started together exchange
// data before MPI is there, and without it.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "archive/mapping.hpp"
#include "tracer/exchange/pipe.hpp"

namespace latecomer::exchange {

// Knowledge about a process.
enum class Presence : std::uint8_t {
  kUnknown = 0,  // it has not come to MPI_Init by way of the measurement library
  kOff = 1,      // it has, and does not record (LATECOMER_ENABLE=0)
  kRecords = 2
};

class NodeBoard {
 public:
  static constexpr std::size_t kTextBytes = 4096;

  // The lowest rank of the node decides these for all.
  struct Decision {
    std::uint64_t base_ticks = 0;
    std::int64_t base_nanoseconds = 0;
    double nanoseconds_per_tick = 0;
    char directory[kTextBytes] = {};  // empty: it could not be made
  };

  NodeBoard() = default;
  ~NodeBoard();
  NodeBoard(NodeBoard&& other) noexcept;
  NodeBoard& operator=(NodeBoard&& other) noexcept;

  // Makes the board of a job of so many processes, or joins it; `directory` is on a file system in
  // memory. There is none where that is impossible. A board has pipes only if `with_pipes` says so
  // and there is room for them: 16 KiB per process.
  static NodeBoard join(const std::string& directory, const std::string& job, int size,
                        bool with_pipes = false);
  [[nodiscard]] bool exists() const { return shared_ != nullptr; }

  // Statements of processes of this node about themselves.
  void set(int rank, Presence presence);
  [[nodiscard]] Presence get(int rank) const;
  // Knowledge about processes of other nodes.
  void set_elsewhere(int rank, Presence presence);
  [[nodiscard]] Presence get_elsewhere(int rank) const;

  // This process will exchange by way of the board if all others will. Without pipes it will not.
  void offer_exchange(int rank);
  // All processes of the job are on this board and have offered it. The answer is the same on all
  // of them once each has joined.
  [[nodiscard]] bool all_exchange() const;
  // The pipe between rank 0 and `rank`, from 1.
  [[nodiscard]] Pipe& pipe(int rank);
  // A number that grows whenever a process other than rank 0 has used its pipe.
  [[nodiscard]] std::atomic<std::uint32_t>& activity();

  // Removes the name of the file: all processes that were to join have it open.
  void close();

  // One process at a time may be between these.
  void lock();
  void unlock();
  [[nodiscard]] bool others_asked() const;  // what is known of other nodes has been set
  void note_others();

  // The decider writes once; the others wait for it. nullptr: it has died.
  void decide(const Decision& decision);
  [[nodiscard]] const Decision* wait_for_decision(int decider_rank) const;

 private:
  struct Shared;
  struct Entry;
  [[nodiscard]] Entry* entry(int rank) const;
  [[nodiscard]] std::size_t place_of_pipes() const;
  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] bool map(int file);

  std::string path_;
  int size_ = 0;
  bool has_pipes_ = false;
  int file_ = -1;
  Mapping mapping_;
  Shared* shared_ = nullptr;  // in the mapping
};

}  // namespace latecomer::exchange
