// SPDX-License-Identifier: BSD-3-Clause
// Matches messages: one pass counts them, one sends them to their receivers, and a hash table of
// channels per receiver matches them.
#include "analyzer/match/messages.hpp"

#include <algorithm>

#include "analyzer/match/gap_walk.hpp"
#include "analyzer/match/handed_on.hpp"
#include "analyzer/match/in_time_order.hpp"
#include "analyzer/memory/flat_index.hpp"
#include "archive/hash.hpp"

namespace latecomer::replay {
namespace {

using trace::kNone;

// Messages of one channel cannot overtake each other (MPI standard, point-to-point communication).
struct Channel {
  std::uint32_t source = 0, comm = 0, tag = 0;
  friend bool operator==(const Channel&, const Channel&) = default;
};
std::uint64_t hash_of(const Channel& c) {
  return spread((std::uint64_t{c.source} << 32) | c.tag) + c.comm;
}

constexpr std::uint64_t kMostInGap = kNone - 1;  // an index can hold this many

// Announces and packs the sends of all hosted locations. Sends of a process are put in the order of
// sending, over all of its threads. Gaps in the recording are sent as counts.
std::vector<MessageBatch> outgoing(const Partition& partition,
                                   const std::vector<trace::LocationEvents>& mine,
                                   const trace::Definitions& definitions, int processes) {
  Outbox out(partition, definitions.processes.size(), processes);
  for (const auto& events : mine) {
    events.sends.for_each([&](const trace::Message& send) {
      if (send.peer != kNone) out.announce(send.peer);
    });
    for (const auto& gap : events.send_gaps) {
      for (std::uint64_t i = 0; i < gap.count; i += kMostInGap) out.announce(gap.peer);
    }
  }
  out.all_announced();
  for (std::size_t first = 0, last = 0; first < mine.size(); first = last) {
    const std::uint32_t source = definitions.locations[mine[first].location].process;
    while (last < mine.size() && definitions.locations[mine[last].location].process == source) {
      ++last;
    }
    GapWalk gaps(mine, first, last, &trace::LocationEvents::send_gaps, [&](const trace::Gap& gap) {
      for (std::uint64_t left = gap.count; left > 0;) {
        const auto part = std::min<std::uint64_t>(left, kMostInGap);
        out.put({gap.peer, source, gap.comm, gap.tag, kNone, static_cast<std::uint32_t>(part),
                 gap.time, gap.time});
        left -= part;
      }
    });
    const auto sent = [](const auto&, const trace::Message& m) { return m.time; };
    in_time_order(mine, first, last, &trace::LocationEvents::sends, sent,
                  [&](auto l, auto i, const trace::Message& send) {
                    gaps.before(l, i);
                    if (send.peer == kNone) return;
                    const auto& events = mine[l];
                    out.put({send.peer, source, send.comm, send.tag, events.location, i,
                             events.calls[send.call].enter, send.time});
                  });
    gaps.rest();
  }
  return out.take();
}

// Reports sends that no process received to the hosts of the senders.
std::vector<Unmatched> return_unmatched(const std::vector<SentMessage>& left,
                                        const Partition& partition,
                                        const std::vector<trace::LocationEvents>& mine,
                                        parallel::Processes& processes) {
  std::vector<parallel::Packer> packs(static_cast<std::size_t>(processes.size()));
  for (const auto& send : left) {
    auto& pack = packs[static_cast<std::size_t>(partition.host_of(send.source))];
    pack.put(send.location);
    pack.put(send.index);
  }
  std::vector<Unmatched> result;
  for (const auto& bytes : processes.exchange(take_all(packs))) {
    for (parallel::Unpacker in(bytes); !in.done();) {
      const auto location = in.get<std::uint32_t>();
      const auto index = in.get<std::uint32_t>();
      const auto it = std::ranges::find(mine, location, &trace::LocationEvents::location);
      const auto i = static_cast<std::size_t>(it - mine.begin());
      result.push_back({i, mine[i].sends[index].call});
    }
  }
  return result;
}

}  // namespace

MatchedMessages::MatchedMessages(const trace::Definitions& definitions, const Partition& partition,
                                 const std::vector<trace::LocationEvents>& mine,
                                 parallel::Processes& processes)
    : definitions_(definitions),
      partition_(partition),
      inbox_(outgoing(partition, mine, definitions, processes.size()), definitions, processes),
      matched_(mine.size()),
      order_(mine.size()) {
  std::vector<SentMessage> left;
  for (std::size_t first = 0; first < mine.size();) {
    const std::uint32_t rank = rank_of(mine[first]);
    std::size_t last = first;
    while (last < mine.size() && rank_of(mine[last]) == rank) ++last;
    match_process(inbox_.of(rank), mine, first, last, left);
    first = last;
  }
  unmatched_.sends = return_unmatched(left, partition, mine, processes);
}

// Matches all receives of one process. `first` and `last` delimit its locations in `mine`. Each
// channel has a queue of its sends, linked through `next`. A receive takes the head of its queue.
//
//   inbox   0: A   1: B   2: A   3: A      queue of channel A: 0 -> 2 -> 3, of channel B: 1
void MatchedMessages::match_process(const Inbox::Part& inbox,
                                    const std::vector<trace::LocationEvents>& mine,
                                    std::size_t first, std::size_t last,
                                    std::vector<SentMessage>& left) {
  // The sends of a channel that are not matched yet.
  struct Queue {
    std::uint32_t head, tail;
    std::uint32_t used = 0;  // messages of the gap at the head that are already taken
    bool uneven = false;
  };
  trace::FlatIndex<Channel> channels;
  std::vector<Queue> queues;
  memory::Vector<std::uint32_t> next(inbox.size(), kNone);
  Channel last_channel;
  // Queue of the last channel. Most messages follow one of the same channel.
  std::uint32_t at_last = kNone;
  inbox.for_each([&](std::size_t number, const SentMessage& send) {
    const auto i = static_cast<std::uint32_t>(number);
    const Channel channel{send.source, send.comm, send.tag};
    if (at_last == kNone || channel != last_channel) {
      const auto fresh = static_cast<std::uint32_t>(queues.size());
      last_channel = channel;
      at_last = channels.at(channel, fresh);
      if (at_last == fresh) {
        queues.push_back({i, i, 0, false});
        return;
      }
    }
    auto& queue = queues[at_last];
    next[queue.tail] = i;
    queue.tail = i;
  });
  const auto advance = [&](Queue& queue) {
    queue.head = next[queue.head];
    queue.used = 0;
  };
  // Receives that were not recorded take messages from the queue as well, recorded or not.
  const auto take_gap = [&](const trace::Gap& gap) {
    const auto channel = channels.find({gap.peer, gap.comm, gap.tag});
    if (channel == kNone) {
      ++unmatched_.uneven_channels;
      return;
    }
    auto& queue = queues[channel];
    for (std::uint64_t open = gap.count; open > 0;) {
      if (queue.head == kNone) {
        queue.uneven = true;
        return;
      }
      const SentMessage send = inbox[queue.head];
      if (!send.is_gap()) {
        ++unmatched_.at_edges;
        --open;
        advance(queue);
        continue;
      }
      const auto part =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(open, send.index - queue.used));
      queue.used += part;
      open -= part;
      if (queue.used == send.index) advance(queue);
    }
  };
  GapWalk gaps(mine, first, last, &trace::LocationEvents::receive_gaps, take_gap);
  for (std::size_t l = first; l < last; ++l) matched_[l].assign(mine[l].receives.size(), kNone);
  const auto posted = [](const trace::LocationEvents& events, const trace::Message& m) {
    return m.other == kNone ? m.time : events.calls[m.other].enter;
  };
  const HandedOn handed_on(mine, first, last, &trace::LocationEvents::receives_elsewhere);
  const bool may_have_gaps = inbox.has_odd();
  // Matches the i-th receive of location l, in the order of `thread`.
  const auto match = [&](std::size_t thread, std::size_t l, std::uint32_t i, Channel wanted,
                         std::uint32_t call) {
    if (wanted.source == kNone) return;
    auto& order = order_[l];
    order.kept = order.kept && call >= order.last && l == thread;
    order.last = call;
    const auto channel = channels.find(wanted);
    if (channel == kNone || queues[channel].head == kNone) {
      unmatched_.receives.push_back({l, call});
      return;
    }
    auto& queue = queues[channel];
    if (may_have_gaps) {
      if (const SentMessage send = inbox[queue.head]; send.is_gap()) {
        ++unmatched_.at_edges;
        unmatched_.edge_receives.push_back({l, call});
        if (++queue.used == send.index) advance(queue);
        return;
      }
    }
    matched_[l][i] = queue.head;
    advance(queue);
  };
  // Variant for processes whose requests are all completed by the thread that posted them.
  const auto here = [&](std::size_t l, std::uint32_t i, const trace::Message& receive) {
    gaps.before(l, i);
    match(l, l, i, {receive.peer, receive.comm, receive.tag}, receive.call);
  };
  // Variant for processes with receives that another thread completed.
  const auto elsewhere = [&](std::size_t l, std::uint32_t i, const auto&) {
    gaps.before(l, i);
    const auto at = handed_on.find(l, i);
    if (!at) return;
    const trace::Message receive = mine[at->location].receives[at->index];
    match(l, at->location, at->index, {receive.peer, receive.comm, receive.tag}, receive.call);
  };
  const auto list = &trace::LocationEvents::receives;
  if (handed_on.none()) {
    in_time_order(mine, first, last, list, posted, here);
  } else {
    in_time_order(mine, first, last, list, posted, elsewhere);
  }
  gaps.rest();
  // Sends that are still in a queue have no receive.
  for (auto& queue : queues) {
    for (; queue.head != kNone; queue.head = next[queue.head]) {
      if (inbox[queue.head].is_gap()) {
        queue.uneven = true;
      } else {
        left.push_back(inbox[queue.head]);
      }
    }
    if (queue.uneven) ++unmatched_.uneven_channels;
  }
}

}  // namespace latecomer::replay
