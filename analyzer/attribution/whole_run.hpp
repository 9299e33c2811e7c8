// SPDX-License-Identifier: BSD-3-Clause
// What the steps of a whole run need besides those of the ideal network.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/attribution/transfer_times.hpp"
#include "analyzer/overhead/event_costs.hpp"
#include "patterns/waits/wait_state_list.hpp"
#include "sync/constraints.hpp"

namespace latecomer::replay {

// In a whole run calls of MPI keep their own time. So it can be replayed with other durations.
struct WholeRun {
  const sync::Topology* topology = nullptr;
  // By communicator: the slowest class of links between its members. Empty: data of collective
  // operations take no time of their own, but the calls do.
  std::vector<sync::LinkClass> comm_links;
  // The same after some ranks have moved to other nodes; null: none have.
  const sync::Topology* moved = nullptr;
  std::vector<sync::LinkClass> moved_comm_links;
  TransferTimes transfers;
  std::vector<std::uint32_t> rate_of_node;  // by node of the process's call tree; kNone: none
  bool shares = false;                      // tells which share of a duration is latency
  // Sends of up to so many bytes do not wait for receives if the run is changed so.
  std::optional<std::uint64_t> eager_limit;
  // Overhead has rate 0 then. Only without other rates.
  const PathCosts* overhead = nullptr;
  bool keeps_calls = false;  // lists the calls that need others
};

// A call that needs others: it needs them from `begin` on, and the location goes on at `end`.
struct NeedingCall {
  trace::Ticks begin = 0, end = 0;
};

// Groups of wait states, since a step has four bits for what is waited for.
enum class WaitGroup : std::uint8_t {
  kNone,
  kLateSender,
  kLateReceiver,
  kBarrier,
  kNxN,
  kLateBroadcast,
  kEarlyReduce,
  kEarlyScan,
  kLateNeighbor,
  kWindow,
  kEpoch,
  kLock,
  kProgress,
  kFile,
  kInit,
  kFinalize,
  kCount,
};
inline constexpr std::size_t kWaitGroups = static_cast<std::size_t>(WaitGroup::kCount);

// The wait state that names a group. The group of early reductions has also the rest of their
// waits, for late contributors.
inline constexpr std::array<patterns::WaitState, kWaitGroups> kStateOfGroup = {
    patterns::WaitState::kLateSender,  // stands for none
    patterns::WaitState::kLateSender,    patterns::WaitState::kLateReceiver,
    patterns::WaitState::kBarrier,       patterns::WaitState::kNxN,
    patterns::WaitState::kLateBroadcast, patterns::WaitState::kEarlyReduce,
    patterns::WaitState::kEarlyScan,     patterns::WaitState::kLateNeighbor,
    patterns::WaitState::kFence,         patterns::WaitState::kLatePost,
    patterns::WaitState::kLock,          patterns::WaitState::kProgress,
    patterns::WaitState::kFile,          patterns::WaitState::kInitCompletion,
    patterns::WaitState::kFinalize,
};

// The group of a wait state that needs the calls of the recorded run.
[[nodiscard]] constexpr WaitGroup group_of(patterns::WaitKind kind) {
  switch (kind) {
    case patterns::WaitKind::kLatePost:
    case patterns::WaitKind::kEarlyWait:
      return WaitGroup::kEpoch;
    case patterns::WaitKind::kLock:
      return WaitGroup::kLock;
    case patterns::WaitKind::kProgress:
      return WaitGroup::kProgress;
    case patterns::WaitKind::kFile:
      return WaitGroup::kFile;
    default:
      return WaitGroup::kWindow;
  }
}

}  // namespace latecomer::replay
