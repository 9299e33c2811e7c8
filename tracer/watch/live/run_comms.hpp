// SPDX-License-Identifier: BSD-3-Clause
// Communicators of a run, and what their ids on each process mean.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tracer/record/definition_lines.hpp"
#include "tracer/watch/events.hpp"

namespace latecomer::watch {

// Numbers of ranks beyond this are damage.
constexpr std::uint32_t kMostRanks = 1U << 24;

struct RunComm {
  std::string name;
  std::vector<Rank> members, remote;  // `remote`: second side of an intercommunicator
  bool known = false;                 // the log of its owner was read
  bool is_damaged = false;            // its members cannot be; nothing is said of it
  bool is_self = false;               // stands for one of each process
  // Its name on all hosts: the rank that logs its members, and a number of this rank.
  std::uint32_t owner = kNone, number = 0;
};

// Owners log the members, so a process may use a communicator before they are known here.
class RunComms {
 public:
  static constexpr CommId kWorld = 0, kSelf = 1;
  static constexpr std::size_t kMost = std::size_t{1} << 20;

  RunComms();

  void set_size(std::uint32_t ranks);
  // Takes the new lines of a log, when the size is set. Returns the communicators whose members are
  // now known.
  std::vector<CommId> add(Rank rank, const record::Definitions& more);

  // The communicator that has this id on a process; kNone: its definition was not seen.
  [[nodiscard]] CommId find(Rank rank, std::uint32_t id) const;
  // The communicator of an owner; kNone: its definition was not seen.
  [[nodiscard]] CommId find_of_owner(std::uint32_t owner, std::uint32_t number) const;
  // The id that a process has for a communicator; kNone: its definition was not seen.
  [[nodiscard]] std::uint32_t id_on(Rank rank, CommId comm) const;
  [[nodiscard]] const RunComm& operator[](CommId comm) const { return comms_[comm]; }
  [[nodiscard]] std::size_t size() const { return comms_.size(); }
  // Communicators with members that the run does not have.
  [[nodiscard]] std::int64_t damaged() const { return damaged_; }
  // Rank in MPI_COMM_WORLD of a rank in a communicator, as this process counts; kNone: there is
  // none.
  [[nodiscard]] Rank world_rank(CommId comm, Rank here, Rank peer) const;

 private:
  // The run has that many ranks, and each of these is one of them.
  [[nodiscard]] bool are_ranks(const std::vector<Rank>& members) const;

  std::vector<RunComm> comms_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, CommId> by_owner_;  // owner, number there
  std::unordered_map<std::uint64_t, CommId> by_id_;                     // rank, id there
  std::unordered_map<std::uint64_t, std::uint32_t> ids_;                // rank, communicator
  std::int64_t damaged_ = 0;
};

}  // namespace latecomer::watch
