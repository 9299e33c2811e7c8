// SPDX-License-Identifier: BSD-3-Clause
// LocationBuilder's part for one-sided communication.
#include <otf2/otf2.h>

#include <algorithm>

#include "analyzer/trace/events/location_builder.hpp"
#include "archive/layout.hpp"
#include "patterns/calls/collective_class.hpp"

namespace latecomer::trace {
namespace {

// Operations of our own enumeration. All collective calls on a window that neither create nor free
// it are fences.
std::uint8_t operation_of(std::uint8_t op) {
  using enum patterns::CollectiveOperation;
  switch (op) {
    case OTF2_COLLECTIVE_OP_CREATE_HANDLE:
    case OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE:
      return static_cast<std::uint8_t>(kWindowCreate);
    case OTF2_COLLECTIVE_OP_DESTROY_HANDLE:
    case OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE:
      return static_cast<std::uint8_t>(kWindowFree);
    default:
      return static_cast<std::uint8_t>(kFence);
  }
}

}  // namespace

std::uint32_t LocationBuilder::window_index(std::uint32_t id) {
  const std::uint32_t index = definitions_.window_ids.find(id);
  if (index != kNone && definitions_.windows[index].comm != kNone) return index;
  out_.quality.add(Quality::kUnknownReferences);
  return kNone;
}

// Only our own tracer says whether a fence ends an epoch.
void LocationBuilder::window_collective_end(Ticks t, std::uint8_t operation, std::uint32_t level,
                                            std::uint32_t window) {
  advance(t);
  const std::uint32_t index = window_index(window);
  if (index == kNone) return;
  if (index >= window_calls_.size()) window_calls_.resize(index + 1);
  ++window_calls_[index];
  // A fence with this flag ends an epoch.
  const bool synchronizes = (level & OTF2_RMA_SYNC_LEVEL_PROCESS) != 0 &&
                            definitions_.properties.contains(layout::kPropertyVersion);
  Collective slot;
  slot.begin = std::max(collective_begin_, stack_.back().enter);
  complete(slot, t,
           {definitions_.windows[index].comm, OTF2_COLLECTIVE_ROOT_NONE, operation_of(operation),
            false, 0, 0, synchronizes, 0});
  if (slot.kind != Collective::kOpen) out_.collectives.push_back(slot);
}

// Adds a step with its epoch, that is, the number of collective calls on the window before it.
void LocationBuilder::add_window_event(Ticks t, WindowEvent::Kind kind, std::uint32_t window,
                                       std::uint32_t other, bool shared) {
  const std::uint32_t in = call();
  if (in == kNone) return;
  const std::uint32_t epoch = window < window_calls_.size() ? window_calls_[window] : 0;
  out_.window_events.push_back({t, in, window, other, epoch, kind, shared});
  const auto crosses = [&](std::uint32_t rank) {
    return definitions_.processes[rank].metahost != definitions_.processes[rank_].metahost;
  };
  const auto& step = out_.window_events[out_.window_events.size() - 1];
  const bool far = step.is_epoch() ? std::ranges::any_of(definitions_.groups[other], crosses)
                                   : other != kNone && crosses(other);
  if (far) crosses_metahosts(in);
}

void LocationBuilder::transfer(Ticks t, WindowEvent::Kind kind, std::uint32_t window,
                               std::uint32_t target, std::uint64_t sent, std::uint64_t received,
                               std::uint64_t matching) {
  advance(t);
  const std::uint32_t index = window_index(window);
  if (index == kNone) return;
  const std::uint32_t rank = world_rank(definitions_.windows[index].comm, target);
  if (rank == kNone) {
    out_.quality.add(Quality::kUnknownReferences);
    return;
  }
  add_window_event(t, kind, index, rank, false);
  transfers_.at({matching}, rank) = rank;
  const std::uint32_t in = call();
  if (in == kNone) return;
  const std::uint32_t node = out_.calls[in].node;
  if (node >= out_.transferred.size()) out_.transferred.resize(node + 1);
  auto& sum = out_.transferred[node];
  ++(kind == WindowEvent::Kind::kPut   ? sum.puts
     : kind == WindowEvent::Kind::kGet ? sum.gets
                                       : sum.atomics);
  sum.sent = added_bytes(sum.sent, sent);
  sum.received = added_bytes(sum.received, received);
}

// Only calls that flush are kept: there the completion of a transfer shows its target.
void LocationBuilder::transfer_complete(Ticks t, std::uint32_t window, std::uint64_t matching) {
  advance(t);
  const std::uint32_t target = transfers_.take({matching});
  if (target == kNone || stack_.size() < 2) return;
  if (definitions_.regions[stack_.back().region].epoch != patterns::EpochCall::kFlush) return;
  const std::uint32_t index = window_index(window);
  if (index == kNone) return;
  const std::uint32_t in = call();
  const auto& steps = out_.window_events;
  if (steps.size() != 0) {  // one event for all transfers to a target
    const auto& last = steps[steps.size() - 1];
    if (last.kind == WindowEvent::Kind::kFlush && last.call == in && last.other == target) return;
  }
  add_window_event(t, WindowEvent::Kind::kFlush, index, target, false);
}

// OTF2 has one record for all calls that synchronize with a group. The innermost region that is
// such a call says which one it is.
void LocationBuilder::group_sync(Ticks t, std::uint32_t window, std::uint32_t group) {
  advance(t);
  const std::uint32_t index = window_index(window);
  if (index == kNone) return;
  const std::uint32_t members = definitions_.group_ids.find(group);
  if (members == kNone) {
    out_.quality.add(Quality::kUnknownReferences);
    return;
  }
  using enum WindowEvent::Kind;
  for (auto frame = stack_.rbegin(); frame != stack_.rend() - 1; ++frame) {
    switch (definitions_.regions[frame->region].epoch) {
      case patterns::EpochCall::kNone:
      case patterns::EpochCall::kFlush:
        continue;
      case patterns::EpochCall::kPost:
        return add_window_event(t, kPost, index, members, false);
      case patterns::EpochCall::kStart:
        return add_window_event(t, kStart, index, members, false);
      case patterns::EpochCall::kComplete:
        return add_window_event(t, kComplete, index, members, false);
      case patterns::EpochCall::kWait:
        return add_window_event(t, kWait, index, members, false);
      case patterns::EpochCall::kTest:
        return add_window_event(t, kTest, index, members, false);
    }
  }
}

void LocationBuilder::lock(Ticks t, bool request, std::uint32_t window, std::uint32_t target,
                           bool shared) {
  advance(t);
  const std::uint32_t index = window_index(window);
  if (index == kNone) return;
  const std::uint32_t rank = target == OTF2_UNDEFINED_UINT32
                                 ? kNone
                                 : world_rank(definitions_.windows[index].comm, target);
  add_window_event(t, request ? WindowEvent::Kind::kLock : WindowEvent::Kind::kUnlock, index, rank,
                   shared);
}

void LocationBuilder::unrecorded_on_window(Ticks t, Gap::Kind kind, std::uint32_t window,
                                           std::uint32_t peer, std::uint64_t count) {
  advance(t);
  const std::uint32_t index = window_index(window);
  if (index == kNone || kind > Gap::Kind::kTransfer) return;
  std::uint32_t other = kNone;
  if (kind == Gap::Kind::kAccessEpoch || kind == Gap::Kind::kExposureEpoch) {
    other = definitions_.group_ids.find(peer);
    if (other == kNone) return out_.quality.add(Quality::kUnknownReferences);
  } else {
    out_.quality.add(Quality::kUnseenOneSided, static_cast<std::int64_t>(count));
    if (kind == Gap::Kind::kLock && peer != OTF2_UNDEFINED_UINT32) {
      other = world_rank(definitions_.windows[index].comm, peer);
    }
  }
  out_.window_gaps.push_back(
      {count, static_cast<std::uint32_t>(out_.window_events.size()), index, other, t, kind});
}

}  // namespace latecomer::trace
