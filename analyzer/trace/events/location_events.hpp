// SPDX-License-Identifier: BSD-3-Clause
// The data kept of one location's events: call-path times, and the operations of its MPI calls.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/memory/packed_vector.hpp"
#include "analyzer/memory/segmented_vector.hpp"
#include "analyzer/trace/events/core/path_timeline.hpp"
#include "analyzer/trace/events/core/quality.hpp"
#include "archive/hash.hpp"

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

// A sent message, or a receive. Receives are in the order in which they were posted, which is the
// order in which MPI matches them.
struct Message {
  static constexpr std::uint32_t kLarge = 0x80000000;

  std::uint32_t peer = 0xffffffff;  // world rank of the other side; kNone: receive never completed
  std::uint32_t comm = 0;           // index in Definitions::comms
  std::uint32_t tag = 0;
  std::uint32_t call = 0;            // index of the Call that sends, or that completes the receive
  std::uint32_t other = 0xffffffff;  // the Call that completes the send, or that posts the receive
  std::uint32_t size = 0;  // bytes; from kLarge on: kLarge + index in LocationEvents::large_sizes
  Ticks time = 0;          // time of the send or receive record
  friend bool operator==(const Message&, const Message&) = default;
};

// Packs a message into 24 bytes. It fits up to 2^47 ticks, a million ranks and 4,096 communicators
// if `call` and `other` are not too far apart.
struct MessagePacking {
  struct Packed {
    std::uint32_t tag, call, size;
    std::uint32_t peer : 20, comm : 12;
    std::int64_t distance : 16, time : 48;  // distance: from call to other, or a constant below
  };
  static constexpr std::int16_t kOdd = INT16_MIN, kNoOther = INT16_MIN + 1;
  static constexpr std::uint32_t kNoPeer = (1U << 20) - 1;
  // The shifts sign-extend the lowest 48 bits of the time.
  static bool pack(const Message& message, Packed& to) {
    const std::int64_t distance = std::int64_t{message.other} - message.call;
    const bool no_peer = message.peer == 0xffffffff, no_other = message.other == 0xffffffff;
    to = {message.tag,
          message.call,
          message.size,
          (no_peer ? kNoPeer : message.peer) & kNoPeer,
          message.comm & 0xfff,
          no_other ? kNoOther : static_cast<std::int16_t>(distance),
          message.time << 16 >> 16};
    return (no_peer || message.peer < kNoPeer) && to.comm == message.comm &&
           to.time == message.time && (no_other || (distance > kNoOther && distance <= INT16_MAX));
  }
  static Message unpack(const Packed& from) {
    return {from.peer == kNoPeer ? 0xffffffff : std::uint32_t{from.peer},
            from.comm,
            from.tag,
            from.call,
            from.distance == kNoOther ? 0xffffffff
                                      : static_cast<std::uint32_t>(from.call + from.distance),
            from.size,
            from.time};
  }
  static bool move(Packed& packed, Ticks by) {
    const Ticks time = advanced(packed.time, by);
    if (time << 16 >> 16 != time) return false;
    packed.time = time << 16 >> 16;
    return true;
  }
  static bool set_other(Packed& packed, std::uint32_t other) {
    const std::int64_t distance = std::int64_t{other} - packed.call;
    if (distance <= kNoOther || distance > INT16_MAX) return false;
    packed.distance = static_cast<std::int16_t>(distance);
    return true;
  }
  static Packed odd(std::uint32_t number) { return {0, number, 0, 0, 0, kOdd, 0}; }
  static bool is_odd(const Packed& packed) { return packed.distance == kOdd; }
  static std::uint32_t odd_number(const Packed& packed) { return packed.call; }
};

// The common properties of many participations in collective operations.
struct CollectiveKind {
  std::uint32_t comm = 0;
  std::uint32_t root = 0;      // rank in the communicator, or an OTF2 constant
  std::uint8_t operation = 0;  // OTF2_CollectiveOp
  bool nonblocking = false;
  std::uint64_t sent = 0, received = 0;
  bool all_positive = false;  // this process sends to all processes and gets data from all
  std::uint32_t series = 0;   // number of a persistent operation on the communicator, from 1
  friend bool operator==(const CollectiveKind&, const CollectiveKind&) = default;
};
inline std::uint64_t hash_of(const CollectiveKind& k) {
  std::uint64_t h = k.comm;
  for (const std::uint64_t part :
       {std::uint64_t{k.root}, std::uint64_t{k.operation}, k.sent, k.received,
        std::uint64_t{k.nonblocking}, std::uint64_t{k.all_positive}, std::uint64_t{k.series}}) {
    h = hash_with(h, part);
  }
  return h;
}

// A participation in a collective operation. They are in the order in which they were started.
struct Collective {
  static constexpr std::uint32_t kOpen = 0xffffffff;  // kind of an operation that never completed
  std::uint32_t kind = kOpen;                         // index in LocationEvents::kinds
  std::uint32_t start = 0xffffffff;                   // the Call that starts it
  std::uint32_t call = 0;                             // the Call that completes it
  std::uint32_t instance = 0;  // counted per communicator; ~0: not a member of the communicator
  Ticks begin = 0;
  Ticks end = 0;
};

// Operations that were not recorded. `before`: number of recorded operations that precede them. An
// operation that began or ended, but not both, while recording was on counts as not recorded.
struct Gap {
  enum class Kind : std::uint8_t {
    kSend,
    kReceive,
    kCollective,
    kWindowCollective,
    kAccessEpoch,
    kExposureEpoch,
    kLock,
    kTransfer,
    kFileCollective
  };
  std::uint64_t count = 0;
  std::uint32_t before = 0;
  std::uint32_t comm = 0;  // index in Definitions::comms
  std::uint32_t peer = 0;  // world rank
  std::uint32_t tag = 0;
  std::uint32_t series = 0;  // number of a persistent collective operation
  Ticks time = 0;
};

// A step of one-sided communication. Collective calls on windows are Collectives instead.
struct WindowEvent {
  enum class Kind : std::uint8_t {
    kPut,  // transfers
    kGet,
    kAtomic,
    kPost,  // epochs with a group
    kStart,
    kComplete,
    kWait,
    kTest,  // a wait that does not block
    kLock,
    kUnlock,
    kFlush  // completes transfers to one target
  };
  Ticks time = 0;
  std::uint32_t call = 0;
  std::uint32_t window = 0;  // index in Definitions::windows
  std::uint32_t other = 0;   // world rank of the target, kNone: all; or index of the group
  std::uint32_t epoch = 0;   // number of collective calls on the window before this step
  Kind kind = Kind::kPut;
  bool shared = false;  // for locks
  [[nodiscard]] bool is_transfer() const { return kind <= Kind::kAtomic; }
  [[nodiscard]] bool is_epoch() const { return kind >= Kind::kPost && kind <= Kind::kTest; }
};

// Epochs with a group, locks or transfers that were not recorded, after `before` window events.
struct WindowGap {
  std::uint64_t count = 0;
  std::uint32_t before = 0;
  std::uint32_t window = 0;  // index in Definitions::windows
  std::uint32_t other = 0;   // index of the group; world rank of the target, kNone: all
  Ticks time = 0;
  Gap::Kind kind = Gap::Kind::kAccessEpoch;
};

// Adds bytes; the sum is limited to the largest number.
inline std::int64_t added_bytes(std::int64_t sum, std::uint64_t more) {
  const auto room = static_cast<std::uint64_t>(INT64_MAX - sum);
  return more > room ? INT64_MAX : sum + static_cast<std::int64_t>(more);
}

// Numbers and bytes of one-sided transfers of a call path.
struct Transferred {
  std::int64_t puts = 0, gets = 0, atomics = 0, sent = 0, received = 0;
};

// Bytes moved by the file operations that a call path began.
struct FileBytes {
  std::int64_t read = 0, written = 0;
};

// A nonblocking file operation.
struct FileRequest {
  std::uint32_t call = 0;  // the call that completes it
  std::uint32_t node = 0;  // node of the call that began it
};

// A record of threads. Only thread libraries that were recorded have them.
struct ThreadEvent {
  enum class Kind : std::uint8_t {
    kFork,
    kJoin,
    kTeamBegin,
    kTeamEnd,
    kParallel,  // a parallel region
    kBarrier,
    kAcquire,  // a lock
    kRelease
  };
  Ticks time = 0;
  // Call of the parallel region, of the barrier, or that requests or releases the lock.
  std::uint32_t call = 0xffffffff;
  std::uint32_t node = 0;      // call path that made the team
  std::uint32_t id = 0;        // communicator of the team (the archive's id), or lock
  std::uint32_t number = 0;    // number of teams before, or of the acquisition of the lock
  std::uint32_t paradigm = 0;  // paradigm of a lock
  Ticks tasks = 0;             // time of tasks executed inside of a barrier
  Kind kind = Kind::kFork;
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

// A request that this location started but did not complete, or the reverse. Exists only in
// processes with several threads, until join_requests() has handled it.
struct HandedRequest {
  enum class Kind : std::uint8_t { kSend, kReceive, kCollective, kFile, kCancelled };
  Kind kind = Kind::kSend;
  bool counts = false, writes = false;  // file operation: its bytes count; it writes
  // Index in the list of its kind. For files: node that began it, or Call that completed it.
  std::uint32_t index = 0;
  std::uint32_t handle = 0xffffffff;  // file handle
  std::uint64_t id = 0;
  std::uint64_t bytes = 0;  // bytes of a completed file operation
};

// The place of an operation that another thread completed.
struct Elsewhere {
  std::uint32_t index = 0;     // index in this location
  std::uint32_t location = 0;  // index in the list of this process's LocationEvents
  std::uint32_t there = 0;     // index there
};

using MessageList = PackedVector<Message, MessagePacking>;

// All data of one location.
struct LocationEvents {
  std::uint32_t location = 0;        // index in Definitions::locations
  std::vector<Ticks> time;           // exclusive times per node of the CallTree
  std::vector<std::int64_t> visits;  // per node
  Timeline timeline;                 // source of `time`; ends with the last event
  PackedVector<Call, CallPacking> calls;
  SegmentedVector<Poll> polls;
  MessageList sends;
  MessageList receives;
  SegmentedVector<Collective> collectives;
  SegmentedVector<WindowEvent> window_events;
  std::vector<ThreadEvent> thread_events;
  // Gaps between sends, receives (as posted) and collectives (as started).
  std::vector<Gap> send_gaps, receive_gaps, collective_gaps;
  std::vector<WindowGap> window_gaps;
  std::vector<Transferred> transferred;    // per node; may be shorter than the tree
  std::vector<FileBytes> file_bytes;       // per node; may be shorter than the tree
  std::vector<FileRequest> file_requests;  // in the order of completion
  std::vector<HandedRequest> open_here, completed_here;
  std::vector<Elsewhere> receives_elsewhere, collectives_elsewhere;  // sorted by index
  std::vector<CollectiveKind> kinds;
  std::vector<std::uint64_t> large_sizes;  // bytes of messages of 2 GiB and more
  // The Calls of MPI_Init (or MPI_Init_thread) and MPI_Finalize, if this location has them.
  std::uint32_t init = 0xffffffff, finalize = 0xffffffff;
  // A Call without length after all others. Waits of a thread after its last call belong to it.
  std::uint32_t rest = 0xffffffff;
  std::uint64_t events = 0;
  Ticks first = 0, last = 0;  // times of all events
  bool opened = false;        // the event file could be read
  int error = 0;              // errno, if the file exists but could not be read
  bool complete = true;       // all announced events were read, in order
  QualityCounts quality;
  Stop stop;

  // Closes what is open: at the end of the run if the processes ended together, otherwise at the
  // last event.
  void close(Ticks end_of_run);

  // Adds bytes of a file operation that `node` began; sums are limited to the largest number.
  void count_file_bytes(std::uint32_t node, bool writes, bool counts, std::uint64_t bytes);

  [[nodiscard]] std::uint64_t bytes(const Message& m) const {
    return m.size < Message::kLarge ? m.size : large_sizes[m.size - Message::kLarge];
  }
};

}  // namespace latecomer::trace
