// SPDX-License-Identifier: BSD-3-Clause
// State of tracer/sources/mpi: what is known of MPI's objects, and where the program is between
// MPI_Init and MPI_Finalize.
#pragma once

#include <mpi.h>
#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tracer/functions/regions.hpp"
#include "tracer/record/writer.hpp"
#include "tracer/state/handle_table.hpp"
#include "tracer/state/on_first_use.hpp"
#include "tracer/state/request.hpp"
#include "tracer/state/shared_requests.hpp"

namespace latecomer::mpi {

inline constexpr record::CommId kWorld = 0;
inline constexpr record::CommId kSelf = 1;

struct CommInfo {
  record::CommId id = 0;
  int rank = 0;
  int size = 0;
  int remote_size = 0;  // number of remote processes of an intercommunicator, otherwise 0
  // The communicator has all processes, and no other thread can be in a collective of another one.
  // All collectives on such communicators therefore have a common order.
  bool everybody = false;
  std::uint32_t series = 0;   // number of persistent collective operations that were initialized
  std::uint32_t windows = 0;  // number of windows that were made
  std::uint32_t files = 0;    // number of files that were opened
  // number of collective operations that were completed or started, except persistent ones
  std::uint32_t operations = 0;
};

struct CommunicatorState {
  HandleTable<CommInfo> table;
  int tag_limit = 0;  // value of MPI_TAG_UB
  int world_rank = 0;
  int world_size = 0;
  bool one_at_a_time = false;  // no two threads are in MPI at once
  std::atomic<bool> in_use{false};
  std::atomic<record::CommId> next_id{2};
  std::atomic<int> next_number{2};
};

// Ranks in the order of MPI's counts; MPI_PROC_NULL at the edge of a grid.
struct Neighbors {
  std::vector<int> sources, destinations;
};

struct NeighborState {
  std::mutex mutex;  // guards `known`
  OnFirstUse<std::unordered_map<record::CommId, std::shared_ptr<const Neighbors>>> known;
  OnFirstUse<std::shared_ptr<const Neighbors>> none;
};

// A message that a matched probe has found.
struct MatchedMessage {
  record::RequestId id = 0;
  record::CommId comm = 0;
};

struct RequestState {
  HandleTable<Request> table;
  // True if several threads may call MPI at the same time. Set once, by the thread that initializes
  // MPI.
  bool several_threads = false;
  std::atomic<record::RequestId> next_id{1};
  // MPICH numbers shared handles from 0, one per kind of operation; there are 14 in 4.0.
  std::array<SharedRequests, 16> shared;
  HandleTable<MatchedMessage> matched;
  OnFirstUse<int> fortran_index_base;  // of indices of completed requests in mpi_f08
};

inline constexpr std::uint32_t kNoGroup = 0xffffffff;

// Open transfers to one target share an id until they are complete here.
struct Transfers {
  record::RequestId open = 0;              // id of the open transfers; 0: none
  std::vector<record::RequestId> distant;  // complete here, perhaps not at the target
};

struct WindowInfo {
  record::WindowId id = 0;
  int rank = 0, size = 0;
  // Groups of the open epochs of MPI_Win_start and MPI_Win_post.
  std::uint32_t access = kNoGroup, exposure = kNoGroup;
  bool fenced = false;  // a fence has begun an epoch
  std::mutex mutex;     // guards `transfers`; threads may use one window at the same time
  std::unordered_map<int, Transfers> transfers;  // by target
};

struct WindowState {
  // Pointers, since values of the table must be trivially copyable and a WindowInfo has a mutex.
  HandleTable<WindowInfo*> table;
  std::atomic<record::WindowId> next_id{0};
  std::mutex groups_mutex;                                                 // guards `groups`
  OnFirstUse<std::map<std::vector<std::uint32_t>, std::uint32_t>> groups;  // numbers by members
};

struct FileInfo {
  record::FileHandleId handle = 0;
  std::uint32_t file = 0;
  bool deletes = false;         // this process records the deletion when it closes the file
  record::RequestId split = 0;  // the collective operation in progress; 0: none
};

struct FileState {
  HandleTable<FileInfo> table;
  std::atomic<record::FileHandleId> next_handle{0};
  std::mutex names_mutex;                                  // guards `names`
  OnFirstUse<std::map<std::string, std::uint32_t>> names;  // numbers by absolute name
};

// MPI_Init to MPI_Finalize, and sessions (life_cycle.cpp).
struct LifeState {
  bool initialized = false;         // MPI_Init was called at some time
  bool session_was_used = false;    // sessions were used at some time
  std::atomic<bool> in_use{false};  // between the ends of MPI_Init and MPI_Finalize
  pid_t process_of_session = 0;
  bool by_session = false;       // recording began with a session, and ends with the program
  std::atomic<int> sessions{0};  // of the program, not finalized yet; MPI_Init counts as one
  int last_attribute = MPI_KEYVAL_INVALID;  // key of an attribute of MPI_COMM_SELF
  record::FrameId path_of_end = 0;          // call path of MPI_Finalize
  std::mutex session_mutex;                 // threads may begin and end sessions at the same time
#if MPI_VERSION >= 4
  std::optional<MPI_Session> own_session;  // keeps MPI alive until the archive is made
#endif
};

// Whether the process has another MPI than the one for which the library was built.
enum class OtherMpi : std::uint8_t { kUnknown, kOurs, kAside };

// Other layers between the program and MPI (layers/).
struct LayerState {
  // The function of a layer that comes after the wrapper, by region; nullptr: none.
  std::array<void*, kRegionCount> next{};
  // Base address of the executable if its own layer was led to the wrappers.
  const void* led = nullptr;
  std::atomic<OtherMpi> other_mpi{OtherMpi::kUnknown};  // several threads may ask at once
};

struct MpiState {
  // Functions that the filter leaves out, by region; set in MPI_Init.
  std::array<bool, kRegionCount> left_out{};
  CommunicatorState communicators;
  RequestState requests;
  NeighborState neighbors;
  WindowState windows;
  FileState files;
  LifeState life;
  LayerState layers;
};

}  // namespace latecomer::mpi
