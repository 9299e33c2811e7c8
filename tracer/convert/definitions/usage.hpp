// SPDX-License-Identifier: BSD-3-Clause
// Definitions that the records of a process refer to.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tracer/convert/definitions/thread_teams.hpp"
#include "tracer/record/reader.hpp"

namespace latecomer::convert {

// OTF2_COLLECTIVE_OP_CREATE_HANDLE, the first operation on handles. These are not communication.
inline constexpr std::uint32_t kFirstHandleOperation = 17;

// A descriptor of the process, with the name of its file.
struct UsedFile {
  record::FileDescription about;
  std::string name;
};

// A function in which a thread was blocked, and the frame that called it (0: unknown).
struct BlockedPlace {
  std::uint32_t frame = 0, region = 0;
  friend auto operator<=>(const BlockedPlace&, const BlockedPlace&) = default;
};

// Local ids, ascending.
struct Usage {
  std::vector<std::uint32_t> regions;
  // used for messages, or for collectives that every reader knows
  std::vector<std::uint32_t> comms;
  bool call_paths = false;  // MPI calls have call paths from stacks
  std::vector<std::uint32_t> sampled_frames;
  // Microseconds, with record::kSampleInKernel; at most kMostPeriods.
  std::vector<std::uint32_t> sample_periods;
  bool kernel_use = false;
  bool counted = false;         // counters have values
  std::vector<UsedFile> files;  // outside MPI; ids up to kMostFiles
  // Sets of threads that were teams, each in ascending order.
  std::vector<std::vector<std::uint32_t>> teams;
  // POSIX threads that were made while they were recorded, and those that made them.
  std::vector<std::uint32_t> posix_threads;
  bool wakes_threads = false;                // a thread let others go on
  std::vector<BlockedPlace> blocked_places;  // ascending
};

// Periods of samples beyond this number are damage. A process has two per ring buffer, and with
// timer signals one per power of two that a sample may stand for.
inline constexpr std::size_t kMostPeriods = 40;
// Places where threads were blocked, beyond this number, are damage.
inline constexpr std::size_t kMostBlockedPlaces = std::size_t{1} << 16;
// Ids of files and lengths of names beyond these are damage.
inline constexpr std::uint32_t kMostFiles = 1U << 16;
inline constexpr std::uint32_t kMostFileNameBytes = 4096;

// Reads records before their conversion, so that only definitions in use are written. Ids that no
// process can have reached, from damaged records, are not listed.
class UsageCollector {
 public:
  static constexpr std::uint64_t kMaxPlausibleId = std::uint64_t{1} << 22;

  // Takes a copy, so the caller's reader stays where it is. Threads come in the order of their
  // numbers.
  void add(record::RecordReader reader, std::uint32_t thread = 0);
  [[nodiscard]] Usage usage() const;
  // After usage(). It can be called once.
  [[nodiscard]] Teams take_teams() { return std::move(teams_); }

 private:
  static void mark(std::vector<bool>& ids, std::uint64_t id);
  void add_extended(const record::Record& r);

  std::vector<bool> regions_;
  std::vector<bool> comms_;
  bool call_paths_ = false;
  std::vector<bool> sampled_frames_;
  std::set<std::uint32_t> sample_periods_;
  bool kernel_use_ = false, counted_ = false;
  std::map<std::uint32_t, UsedFile> files_;
  Teams teams_;
  std::uint32_t thread_ = 0;
  std::set<std::uint32_t> posix_threads_;
  bool wakes_threads_ = false;
  std::set<BlockedPlace> blocked_places_;
};

}  // namespace latecomer::convert
