// SPDX-License-Identifier: BSD-3-Clause
// Keeps the open regions of one location, and the times of its call paths and MPI calls. The
// builders of all other families of events rest on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/memory/flat_index.hpp"
#include "analyzer/trace/definitions/definitions.hpp"
#include "analyzer/trace/events/core/call_tree.hpp"
#include "analyzer/trace/events/core/event.hpp"
#include "analyzer/trace/events/core/region_events.hpp"

namespace latecomer::trace {

// An open region.
struct Frame {
  // Frames whose leave another family waits for (RegionWatcher).
  enum class Watched : std::uint8_t {
    kNo,
    kFile,      // its Call may contain a collective operation on a file
    kBarrier,   // a barrier of threads
    kTaskWait,  // a wait for tasks
    kTask,      // a task of OpenMP
  };
  static constexpr std::uint32_t kTest = kNone - 1;

  std::uint32_t node = 0;
  std::uint32_t region = 0;
  Ticks enter = 0;
  std::uint32_t call = kNone;  // index of its Call; kTest: a test that has completed nothing yet
  bool of_mpi = false;         // it is a Call of an MPI region, so records may belong to it
  Watched watched = Watched::kNo;
};

// Other families that take note of the enters and leaves of some regions.
class RegionWatcher {
 public:
  // A region that organizes threads was entered; it is the innermost one.
  virtual void entered(patterns::ThreadConstruct construct, Ticks t) = 0;
  // A watched frame was left; its time is complete.
  virtual void left(const Frame& frame, Ticks t) = 0;

 protected:
  ~RegionWatcher() = default;
};

// Times must not decrease. The time between two events belongs to the call path that is open in
// between:
//
//   time      0        3         7        9
//   event     enter A  enter B   leave B  leave A      A: 3 + 2, B: 4 (exclusive)
//
// References that the archive does not define are counted and ignored.
class RegionBuilder {
 public:
  RegionBuilder(const Definitions& definitions, CallTree& tree, std::uint32_t location,
                RegionWatcher& watcher);
  RegionBuilder(const RegionBuilder&) = delete;
  RegionBuilder& operator=(const RegionBuilder&) = delete;
  ~RegionBuilder() = default;

  // Handles an event of this family. False: a field is missing or impossible.
  bool take(Event& event);

  // Regions are indices in Definitions::regions, or kNone.
  void enter(Ticks t, std::uint32_t region);
  void enter_plain(Ticks t, std::uint32_t region);  // the region is not watched
  void leave(Ticks t, std::uint32_t region);
  // Ends a visit that stands for `calls` calls, which took `time` together (CallRow). `region` is
  // the archive's id.
  void leave_row(Ticks t, std::uint32_t region, std::uint64_t calls, std::uint64_t time);
  void buffer_flush(Ticks t, Ticks stop);
  void recording(Ticks t, bool on);
  void program_end(Ticks t);
  void unknown(Ticks t);

  // The following are for the builders of other families. Each handles an event by advance() first.
  void advance(Ticks t) {
    ++out_.events;
    last_ = t;
    if (t <= accounted_) {
      if (accounted_ != kNever) [[likely]]
        return;
      begin(t);
    }
    accounted_ = t;
  }
  [[nodiscard]] RegionEvents& out() { return out_; }
  [[nodiscard]] const Definitions& definitions() const { return definitions_; }
  // Time of the last event.
  [[nodiscard]] Ticks last() const { return last_; }
  // Open regions, innermost last. The first one is the program.
  [[nodiscard]] std::span<const Frame> open() const { return stack_; }
  [[nodiscard]] Frame& top() { return stack_.back(); }
  [[nodiscard]] const Region& top_region() const {
    return definitions_.regions[stack_.back().region];
  }
  [[nodiscard]] bool has_several_threads() const { return several_threads_; }
  // True if recording is off. An operation that was started or completed then becomes a gap.
  [[nodiscard]] bool is_off() const { return stack_.back().region == definitions_.off_region; }

  // The Call of the open MPI region; kNone (and counted) if there is none.
  std::uint32_t call() {
    Frame& top = stack_.back();
    if (top.of_mpi) return top.call;
    if (stack_.size() == 1 || !definitions_.regions[top.region].mpi) [[unlikely]]
      return call_below();
    return make_call(top);
  }
  void crosses_metahosts(std::uint32_t call) {
    out_.calls.change(
        call,
        [](CallPacking::Packed& packed) {
          packed.crosses_metahosts = 1;
          return true;
        },
        [](Call& changed) { changed.crosses_metahosts = true; });
  }
  // Notes a message of the Call to or from a process.
  void exchanges(std::uint32_t call, std::uint32_t rank) {
    if (several_metahosts_ && is_far(rank)) crosses_metahosts(call);
  }
  [[nodiscard]] bool is_far(std::uint32_t rank) const {
    return definitions_.processes[rank].metahost != metahost_;
  }

  // The processes that ranks in a communicator refer to, with its id and index.
  struct Peers {
    std::uint32_t id = kNone, comm = kNone;
    std::span<const std::uint32_t> ranks;
  };
  // Usually the communicator is that of the previous operation.
  const Peers& peers(std::uint32_t comm_id) {
    if (comm_id != last_peers_.id) [[unlikely]]
      look_up_peers(comm_id);
    return last_peers_;
  }
  // World rank of a rank in a communicator, which is an index; kNone: there is none.
  [[nodiscard]] std::uint32_t world_rank(std::uint32_t comm, std::uint32_t rank) const {
    const auto ranks = peers_in(comm);
    return rank < ranks.size() ? ranks[rank] : kNone;
  }

  void unknown_reference() { out_.quality.add(Quality::kUnknownReferences); }
  // Notes a request that is open at the end; another thread may have completed it.
  void hand_on(const HandedRequest& request) {
    if (several_threads_) out_.open_here.push_back(request);
  }
  void unresolved(std::size_t requests) {
    out_.quality.add(Quality::kUnresolvedRequests, static_cast<std::int64_t>(requests));
  }
  // Notes a completion of a request that another thread has started.
  void completed_for_another(HandedRequest::Kind kind, std::uint64_t request, std::size_t index);

  // Change the open regions without being an event.
  void push(Ticks t, std::uint32_t region) {
    push_plain(t, region);
    const Region& entered = definitions_.regions[region];
    if (entered.watched) [[unlikely]]
      enter_watched(t, entered);
  }
  void pop(Ticks t) {
    const Frame* const left = &stack_.back();
    change_node(left->node, left[-1].node);
    if (left->call != kNone) leave_call(*left, t);
    stack_.pop_back();
  }
  // Leaves a region that may not be the innermost one, or open at all.
  void close_region(Ticks t, std::uint32_t region);
  // Continues at another call path, as a thread that was forked.
  void go_on_at(Ticks t, std::uint32_t node);
  // Begins a new stretch of the same call path, for a Call that begins now.
  void mark_change() { change_node(stack_.back().node, stack_.back().node); }

  // Returns the result, after all other builders. Open regions stay open.
  [[nodiscard]] RegionEvents finish();

 private:
  void begin(Ticks t);
  // Opens another call path. Only the timeline has the time of the last change.
  void change_node(std::uint32_t before, std::uint32_t node) {
    out_.time[before] += out_.timeline.open(accounted_, node);
  }
  void make_room(std::uint32_t node) {
    if (node >= nodes_) [[unlikely]]
      follow_tree();
  }
  void follow_tree();
  void note_stop();
  void push_plain(Ticks t, std::uint32_t region) {
    const std::uint32_t before = stack_.back().node;
    const std::uint32_t node = tree_.child(before, region, out_.location);
    make_room(node);
    ++out_.visits[node];
    stack_.push_back({.node = node, .region = region, .enter = t});
    change_node(before, node);
  }
  void enter_watched(Ticks t, const Region& entered);
  void leave_call(const Frame& left, Ticks t) {
    if (left.call == Frame::kTest) {
      out_.polls.push_back({left.enter, t, left.node});
      return;
    }
    out_.calls.change(
        left.call, [t](CallPacking::Packed& packed) { return CallPacking::set_leave(packed, t); },
        [t](Call& call) { call.leave = t; });
    if (left.watched != Frame::Watched::kNo) [[unlikely]]
      watcher_.left(left, t);
  }
  std::uint32_t call_below();
  std::uint32_t make_call(Frame& frame) {
    frame.of_mpi = true;
    if (definitions_.regions[frame.region].file_operation.has_value()) {
      frame.watched = Frame::Watched::kFile;
    }
    frame.call = static_cast<std::uint32_t>(out_.calls.size());
    if (frame.node < CallPacking::kNodes) [[likely]] {
      out_.calls.push_packed({frame.enter, 0, frame.node, false});
    } else {
      out_.calls.push_back({frame.enter, frame.enter, frame.node, false});
    }
    return frame.call;
  }
  [[nodiscard]] std::span<const std::uint32_t> peers_in(std::uint32_t comm) const;
  void look_up_peers(std::uint32_t id);

  const Definitions& definitions_;
  CallTree& tree_;
  RegionWatcher& watcher_;
  RegionEvents out_;
  std::vector<Frame> stack_;
  const std::uint32_t rank_;      // world rank of the process
  const std::uint32_t metahost_;  // metahost of the process
  const bool several_threads_;    // the process has several threads
  const bool several_metahosts_;
  Peers last_peers_;
  static constexpr Ticks kNever = INT64_MAX;
  Ticks last_ = 0;
  Ticks accounted_ = kNever;  // time up to here is assigned to call paths
  std::uint32_t nodes_ = 0;   // number of nodes for which out_ has room
};

// The following functions handle most of all events.

inline void RegionBuilder::enter(Ticks t, std::uint32_t region) {
  advance(t);
  if (region == kNone) [[unlikely]]
    return unknown_reference();
  push(t, region);
}

inline void RegionBuilder::enter_plain(Ticks t, std::uint32_t region) {
  advance(t);
  push_plain(t, region);
}

inline void RegionBuilder::leave(Ticks t, std::uint32_t region) {
  advance(t);
  // The program itself, at the bottom of the stack, is at node 0. Other regions there are rare.
  if (const Frame& top = stack_.back(); top.region == region && top.node != 0) [[likely]]
    return pop(t);
  close_region(t, region);
}

}  // namespace latecomer::trace
