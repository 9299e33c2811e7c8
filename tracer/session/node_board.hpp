// SPDX-License-Identifier: BSD-3-Clause
// What processes of one node that were started together tell each other before and without MPI: a
// small file in shared memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace latecomer::session {

// What is known of a process.
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
  // memory. There is none where that is impossible.
  static NodeBoard join(const std::string& directory, const std::string& job, int size);
  [[nodiscard]] bool exists() const { return shared_ != nullptr; }

  // What processes of this node said of themselves.
  void set(int rank, Presence presence);
  [[nodiscard]] Presence get(int rank) const;
  // What is known of those of other nodes.
  void set_elsewhere(int rank, Presence presence);
  [[nodiscard]] Presence get_elsewhere(int rank) const;

  // Nobody else joins from now on. Everybody who was to join has the file open.
  void close();

  // One process at a time may be between these.
  void lock();
  void unlock();
  [[nodiscard]] bool others_asked() const;  // what is known of other nodes has been set
  void note_others();

  // The decider writes once; the others wait for it, in vain (nullptr) if it has died.
  void decide(const Decision& decision);
  [[nodiscard]] const Decision* wait_for_decision(int decider_rank) const;

 private:
  struct Shared;
  struct Entry;
  [[nodiscard]] Entry* entry(int rank) const;
  [[nodiscard]] std::size_t bytes() const;

  std::string path_;
  int size_ = 0;
  int file_ = -1;
  Shared* shared_ = nullptr;
};

}  // namespace latecomer::session
