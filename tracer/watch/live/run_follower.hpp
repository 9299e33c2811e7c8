// SPDX-License-Identifier: BSD-3-Clause
// Follows the records of all processes of a run on this host, and tells a watcher their calls.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "archive/result.hpp"
#include "sync/clock_tree.hpp"
#include "tracer/follow/definition_follower.hpp"
#include "tracer/follow/record_follower.hpp"
#include "tracer/watch/live/call_decoder.hpp"
#include "tracer/watch/live/call_paths.hpp"
#include "tracer/watch/live/run_comms.hpp"
#include "tracer/watch/watcher.hpp"

namespace latecomer::watch {

// Records and calls that the watcher was not told of, by the reason.
struct FollowCounts {
  std::int64_t records = 0;      // that were read
  std::int64_t lost = 0;         // overwritten before they were read
  std::int64_t not_written = 0;  // for which the program had no space
  std::int64_t damages = 0;      // places at which a file is damaged
  // Parts of operations that agents on other hosts were not told of.
  std::int64_t not_told = 0;
  std::int64_t unknown_comm = 0;  // operations on communicators whose members are not known
  DecodingCounts decoding;
};

// A process with records.
struct FollowedProcess {
  Rank rank = 0;
  std::string host, node;  // node: its identity
  std::uint32_t node_index = 0;
  std::int64_t metahost = 0;
  bool elsewhere = false;    // an agent on another host reads its records
  std::string not_followed;  // why its records are not read; empty: they are
  bool has_clock = false;
  record::ClockDefinition clock;
  bool complete = false;  // its log has all definitions
  // Calls that are in the records that were read.
  bool began = false, finalized = false, aborted = false;
  bool exited = false;  // the end of the program was recorded
  bool gone = false;    // its process has ended without saying so
  // Call of MPI that has not returned, of the main thread.
  std::optional<CallDecoder::OpenCall> open;
  std::optional<Nanoseconds> last;     // time of its last record
  bool ended = false;                  // all of its records were read
  std::vector<std::uint32_t> threads;  // numbers of those with a file
};

// Time of a clock that is not emulated. Damaged files may say anything, so it is kept within bounds
// in which differences do not overflow.
[[nodiscard]] Nanoseconds time_of(const record::ClockDefinition& clock, std::uint64_t ticks);

class RunFollower {
 public:
  // Problems: no such directory, no records, the run has ended, another release made the records.
  static Result<std::unique_ptr<RunFollower>> open(const std::string& directory);
  ~RunFollower();
  RunFollower(const RunFollower&) = delete;
  RunFollower& operator=(const RunFollower&) = delete;

  // Agents on other hosts read the records there. Call it before poll().
  void expect_others() { expects_others_ = true; }
  // No agent tells of ranks on other hosts after all: they are left out.
  void forget_others(Watcher& watcher);
  // Reads the logs of all processes at the next poll: an agent has named a communicator whose
  // definition was not seen here.
  void read_all_logs() { calls_wait_ = true; }
  // True if the host and metahost of all ranks with records are known.
  [[nodiscard]] bool knows_places() const;
  // Function from the clock of this host to that of rank 0, as it was measured so far.
  [[nodiscard]] sync::PiecewiseLinear to_global() const;
  [[nodiscard]] std::size_t measurements() const { return measurements_.size(); }

  // Tells the watcher what is new. True: there is more right now.
  bool poll(Watcher& watcher);
  // From now on, poll() says that there is more only for records from before this moment.
  void stop_at_now();
  // Looks whether processes of the run are left; slow, as it reads /proc. They are gone if a look
  // sees all processes and none of the run, though all ranks have begun. Otherwise two looks in a
  // row have to say so, and no file has grown meanwhile. True: another look may tell that.
  bool look_for_processes();
  // When a process was there last, on the clock of the calls: scan notes when it ended the run, and
  // each look sees processes. Now, if it was not missing at the last look. Nothing: not known.
  [[nodiscard]] std::optional<Nanoseconds> end_of(Rank rank) const;
  // Processes of a run that has ended were killed, and scan has not noted when.
  [[nodiscard]] bool lacks_end() const;
  // The present on the clock of the calls; nothing if that is emulated.
  [[nodiscard]] std::optional<Nanoseconds> now() const;
  // Age of the last record that was read of a thread which has more of them, the longest of all
  // threads. 0: everything was read; nothing: it is not known.
  [[nodiscard]] std::optional<Nanoseconds> behind() const;
  // All that was recorded was read, and nothing will follow. False if nothing can be read.
  [[nodiscard]] bool ended() const;
  // Why no rank can be watched; empty: one can, or it is not known yet.
  [[nodiscard]] std::string nothing_to_watch() const;

  [[nodiscard]] const std::string& directory() const { return directory_; }
  [[nodiscard]] std::uint32_t size() const { return size_; }  // number of ranks; 0: not known yet
  [[nodiscard]] const std::string& program() const { return program_; }
  [[nodiscard]] std::vector<FollowedProcess> processes() const;
  [[nodiscard]] FollowCounts counts() const;
  // The machine with fewest cores for its threads, of those that have fewer cores than threads.
  struct SharedCores {
    std::int64_t ranks = 0, threads = 0, cores = 0;
  };
  [[nodiscard]] std::optional<SharedCores> shared_cores() const;
  [[nodiscard]] const std::vector<std::string>& nodes() const { return nodes_; }  // host names
  [[nodiscard]] const RunComms& comms() const { return comms_; }
  [[nodiscard]] CallPaths& paths() { return paths_; }
  // Number of a call of a process from a frame.
  [[nodiscard]] PathId path_of(Rank rank, std::uint32_t frame, std::uint32_t region) {
    return paths_.number(processes_[rank].frames, frame, region);
  }

 private:
  struct Moment {
    Nanoseconds monotonic = 0, realtime = 0;
    [[nodiscard]] static Moment now();
    [[nodiscard]] Nanoseconds on(const record::ClockDefinition& clock) const {
      return clock.timer == "realtime" ? realtime : monotonic;
    }
  };
  struct Thread {
    std::string path;
    std::optional<follow::RecordFollower> records;
    std::optional<CallDecoder> decoder;
    bool is_thread = true;
    bool ended = false;
    std::uint64_t lost = 0;   // records, as far as it was taken note of
    std::uint64_t ticks = 0;  // of the last record
    bool has_more = false;    // that was not read at the last poll
  };
  // A call that was read, or a place at which records were lost.
  struct Item {
    DecodedCall call;
    bool is_loss = false;
  };
  struct Process {
    FollowedProcess about;
    std::string log;
    std::optional<follow::DefinitionFollower> definitions;
    ProcessFrames frames;
    std::map<std::string, std::string> properties;  // about cores and threads, the latest
    std::map<std::uint32_t, Thread> threads;
    std::deque<Item> items;
    bool sized = false;  // it has told the size of the run
    bool checked = false;
    std::optional<Moment> seen;    // at a look
    std::optional<Moment> missed;  // at the first look that saw all processes and not this one
    bool gone = false;             // all that it has written before was read since
  };

  explicit RunFollower(std::string directory);

  void find_files();
  void look_for_clocks(Watcher& watcher);
  void find_size(Watcher& watcher);
  // False: at the limit of open files.
  [[nodiscard]] bool may_open() const { return files_ < most_files_; }
  [[nodiscard]] bool is_left(const Process& process) const;
  void leave(Process& process, Watcher& watcher, std::string why);
  bool open_records(Process& process, Thread& thread, Watcher& watcher);
  // The last record is from after stop_at_now().
  [[nodiscard]] bool is_new(const FollowedProcess& about, const Thread& thread) const;
  bool read_definitions(Process& process, Watcher& watcher);
  void check(Process& process);
  bool read_records(Process& process, Watcher& watcher);
  void tell(Process& process, Watcher& watcher);
  [[nodiscard]] bool is_resolved(const Process& process, const DecodedCall& call) const;
  void tell_call(Process& process, Watcher& watcher, DecodedCall& call);
  [[nodiscard]] bool resolve(const Process& process, Operation& operation) const;

  std::string directory_, program_;
  std::uint32_t size_ = 0;
  std::map<Rank, Process> processes_;
  std::vector<std::string> nodes_;
  std::map<std::string, std::uint32_t> node_numbers_;  // by identity
  std::map<std::int64_t, std::uint32_t> metahosts_;
  std::vector<sync::Measurement> measurements_;  // of all clocks
  bool expects_others_ = false;
  RunComms comms_;
  CallPaths paths_;
  std::optional<sync::ClockId> clock_;          // of the first process: others are compared with it
  std::map<std::uint32_t, std::size_t> sizes_;  // processes that told this size of the run
  std::size_t files_ = 0, most_files_ = 0;      // open ones
  std::string unlisted_;                        // why the directory of records cannot be listed
  // The end of the run that scan has noted.
  [[nodiscard]] std::optional<Moment> noted_end() const;
  std::optional<Moment> until_;
  std::uint64_t polls_ = 0;
  bool calls_wait_ = false;  // for definitions by another process
  bool grown_ = false;       // there was something new since the last look
  int empty_looks_ = 0;
  bool gone_ = false;      // no process of the run is left
  bool listed_ = false;    // absent_ is known
  std::set<Rank> absent_;  // ranks without records
  FollowCounts counts_;
};

}  // namespace latecomer::watch
