// SPDX-License-Identifier: BSD-3-Clause
// The random program is a sequence of steps. Each step is one operation; a process that takes no
// part in it goes on later.
#include "tests/replay/random_run.hpp"

#include <otf2/otf2.h>

#include <algorithm>
#include <random>

#include "archive/layout.hpp"
#include "patterns/calls/collective_class.hpp"

namespace latecomer::test {
namespace {

using patterns::CollectiveClass;
using sync::Ticks;

constexpr Ticks kStart = 1'000'000'000;
constexpr std::array<Ticks, 3> kLatency = {1, 2'000, 50'000};
// Regions, as the archive numbers them: a few functions for all messages and collective operations,
// and some work.
constexpr std::uint32_t kRegion = 1, kPost = 2, kAccess = 3, kComplete = 4, kWait = 5;
constexpr std::uint32_t kInit = 6, kFinalize = 7, kTest = 8, kWaitall = 9, kSsend = 10,
                        kIssend = 11;
constexpr std::uint32_t kCollective = 12, kBarrier = 13, kFence = 14;
constexpr std::uint32_t kProbe = 15, kIprobe = 16, kMprobe = 17, kImprobe = 18, kMrecv = 19,
                        kFileWrite = 20, kFileOpen = 21, kWork = 22, kWorks = 3;
constexpr std::uint32_t kComms = 3;
constexpr std::uint32_t kEven = 1;  // the communicator of every second process

// The clock of a node: an offset, a drift, and perhaps one jump, all relative to true time.
struct Clock {
  Ticks offset = 0;
  std::int64_t drift_ppm = 0;
  Ticks jump_at = INT64_MAX, jump = 0;
  // Time that the clock shows at true time `t`.
  [[nodiscard]] Ticks shown(Ticks t) const {
    return t + offset + (t - kStart) / 1000 * drift_ppm / 1000 + (t >= jump_at ? jump : 0);
  }
};

}  // namespace

class RandomRun::Script {
 public:
  Script(RandomRun& run, unsigned seed, bool exact) : run_(run), random_(seed) {
    define(2 + below(seed % 4 == 0 ? 63 : 11), exact);
    const Ticks initialized = kStart + 5'000;
    for (std::uint32_t p = 0; p < size_; ++p) {
      visit(p, kInit, kStart + below(5'000), initialized + below(1'000));
    }
    const auto steps = 10 + below(40);
    for (std::uint32_t s = 0; s < steps; ++s) step();
    for (std::uint32_t p = 0; p < size_; ++p) {
      while (!pending_[p].empty()) complete(p);
    }
    const Ticks last = *std::ranges::max_element(now_) + 1'000;
    for (std::uint32_t p = 0; p < size_; ++p) visit(p, kFinalize, now_[p] + 10, last);
  }

 private:
  struct Pending {  // a request that is open
    Ticks arrival = 0;
    std::function<void(Ticks)> complete;
  };

  // A random number from 0 to limit - 1; 0 if the limit is 0.
  std::uint32_t below(std::uint32_t limit) {
    return static_cast<std::uint32_t>(random_() % std::max(1U, limit));
  }

  // Defines the regions in the order of their constants, and distributes processes over nodes and
  // metahosts.
  void define(std::uint32_t size, bool exact) {
    size_ = size;
    const std::uint32_t per_node = 1 + below(4), metahosts = 1 + below(3);
    auto& d = run_.definitions_;
    using patterns::EpochCall;
    d.regions = {{.name = "program"},
                 {.name = "MPI_Any", .role = "point2point", .mpi = true},
                 {.name = "MPI_Win_post", .mpi = true, .epoch = EpochCall::kPost},
                 {.name = "MPI_Win_start", .mpi = true, .epoch = EpochCall::kStart},
                 {.name = "MPI_Win_complete", .mpi = true, .epoch = EpochCall::kComplete},
                 {.name = "MPI_Win_wait", .mpi = true, .epoch = EpochCall::kWait},
                 {.name = "MPI_Init", .mpi = true, .init = true, .watched = true},
                 {.name = "MPI_Finalize", .mpi = true, .finalize = true, .watched = true},
                 {.name = "MPI_Test", .mpi = true, .test = true, .watched = true},
                 {.name = "MPI_Waitall", .mpi = true},
                 {.name = "MPI_Ssend", .role = "point2point", .mpi = true},
                 {.name = "MPI_Issend", .role = "point2point", .mpi = true},
                 {.name = "MPI_Collective", .role = "other collective", .mpi = true},
                 {.name = "MPI_Barrier", .role = "barrier", .mpi = true},
                 {.name = "MPI_Win_fence", .mpi = true}};
    for (const char* name : {"MPI_Probe", "MPI_Iprobe", "MPI_Mprobe", "MPI_Improbe"}) {
      d.regions.push_back(
          {.name = name, .role = "point2point", .mpi = true, .probe = true, .watched = true});
    }
    d.regions.push_back({.name = "MPI_Mrecv", .role = "point2point", .mpi = true});
    d.regions.push_back({.name = "MPI_File_write_all",
                         .mpi = true,
                         .file_access = true,
                         .file_operation = patterns::CollectiveOperation::kFileWrite});
    d.regions.push_back({.name = "MPI_File_open",
                         .mpi = true,
                         .file_operation = patterns::CollectiveOperation::kFileOpen});
    for (std::uint32_t w = 0; w < kWorks; ++w) d.regions.push_back({.name = "work"});
    for (std::uint32_t id = 0; id < d.regions.size(); ++id) d.region_ids.add(id);
    d.properties[layout::kPropertyVersion] = "tests";
    for (std::uint32_t m = 0; m < metahosts; ++m)
      d.metahosts.push_back({m, "m" + std::to_string(m)});
    run_.topology_.latency = kLatency;
    for (std::uint32_t p = 0; p < size; ++p) {
      const std::uint32_t node = p / per_node;
      const std::uint32_t metahost = node * metahosts / ((size - 1) / per_node + 1);
      d.system.resize(node + 1);
      d.processes.push_back({.node = node, .metahost = metahost, .locations = {p}});
      d.locations.push_back({.id = p, .process = p, .thread = 0, .events = 100 + below(900)});
      run_.topology_.node.push_back(node);
      run_.topology_.metahost.push_back(metahost);
      run_.clocks_.clock_of.push_back(node);
      if (node == clocks_.size()) add_clock(exact);
      comm_world_.push_back(p);
    }
    add_comm(comm_world_, {});
    std::vector<std::uint32_t> odd, even;
    for (std::uint32_t p = 0; p < size; ++p) (p % 2 == 0 ? even : odd).push_back(p);
    add_comm(even, {});
    add_comm(even, odd);
    d.window_ids.add(0);
    d.windows.push_back({"", kComms});
    d.comms.push_back(trace::Comm(d.comms[0]));
    for (const std::uint32_t of : {0U, kEven}) {  // handle 0 is written, handle 1 opened
      d.file_ids.add(d.files.size());
      d.files.push_back({static_cast<std::uint32_t>(d.comms.size())});
      d.comms.push_back(trace::Comm(d.comms[of]));
      d.comms.back().sources.clear();
    }
    now_.assign(size, kStart);
    last_.assign(size, INT64_MIN);
    pending_.resize(size);
    counts_.resize(size);
    steps_.resize(size);
    run_.events_.resize(size);
  }
  void add_clock(bool exact) {
    Clock clock;
    if (!exact && !clocks_.empty()) {
      clock.offset = Ticks{below(600'000)} - 300'000;
      clock.drift_ppm = std::int64_t{below(400)} - 200;
      if (below(4) == 0) {
        clock.jump_at = kStart + below(2'000'000);
        clock.jump = below(100'000);
      }
    }
    clocks_.push_back(clock);
    run_.clocks_.measured.push_back({kStart, kStart + 3'000'000});
  }
  // Each member of an intracommunicator gets data from about a quarter of the others in
  // neighborhood operations.
  void add_comm(const std::vector<std::uint32_t>& members,
                const std::vector<std::uint32_t>& remote) {
    auto& d = run_.definitions_;
    d.comm_ids.add(d.comms.size());
    d.comms.push_back({.members = members, .remote = remote, .inter = !remote.empty()});
    for (std::uint32_t m = 0; remote.empty() && m < members.size(); ++m) {
      auto& sources = d.comms.back().sources[m];
      for (std::uint32_t source = 0; source < members.size(); ++source) {
        if (below(4) == 0) sources.push_back(source);
      }
    }
  }

  // A record of process p at its present time; times of one process all differ.
  void put(std::uint32_t p, std::function<void(trace::LocationBuilder&, Ticks)> record) {
    const Ticks t = last_[p] =
        std::max(last_[p] + 1, clocks_[run_.topology_.node[p]].shown(now_[p]));
    run_.events_[p].push_back([=](trace::LocationBuilder& b) { record(b, t); });
  }
  // Enter and leave of a region at these true times.
  void visit(std::uint32_t p, std::uint32_t region, Ticks from, Ticks to) {
    now_[p] = from;
    put(p, [=](auto& b, Ticks t) { b.enter(t, region); });
    now_[p] = to;
    put(p, [=](auto& b, Ticks t) { b.leave(t, region); });
  }
  // A visit of some work, then the enter of a call.
  void enter(std::uint32_t p, std::uint32_t region = kRegion) {
    const std::uint32_t work = kWork + below(kWorks);
    visit(p, work, now_[p] + 5, now_[p] + 5 + below(20'000));
    now_[p] += 5;
    put(p, [=](auto& b, Ticks t) { b.enter(t, region); });
  }
  void leave(std::uint32_t p, std::uint32_t region = kRegion) {
    now_[p] += 5;
    put(p, [=](auto& b, Ticks t) { b.leave(t, region); });
  }
  Point point(Point::Kind kind, std::uint32_t p) {
    // The begin and the end of an operation have the same index.
    auto& count = counts_[p][kind == Point::kEnd ? Point::kBegin : kind];
    return {kind, p, kind == Point::kEnd ? count - 1 : count++};
  }
  // True time at which data sent at `sent` arrives: the minimum latency, and some more.
  Ticks arrival(std::uint32_t from, std::uint32_t to, Ticks sent) {
    return sent + run_.topology_.minimum(from, to) + 100 + below(3'000);
  }

  // One random operation; six of ten are messages.
  void step() {
    const std::uint32_t p = below(size_);
    switch (below(10)) {
      case 0:
        return collective(below(kComms));
      case 8:
        return below(2) == 0 ? fence() : epoch(p);
      case 9:
        return file_call();
      case 1:
        if (pending_[p].size() > 1 && below(3) == 0) {
          complete_all(p);
        } else if (!pending_[p].empty()) {
          complete(p);
        }
        return;
      default:
        message(p, below(size_));
    }
  }

  // A message from a to b, whose tag no other message has. In half of the cases its receive is
  // posted before the send. All persistent receives of b use the request 0xffff0000 + b, one after
  // another.
  void message(std::uint32_t a, std::uint32_t b) {
    if (a == b) return;
    const std::uint32_t tag = tag_++, request = tag + 1;
    const bool posted = below(2) == 0, persistent = below(4) == 0;
    Point receive;
    if (posted) {  // the receive may come before or after the send, and completes some time later
      enter(b);
      receive = point(Point::kReceive, b);
      put(b, [=](auto& e, Ticks t) {
        e.messages.receive_posted(t, persistent ? 0xffff0000U + b : request);
      });
      leave(b);
    }
    const bool nonblocking = below(2) == 0, synchronous = below(2) == 0;
    const std::uint32_t call = !synchronous ? kRegion : nonblocking ? kIssend : kSsend;
    enter(a, call);
    const Point send = point(Point::kSend, a);
    put(a, [=](auto& e, Ticks t) {
      nonblocking ? e.messages.isend(t, b, 0, tag, 8, request) : e.messages.send(t, b, 0, tag, 8);
    });
    const Ticks arrives = arrival(a, b, now_[a]);
    if (synchronous && !nonblocking) now_[a] += below(20'000);
    leave(a, call);
    if (nonblocking) {
      pending_[a].push_back(
          {now_[a], [=, this](Ticks) {
             put(a, [=](auto& e, Ticks t) { e.messages.isend_complete(t, request); });
           }});
    }
    const auto completed = [=, this](Ticks) {
      put(b, [=](auto& e, Ticks t) {
        e.messages.ireceive(t, a, 0, tag, 8, persistent ? 0xffff0000U + b : request);
      });
    };
    if (posted) {
      pending_[b].push_back({arrives, completed});
      if (persistent) complete_last(b);  // the same request is used again
    } else {
      const bool matched = below(6) == 0;
      if (matched) {
        receive = matched_probe(b, arrives, request);
      } else if (below(2) == 0) {
        probe(b, arrives);
      }
      const std::uint32_t function = matched ? kMrecv : kRegion;
      enter(b, function);
      now_[b] = std::max(now_[b] + 50, arrives);
      if (!matched) receive = point(Point::kReceive, b);
      put(b, [=](auto& e, Ticks t) {
        matched ? e.messages.ireceive(t, a, 0, tag, 8, request)
                : e.messages.receive(t, a, 0, tag, 8);
      });
      leave(b, function);
    }
    run_.guarantees_.push_back({send, receive});
  }

  void unsuccessful(std::uint32_t p, std::uint32_t function) {
    for (auto left = below(5); left > 0; --left) {
      const Ticks begin = now_[p] + 5 + below(3'000);
      visit(p, function, begin, begin + below(6'000));
    }
  }
  // Probes for the message that arrives then, or for another one.
  void probe(std::uint32_t p, Ticks arrives) {
    if (below(2) == 0) unsuccessful(p, kIprobe);
    if (below(2) == 0) {
      enter(p, kProbe);
      now_[p] = std::max(now_[p] + 50, below(5) == 0 ? 0 : arrives);
      leave(p, kProbe);
    } else {
      now_[p] = std::max(now_[p], arrives - below(2'000));
      visit(p, kIprobe, now_[p] + 5, std::max(now_[p] + 50, arrives));
      if (below(4) == 0) unsuccessful(p, kIprobe);
    }
  }
  // The receive is posted where the message is found.
  Point matched_probe(std::uint32_t p, Ticks arrives, std::uint32_t request) {
    const std::uint32_t function = below(2) == 0 ? kMprobe : kImprobe;
    if (function == kImprobe) unsuccessful(p, kImprobe);
    enter(p, function);
    now_[p] = std::max(now_[p] + 50, arrives);
    put(p, [=](auto& e, Ticks t) { e.messages.receive_posted(t, request); });
    leave(p, function);
    return point(Point::kReceive, p);
  }

  // A wait for one of the open requests.
  void complete(std::uint32_t p) {
    std::swap(pending_[p][below(static_cast<std::uint32_t>(pending_[p].size()))],
              pending_[p].back());
    complete_last(p);
  }
  void complete_last(std::uint32_t p) {
    const Pending request = pending_[p].back();
    pending_[p].pop_back();
    const bool tests = below(3) == 0;
    for (auto unsuccessful = tests ? below(5) : 0; unsuccessful > 0; --unsuccessful) {
      const Ticks begin = now_[p] + 5 + below(3'000);
      visit(p, kTest, begin, begin + below(3'000));
    }
    const std::uint32_t call = tests ? kTest : kRegion;
    enter(p, call);
    now_[p] = std::max(now_[p] + 50, request.arrival);
    request.complete(now_[p]);
    leave(p, call);
  }
  // One call waits for all open requests.
  void complete_all(std::uint32_t p) {
    enter(p, kWaitall);
    for (const auto& request : pending_[p]) now_[p] = std::max(now_[p] + 50, request.arrival);
    for (const auto& request : pending_[p]) request.complete(now_[p]);
    pending_[p].clear();
    leave(p, kWaitall);
  }

  // No process leaves the fence before the enters of all others have arrived.
  void fence() {
    std::vector<Ticks> entered;
    std::vector<Point> begins, ends;
    for (std::uint32_t p = 0; p < size_; ++p) {
      enter(p, kFence);
      entered.push_back(now_[p]);
      begins.push_back(point(Point::kBegin, p));
      ends.push_back(point(Point::kEnd, p));
      put(p, [](auto& b, Ticks t) { b.collectives.begin(t); });
    }
    for (std::uint32_t p = 0; p < size_; ++p) {
      for (std::uint32_t other = 0; other < size_; ++other) {
        if (other == p) continue;
        now_[p] = std::max(now_[p], arrival(other, p, entered[other]));
        run_.guarantees_.push_back({begins[other], ends[p]});
      }
      put(p, [](auto& b, Ticks t) {
        b.windows.collective_end(t, OTF2_COLLECTIVE_OP_BARRIER, OTF2_RMA_SYNC_LEVEL_PROCESS, 0);
      });
      leave(p, kFence);
    }
  }

  // All processes of a file call the function. In half of the cases none leaves before all have
  // entered.
  void file_call() {
    const bool writes = below(2) == 0, together = below(2) == 0;
    const std::uint32_t call = writes ? kFileWrite : kFileOpen;
    const auto& members = run_.definitions_.comms[writes ? 0 : kEven].members;
    Ticks last = 0;
    for (const auto p : members) {
      enter(p, call);
      last = std::max(last, now_[p]);
      point(Point::kBegin, p);
      put(p, [=](auto& b, Ticks t) {
        using What = trace::FileBuilder::Operation;
        writes ? b.files.begin(t, 0, What::kWrite, 1) : b.files.collective_call(t, 1);
      });
    }
    for (const auto p : members) {
      now_[p] = std::max(now_[p] + 50 + below(20'000), together ? last + 100 : 0);
      leave(p, call);
    }
  }

  std::uint32_t group(const std::vector<std::uint32_t>& members) {
    auto& d = run_.definitions_;
    d.group_ids.add(d.groups.size());
    d.groups.push_back(members);
    return static_cast<std::uint32_t>(d.groups.size() - 1);
  }
  // Ends a call that synchronizes with a group of processes.
  Point sync(std::uint32_t p, std::uint32_t region, std::uint32_t members, Point::Kind kind) {
    put(p, [=](auto& b, Ticks t) { b.windows.group_sync(t, 0, members); });
    leave(p, region);
    return {kind, p, steps_[p]++};
  }
  // Some of the other processes access the memory of one.
  void epoch(std::uint32_t target) {
    std::vector<std::uint32_t> members;
    for (std::uint32_t p = 0; p < size_; ++p) {
      if (p != target && below(3) == 0) members.push_back(p);
    }
    const std::uint32_t origins = group(members), alone = group({target});
    enter(target, kPost);
    sync(target, kPost, origins, Point::kStep);
    std::vector<Point> completes;
    Ticks done = 0;
    for (const auto p : members) {
      enter(p, kAccess);
      sync(p, kAccess, alone, Point::kStep);
      enter(p, kComplete);
      done = std::max(done, arrival(p, target, now_[p]));
      completes.push_back(sync(p, kComplete, alone, Point::kStepEnter));
    }
    enter(target, kWait);
    now_[target] = std::max(now_[target] + 50, done);
    const Point wait = sync(target, kWait, origins, Point::kStep);
    for (const auto& complete : completes) run_.guarantees_.push_back({complete, wait});
  }

  // Part of one member in a collective operation. `root` is what that member records: a rank, or
  // one of OTF2's constants for intercommunicators.
  struct Part {
    std::uint32_t process = 0, root = 0;
    std::uint64_t sent = 0, received = 0;
    bool all_positive = false;
    Point begin, end;
    Ticks entered = 0;
  };

  // True if one member sends to another, by the definition of the operation.
  static bool sends_to(const trace::Comm& comm, CollectiveClass type,
                       const std::vector<Part>& parts, std::size_t from, std::size_t to,
                       std::size_t root, std::size_t first_group) {
    if (from == to) return false;
    const bool other_side =
        first_group == parts.size() || (from < first_group) != (to < first_group);
    const bool data = parts[from].sent > 0 && parts[to].received > 0;
    switch (type) {
      case CollectiveClass::kBarrier:
        return other_side;
      case CollectiveClass::kNToN:
        return other_side && data;
      case CollectiveClass::kOneToN:
        return from == root && data;
      case CollectiveClass::kNToOne:
        return to == root && data;
      case CollectiveClass::kPrefix:
        return from < to && data;
      case CollectiveClass::kNeighborhood:
        return data && parts[to].all_positive && std::ranges::count(comm.sources_of(to), from) != 0;
      case CollectiveClass::kWindow:
      case CollectiveClass::kFile:
      case CollectiveClass::kFence:
      case CollectiveClass::kOther:
        break;
    }
    return false;
  }

  void collective(std::uint32_t comm) {
    const auto& c = run_.definitions_.comms[comm];
    if (c.size() < 2) return;
    // OTF2 has numbers 0 to 16 for blocking operations; 17 and 18 stand for neighborhoods here.
    auto operation = static_cast<std::uint8_t>(below(19));
    if (operation > 16) {
      operation = static_cast<std::uint8_t>(patterns::CollectiveOperation::kNeighborhood);
    }
    const auto type = patterns::collective_class(operation);
    if (c.inter && (type == CollectiveClass::kPrefix || type == CollectiveClass::kNeighborhood)) {
      return;
    }
    const std::size_t first_group = c.inter ? c.members.size() : c.size();
    const std::size_t root = below(static_cast<std::uint32_t>(c.size()));
    const bool rooted = type == CollectiveClass::kOneToN || type == CollectiveClass::kNToOne;
    const bool nonblocking = below(3) == 0, empty = below(8) == 0;
    std::vector<Part> parts;
    for (std::size_t i = 0; i < c.size(); ++i) {
      Part part{i < c.members.size() ? c.members[i] : c.remote[i - c.members.size()],
                OTF2_COLLECTIVE_ROOT_NONE};
      const bool same_side = (i < first_group) == (root < first_group);
      if (rooted) part.root = static_cast<std::uint32_t>(root);
      if (rooted && c.inter) {
        part.root = i == root            ? OTF2_COLLECTIVE_ROOT_SELF
                    : same_side          ? OTF2_COLLECTIVE_ROOT_THIS_GROUP
                    : root < first_group ? static_cast<std::uint32_t>(root)
                                         : static_cast<std::uint32_t>(root - first_group);
      }
      // Members of the root's own group contribute nothing, except the root.
      const bool looks_on = c.inter && rooted && same_side && i != root;
      const std::uint64_t bytes = empty || looks_on || type == CollectiveClass::kBarrier ? 0 : 8;
      part.sent = type == CollectiveClass::kOneToN && i != root ? 0 : bytes;
      part.received = type == CollectiveClass::kNToOne && i != root ? 0 : bytes;
      part.all_positive = type == CollectiveClass::kNeighborhood && below(4) != 0;
      parts.push_back(part);
    }
    const std::uint32_t call = type == CollectiveClass::kBarrier ? kBarrier : kCollective;
    for (auto& part : parts) {
      const std::uint32_t p = part.process;
      enter(p, call);
      part.entered = now_[p];
      part.begin = point(Point::kBegin, p);
      part.end = point(Point::kEnd, p);
      const std::uint64_t request = request_ + p;
      put(p, [=](auto& b, Ticks t) {
        nonblocking ? b.collectives.nonblocking_request(t, request) : b.collectives.begin(t);
      });
      if (nonblocking) leave(p, call);
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Part part = parts[i];
      Ticks done = part.entered;
      for (std::size_t j = 0; j < parts.size(); ++j) {
        if (!sends_to(c, type, parts, j, i, root, first_group)) continue;
        done = std::max(done, arrival(parts[j].process, part.process, parts[j].entered));
        run_.guarantees_.push_back({parts[j].begin, part.end});
      }
      const std::uint32_t p = part.process;
      const std::uint64_t request = request_ + p;
      const auto completed = [=, this](Ticks) {
        put(p, [=](auto& b, Ticks t) {
          nonblocking
              ? b.collectives.nonblocking_complete(t, operation, comm, part.root, part.sent,
                                                   part.received, request, part.all_positive)
              : b.collectives.end(t, operation, comm, part.root, part.sent, part.received,
                                  part.all_positive);
        });
      };
      if (nonblocking) {
        pending_[p].push_back({done, completed});
      } else {
        now_[p] = std::max(now_[p] + 50, done);
        completed(0);
        leave(p, call);
      }
    }
    request_ += size_;
  }

  RandomRun& run_;
  std::mt19937 random_;
  std::uint32_t size_ = 0, tag_ = 0;
  std::uint64_t request_ = 1ULL << 32;
  std::vector<std::uint32_t> comm_world_;
  std::vector<Clock> clocks_;      // per node
  std::vector<Ticks> now_, last_;  // per process: true time, and the last one shown
  std::vector<std::vector<Pending>> pending_;
  std::vector<std::array<std::uint32_t, 3>> counts_;
  std::vector<std::uint32_t> steps_;  // window events, per process
};

RandomRun::RandomRun(unsigned seed, bool exact_clocks) { Script(*this, seed, exact_clocks); }

std::vector<trace::LocationEvents> RandomRun::read(
    const std::vector<std::uint32_t>& locations) const {
  trace::CallTree tree(0);
  return read(locations, tree);
}

std::vector<trace::LocationEvents> RandomRun::read(const std::vector<std::uint32_t>& locations,
                                                   trace::CallTree& tree) const {
  std::vector<trace::LocationEvents> out;
  for (const auto l : locations) {
    tree.set_root_location(l);
    trace::LocationBuilder builder(definitions_, tree, l);
    for (const auto& event : events_[l]) event(builder);
    out.push_back(builder.finish());
    out.back().opened = true;
    out.back().close(out.back().last);
  }
  return out;
}

}  // namespace latecomer::test
