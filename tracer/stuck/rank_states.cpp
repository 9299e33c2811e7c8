// SPDX-License-Identifier: BSD-3-Clause
// Joins the words of a thread with the definitions in the logs of all processes.
#include "tracer/stuck/rank_states.hpp"

#include <time.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "tracer/convert/definitions/mpi_functions.hpp"
#include "tracer/functions/file_functions.hpp"
#include "tracer/symbols/module_symbols.hpp"

namespace latecomer::stuck {
namespace {

using record::Awaited;
using record::AwaitedOperation;

struct Comm {
  std::string key, name;
  std::vector<std::uint32_t> members, remote;
};

// Communicators of the run by (owner, number), from the logs of their owners.
class Comms {
 public:
  explicit Comms(const RunView& run) {
    world_.key = "world";
    world_.name = "MPI_COMM_WORLD";
    for (std::uint32_t rank = 0; rank < run.size; ++rank) world_.members.push_back(rank);
    for (const RankView& view : run.ranks) {
      std::map<std::uint32_t, std::string> names;
      for (const auto& d : view.definitions.comm_names) names[d.id] = d.name;
      for (const auto& d : view.definitions.comms) {
        if (d.kind == "world" || d.kind == "self" || d.owner != view.rank) continue;
        Comm& comm = all_[{d.owner, d.number}];
        comm.members = d.members;
        comm.remote = d.remote;
        const auto name = names.find(d.id);
        comm.name = name != names.end()
                        ? name->second
                        : "a communicator of " +
                              std::to_string(d.members.size() + d.remote.size()) + " ranks";
      }
    }
  }

  // The communicator that has this id on a rank.
  [[nodiscard]] Comm find(const RankView& view, std::uint32_t id) const {
    for (const auto& d : view.definitions.comms) {
      if (d.id != id) continue;
      if (d.kind == "world") return world_;
      if (d.kind == "self")
        return {"self " + std::to_string(view.rank), "MPI_COMM_SELF", {view.rank}, {}};
      const auto found = all_.find({d.owner, d.number});
      Comm comm = found == all_.end() ? Comm{"", "a communicator", {}, {}} : found->second;
      comm.key = std::to_string(d.owner) + ' ' + std::to_string(d.number);
      return comm;
    }
    return {"", "a communicator", {}, {}};
  }

 private:
  Comm world_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Comm> all_;
};

// World rank of a rank in a communicator, as this process counts them.
std::int64_t world_rank(const Comm& comm, std::uint32_t here, std::int32_t peer) {
  if (peer < 0) return kAny;
  const bool in_first = std::ranges::find(comm.members, here) != comm.members.end();
  const auto& partners = comm.remote.empty() || !in_first ? comm.members : comm.remote;
  const auto index = static_cast<std::size_t>(peer);
  return index < partners.size() ? std::int64_t{partners[index]} : std::int64_t{peer};
}

std::vector<std::uint32_t> others(const Comm& comm, std::uint32_t here) {
  std::vector<std::uint32_t> ranks;
  for (const auto* side : {&comm.members, &comm.remote}) {
    for (const auto rank : *side) {
      if (rank != here) ranks.push_back(rank);
    }
  }
  return ranks;
}

std::string base_name(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string function_name(std::uint32_t region, const record::Definitions& definitions) {
  const auto functions = convert::mpi_functions();
  if (region < functions.size()) return functions[region].name;
  for (const auto& d : definitions.regions) {
    if (d.id == region) return d.name;
  }
  if (record::is_file_region(region))
    return record::kFileFunctions[region - record::kFirstFileRegion].name;
  return "region " + std::to_string(region);
}

// A construct of OpenMP, or a call on POSIX threads.
bool is_of_threads(std::uint32_t region, const record::Definitions& definitions) {
  return std::ranges::find(definitions.constructs, region, &record::ConstructDefinition::region) !=
         definitions.constructs.end();
}

// Call paths of one process.
class Paths {
 public:
  explicit Paths(const record::Definitions& definitions) {
    for (const auto& frame : definitions.frames) parents_[frame.id] = frame.parent;
    for (const auto& f : definitions.frame_functions) functions_[f.frame].push_back(&f);
  }
  // "main > solve (solve.c:77)" and "solve.c:77"
  void describe(std::uint32_t frame, std::string& path, std::string& place) const {
    std::vector<std::uint32_t> chain;
    constexpr std::size_t kDeepest = 1000;
    for (std::uint32_t at = frame; at != 0 && chain.size() < kDeepest;) {
      chain.push_back(at);
      const auto above = parents_.find(at);
      if (above == parents_.end() || above->second == at) break;
      at = above->second;
    }
    for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
      const auto found = functions_.find(*at);
      if (found == functions_.end()) continue;
      for (const record::FrameFunction* f : found->second) {
        path += (path.empty() ? "" : " > ") + f->name;
        place = f->place_line == 0 ? ""
                                   : base_name(f->place_file) + ':' + std::to_string(f->place_line);
      }
    }
    if (!place.empty()) path += " (" + place + ')';
  }

 private:
  std::unordered_map<std::uint32_t, std::uint32_t> parents_;
  std::unordered_map<std::uint32_t, std::vector<const record::FrameFunction*>> functions_;
};

// Leaves only the frames in use, since names of all frames of a long run take long to find.
void keep_frames(RankView& view) {
  std::set<std::uint32_t> used;
  std::unordered_map<std::uint32_t, std::uint32_t> parents;
  for (const auto& frame : view.definitions.frames) parents[frame.id] = frame.parent;
  for (const ThreadView& thread : view.threads) {
    if (!thread.has_words && thread.open.empty()) continue;
    for (const std::uint32_t frame : {thread.call.frame, thread.last_frame}) {
      for (std::uint32_t at = frame; at != 0 && used.insert(at).second;) {
        const auto above = parents.find(at);
        at = above == parents.end() ? 0 : above->second;
      }
    }
  }
  std::erase_if(view.definitions.frames,
                [&](const record::FrameDefinition& d) { return !used.contains(d.id); });
}

std::int64_t nanoseconds_of(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

// The present on the clock of a process, in ns; nothing of a run that is over.
class Present {
 public:
  explicit Present(const RunView& run) : run_(run) {
    for (const RankView& view : run.ranks) {
      running_ = running_ || view.life == Life::kRunning;
      if (view.life == Life::kElsewhere) continue;
      for (const ThreadView& thread : view.threads) {
        const std::uint64_t last =
            std::max({thread.last_ticks, thread.call.entered,
                      thread.call.left & ~record::PendingCall::kUnsuccessful});
        latest_ = std::max(latest_, nanoseconds(view, last));
      }
    }
  }
  [[nodiscard]] static std::int64_t nanoseconds(const RankView& view, std::uint64_t ticks) {
    const record::ClockDefinition& clock = view.definitions.clock;
    const double since = static_cast<double>(static_cast<std::int64_t>(ticks - clock.base_ticks)) *
                         clock.nanoseconds_per_tick;
    // Differences of two such times do not overflow, whatever a damaged file says.
    constexpr std::int64_t kFarthest = 2'000'000'000'000'000'000;
    return std::clamp(clock.base_nanoseconds, -kFarthest, kFarthest) +
           static_cast<std::int64_t>(std::clamp(since, -2e18, 2e18));
  }
  // When scan saw the run end, on the clock of a process; if this host was booted since, nothing.
  [[nodiscard]] std::int64_t end_on(const RankView& view) const {
    if (view.definitions.clock.timer == "realtime") return run_.ended;
    std::string boot;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
    if (boot.empty() || !view.definitions.node.identity.starts_with(boot)) return 0;
    return run_.ended - nanoseconds_of(CLOCK_REALTIME) + nanoseconds_of(CLOCK_MONOTONIC);
  }
  // Seconds since a time of the process. False: not known.
  bool since(const RankView& view, std::uint64_t ticks, double& seconds) const {
    if (view.definitions.clock.timer.empty() || view.life == Life::kElsewhere) return false;
    std::int64_t now = latest_;
    if (running_) {
      now = nanoseconds_of(view.definitions.clock.timer == "realtime" ? CLOCK_REALTIME
                                                                      : CLOCK_MONOTONIC);
    }
    if (!running_ && run_.ended != 0) now = std::max(now, end_on(view));
    seconds = static_cast<double>(now - nanoseconds(view, ticks)) * 1e-9;
    constexpr double kLongest = 1e9;  // thirty years
    return seconds > -1 && seconds < kLongest;
  }

 private:
  const RunView& run_;
  bool running_ = false;
  std::int64_t latest_ = 0;
};

class Describer {
 public:
  Describer(const RunView& run, const Comms& comms, const Present& present)
      : comms_(comms), present_(present) {
    static_cast<void>(run);
  }

  [[nodiscard]] ThreadState thread(const RankView& view, const ThreadView& thread,
                                   const Paths& paths) const {
    ThreadState state;
    state.number = thread.number;
    const record::PendingCall& call = thread.call;
    std::uint64_t since = thread.last_ticks;
    if (thread.has_words) {
      state.call = function_name(call.region, view.definitions);
      paths.describe(call.frame, state.path, state.place);
      const std::uint64_t left = call.left & ~record::PendingCall::kUnsuccessful;
      if (thread.polls_since != 0) {
        state.doing = Doing::kPolls;
        since = thread.polls_since;
      } else if (call.left == 0) {
        state.doing = Doing::kWaits;
        if (call.awaited == Awaited::kInside)
          state.doing = state.call == "MPI_Finalize" ? Doing::kEnds : Doing::kBegins;
        since = call.entered;
      } else if (call.left != left) {
        state.doing = Doing::kPolls;
        since = call.entered;
      } else {
        // The last call may be one that never waits, of which there are records only.
        if (thread.last_ticks >= left && thread.last_left != call.region &&
            thread.last_left < convert::mpi_functions().size()) {
          state.call = function_name(thread.last_left, view.definitions);
          state.path.clear();
          state.place.clear();
          paths.describe(thread.last_frame, state.path, state.place);
        }
        since = std::max(since, left);
      }
      if (state.doing == Doing::kWaits || state.doing == Doing::kPolls)
        add_needs(state, view, call);
    }
    if (state.doing == Doing::kOutside && !thread.open.empty()) {
      const std::uint32_t region = thread.open.back();
      if (region < convert::mpi_functions().size()) {
        // a call that does not wait for others, as far as the wrapper knows
        state.doing = Doing::kWaits;
        state.call = function_name(region, view.definitions);
        since = thread.last_ticks;
      } else if (record::is_file_region(region)) {
        state.doing = Doing::kFile;
        state.call = function_name(region, view.definitions);
      } else if (is_of_threads(region, view.definitions)) {
        state.doing = Doing::kThreads;
        state.call = function_name(region, view.definitions);
        state.path.clear();
        state.place.clear();
        paths.describe(thread.last_frame, state.path, state.place);
        since = thread.last_ticks;
      }
    }
    state.knows_time = since != 0 && present_.since(view, since, state.seconds);
    return state;
  }

 private:
  void add_needs(ThreadState& state, const RankView& view, const record::PendingCall& call) const {
    switch (call.awaited) {
      case Awaited::kReceive:
      case Awaited::kProbe:
        state.needs.push_back(
            message(view, call.object, call.peer, call.tag,
                    call.awaited == Awaited::kProbe ? Need::Kind::kProbe : Need::Kind::kReceive));
        break;
      case Awaited::kSend:
        state.needs.push_back(message(view, call.object, call.peer, call.tag, Need::Kind::kSend));
        break;
      case Awaited::kSendReceive:
        state.needs.push_back(
            message(view, call.object, call.peer, call.tag, Need::Kind::kReceive));
        state.needs.push_back(
            message(view, call.object, call.other_peer, call.other_tag, Need::Kind::kSend));
        break;
      case Awaited::kCollective: {
        Need need = collective(view, call.object, call.instance);
        need.operation = state.call;
        if (call.root < record::kRootThisGroup) need.root = call.root;
        state.needs.push_back(std::move(need));
        break;
      }
      case Awaited::kRequests: {
        const std::size_t listed =
            std::min<std::size_t>(call.requests, record::PendingCall::kMostRequests);
        for (std::size_t i = 0; i < listed; ++i) add_request(state, view, call.listed[i]);
        state.unlisted = call.requests - static_cast<std::uint32_t>(listed);
        state.one_is_enough = convert::one_request_is_enough(state.call);
        break;
      }
      case Awaited::kWindow:
      case Awaited::kEpoch:
      case Awaited::kLock:
        state.needs.push_back(window(view, call));
        break;
      case Awaited::kFile:
        state.needs.push_back(file(view, call));
        break;
      default:
        break;
    }
  }

  [[nodiscard]] Need message(const RankView& view, std::uint32_t id, std::int32_t peer,
                             std::int32_t tag, Need::Kind kind) const {
    const Comm comm = comms_.find(view, id);
    Need need;
    need.kind = kind;
    need.object = comm.key;
    need.name = comm.name;
    need.peer = world_rank(comm, view.rank, peer);
    need.tag = tag < 0 ? kAny : tag;
    if (need.peer == kAny) need.members = others(comm, view.rank);
    return need;
  }

  [[nodiscard]] Need collective(const RankView& view, std::uint32_t id,
                                std::uint64_t instance) const {
    const Comm comm = comms_.find(view, id);
    Need need;
    need.kind = Need::Kind::kCollective;
    need.object = comm.key;
    need.name = comm.name;
    need.instance = instance;
    need.members = others(comm, view.rank);
    return need;
  }

  void add_request(ThreadState& state, const RankView& view,
                   const record::AwaitedRequest& request) const {
    switch (request.operation) {
      case AwaitedOperation::kReceive:
      case AwaitedOperation::kSendReceive:
        state.needs.push_back(
            message(view, request.comm, request.peer, request.tag, Need::Kind::kReceive));
        break;
      case AwaitedOperation::kSend:
        state.needs.push_back(
            message(view, request.comm, request.peer, request.tag, Need::Kind::kSend));
        break;
      case AwaitedOperation::kCollective: {
        Need need = collective(view, request.comm, static_cast<std::uint32_t>(request.tag));
        need.operation = operation_name(static_cast<std::uint32_t>(request.peer));
        state.needs.push_back(std::move(need));
        break;
      }
      default:
        state.needs.emplace_back();
        break;
    }
  }

  // OTF2's code of a nonblocking operation.
  [[nodiscard]] static std::string operation_name(std::uint32_t code) {
    static constexpr const char* kNames[] = {"MPI_Ibarrier",
                                             "MPI_Ibcast",
                                             "MPI_Igather",
                                             "MPI_Igatherv",
                                             "MPI_Iscatter",
                                             "MPI_Iscatterv",
                                             "MPI_Iallgather",
                                             "MPI_Iallgatherv",
                                             "MPI_Ialltoall",
                                             "MPI_Ialltoallv",
                                             "MPI_Ialltoallw",
                                             "MPI_Iallreduce",
                                             "MPI_Ireduce",
                                             "MPI_Ireduce_scatter",
                                             "MPI_Iscan",
                                             "MPI_Iexscan",
                                             "MPI_Ireduce_scatter_block"};
    return code < std::size(kNames) ? kNames[code] : "an operation";
  }

  [[nodiscard]] Need window(const RankView& view, const record::PendingCall& call) const {
    Need need;
    need.name = "a window";
    for (const auto& d : view.definitions.windows) {
      if (d.id != call.object) continue;
      const Comm comm = comms_.find(view, d.comm);
      need.object = "window " + std::to_string(d.number) + " of " + comm.key;
      need.name = "window " + std::to_string(d.number + 1) + " of " + comm.name;
      if (call.awaited == Awaited::kWindow) {
        need.kind = Need::Kind::kGroup;
        need.members = others(comm, view.rank);
      } else if (call.awaited == Awaited::kLock) {
        need.peer = world_rank(comm, view.rank, call.peer);
      }
    }
    for (const auto& d : view.definitions.window_names) {
      if (d.id == call.object && !d.name.empty()) need.name = "window " + d.name;
    }
    if (call.awaited != Awaited::kEpoch) return need;
    for (const auto& d : view.definitions.groups) {
      if (d.id != static_cast<std::uint32_t>(call.peer)) continue;
      need.kind = Need::Kind::kGroup;
      for (const auto member : d.members) {
        if (member != view.rank) need.members.push_back(member);
      }
    }
    return need;
  }

  [[nodiscard]] Need file(const RankView& view, const record::PendingCall& call) const {
    Need need;
    need.kind = Need::Kind::kGroup;
    need.name = "a file";
    for (const auto& d : view.definitions.file_handles) {
      if (d.id != call.object) continue;
      const Comm comm = comms_.find(view, d.comm);
      need.object = "file " + std::to_string(d.number) + " of " + comm.key;
      need.members = others(comm, view.rank);
      for (const auto& f : view.definitions.files) {
        if (f.id == d.file) need.name = base_name(f.name);
      }
    }
    return need;
  }

  const Comms& comms_;
  const Present& present_;
};

LockThread with_locks(const ThreadView& thread, const ThreadState& told) {
  const auto* const held = thread.locks.addresses.data();
  LockThread found{thread.number, thread.locks.wanted, {held, held + thread.locks.count}, ""};
  // An uncontended lock has no record, so only the last enter tells that the thread waits.
  if (told.doing == Doing::kOutside) return found;
  found.call = call_text(told);
  if (!told.path.empty()) found.call += ", called by " + told.path;
  return found;
}

Standing standing_of(const RankView& view) {
  if (view.definitions.complete) return Standing::kFinished;
  if (view.life == Life::kElsewhere) return Standing::kUnseen;
  if (view.threads.empty()) return Standing::kUnseen;
  const bool ended = std::ranges::any_of(
      view.threads, [](const ThreadView& t) { return t.number == 0 && t.ended; });
  if (ended && view.life == Life::kGone) return Standing::kExited;
  return Standing::kThere;
}

}  // namespace

std::vector<RankState> describe(RunView& run, const std::vector<bool>& moved) {
  user::NameLookup names;
  for (RankView& view : run.ranks) {
    keep_frames(view);
    view.definitions.addresses.clear();
    static_cast<void>(names.resolve(view.definitions));
  }
  const Comms comms(run);
  const Present present(run);
  const Describer describer(run, comms, present);
  const bool running = std::ranges::any_of(
      run.ranks, [](const RankView& view) { return view.life == Life::kRunning; });
  std::vector<RankState> states(run.size);
  for (std::uint32_t rank = 0; rank < run.size; ++rank) states[rank].rank = rank;
  for (std::size_t i = 0; i < run.ranks.size(); ++i) {
    const RankView& view = run.ranks[i];
    RankState& state = states[view.rank];
    state.standing = standing_of(view);
    // Others still run: this one was killed. If all are gone, the run was ended as it stood.
    if (state.standing == Standing::kThere && view.life == Life::kGone && running)
      state.standing = Standing::kDied;
    if (view.life == Life::kElsewhere) state.host = view.definitions.node.host;
    state.moved = i < moved.size() && moved[i];
    const Paths paths(view.definitions);
    for (const ThreadView& thread : view.threads) {
      if (thread.kind != record::LocationKind::kThread) continue;
      if (thread.has_words && thread.call.awaited == Awaited::kThreadEnded) continue;
      const bool has_locks = thread.locks.wanted != 0 || thread.locks.count != 0;
      if (thread.number != 0 && !thread.has_words && !has_locks) continue;
      const ThreadState told = describer.thread(view, thread, paths);
      if (has_locks) state.lock_threads.push_back(with_locks(thread, told));
      // Threads that never called MPI, such as those of OpenMP, cannot help and do not wait.
      if (thread.number != 0 && !thread.has_words) continue;
      state.threads.push_back(told);
      const ThreadState& last = state.threads.back();
      state.leaves = state.leaves || (last.call == "MPI_Finalize" && last.doing != Doing::kOutside);
    }
    std::map<std::string, std::uint64_t> operations;
    for (const auto& d : view.definitions.comms) {
      const Comm comm = comms.find(view, d.id);
      for (const ThreadView& thread : view.threads) {
        if (d.id < thread.operations.size() && !comm.key.empty()) {
          auto& count = operations[comm.key];
          count = std::max<std::uint64_t>(count, thread.operations[d.id]);
        }
      }
    }
    state.operations.assign(operations.begin(), operations.end());
  }
  return states;
}

}  // namespace latecomer::stuck
