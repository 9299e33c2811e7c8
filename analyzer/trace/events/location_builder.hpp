// SPDX-License-Identifier: BSD-3-Clause
// Turns the event stream of one location into LocationEvents, event by event.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/memory/flat_index.hpp"
#include "analyzer/trace/definitions/definitions.hpp"
#include "analyzer/trace/definitions/teams.hpp"
#include "analyzer/trace/events/core/call_tree.hpp"
#include "analyzer/trace/events/core/request_index.hpp"
#include "analyzer/trace/events/location_events.hpp"

namespace latecomer::trace {

// Each public call is one event; times must not decrease. The time between two events belongs to
// the call path that is open in between:
//
//   time      0        3         7        9
//   event     enter A  enter B   leave B  leave A      A: 3 + 2, B: 4 (exclusive)
//
// Ids are OTF2's. References that the archive does not define are counted and ignored.
class LocationBuilder {
 public:
  // `teams` is shared by all locations of a process. Without it threads stay at the root.
  LocationBuilder(const Definitions& definitions, CallTree& tree, std::uint32_t location,
                  Teams* teams = nullptr);
  LocationBuilder(const LocationBuilder&) = delete;
  LocationBuilder& operator=(const LocationBuilder&) = delete;
  ~LocationBuilder() = default;

  void enter(Ticks t, std::uint32_t region) {
    enter_region(t, definitions_.region_ids.find(region));
  }
  void leave(Ticks t, std::uint32_t region) {
    leave_region(t, definitions_.region_ids.find(region));
  }
  // The following take the region's index in Definitions::regions.
  void enter_region(Ticks t, std::uint32_t index);
  void enter_plain(Ticks t, std::uint32_t index);  // the region is not watched
  void leave_region(Ticks t, std::uint32_t index);
  // Ends a visit that stands for `calls` calls, which took `time` together (CallRow).
  void leave_row(Ticks t, std::uint32_t region, std::uint64_t calls, std::uint64_t time);
  // Enters or samples a calling context. The innermost `distance` - 1 regions of its path are new;
  // the next one was already open. Regions that were open inside that one are left. 0: no change.
  void enter_context(Ticks t, std::uint32_t context, std::uint32_t distance);
  void leave_context(Ticks t, std::uint32_t context);
  void send(Ticks t, std::uint32_t receiver, std::uint32_t comm, std::uint32_t tag,
            std::uint64_t bytes);
  void isend(Ticks t, std::uint32_t receiver, std::uint32_t comm, std::uint32_t tag,
             std::uint64_t bytes, std::uint64_t request);
  void isend_complete(Ticks t, std::uint64_t request);
  void receive(Ticks t, std::uint32_t sender, std::uint32_t comm, std::uint32_t tag,
               std::uint64_t bytes);
  // `left_out`: in a call that a filter left out; only the place in the order is kept.
  void receive_posted(Ticks t, std::uint64_t request, bool left_out = false);
  void ireceive(Ticks t, std::uint32_t sender, std::uint32_t comm, std::uint32_t tag,
                std::uint64_t bytes, std::uint64_t request, bool left_out = false);
  void request_cancelled(Ticks t, std::uint64_t request);
  void collective_begin(Ticks t);
  void collective_end(Ticks t, std::uint8_t operation, std::uint32_t comm, std::uint32_t root,
                      std::uint64_t sent, std::uint64_t received, bool all_positive = false);
  void nonblocking_request(Ticks t, std::uint64_t request, bool left_out = false);
  void nonblocking_complete(Ticks t, std::uint8_t operation, std::uint32_t comm, std::uint32_t root,
                            std::uint64_t sent, std::uint64_t received, std::uint64_t request,
                            bool all_positive = false, std::uint32_t series = 0,
                            bool left_out = false);
  // One-sided communication: collective calls, transfers, epochs with groups, locks.
  void window_collective_end(Ticks t, std::uint8_t operation, std::uint32_t level,
                             std::uint32_t window);
  void transfer(Ticks t, WindowEvent::Kind kind, std::uint32_t window, std::uint32_t target,
                std::uint64_t sent, std::uint64_t received, std::uint64_t matching = 0);
  void transfer_complete(Ticks t, std::uint32_t window, std::uint64_t matching);  // at the target
  void group_sync(Ticks t, std::uint32_t window, std::uint32_t group);
  void lock(Ticks t, bool request, std::uint32_t window, std::uint32_t target, bool shared);
  // A file handle is created, destroyed or changed in a collective call.
  void file_call(Ticks t, std::uint32_t handle);
  // Operations on files, identified by handle and a number that begin and end share. Only
  // operations that begin in an MPI call that reads or writes files count.
  enum class FileOperation : std::uint8_t { kRead, kWrite, kOther };
  void file_operation_begin(Ticks t, std::uint32_t handle, FileOperation what,
                            std::uint64_t matching);
  void file_operation_end(Ticks t, std::uint32_t handle, std::uint64_t bytes,
                          std::uint64_t matching);
  void file_operation_cancelled(Ticks t, std::uint32_t handle, std::uint64_t matching);
  // Threads. Teams and locks are identified by ids of the archive.
  void thread_fork(Ticks t);
  void thread_join(Ticks t);
  void team_begin(Ticks t, std::uint32_t comm);
  void team_end(Ticks t, std::uint32_t comm);
  void acquire_lock(Ticks t, std::uint32_t paradigm, std::uint32_t lock, std::uint32_t order);
  void release_lock(Ticks t, std::uint32_t paradigm, std::uint32_t lock, std::uint32_t order);
  void buffer_flush(Ticks t, Ticks stop);
  void recording(Ticks t, bool on);
  // Adds operations that were not recorded, because recording was off or a filter left out their
  // calls. `object` is a communicator, window, or file handle; `peer` is a rank in it.
  void unrecorded(Ticks t, Gap::Kind kind, std::uint32_t object, std::uint32_t peer,
                  std::uint32_t tag, std::uint64_t count);
  // Adds epochs, locks and transfers that were not recorded.
  void unrecorded_on_window(Ticks t, Gap::Kind kind, std::uint32_t window, std::uint32_t peer,
                            std::uint64_t count);
  void unknown(Ticks t);
  void program_end(Ticks t);
  void other(Ticks t) { advance(t); }

  // Time of the last event.
  [[nodiscard]] Ticks last() const { return last_; }
  [[nodiscard]] const Definitions& definitions() const { return definitions_; }
  // Returns the result. Open regions stay open until LocationEvents::close().
  [[nodiscard]] LocationEvents finish();

 private:
  // An open region.
  struct Frame {
    std::uint32_t node = 0;
    std::uint32_t region = 0;
    Ticks enter = 0;
    std::uint32_t call = kNone;  // index of its Call; kTest: a test that has completed nothing yet
    bool of_mpi = false;         // it is a Call of an MPI region, so records may belong to it
    bool on_file = false;        // its Call contains a collective operation on a file
  };
  static constexpr std::uint32_t kTest = kNone - 1;

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
  // A barrier in which the thread is.
  struct OpenBarrier {
    std::uint32_t event = 0;  // index in LocationEvents::thread_events
    Ticks before = 0;         // exclusive time of its call path when it was entered
  };
  ThreadEvent& add_thread_event(ThreadEvent::Kind kind, Ticks t);
  void enter_construct(Ticks t, patterns::ThreadConstruct construct);
  void leave_barrier(const Frame& frame, Ticks t);
  void note_stop();
  void close_region(Ticks t, std::uint32_t region);
  void close_contexts(Ticks t, std::uint32_t up_to);
  [[nodiscard]] bool is_open(std::uint32_t context) const;
  void push(Ticks t, std::uint32_t region);
  void push_plain(Ticks t, std::uint32_t region);
  void pop(Ticks t);
  void enter_watched(Ticks t, const Region& entered);
  void leave_call(const Frame& left, Ticks t);
  void leave_special_call(const Frame& left, Ticks t);
  // The Call of the open MPI region; kNone (and counted) if there is none.
  std::uint32_t call() {
    Frame& top = stack_.back();
    if (top.of_mpi) return top.call;
    if (stack_.size() == 1 || !definitions_.regions[top.region].mpi) [[unlikely]]
      return call_below();
    return make_call(top);
  }
  std::uint32_t call_below();
  std::uint32_t make_call(Frame& frame) {
    frame.of_mpi = true;
    frame.on_file = definitions_.regions[frame.region].file_operation.has_value();
    frame.call = static_cast<std::uint32_t>(out_.calls.size());
    if (frame.node < CallPacking::kNodes) [[likely]] {
      out_.calls.push_packed({frame.enter, 0, frame.node, false});
    } else {
      out_.calls.push_back({frame.enter, frame.enter, frame.node, false});
    }
    return frame.call;
  }
  void crosses_metahosts(std::uint32_t index) {
    out_.calls.change(
        index,
        [](CallPacking::Packed& packed) {
          packed.crosses_metahosts = 1;
          return true;
        },
        [](Call& call) { call.crosses_metahosts = true; });
  }
  // The processes that ranks in a communicator refer to.
  [[nodiscard]] std::span<const std::uint32_t> peers_in(std::uint32_t comm) const;
  [[nodiscard]] std::uint32_t world_rank(std::uint32_t comm, std::uint32_t rank) const {
    const auto peers = peers_in(comm);
    return rank < peers.size() ? peers[rank] : kNone;
  }
  // Cache: members of the communicator of the last message.
  struct Peers {
    std::uint32_t id = kNone, comm = kNone;  // communicator: OTF2's id, and its index
    std::span<const std::uint32_t> ranks;
  };
  void look_up_peers(std::uint32_t id);
  // Fills a message except for `other`. False (and counted): it refers to something unknown.
  bool describe(Message& message, Ticks t, std::uint32_t peer, std::uint32_t comm,
                std::uint32_t tag, std::uint64_t bytes);
  // True if recording is off. An operation that was started or completed then becomes a gap.
  [[nodiscard]] bool is_off() const { return stack_.back().region == definitions_.off_region; }
  void add_receive_gap(Ticks t, std::uint32_t slot, std::uint32_t peer, std::uint32_t comm,
                       std::uint32_t tag);
  void add_collective_gap(Ticks t, std::uint32_t slot, std::uint32_t comm, std::uint32_t series);
  void complete(Collective& slot, Ticks t, const CollectiveKind& kind);
  bool participate(Collective& slot, Ticks t, const CollectiveKind& kind);
  // Index of a window; kNone (and counted) if it is not defined.
  std::uint32_t window_index(std::uint32_t id);
  void add_window_event(Ticks t, WindowEvent::Kind kind, std::uint32_t window, std::uint32_t other,
                        bool shared);
  void hand_on_requests();
  void receive_not_posted(Ticks t, std::uint32_t sender, std::uint32_t comm, std::uint32_t tag,
                          std::uint64_t bytes, std::uint64_t request);
  void completed_for_another(HandedRequest::Kind kind, std::uint64_t request, std::size_t index);
  void add_file_call(std::uint32_t handle);
  void end_file_call(std::uint32_t call, Ticks t);
  [[nodiscard]] bool is_last_collective(std::uint32_t call) const;
  std::uint32_t kind_index(const CollectiveKind& kind);

  const Definitions& definitions_;
  CallTree& tree_;
  LocationEvents out_;
  std::vector<Frame> stack_;
  std::uint32_t context_ = kNone;  // the open context
  std::vector<std::uint32_t> new_contexts_;
  const std::uint32_t rank_;      // world rank of the process
  const std::uint32_t metahost_;  // metahost of the process
  const bool several_threads_;    // the process has several threads
  const bool several_metahosts_;
  Peers last_peers_;
  static constexpr Ticks kNever = INT64_MAX;
  Ticks last_ = 0;
  Ticks accounted_ = kNever;  // time up to here is assigned to call paths
  std::uint32_t nodes_ = 0;   // number of nodes for which out_ has room
  Ticks collective_begin_ = INT64_MIN;
  std::vector<std::uint32_t> window_calls_;  // number of collective calls per window
  std::uint32_t last_kind_ = kNone;
  Teams* teams_;
  bool forked_ = false;                                 // forked, and its team has not begun yet
  std::map<std::uint32_t, std::uint32_t> team_counts_;  // per communicator
  std::vector<std::uint32_t>
      open_teams_;  // frames below the one they opened; kNone: it opened none
  std::vector<OpenBarrier> open_barriers_;
  struct OpenFileOperation {
    std::uint32_t node = 0;
    FileOperation what = FileOperation::kOther;
  };
  std::map<std::pair<std::uint32_t, std::uint64_t>, OpenFileOperation> open_file_operations_;
  RequestIndex sends_by_request_, receives_by_request_;
  FlatIndex<IntKey> collectives_by_request_;
  FlatIndex<IntKey> transfers_;                               // targets of open transfers
  FlatIndex<IntKey> adopted_receives_, adopted_collectives_;  // started while recording was off
  FlatIndex<CollectiveKind> kinds_;
};

// The following functions handle most of all events.

inline void LocationBuilder::enter_region(Ticks t, std::uint32_t index) {
  advance(t);
  if (index == kNone) [[unlikely]]
    return out_.quality.add(Quality::kUnknownReferences);
  push(t, index);
}

inline void LocationBuilder::leave_region(Ticks t, std::uint32_t index) {
  advance(t);
  // The program itself, at the bottom of the stack, is at node 0. Other regions there are rare.
  if (const Frame& top = stack_.back(); top.region == index && top.node != 0) [[likely]]
    return pop(t);
  close_region(t, index);
}

inline void LocationBuilder::enter_plain(Ticks t, std::uint32_t index) {
  advance(t);
  push_plain(t, index);
}

inline void LocationBuilder::push(Ticks t, std::uint32_t region) {
  push_plain(t, region);
  const Region& entered = definitions_.regions[region];
  if (entered.watched) [[unlikely]]
    enter_watched(t, entered);
}

inline void LocationBuilder::push_plain(Ticks t, std::uint32_t region) {
  const std::uint32_t before = stack_.back().node;
  const std::uint32_t node = tree_.child(before, region, out_.location);
  make_room(node);
  ++out_.visits[node];
  stack_.push_back({.node = node, .region = region, .enter = t});
  change_node(before, node);
}

inline void LocationBuilder::leave_call(const Frame& left, Ticks t) {
  if (left.call == kTest) {
    out_.polls.push_back({left.enter, t, left.node});
    return;
  }
  out_.calls.change(
      left.call, [t](CallPacking::Packed& packed) { return CallPacking::set_leave(packed, t); },
      [t](Call& call) { call.leave = t; });
  if (!open_barriers_.empty() || left.on_file) [[unlikely]]
    leave_special_call(left, t);
}

inline void LocationBuilder::pop(Ticks t) {
  const Frame* const left = &stack_.back();
  change_node(left->node, left[-1].node);
  if (left->call != kNone) leave_call(*left, t);
  stack_.pop_back();
}

[[gnu::always_inline]] inline bool LocationBuilder::describe(Message& message, Ticks t,
                                                             std::uint32_t peer, std::uint32_t comm,
                                                             std::uint32_t tag,
                                                             std::uint64_t bytes) {
  // Usually the communicator is that of the previous message.
  if (comm != last_peers_.id) [[unlikely]]
    look_up_peers(comm);
  if (peer >= last_peers_.ranks.size() || last_peers_.ranks[peer] == kNone) [[unlikely]] {
    out_.quality.add(Quality::kUnknownReferences);
    return false;
  }
  const std::uint32_t in = call();
  if (in == kNone) return false;
  const std::uint32_t rank = last_peers_.ranks[peer];
  auto size = static_cast<std::uint32_t>(bytes);
  if (bytes >= Message::kLarge) [[unlikely]] {
    size = Message::kLarge + static_cast<std::uint32_t>(out_.large_sizes.size());
    out_.large_sizes.push_back(bytes);
  }
  message = {rank, last_peers_.comm, tag, in, kNone, size, t};
  if (several_metahosts_ && definitions_.processes[rank].metahost != metahost_)
    crosses_metahosts(in);
  return true;
}

inline void LocationBuilder::send(Ticks t, std::uint32_t receiver, std::uint32_t comm,
                                  std::uint32_t tag, std::uint64_t bytes) {
  advance(t);
  Message message;
  if (!describe(message, t, receiver, comm, tag, bytes)) return;
  message.other = message.call;
  out_.sends.push_back(message);
}

[[gnu::always_inline]] inline void LocationBuilder::isend(Ticks t, std::uint32_t receiver,
                                                          std::uint32_t comm, std::uint32_t tag,
                                                          std::uint64_t bytes,
                                                          std::uint64_t request) {
  advance(t);
  Message message;
  if (!describe(message, t, receiver, comm, tag, bytes)) return;
  const auto index = static_cast<std::uint32_t>(out_.sends.size());
  out_.sends.push_back(message);
  sends_by_request_.set(request, index);
}

[[gnu::always_inline]] inline void LocationBuilder::isend_complete(Ticks t, std::uint64_t request) {
  advance(t);
  const std::uint32_t sent = sends_by_request_.take(request);
  if (sent == kNone) return completed_for_another(HandedRequest::Kind::kSend, request, 0);
  const std::uint32_t in = call();
  std::uint32_t peer = kNone;
  out_.sends.change(
      sent,
      [&](MessagePacking::Packed& packed) {
        peer = packed.peer;
        return MessagePacking::set_other(packed, in);
      },
      [&](Message& message) {
        peer = message.peer;
        message.other = in;
      });
  if (in == kNone || !several_metahosts_) return;
  if (definitions_.processes[peer].metahost != metahost_) crosses_metahosts(in);
}

inline void LocationBuilder::receive(Ticks t, std::uint32_t sender, std::uint32_t comm,
                                     std::uint32_t tag, std::uint64_t bytes) {
  advance(t);
  Message message;
  if (!describe(message, t, sender, comm, tag, bytes)) return;
  message.other = message.call;
  out_.receives.push_back(message);
}

[[gnu::always_inline]] inline void LocationBuilder::receive_posted(Ticks t, std::uint64_t request,
                                                                   bool left_out) {
  advance(t);
  const auto index = static_cast<std::uint32_t>(out_.receives.size());
  Message slot;
  if (is_off() || left_out) {
    out_.receives.push_back(slot);
    adopted_receives_.at({request}, index) = index;
    return;
  }
  // Provisional until it is completed. Calls that are close pack into fewer bytes.
  slot.other = slot.call = call();
  out_.receives.push_back(slot);
  receives_by_request_.set(request, index);
}

[[gnu::always_inline]] inline void LocationBuilder::ireceive(Ticks t, std::uint32_t sender,
                                                             std::uint32_t comm, std::uint32_t tag,
                                                             std::uint64_t bytes,
                                                             std::uint64_t request, bool left_out) {
  left_out = left_out || is_off();
  std::uint32_t slot = receives_by_request_.take(request);
  if (left_out || adopted_receives_.size() != 0) [[unlikely]] {
    const std::uint32_t adopted = adopted_receives_.take({request});
    if (left_out || adopted != kNone) {
      if (slot == kNone) slot = adopted;
      return add_receive_gap(t, slot, sender, comm, tag);
    }
  }
  if (slot == kNone) [[unlikely]]
    return receive_not_posted(t, sender, comm, tag, bytes, request);
  advance(t);
  Message message;
  if (!describe(message, t, sender, comm, tag, bytes)) return;
  const auto complete = [&message](const Message& posted) {
    message.other = posted.other != kNone ? posted.other : message.call;
  };
  out_.receives.change(
      slot,
      [&](MessagePacking::Packed& packed) {
        complete(MessagePacking::unpack(packed));
        MessagePacking::Packed completed;
        if (!MessagePacking::pack(message, completed)) return false;
        packed = completed;
        return true;
      },
      [&](Message& posted) {
        complete(posted);
        posted = message;
      });
}

inline void LocationBuilder::collective_begin(Ticks t) {
  advance(t);
  collective_begin_ = t;
}

}  // namespace latecomer::trace
