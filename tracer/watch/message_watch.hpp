// SPDX-License-Identifier: BSD-3-Clause
// Matches messages while the program runs, and finds late senders and late receivers.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "tracer/watch/in_start_order.hpp"
#include "tracer/watch/others.hpp"
#include "tracer/watch/wait_sums.hpp"

namespace latecomer::watch {

// Sends and receives, by what became of them. Each counts once.
struct MessageCounts {
  std::int64_t sends = 0, receives = 0;
  std::int64_t matched = 0;       // messages
  std::int64_t pending = 0;       // sends and receives that wait for their partners
  std::int64_t no_room = 0;       // too many unmatched ones, or too many channels
  std::int64_t after_loss = 0;    // records of one of the processes were lost
  std::int64_t elsewhere = 0;     // the calls of the partner are not told here
  std::int64_t not_recorded = 0;  // the partner was not recorded
  std::int64_t cancelled = 0;
  std::int64_t held_back = 0;     // receives that wait for the end of one that was posted earlier
  std::int64_t out_of_order = 0;  // receives that ended after too many later ones
  std::int64_t in_tests = 0;  // receives that a call of MPI_Test ended: unsuccessful ones before
                              // it do not count as waiting here
  std::int64_t incomplete_calls = 0;    // calls whose waits are left out since a part was left out
  std::int64_t ends_without_begin = 0;  // ends of sends that were not seen to begin

  [[nodiscard]] std::int64_t left_out() const {
    return no_room + after_loss + elsewhere + not_recorded + cancelled;
  }
};

class MessageWatch {
 public:
  MessageWatch(const Limits& limits, WaitSums& waits, const Others& others)
      : limits_(limits), waits_(waits), others_(others) {}

  void set_place(Rank rank, std::uint32_t node, std::uint32_t metahost);
  // Takes a call with all its operations.
  void take(const CallEvent& call);
  void take(const RemoteOperation& operation);
  void lose(Rank rank);
  // The calls of a rank will not be told.
  void leave_out(Rank rank);
  void finish();

  [[nodiscard]] const MessageCounts& counts() const { return counts_; }
  // Begin of the oldest send of a channel whose receive has not ended; nothing: none is known.
  [[nodiscard]] std::optional<Nanoseconds> sent_at(CommId comm, Rank source, Rank destination,
                                                   std::int32_t tag) const;
  // Waits of senders that still count: the sizes of messages that were seen to be sent eagerly are
  // not known at once.
  void add_late_receivers(WaitSums& to) const;

 private:
  using CallIndex = std::uint32_t;
  using SendIndex = std::uint32_t;

  struct Longest {
    Nanoseconds time = 0, order = 0;
    Rank cause = kNone;
    std::uint64_t bytes = 0;
    bool synchronous = false;
    Nanoseconds posted = 0;
  };
  // A call that ends operations. Several receives count once, with the longest wait; then sends.
  struct CallState {
    Rank rank = 0;
    PathId path = 0;
    Nanoseconds enter = 0, leave = 0;
    std::uint32_t receives = 0, sends = 0;  // that are not settled
    bool incomplete = false;
    Longest late_sender, late_receiver;
  };
  struct SendState {
    Rank rank = 0, peer = 0;
    std::uint64_t bytes = 0;
    std::uint64_t request = 0;
    patterns::SendMode mode = patterns::SendMode::kStandard;
    Nanoseconds enter = 0;
    Nanoseconds posted = 0;     // of the matched receive
    CallIndex call = kNone;     // that ended it
    bool settled_here = false;  // its partner is known, or will not come
    bool matched = false;
  };
  struct ReceiveEnd {
    CommId comm = 0;
    Rank source = 0;
    std::int32_t tag = 0;
    std::uint64_t missing = 0;
    Nanoseconds posted = 0, time = 0;
    CallIndex call = kNone;  // kNone: another watcher evaluates it
  };
  struct Key {
    CommId comm = 0;
    Rank source = 0, destination = 0;
    std::int32_t tag = 0;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  // A send or a receive that waits for its partner. The i-th send of a channel belongs to the i-th
  // receive.
  struct Entry {
    Key key;
    bool is_send = false;
    std::uint64_t number = 0;
    SendIndex send = kNone;
    ReceiveEnd receive;
  };
  using Entries = std::list<Entry>;
  struct Channel {
    std::uint64_t sent = 0, received = 0;
    std::deque<Entries::iterator> sends, receives;
  };
  template <typename T>
  struct Slab {
    std::vector<T> all;
    std::vector<std::uint32_t> free;
    std::uint32_t add(T value) {
      if (free.empty()) {
        all.push_back(std::move(value));
        return static_cast<std::uint32_t>(all.size() - 1);
      }
      const std::uint32_t at = free.back();
      free.pop_back();
      all[at] = std::move(value);
      return at;
    }
    void remove(std::uint32_t at) { free.push_back(at); }
    T& operator[](std::uint32_t at) { return all[at]; }
  };
  // A wait of a sender: link class, synchronous, bytes, rank, receiver, call path.
  using LateKey = std::tuple<std::size_t, bool, std::uint64_t, Rank, Rank, PathId>;

  void take_operation(const CallEvent& call, CallIndex index, const Operation& operation);
  void send(const CallEvent& call, CallIndex index, const Operation& operation);
  void send_ends(Rank rank, CallIndex index, std::uint64_t request);
  void cancel(Rank rank, std::uint64_t request);
  void receive(Rank rank, const ReceiveEnd& end);
  // A nonblocking send that has not ended.
  using OpenKey = std::pair<Rank, std::uint64_t>;  // rank, request
  struct OpenSend {
    SendIndex send = kNone;
    std::list<OpenKey>::iterator place;  // in open_order_
  };
  using OpenSends = std::map<OpenKey, OpenSend>;

  void open_send(const OpenKey& key, SendIndex at);
  SendIndex close_send(OpenSends::iterator open);
  void forget_send(OpenSends::iterator open);
  [[nodiscard]] Channel* channel(const Key& key);
  // True if this watcher evaluates the call of this end of a message.
  [[nodiscard]] bool is_own(const Entry& entry) const {
    return !others_.contains(entry.is_send ? entry.key.source : entry.key.destination);
  }
  // True if the ends of the messages belong to two watchers.
  [[nodiscard]] bool is_shared(const Key& key) const {
    return others_.contains(key.source) || others_.contains(key.destination);
  }
  void tell_others(RemoteOperation::Kind kind, const Entry& entry) const;
  void take_cancelled(Channel& channel, std::uint64_t number);
  // Removes a send from the order of its channel.
  void remove_send(Channel& channel, std::deque<Entries::iterator>::iterator send);
  // Counts a send or a receive of a rank that has no channel, by the reason. The call entered at
  // `enter`.
  void count_left_out(const Key& key, Rank rank, Nanoseconds enter);
  void drop_channels(Rank rank, std::int64_t& reason);
  void put(Channel& channel, Entry entry);
  void match(Channel& channel);
  void meet(const Entry& send, const Entry& receive);
  void leave_out(const Entry& entry, bool incomplete);
  void drop_oldest();
  void settle_send(SendIndex at);
  void settle(CallIndex at);
  void add_late_receiver(const CallState& call);
  [[nodiscard]] std::size_t link(Rank a, Rank b) const;

  const Limits limits_;
  WaitSums& waits_;
  const Others& others_;
  bool refused_shared_ = false;  // there was no room for a channel that two watchers share
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places_;  // node and metahost by rank
  std::unordered_map<Rank, InStartOrder<ReceiveEnd>> posted_;
  std::unordered_map<Key, Channel, Hash> channels_;
  Entries entries_;  // oldest first
  Slab<CallState> calls_;
  Slab<SendState> sends_;
  OpenSends open_sends_;
  std::list<OpenKey> open_order_;  // of open_sends_, the one that began first is first
  std::set<Rank> lost_, elsewhere_;
  std::array<std::optional<std::uint64_t>, 3> eager_;  // largest message by class of link
  std::map<LateKey, Sum> late_receivers_;
  MessageCounts counts_;
};

}  // namespace latecomer::watch
