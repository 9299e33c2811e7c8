// SPDX-License-Identifier: BSD-3-Clause
// Converts the records of one thread to events of one location, with global ids and nanoseconds.
#pragma once

#include <otf2/OTF2_AttributeList.h>
#include <otf2/OTF2_EvtWriter.h>

#include <cstdint>
#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

#include "sync/piecewise_linear.hpp"
#include "tracer/convert/definitions/kernel_totals.hpp"
#include "tracer/convert/definitions/process_map.hpp"
#include "tracer/convert/definitions/thread_teams.hpp"
#include "tracer/record/definition_lines.hpp"
#include "tracer/record/reader.hpp"

namespace latecomer::convert {

using sync::Nanoseconds;

// Records that did not become events, and events without a record.
struct Mended {
  std::uint64_t dropped = 0;         // nothing can be made of them
  std::uint64_t unknown_comm = 0;    // on communicators whose definition is lost
  std::uint64_t closed_regions = 0;  // without a leave, except those that are open at the end
  std::uint64_t dropped_leaves = 0;  // of regions that were not entered
  std::uint64_t unknown_kinds = 0;   // extended records of kinds that this release does not know

  [[nodiscard]] std::uint64_t total() const {
    return dropped + unknown_comm + closed_regions + dropped_leaves + unknown_kinds;
  }
};

// Result for one location. Times are those of the local clock.
struct LocationEvents {
  std::uint64_t count = 0;
  Nanoseconds first = 0;
  Nanoseconds last = 0;
  std::uint64_t in_rows = 0;  // unsuccessful polls that are part of the visit of another one
  std::uint64_t samples = 0;
  std::uint64_t file_operations = 0;          // outside MPI
  std::uint64_t threads = 1;                  // threads that used the location, one after another
  bool in_teams = false;                      // the thread worked in teams that others made
  bool was_off = false;                       // recording was switched off for a while
  std::uint64_t flushes = 0, flush_time = 0;  // stored chunks; nanoseconds
  std::uint64_t stepped_back = 0;  // times before the previous one, which was used instead
  Mended mended;
};

// Follows OTF2's rules for sequences of events. Enter and Leave nest, times never decrease, and
// each MpiCollectiveEnd has its MpiCollectiveBegin. Regions that are open at the end are left at
// the last time. In a process that was killed they stay open, because it is unknown when they would
// have ended.
//
// Regions that are left while recording is off end at the time when it was switched off:
//
//   records  E main  E f  off  L f                 on  L main
//   events   E main  E f  L f  off (at same time)  on  L main
//
// Call paths (kCallPath) are known at calls only. From one call to the next, the functions that
// both paths have in common continue. The others are left when the first call is left, and are
// entered when the next call is. The computation in between thus belongs to the common part. A
// function continues if it and all functions outside it were at the same place in the program. The
// innermost common one is an exception: main continues when it calls something else, but the
// function that it called before does not.
//
//   records  path main>solve>exchange  E Send  L Send  path main>solve@other>exchange  E Recv
//   events   E main E solve E exchange E Send  L Send  L exchange   E exchange E Recv
//
// Where another thread continues (kThreadBegin), all open regions are left at the time of the last
// record.
//
// Teams of threads (record/extended.hpp). A thread leaves its team with the parallel region. Those
// that did not make the team do that when the maker does, whose time is in `teams`. Functions of
// call paths that are open inside a region end with it.
//
//   records of a worker  Begun 10                Arrived 17          ...  Begun 40
//   events               TeamBegin E parallel    E implicit barrier  20 L L TeamEnd
//
// A flush is written before the first event after it. It is also written before a region that it
// delayed. That region begins at the end of the flush, so that the flush does not look like a part
// of the call. Records of the call with the time of its enter get that time, too.
//
//   records  Flush 12-15  E Recv 11  L Recv 20
//   events   BufferFlush 12-15  E Recv 15  L Recv 20
//
//   records  Flush 12-15  L Recv 11  E Send 17
//   events   L Recv 11  BufferFlush 12-15  E Send 17
class LocationWriter {
 public:
  LocationWriter(OTF2_EvtWriter* writer, const ProcessMap& map,
                 const record::ClockDefinition& clock, bool scalasca25,
                 const Teams* teams = nullptr);

  // Returns false after OTF2 has failed.
  bool write(const record::Record& r);

  // Ends the location; nothing may be written afterwards. `complete`: the process reached
  // MPI_Finalize.
  LocationEvents finish(bool complete);
  [[nodiscard]] bool ok() const { return ok_; }

 private:
  using Record = record::Record;

  // State in which something is written only once it is known what follows.
  enum class Pending : std::uint8_t { kNothing, kCollective, kOff };

  // A function of the current call path, with what distinguishes it from others at its place.
  struct Function {
    std::uint32_t caller = 0;  // frame from which it was called
    PathFunction function;
    std::size_t open = 0;  // index in open_
  };

  // A team in which the thread is.
  struct OpenTeam {
    std::uint32_t number = 0;
    std::uint32_t comm = kNoId;
    std::size_t depth = 0;  // number of open regions outside the parallel region
    bool is_maker = false;
    bool arrived = false;  // at the barrier at its end
  };

  void set_time(std::uint64_t ticks);
  void write_flush();
  void put_flush(Nanoseconds begin, Nanoseconds end);
  // The time, or that of the last event if it is later. OTF2 writes nothing of a location that goes
  // back in time.
  OTF2_TimeStamp stamp(Nanoseconds time);
  void take(const Record& r);
  bool hold_back(const Record& r);
  void release();

  void enter(const Record& r);
  void follow_path();
  void leave(const Record& r);
  void leave_unsuccessful(const Record& r);
  void close_region(OTF2_AttributeList* attributes = nullptr);
  void message(const Record& r);
  void request(const Record& r);
  void collective(const Record& r);
  void collective_end(const Record& r);
  void nonblocking_complete(const Record& r);
  OTF2_AttributeList* attributes_of(const Record& r);
  OTF2_AttributeList* place_only(const Record& r);
  void unrecorded(const Record& r);
  void comm_event(const Record& r, Nanoseconds time);
  void one_sided(const Record& r);
  void file_event(const Record& r);
  void extended(const Record& r, Nanoseconds time);
  void write_samples();
  [[nodiscard]] static bool orders_samples(const Record& r);
  void thread_record(const Record& r);
  void fork(std::uint32_t threads, std::uint32_t team);
  void team_begun(const Record& r);
  void team_arrived(const Record& r);
  void lock(const Record& r);
  void posix_record(const Record& r);
  void posix_begun(std::uint64_t number);
  void posix_ended(std::uint64_t number);
  void end_work(std::uint64_t ticks);
  void leave_down_to(std::size_t depth);
  void end_teams();
  [[nodiscard]] bool closes_path() const {
    return !path_.empty() && path_.back().open + 1 == open_.size();
  }
  void measurement(bool on);
  void thread_begin();
  void program_begin();
  void program_end();

  bool is_usable(const CommTarget& comm, bool peer_is_valid);
  static bool valid_collective(const Record& r, const CommTarget& comm);
  [[nodiscard]] bool leave_out(const Record& r) const;
  void done(OTF2_ErrorCode code) {
    if (code != OTF2_SUCCESS) [[unlikely]]
      ok_ = false;
  }

  struct DeleteList {
    void operator()(OTF2_AttributeList* list) const { OTF2_AttributeList_Delete(list); }
  };

  OTF2_EvtWriter* writer_;
  const ProcessMap& map_;
  const record::ClockDefinition clock_;
  const bool scalasca25_;
  const Teams* const teams_;

  LocationEvents events_;
  Nanoseconds time_ = 0;
  Nanoseconds previous_ = 0;  // time of the previous record
  std::uint64_t ticks_ = 0, previous_ticks_ = 0;
  std::vector<std::uint32_t> open_;  // open regions, global ids
  std::vector<Function> path_;       // those of open_ that come from call paths
  std::uint64_t frame_ = 0;          // innermost frame of path_
  std::uint64_t next_frame_ = 0;     // innermost frame from the next call on
  std::vector<OpenTeam> open_teams_;
  bool ok_ = true;
  bool begun_ = false;
  bool off_ = false;
  bool in_program_ = false;
  bool ended_ = false;

  bool flush_ = false;  // there is a flush that is not written yet
  std::uint64_t flush_begin_ = 0, flush_ticks_ = 0;
  Nanoseconds flush_end_ = 0;  // end of the last flush that is written

  Nanoseconds written_ = 0;  // time of the last event
  Pending pending_ = Pending::kNothing;
  Nanoseconds pending_time_ = 0;
  struct Held {
    Record record;  // about a communicator, of a family, or a flush
    Nanoseconds time = 0;
  };
  std::vector<Held> held_back_;
  // Samples are written when the next record is known. It says which functions were left before
  // them, at the time of the record before the samples.
  std::vector<Record> samples_;
  MetricTotals totals_;

  std::unique_ptr<OTF2_AttributeList, DeleteList> attributes_;
  std::unordered_set<std::uint64_t> left_out_sends_;    // their requests
  std::unordered_set<std::uint64_t> receive_requests_;  // requests of open receives, for scalasca25
};

}  // namespace latecomer::convert
