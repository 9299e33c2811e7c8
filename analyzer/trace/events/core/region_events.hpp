// SPDX-License-Identifier: BSD-3-Clause
// The data kept of one location's regions: times of call paths, calls of MPI functions, and its
// end.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/memory/packed_vector.hpp"
#include "analyzer/memory/segmented_vector.hpp"
#include "analyzer/trace/events/core/open_requests.hpp"
#include "analyzer/trace/events/core/path_timeline.hpp"
#include "analyzer/trace/events/core/quality.hpp"

namespace latecomer::trace {

using Ticks = std::int64_t;  // since Definitions::first_tick

// One visit of an MPI region that contains operations, or of MPI_Probe and the like.
struct Call {
  Ticks enter = 0;
  Ticks leave = 0;
  std::uint32_t node = 0;  // node of the process's CallTree
  bool crosses_metahosts = false;
};

// Packs a call of up to 2^32 ticks into 16 bytes.
struct CallPacking {
  struct Packed {
    Ticks enter;
    std::uint32_t time;  // kOdd: does not fit and is stored elsewhere
    std::uint32_t node : 31, crosses_metahosts : 1;
  };
  static constexpr std::uint32_t kOdd = 0xffffffff;
  static constexpr std::uint32_t kNodes = 0x80000000;
  static bool pack(const Call& call, Packed& to) {
    const auto time = static_cast<std::uint64_t>(difference(call.leave, call.enter));
    to.enter = call.enter;
    to.time = static_cast<std::uint32_t>(time);
    to.node = call.node & (kNodes - 1);
    to.crosses_metahosts = call.crosses_metahosts;
    return time < kOdd && to.node == call.node;
  }
  static Call unpack(const Packed& from) {
    return {from.enter, advanced(from.enter, from.time), from.node, from.crosses_metahosts != 0};
  }
  static void move(Packed& packed, Ticks by) { packed.enter = advanced(packed.enter, by); }
  static bool set_leave(Packed& packed, Ticks leave) {
    const auto time = static_cast<std::uint64_t>(difference(leave, packed.enter));
    if (time >= kOdd) return false;
    packed.time = static_cast<std::uint32_t>(time);
    return true;
  }
  static Packed odd(std::uint32_t number) { return {number, kOdd, 0, 0}; }
  static bool is_odd(const Packed& packed) { return packed.time == kOdd; }
  static std::uint32_t odd_number(const Packed& packed) {
    return static_cast<std::uint32_t>(packed.enter);
  }
};

// One visit of MPI_Test or the like that completed nothing.
struct Poll {
  Ticks enter = 0;
  Ticks leave = 0;
  std::uint32_t node = 0;           // node of the process's CallTree
  std::uint32_t call = 0xffffffff;  // index of its Call, if it has one (probes)
};

// State of a location when its events stop.
struct Stop {
  std::uint32_t node = 0;            // innermost open call path; 0: the program itself
  std::uint32_t mpi_node = 0;        // node of the open MPI call; 0: none
  Ticks since = 0;                   // its enter; without one, the last event
  Ticks accounted = 0;               // time up to here was assigned to call paths
  std::vector<std::uint32_t> calls;  // open Calls
  std::uint32_t regions = 0;         // number of open regions
  bool exited = false;               // the end of the program was recorded
  bool began_mpi = false, finalized = false, aborted = false;

  // MPI was initialized but not finalized: the process ended early, or its last events are missing.
  [[nodiscard]] bool unfinished() const { return began_mpi && !finalized; }
};

// All of one location.
struct RegionEvents : OpenRequests {
  std::uint32_t location = 0;        // index in Definitions::locations
  std::vector<Ticks> time;           // exclusive times per node of the CallTree
  std::vector<std::int64_t> visits;  // per node
  Timeline timeline;                 // source of `time`; ends with the last event
  PackedVector<Call, CallPacking> calls;
  SegmentedVector<Poll> polls;
  // The Calls of MPI_Init (or MPI_Init_thread) and MPI_Finalize, if this location has them.
  std::uint32_t init = 0xffffffff, finalize = 0xffffffff;
  std::uint64_t events = 0;
  Ticks first = 0, last = 0;  // times of all events
  QualityCounts quality;
  Stop stop;
};

}  // namespace latecomer::trace
