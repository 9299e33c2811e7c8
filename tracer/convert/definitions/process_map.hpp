// SPDX-License-Identifier: BSD-3-Clause
// Map from the ids in the records of one process to global ids.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracer/convert/definitions/bytes.hpp"
#include "tracer/convert/definitions/global_definitions.hpp"

namespace latecomer::convert {

// Reason for which a communicator has no global id.
enum class CommState : std::uint8_t {
  kDefined,
  kUnknown,  // its definition is lost
  kLeftOut,  // on purpose, because the reader cannot handle it
};

struct CommTarget {
  std::uint32_t id = kNoId;
  // number of ranks that messages and roots can name; remote ones of an intercommunicator
  std::uint32_t peers = 0;
  CommState state = CommState::kUnknown;
};

// An open file, with the modes and flags that the process gave.
struct FileTarget {
  std::uint32_t id = kNoId;
  std::uint32_t mode = 0, creation = 0, status = 0;
};

// The calling context of a place where a thread was blocked.
struct BlockedContext {
  std::uint32_t frame = 0, region = 0;  // of the process
  std::uint32_t context = kNoId;
};

// A function of a call path. Two places where the compiler inlined a function are two instances.
struct PathFunction {
  std::uint32_t region = kNoId;
  std::uint32_t instance = 0;
};

// A frame of a call path with its functions, outermost first.
struct PathFrame {
  std::uint32_t parent = 0;  // 0: none
  std::vector<PathFunction> functions;
};

class ProcessMap {
 public:
  void set_region(std::uint32_t local, std::uint32_t global);
  void set_comm(std::uint32_t local, const CommTarget& target);
  void set_window(std::uint32_t local, const CommTarget& target);  // `peers` of its communicator
  void set_group(std::uint32_t local, std::uint32_t global);
  void set_file(std::uint32_t local, std::uint32_t global);
  void set_file_handle(std::uint32_t local, const FileTarget& target);
  // Descriptors, outside MPI.
  void set_descriptor(std::uint32_t local, const FileTarget& target);
  // Communicators of the teams of threads, by their sets.
  void set_teams(std::vector<std::uint32_t> comms) { teams_ = std::move(comms); }
  void set_frame(std::uint32_t local, PathFrame frame);
  void set_context(std::uint32_t frame, std::uint32_t context);
  // In ascending order of frame and region, and the interrupt generator of all of them.
  void set_blocked(std::vector<BlockedContext> contexts, std::uint32_t clock) {
    blocked_ = std::move(contexts);
    blocked_clock = clock;
  }
  // Periods of samples in microseconds; the index is the global id.
  void set_periods(std::vector<std::uint32_t> periods) { periods_ = std::move(periods); }

  // kNoId for an id that no process can have reached.
  [[nodiscard]] std::uint32_t region(std::uint64_t local) const {
    return local < regions_.size() ? regions_[local] : kNoId;
  }
  [[nodiscard]] const CommTarget& comm(std::uint64_t local) const {
    return local < comms_.size() ? comms_[local] : unknown_comm_;
  }
  [[nodiscard]] const CommTarget& window(std::uint64_t local) const {
    return local < windows_.size() ? windows_[local] : unknown_comm_;
  }
  [[nodiscard]] std::uint32_t group(std::uint64_t local) const {
    return local < groups_.size() ? groups_[local] : kNoId;
  }

  [[nodiscard]] std::uint32_t file(std::uint64_t local) const {
    return local < files_.size() ? files_[local] : kNoId;
  }
  [[nodiscard]] const FileTarget& file_handle(std::uint64_t local) const {
    return local < file_handles_.size() ? file_handles_[local] : unknown_file_;
  }

  [[nodiscard]] const FileTarget& descriptor(std::uint64_t local) const {
    return local < descriptors_.size() ? descriptors_[local] : unknown_file_;
  }

  // The communicator of a set of threads; kNoId: unknown.
  [[nodiscard]] std::uint32_t team(std::uint64_t set) const {
    return set < teams_.size() ? teams_[set] : kNoId;
  }

  // A frame without parent and functions for an unknown id.
  [[nodiscard]] const PathFrame& frame(std::uint64_t local) const {
    return local < frames_.size() ? frames_[local] : unknown_frame_;
  }

  // The calling context of samples at a frame; kNoId for a frame that is not defined.
  [[nodiscard]] std::uint32_t context(std::uint64_t frame) const {
    return frame < contexts_.size() ? contexts_[frame] : kNoId;
  }
  [[nodiscard]] std::uint32_t period(std::uint32_t microseconds) const {
    const auto at = std::ranges::find(periods_, microseconds);
    return at == periods_.end() ? kNoId : static_cast<std::uint32_t>(at - periods_.begin());
  }

  // kNoId for a place that is not defined.
  [[nodiscard]] std::uint32_t blocked(std::uint32_t frame, std::uint32_t region) const {
    const auto found =
        std::ranges::lower_bound(blocked_, std::pair(frame, region), {},
                                 [](const auto& d) { return std::pair(d.frame, d.region); });
    const bool is_known =
        found != blocked_.end() && found->frame == frame && found->region == region;
    return is_known ? found->context : kNoId;
  }
  std::uint32_t blocked_clock = kNoId;

  // The communicator of the process's POSIX threads; kNoId: none.
  std::uint32_t posix_threads = kNoId;

  // The metric class of the chosen counters, and their number; kNoId: they have no values.
  std::uint32_t counter_class = kNoId, counters = 0;

  // Strings of the event that begins the program.
  StringId program = 0;
  std::vector<StringId> arguments;

  void put(ByteWriter& out) const;
  static ProcessMap get(ByteReader& in);

 private:
  std::vector<std::uint32_t> regions_;
  std::vector<CommTarget> comms_;
  std::vector<CommTarget> windows_;
  std::vector<std::uint32_t> groups_;
  std::vector<std::uint32_t> files_;
  std::vector<FileTarget> file_handles_;
  std::vector<FileTarget> descriptors_;
  std::vector<PathFrame> frames_;
  std::vector<std::uint32_t> contexts_;  // by frame
  std::vector<std::uint32_t> periods_;
  std::vector<BlockedContext> blocked_;
  std::vector<std::uint32_t> teams_;
  CommTarget unknown_comm_;
  FileTarget unknown_file_;
  PathFrame unknown_frame_;
};

}  // namespace latecomer::convert
