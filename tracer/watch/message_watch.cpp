// SPDX-License-Identifier: BSD-3-Clause
// Matches messages in the order of sending and posting, and evaluates calls when all their messages
// are known.
#include "tracer/watch/message_watch.hpp"

#include <algorithm>

#include "patterns/waits/late_receiver.hpp"
#include "patterns/waits/late_sender.hpp"

namespace latecomer::watch {

using patterns::SendMode;

namespace {

// The ranks are few, mostly none.
template <typename Key>
bool has_one_of(const std::set<Rank>& ranks, const Key& key) {
  return !ranks.empty() && (ranks.contains(key.source) || ranks.contains(key.destination));
}

}  // namespace

std::size_t MessageWatch::Hash::operator()(const Key& key) const {
  std::uint64_t mixed = (std::uint64_t{key.source} << 32 | key.destination) * 0x9e3779b97f4a7c15;
  mixed ^= mixed >> 29;
  mixed += (std::uint64_t{key.comm} << 32 | static_cast<std::uint32_t>(key.tag));
  mixed *= 0xbf58476d1ce4e5b9;
  return mixed ^ mixed >> 32;
}

void MessageWatch::set_place(Rank rank, std::uint32_t node, std::uint32_t metahost) {
  if (rank >= places_.size()) places_.resize(rank + 1);
  places_[rank] = {node, metahost};
}

// 0 in a node, 1 in a metahost, 2 between metahosts (sync::LinkClass).
std::size_t MessageWatch::link(Rank a, Rank b) const {
  if (a >= places_.size() || b >= places_.size()) return 0;
  if (places_[a].first == places_[b].first) return 0;
  return places_[a].second == places_[b].second ? 1 : 2;
}

void MessageWatch::take(const CallEvent& call) {
  using enum Operation::Kind;
  CallState state{call.rank, call.path, call.enter, call.leave, 0, 0, false, {}, {}};
  for (const Operation& o : call.operations) {
    if (o.kind == kReceive) ++state.receives;
    if (o.kind == kSendEnds || (o.kind == kSend && o.request == 0)) ++state.sends;
    if (o.kind == kReceive && call.kind == patterns::CallKind::kTest) ++counts_.in_tests;
  }
  const bool ends = state.receives + state.sends != 0;
  // One more of each, so that the call is not settled before all its operations are there.
  ++state.receives;
  ++state.sends;
  const CallIndex index = ends ? calls_.add(state) : kNone;
  for (const Operation& o : call.operations) take_operation(call, index, o);
  if (const auto posted = posted_.find(call.rank); posted != posted_.end()) {
    counts_.out_of_order += static_cast<std::int64_t>(
        posted->second.hand_on([&](const ReceiveEnd& end) { receive(call.rank, end); }));
  }
  if (!ends) return;
  --calls_[index].receives;
  --calls_[index].sends;
  settle(index);
}

void MessageWatch::take_operation(const CallEvent& call, CallIndex index,
                                  const Operation& operation) {
  using enum Operation::Kind;
  auto& posted = posted_.try_emplace(call.rank, limits_.open_requests).first->second;
  ReceiveEnd end;
  switch (operation.kind) {
    case kSend:
      return send(call, index, operation);
    case kSendEnds:
      return send_ends(call.rank, index, operation.request);
    case kReceiveBegins:
      posted.begin(operation.request);
      if (ReceiveEnd* const begun = posted.find(operation.request)) begun->posted = call.enter;
      return;
    case kReceive: {
      ++counts_.receives;
      ++counts_.held_back;
      end = {operation.comm, operation.peer, operation.tag, 0, call.enter, operation.time, index};
      if (operation.request == 0) return posted.at_once(end);
      if (const ReceiveEnd* const begun = posted.find(operation.request)) {
        end.posted = begun->posted;
        static_cast<void>(posted.end(operation.request, end));
      } else {
        receive(call.rank, end);
      }
      return;
    }
    case kReceivesMissing:
      if (operation.count == 0) return;
      end.comm = operation.comm;
      end.source = operation.peer;
      end.tag = operation.tag;
      end.missing = operation.count;
      // A receive that was recorded when it was posted has its place there.
      if (operation.request != 0 && posted.end(operation.request, end)) return;
      return posted.at_once(end);
    case kSendsMissing:
      if (Channel* const c = channel({operation.comm, call.rank, operation.peer, operation.tag})) {
        c->sent += operation.count;
        match(*c);
      }
      return;
    case kCancelled:
      if (!posted.cancel(operation.request)) cancel(call.rank, operation.request);
      return;
    default:
      return;
  }
}

void MessageWatch::send(const CallEvent& call, CallIndex index, const Operation& operation) {
  ++counts_.sends;
  SendState state;
  state.rank = call.rank;
  state.peer = operation.peer;
  state.bytes = operation.bytes;
  state.request = operation.request;
  state.mode = operation.mode;
  state.enter = call.enter;
  state.call = operation.request == 0 ? index : kNone;
  const Key key{operation.comm, call.rank, operation.peer, operation.tag};
  Channel* const c = channel(key);
  if (c == nullptr) {
    count_left_out(key, call.rank, call.enter);
    if (operation.request == 0) {
      --calls_[index].sends;
      calls_[index].incomplete = true;
      return;
    }
    // The call that ends it will be left out, too.
    state.settled_here = true;
    return open_send({call.rank, operation.request}, sends_.add(state));
  }
  const SendIndex at = sends_.add(state);
  if (operation.request != 0) open_send({call.rank, operation.request}, at);
  Entry entry;
  entry.key = key;
  entry.is_send = true;
  entry.number = c->sent++;
  entry.send = at;
  tell_others(RemoteOperation::Kind::kSend, entry);
  put(*c, entry);
}

void MessageWatch::tell_others(RemoteOperation::Kind kind, const Entry& entry) const {
  if (!is_shared(entry.key)) return;
  RemoteOperation told;
  told.kind = kind;
  told.rank = entry.is_send ? entry.key.source : entry.key.destination;
  told.peer = entry.is_send ? entry.key.destination : entry.key.source;
  told.comm = entry.key.comm;
  told.tag = entry.key.tag;
  told.number = entry.number;
  if (entry.is_send) {
    const SendState& send = sends_.all[entry.send];
    told.bytes = send.bytes;
    told.mode = send.mode;
    told.time = send.enter;
  } else {
    told.time = entry.receive.posted;
  }
  others_.tell(told);
}

// Operations of one channel come in ascending order of their numbers. One that is missing was left
// out by the other watcher, or on the way.
void MessageWatch::take(const RemoteOperation& told) {
  using enum RemoteOperation::Kind;
  if (told.kind == kEager) {
    auto& eager = eager_[std::min<std::size_t>(told.link, eager_.size() - 1)];
    eager = std::max(eager.value_or(0), told.bytes);
    return;
  }
  const bool is_send = told.kind != kReceive;
  const Key key{told.comm, is_send ? told.rank : told.peer, is_send ? told.peer : told.rank,
                told.tag};
  if (others_.contains(told.peer)) return;
  Channel* const c = channel(key);
  if (c == nullptr) return;
  if (told.kind == kCancelled) return take_cancelled(*c, told.number);
  std::uint64_t& next = is_send ? c->sent : c->received;
  if (told.number < next || told.number == UINT64_MAX) return;
  next = told.number + 1;
  Entry entry;
  entry.key = key;
  entry.is_send = is_send;
  entry.number = told.number;
  entry.receive.posted = told.time;
  if (is_send) {
    SendState state;
    state.rank = told.rank;
    state.peer = told.peer;
    state.bytes = told.bytes;
    state.mode = told.mode;
    state.enter = told.time;
    entry.send = sends_.add(state);
  }
  put(*c, entry);
}

void MessageWatch::take_cancelled(Channel& c, std::uint64_t number) {
  const auto found =
      std::ranges::find_if(c.sends, [&](const auto& entry) { return entry->number == number; });
  if (found == c.sends.end()) return;
  const SendIndex at = (*found)->send;
  remove_send(c, found);
  sends_.remove(at);
  match(c);
}

void MessageWatch::remove_send(Channel& c, std::deque<Entries::iterator>::iterator send) {
  for (auto later = send + 1; later != c.sends.end(); ++later) --(*later)->number;
  --c.sent;
  entries_.erase(*send);
  c.sends.erase(send);
}

void MessageWatch::open_send(const OpenKey& key, SendIndex at) {
  // A request with this number was never completed.
  if (const auto before = open_sends_.find(key); before != open_sends_.end()) forget_send(before);
  // Requests that were freed are never completed; the oldest of many are forgotten.
  if (open_sends_.size() >= limits_.unmatched) forget_send(open_sends_.find(open_order_.front()));
  open_sends_[key] = {at, open_order_.insert(open_order_.end(), key)};
}

MessageWatch::SendIndex MessageWatch::close_send(OpenSends::iterator open) {
  const SendIndex at = open->second.send;
  open_order_.erase(open->second.place);
  open_sends_.erase(open);
  sends_[at].request = 0;
  return at;
}

void MessageWatch::forget_send(OpenSends::iterator open) {
  const SendIndex at = close_send(open);
  if (sends_[at].settled_here) sends_.remove(at);
}

void MessageWatch::send_ends(Rank rank, CallIndex index, std::uint64_t request) {
  const auto open = open_sends_.find({rank, request});
  if (open == open_sends_.end()) {
    ++counts_.ends_without_begin;
    --calls_[index].sends;
    return;
  }
  const SendIndex at = close_send(open);
  sends_[at].call = index;
  settle_send(at);
}

// A cancelled send has no place in the order of its channel, unless its message was received.
void MessageWatch::cancel(Rank rank, std::uint64_t request) {
  const auto open = open_sends_.find({rank, request});
  if (open == open_sends_.end()) return;
  const SendIndex at = close_send(open);
  if (sends_[at].settled_here) return sends_.remove(at);
  for (auto& [key, c] : channels_) {
    if (key.source != rank || key.destination != sends_[at].peer) continue;
    const auto found =
        std::ranges::find_if(c.sends, [&](const auto& entry) { return entry->send == at; });
    if (found == c.sends.end()) continue;
    tell_others(RemoteOperation::Kind::kCancelled, **found);
    remove_send(c, found);
    --counts_.pending;
    ++counts_.cancelled;
    sends_.remove(at);
    return match(c);
  }
}

void MessageWatch::receive(Rank rank, const ReceiveEnd& end) {
  const Key key{end.comm, end.source, rank, end.tag};
  if (end.missing == 0) --counts_.held_back;
  Channel* const c = channel(key);
  if (end.missing != 0) {
    if (c == nullptr) return;
    c->received += end.missing;
    return match(*c);
  }
  if (c == nullptr) {
    count_left_out(key, rank, calls_[end.call].enter);
    --calls_[end.call].receives;
    calls_[end.call].incomplete = true;
    return settle(end.call);
  }
  Entry entry;
  entry.key = key;
  entry.number = c->received++;
  entry.receive = end;
  tell_others(RemoteOperation::Kind::kReceive, entry);
  put(*c, entry);
}

// Null: there is no room, the calls of one side are not told, or records of it were lost. Channels
// in which all messages were received can be forgotten, since their numbers are equal. But two
// watchers that share a channel would not forget it at the same time.
MessageWatch::Channel* MessageWatch::channel(const Key& key) {
  if (has_one_of(elsewhere_, key) || has_one_of(lost_, key)) return nullptr;
  const auto found = channels_.find(key);
  if (found != channels_.end()) return &found->second;
  if (refused_shared_ && is_shared(key)) return nullptr;
  if (channels_.size() >= limits_.channels) {
    std::erase_if(channels_, [&](const auto& one) {
      const Channel& c = one.second;
      return c.sent == c.received && c.sends.empty() && c.receives.empty() && !is_shared(one.first);
    });
    if (channels_.size() >= limits_.channels) {
      // Later messages of the channel would not have the numbers that the other watcher expects.
      refused_shared_ = refused_shared_ || is_shared(key);
      return nullptr;
    }
  }
  return &channels_[key];
}

std::optional<Nanoseconds> MessageWatch::sent_at(CommId comm, Rank source, Rank destination,
                                                 std::int32_t tag) const {
  const auto found = channels_.find({comm, source, destination, tag});
  if (found == channels_.end() || found->second.sends.empty()) return {};
  const SendIndex send = found->second.sends.front()->send;
  if (send == kNone) return {};  // it was not recorded
  return sends_.all[send].enter;
}

void MessageWatch::count_left_out(const Key& key, Rank rank, Nanoseconds enter) {
  if (has_one_of(elsewhere_, key)) {
    ++counts_.elsewhere;
  } else if (has_one_of(lost_, key)) {
    ++counts_.after_loss;
    waits_.cut(rank, enter);
  } else {
    ++counts_.no_room;
  }
}

void MessageWatch::put(Channel& c, Entry entry) {
  const bool is_send = entry.is_send;
  if (is_own(entry)) ++counts_.pending;
  entries_.push_back(std::move(entry));
  (is_send ? c.sends : c.receives).push_back(std::prev(entries_.end()));
  match(c);
  if (entries_.size() > limits_.unmatched) drop_oldest();
}

void MessageWatch::match(Channel& c) {
  const auto take = [&](std::deque<Entries::iterator>& from) {
    const Entry entry = *from.front();
    entries_.erase(from.front());
    from.pop_front();
    if (is_own(entry)) --counts_.pending;
    return entry;
  };
  // A partner that has a number and did not come was not recorded, or was left out.
  const auto drop = [&](std::deque<Entries::iterator>& from, std::uint64_t below) {
    while (!from.empty() && from.front()->number < below) {
      const Entry entry = take(from);
      if (is_own(entry)) ++counts_.not_recorded;
      leave_out(entry, true);
    }
  };
  const auto next = [](const std::deque<Entries::iterator>& all, std::uint64_t last) {
    return all.empty() ? last : all.front()->number;
  };
  for (;;) {
    drop(c.sends, next(c.receives, c.received));
    drop(c.receives, next(c.sends, c.sent));
    if (c.sends.empty() || c.receives.empty()) return;
    if (c.sends.front()->number != c.receives.front()->number) continue;
    const Entry send = take(c.sends);
    const Entry receive = take(c.receives);
    if (is_own(receive)) ++counts_.matched;
    meet(send, receive);
  }
}

void MessageWatch::meet(const Entry& send, const Entry& receive) {
  const SendState sent = sends_[send.send];
  const ReceiveEnd& end = receive.receive;
  if (end.call != kNone) {
    CallState& call = calls_[end.call];
    const Nanoseconds wait = patterns::late_sender(call.enter, call.leave, sent.enter);
    Longest& longest = call.late_sender;
    // Ties go to the lowest rank, then to the message received first.
    if (wait > longest.time ||
        (wait > 0 && wait == longest.time &&
         std::pair(sent.rank, end.time) < std::pair(longest.cause, longest.order))) {
      longest = {wait, end.time, sent.rank, 0, false, 0};
    }
    --call.receives;
  }
  SendState& state = sends_[send.send];
  state.matched = true;
  state.posted = end.posted;
  state.settled_here = true;
  // First: if both ended in this call, the send keeps it open.
  if (end.call != kNone) settle(end.call);
  settle_send(send.send);
}

// Settles a send in the call that ended it, as soon as both it and its receive are known.
void MessageWatch::settle_send(SendIndex at) {
  const SendState sent = sends_[at];
  if (!sent.settled_here) return;
  if (sent.call == kNone) {
    if (sent.request == 0) sends_.remove(at);
    return;
  }
  sends_.remove(at);
  CallState& call = calls_[sent.call];
  --call.sends;
  if (!sent.matched) {
    call.incomplete = true;
  } else if (sent.posted > sent.enter) {
    auto& eager = eager_[link(sent.rank, sent.peer)];
    const bool standard = sent.mode == SendMode::kStandard || sent.mode == SendMode::kSendrecv;
    // A send that returned before its receive was posted was eager.
    if (standard && call.leave <= sent.posted && (!eager || sent.bytes > *eager)) {
      eager = sent.bytes;
      RemoteOperation told;
      told.kind = RemoteOperation::Kind::kEager;
      told.bytes = sent.bytes;
      told.link = static_cast<std::uint8_t>(link(sent.rank, sent.peer));
      others_.tell(told);
    }
    const bool synchronous = sent.mode == SendMode::kSynchronous;
    const bool may_block = synchronous || ((standard || sent.mode == SendMode::kPersistent) &&
                                           (!eager || sent.bytes > *eager));
    const Nanoseconds wait =
        may_block ? patterns::late_receiver(call.enter, call.leave, sent.posted) : 0;
    Longest& longest = call.late_receiver;
    if (wait > longest.time || (wait > 0 && wait == longest.time && sent.peer < longest.cause))
      longest = {wait, 0, sent.peer, sent.bytes, synchronous, sent.posted};
  }
  settle(sent.call);
}

void MessageWatch::settle(CallIndex at) {
  const CallState call = calls_[at];
  if (call.receives != 0 || call.sends != 0) return;
  calls_.remove(at);
  if (call.incomplete) {
    ++counts_.incomplete_calls;
    return;
  }
  const Longest& late = call.late_sender;
  waits_.add({WaitKind::kLateSender, call.rank, late.cause, call.path, call.enter, late.time});
  add_late_receiver(call);
}

// The late sender was waited for first, so the rest of the wait is at the end of the call.
void MessageWatch::add_late_receiver(const CallState& call) {
  const Longest& late = call.late_receiver;
  const Nanoseconds time = late.time - call.late_sender.time;
  if (late.time == 0 || time <= 0) return;
  if (!waits_.add_recent(
          {WaitKind::kLateReceiver, call.rank, late.cause, call.path, late.posted - time, time}))
    return;
  LateKey key{
      link(call.rank, late.cause), late.synchronous, late.bytes, call.rank, late.cause, call.path};
  if (late_receivers_.size() >= limits_.places && !late_receivers_.contains(key)) {
    // Sizes are dropped where there are too many: the largest one is never eager.
    std::get<2>(key) = UINT64_MAX;
  }
  late_receivers_[key].add(time);
}

void MessageWatch::add_late_receivers(WaitSums& to) const {
  for (const auto& [key, sum] : late_receivers_) {
    const auto& [link, synchronous, bytes, rank, cause, path] = key;
    if (!synchronous && eager_[link] && bytes <= *eager_[link]) continue;
    to.add_without_recent({WaitKind::kLateReceiver, rank, cause, path, 0, sum.time}, sum.count);
  }
}

void MessageWatch::leave_out(const Entry& entry, bool incomplete) {
  if (entry.is_send) {
    SendState& state = sends_[entry.send];
    state.settled_here = true;
    state.matched = false;
    if (!incomplete) {
      // A send without partner is no part of the waits of its call, as after the run.
      state.matched = true;
      state.posted = INT64_MIN;
    }
    settle_send(entry.send);
  } else if (entry.receive.call != kNone) {
    CallState& call = calls_[entry.receive.call];
    --call.receives;
    call.incomplete = call.incomplete || incomplete;
    settle(entry.receive.call);
  }
}

void MessageWatch::drop_oldest() {
  const Entry entry = entries_.front();
  Channel& c = channels_[entry.key];
  (entry.is_send ? c.sends : c.receives).pop_front();
  entries_.pop_front();
  if (is_own(entry)) {
    --counts_.pending;
    ++counts_.no_room;
  }
  leave_out(entry, true);
}

void MessageWatch::lose(Rank rank) {
  if (!lost_.insert(rank).second) return;
  if (const auto posted = posted_.find(rank); posted != posted_.end()) {
    posted->second.close();
    posted->second.hand_on([&](const ReceiveEnd& end) { receive(rank, end); });
  }
  for (const auto& [key, c] : channels_) {
    if (key.source != rank && key.destination != rank) continue;
    for (const auto& at : c.sends) waits_.cut(key.source, sends_[at->send].enter);
    for (const auto& at : c.receives) {
      if (at->receive.call != kNone) waits_.cut(key.destination, calls_[at->receive.call].enter);
    }
  }
  drop_channels(rank, counts_.after_loss);
}

void MessageWatch::leave_out(Rank rank) {
  if (elsewhere_.insert(rank).second) drop_channels(rank, counts_.elsewhere);
}

// Leaves out what waits for its partner in the channels of a rank, and counts it.
void MessageWatch::drop_channels(Rank rank, std::int64_t& reason) {
  for (auto one = channels_.begin(); one != channels_.end();) {
    if (one->first.source != rank && one->first.destination != rank) {
      ++one;
      continue;
    }
    for (auto* const all : {&one->second.sends, &one->second.receives}) {
      for (const auto& at : *all) {
        const Entry entry = *at;
        entries_.erase(at);
        if (is_own(entry)) {
          --counts_.pending;
          ++reason;
        }
        leave_out(entry, true);
      }
    }
    one = channels_.erase(one);
  }
}

void MessageWatch::finish() {
  for (auto& [rank, posted] : posted_) {
    posted.close();
    posted.hand_on([&, at = rank](const ReceiveEnd& end) { receive(at, end); });
  }
  while (!entries_.empty()) {
    const Entry entry = entries_.front();
    entries_.pop_front();
    leave_out(entry, false);
  }
  for (auto& [key, c] : channels_) {
    c.sends.clear();
    c.receives.clear();
  }
}

}  // namespace latecomer::watch
