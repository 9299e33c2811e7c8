// SPDX-License-Identifier: BSD-3-Clause
// Who waits for whom, from what each rank is doing, and what follows from that.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tracer/stuck/thread_locks.hpp"

namespace latecomer::stuck {

// A peer or tag of a call that takes any.
inline constexpr std::int64_t kAny = -1;

// One thing that a call waits for.
struct Need {
  enum class Kind : std::uint8_t {
    kReceive,     // a message from `peer`
    kProbe,       // the same
    kSend,        // that `peer` receives a message
    kCollective,  // that `members` come into operation `instance` of `object`
    kGroup,       // that `members` come into a call on the same `object`, such as a window
    kRelease,     // that one of `members` releases a lock
    kUnknown
  };
  Kind kind = Kind::kUnknown;
  std::int64_t peer = kAny;  // rank in MPI_COMM_WORLD
  std::int64_t tag = kAny;
  std::string object;  // identifies a communicator, window or file in the whole run
  std::string name;    // of the object, for the reader
  std::uint64_t instance = 0;
  std::string operation;               // of a collective operation: name of the function
  std::int64_t root = kAny;            // rank in the communicator
  std::vector<std::uint32_t> members;  // without this rank; of kReceive with any peer, too
};

enum class Doing : std::uint8_t {
  kWaits,    // in an MPI call
  kPolls,    // between unsuccessful polls
  kOutside,  // in no MPI call
  kFile,     // in a function on files
  kThreads,  // in a call or construct of threads
  kBegins,   // in MPI_Init
  kEnds      // in MPI_Finalize, writing the archive
};

struct ThreadState {
  std::uint32_t number = 0;
  Doing doing = Doing::kOutside;
  std::string call;    // MPI function in which the thread is, or was last
  std::string path;    // main > solve (solve.c:77)
  std::string place;   // solve.c:77
  double seconds = 0;  // since when
  bool knows_time = false;
  std::vector<Need> needs;
  bool one_is_enough = false;  // one of the needs, as in MPI_Waitany
  std::uint32_t unlisted = 0;  // further requests
};

enum class Standing : std::uint8_t {
  kThere,
  kFinished,  // MPI_Finalize is over
  kExited,    // the program ended without MPI_Finalize
  kDied,      // the process is gone, although it had not ended
  kUnseen,    // it is on another host, or left no records
};

struct RankState {
  std::uint32_t rank = 0;
  Standing standing = Standing::kUnseen;
  std::string host;     // of one that is on another host
  bool moved = false;   // it did something while it was observed
  bool leaves = false;  // it is in MPI_Finalize, so it sends and receives nothing more
  std::vector<ThreadState> threads;
  std::vector<LockThread> lock_threads;  // those that want or hold locks
  // Number of collective operations that this rank has begun, by object; only what is known.
  std::vector<std::pair<std::string, std::uint64_t>> operations;
};

// A sentence about the run.
struct Finding {
  enum class Kind : std::uint8_t {
    kCircle,     // ranks wait for each other, or threads of one for locks of each other
    kMismatch,   // calls do not fit together
    kGone,       // ranks wait for one that has left
    kNobody,     // a rank waits for itself, or for something that nobody can bring
    kComputing,  // ranks wait for one that is in no MPI call: no deadlock
    kLock,       // a thread waits for a lock that another one holds, which may go on
    kUnseen,     // ranks wait for one that cannot be seen
  };
  Kind kind = Kind::kCircle;
  std::vector<std::uint32_t> ranks;  // that it is about
  std::string text;
};

struct Standstill {
  // ranks that wait, by rank: those that have to do something first
  std::vector<std::vector<std::uint32_t>> waits_for;
  std::vector<bool> stuck;  // nothing that a computing rank may do can help
  std::vector<Finding> findings;

  // Ranks wait for something that cannot come.
  [[nodiscard]] bool is_deadlock() const;
};

// `ranks` is in the order of ranks, without gaps. A run that is over stands still for ever, so
// nobody in it moves.
[[nodiscard]] Standstill find_standstill(const std::vector<RankState>& ranks);

// "MPI_Recv from 4, tag 5" or "MPI_Allreduce on MPI_COMM_WORLD, operation 7".
[[nodiscard]] std::string call_text(const ThreadState& thread);
// "12.3 s", "4 min 10 s", "2 h 5 min"
[[nodiscard]] std::string duration_text(double seconds);
// "rank 3", "ranks 0, 2-3"
[[nodiscard]] std::string ranks_text(const std::vector<std::uint32_t>& ranks);

}  // namespace latecomer::stuck
