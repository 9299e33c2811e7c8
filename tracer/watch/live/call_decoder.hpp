// SPDX-License-Identifier: BSD-3-Clause
// Turns the records of one thread into MPI calls with their operations.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "tracer/record/definition_lines.hpp"
#include "tracer/record/reader.hpp"
#include "tracer/watch/events.hpp"

namespace latecomer::watch {

// A call that has returned. Ids are those of the process: regions, frames, communicators; peers and
// roots are ranks in the communicator.
struct DecodedCall {
  std::uint32_t region = 0;
  std::uint32_t frame = 0;
  Nanoseconds enter = 0, leave = 0, inside = 0;
  std::vector<Operation> operations;
  std::int64_t calls = 1;  // as in CallEvent
};

// Records that did not become a part of a call.
struct DecodingCounts {
  std::int64_t outside_calls = 0;  // operations in no MPI call
  std::int64_t too_many = 0;       // operations in a call that has too many
  std::int64_t not_watched = 0;    // operations on windows and files
  std::int64_t unsuccessful = 0;   // polls that completed nothing, in rows
};

// Times are those that the same records get in a trace: not before the end of a flush that delayed
// them, and never before the previous one.
class CallDecoder {
 public:
  using OnCall = std::function<void(DecodedCall&&)>;

  explicit CallDecoder(const record::ClockDefinition& clock) : clock_(clock) {}

  void take(const record::Record& r, const OnCall& on_call);
  // Records were lost here: the regions that are open now are not known.
  void lose();

  // A call of MPI that has not returned, the outermost one.
  struct OpenCall {
    std::uint32_t region = 0, frame = 0;
    Nanoseconds enter = 0;
  };
  [[nodiscard]] std::optional<OpenCall> open_call() const;
  // Time of the last record; nothing: there is none.
  [[nodiscard]] std::optional<Nanoseconds> last_time() const {
    return time_ == INT64_MIN ? std::nullopt : std::optional(time_);
  }
  // The program has ended here, or this part of it.
  [[nodiscard]] bool program_ended() const { return program_ended_; }
  [[nodiscard]] const DecodingCounts& counts() const { return counts_; }

 private:
  static constexpr std::size_t kMostOperations = std::size_t{1} << 20;
  static constexpr std::size_t kDeepest = std::size_t{1} << 14;

  struct Open {
    std::uint32_t region = 0;
    std::uint32_t frame = 0;
    Nanoseconds enter = 0;
    bool is_mpi = false, is_outermost = false;
    std::uint64_t enter_ticks = 0;
    std::vector<Operation> operations;
  };

  void set_time(std::uint64_t ticks);
  void end_flush();
  void enter(const record::Record& r);
  void leave(const record::Record& r, const OnCall& on_call);
  void close(const OnCall& on_call, Nanoseconds inside, std::int64_t calls = 1);
  void operation(const record::Record& r, const OnCall& on_call);
  void add(const Operation& operation, const OnCall& on_call);

  const record::ClockDefinition clock_;
  std::vector<Open> open_;
  std::size_t mpi_depth_ = 0;  // of open_
  std::uint32_t frame_ = 0;
  Nanoseconds time_ = INT64_MIN;
  std::uint64_t ticks_ = 0;
  bool flush_ = false;
  std::uint64_t flush_begin_ = 0, flush_ticks_ = 0;
  Nanoseconds flush_end_ = INT64_MIN;
  bool begun_ = false;  // a collective operation
  Nanoseconds begin_ = 0;
  bool off_ = false, program_ended_ = false;
  Nanoseconds off_since_ = 0;
  DecodingCounts counts_;
};

}  // namespace latecomer::watch
