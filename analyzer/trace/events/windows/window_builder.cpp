// SPDX-License-Identifier: BSD-3-Clause
// Steps of one-sided communication, with the epoch that each belongs to.
#include "analyzer/trace/events/windows/window_builder.hpp"

#include <otf2/otf2.h>

#include <algorithm>

#include "analyzer/trace/events/core/added_bytes.hpp"
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

bool WindowBuilder::take(Event& event) {
  std::uint32_t first = 0, second = 0, window = 0;
  std::uint64_t number = 0;
  const Ticks t = event.time;
  switch (event.record.type) {
    case kRmaCollectiveBegin:
      collective_begin(t);
      return true;
    case kRmaCollectiveEnd:
      return take_collective_end(event);
    case kRmaPut:
    case kRmaGet:
    case kRmaAtomic:
      return take_transfer(event);
    case kRmaGroupSync:
      if (!event.take(first, window, second)) return false;
      group_sync(t, event.id(IdKind::kWindow, window), event.id(IdKind::kGroup, second));
      return true;
    case kRmaOpCompleteRemote:
      if (!event.take(window, number)) return false;
      transfer_complete(t, event.id(IdKind::kWindow, window), number);
      return true;
    default:
      return take_lock(event);
  }
}

bool WindowBuilder::take_collective_end(Event& event) {
  std::uint8_t operation = 0;
  std::uint32_t level = 0, window = 0;
  if (!event.take(operation, level, window)) return false;
  collective_end(event.time, operation, level, event.id(IdKind::kWindow, window));
  return true;
}

bool WindowBuilder::take_transfer(Event& event) {
  std::uint8_t operation = 0;
  std::uint32_t window = 0, target = 0;
  std::uint64_t bytes = 0, received = 0, matching = 0;
  const std::uint8_t type = event.record.type;
  const bool atomic = type == kRmaAtomic;
  if (!event.take(window, target) || (atomic && !event.take(operation)) || !event.take(bytes)) {
    return false;
  }
  if ((atomic && !event.take(received)) || !event.take(matching)) return false;
  window = event.id(IdKind::kWindow, window);
  if (atomic) {
    transfer(event.time, WindowEvent::Kind::kAtomic, window, target, bytes, received, matching);
  } else if (type == kRmaPut) {
    transfer(event.time, WindowEvent::Kind::kPut, window, target, bytes, 0, matching);
  } else {
    transfer(event.time, WindowEvent::Kind::kGet, window, target, 0, bytes, matching);
  }
  return true;
}

bool WindowBuilder::take_lock(Event& event) {
  std::uint32_t window = 0, target = 0;
  std::uint64_t number = 0;
  std::uint8_t type = 0;
  const bool request = event.record.type == kRmaRequestLock;
  if (!event.take(window, target, number) || (request && !event.take(type))) return false;
  lock(event.time, request, event.id(IdKind::kWindow, window), target,
       request && type == OTF2_LOCK_SHARED);
  return true;
}

std::uint32_t& WindowBuilder::calls_on(std::uint32_t window) {
  if (window >= calls_.size()) calls_.resize(window + 1);
  return calls_[window];
}

std::uint32_t WindowBuilder::index_of(std::uint32_t id) {
  const std::uint32_t index = regions_.definitions().window_ids.find(id);
  if (index != kNone && regions_.definitions().windows[index].comm != kNone) return index;
  regions_.unknown_reference();
  return kNone;
}

// Only our own tracer says whether a fence ends an epoch.
void WindowBuilder::collective_end(Ticks t, std::uint8_t operation, std::uint32_t level,
                                   std::uint32_t window) {
  regions_.advance(t);
  const std::uint32_t index = index_of(window);
  if (index == kNone) return;
  ++calls_on(index);
  // A fence with this flag ends an epoch.
  const bool synchronizes = (level & OTF2_RMA_SYNC_LEVEL_PROCESS) != 0 &&
                            regions_.definitions().properties.contains(layout::kPropertyVersion);
  collectives_.add(collectives_.begin_of_call(), t,
                   {regions_.definitions().windows[index].comm, OTF2_COLLECTIVE_ROOT_NONE,
                    operation_of(operation), false, 0, 0, synchronizes, 0});
}

// Adds a step with its epoch, that is, the number of collective calls on the window before it.
void WindowBuilder::add(Ticks t, WindowEvent::Kind kind, std::uint32_t window, std::uint32_t other,
                        bool shared) {
  const std::uint32_t in = regions_.call();
  if (in == kNone) return;
  const std::uint32_t epoch = window < calls_.size() ? calls_[window] : 0;
  out_.window_events.push_back({t, in, window, other, epoch, kind, shared});
  const auto crosses = [&](std::uint32_t rank) { return regions_.is_far(rank); };
  const auto& step = out_.window_events[out_.window_events.size() - 1];
  const bool far = step.is_epoch()
                       ? std::ranges::any_of(regions_.definitions().groups[other], crosses)
                       : other != kNone && crosses(other);
  if (far) regions_.crosses_metahosts(in);
}

void WindowBuilder::transfer(Ticks t, WindowEvent::Kind kind, std::uint32_t window,
                             std::uint32_t target, std::uint64_t sent, std::uint64_t received,
                             std::uint64_t matching) {
  regions_.advance(t);
  const std::uint32_t index = index_of(window);
  if (index == kNone) return;
  const std::uint32_t rank =
      regions_.world_rank(regions_.definitions().windows[index].comm, target);
  if (rank == kNone) {
    regions_.unknown_reference();
    return;
  }
  add(t, kind, index, rank, false);
  transfers_.at({matching}, rank) = rank;
  const std::uint32_t in = regions_.call();
  if (in == kNone) return;
  const std::uint32_t node = regions_.out().calls[in].node;
  if (node >= out_.transferred.size()) out_.transferred.resize(node + 1);
  auto& sum = out_.transferred[node];
  ++(kind == WindowEvent::Kind::kPut   ? sum.puts
     : kind == WindowEvent::Kind::kGet ? sum.gets
                                       : sum.atomics);
  sum.sent = added_bytes(sum.sent, sent);
  sum.received = added_bytes(sum.received, received);
}

// Only calls that flush are kept: there the completion of a transfer shows its target.
void WindowBuilder::transfer_complete(Ticks t, std::uint32_t window, std::uint64_t matching) {
  regions_.advance(t);
  const std::uint32_t target = transfers_.take({matching});
  if (target == kNone || regions_.open().size() < 2) return;
  if (regions_.top_region().epoch != patterns::EpochCall::kFlush) return;
  const std::uint32_t index = index_of(window);
  if (index == kNone) return;
  const std::uint32_t in = regions_.call();
  const auto& steps = out_.window_events;
  if (steps.size() != 0) {  // one event for all transfers to a target
    const auto& last = steps[steps.size() - 1];
    if (last.kind == WindowEvent::Kind::kFlush && last.call == in && last.other == target) return;
  }
  add(t, WindowEvent::Kind::kFlush, index, target, false);
}

// OTF2 has one record for all calls that synchronize with a group. The innermost region that is
// such a call says which one it is.
void WindowBuilder::group_sync(Ticks t, std::uint32_t window, std::uint32_t group) {
  regions_.advance(t);
  const std::uint32_t index = index_of(window);
  if (index == kNone) return;
  const std::uint32_t members = regions_.definitions().group_ids.find(group);
  if (members == kNone) {
    regions_.unknown_reference();
    return;
  }
  using enum WindowEvent::Kind;
  const auto open = regions_.open();
  for (auto frame = open.rbegin(); frame != open.rend() - 1; ++frame) {
    switch (regions_.definitions().regions[frame->region].epoch) {
      case patterns::EpochCall::kNone:
      case patterns::EpochCall::kFlush:
        continue;
      case patterns::EpochCall::kPost:
        return add(t, kPost, index, members, false);
      case patterns::EpochCall::kStart:
        return add(t, kStart, index, members, false);
      case patterns::EpochCall::kComplete:
        return add(t, kComplete, index, members, false);
      case patterns::EpochCall::kWait:
        return add(t, kWait, index, members, false);
      case patterns::EpochCall::kTest:
        return add(t, kTest, index, members, false);
    }
  }
}

void WindowBuilder::lock(Ticks t, bool request, std::uint32_t window, std::uint32_t target,
                         bool shared) {
  regions_.advance(t);
  const std::uint32_t index = index_of(window);
  if (index == kNone) return;
  const std::uint32_t rank =
      target == OTF2_UNDEFINED_UINT32
          ? kNone
          : regions_.world_rank(regions_.definitions().windows[index].comm, target);
  add(t, request ? WindowEvent::Kind::kLock : WindowEvent::Kind::kUnlock, index, rank, shared);
}

void WindowBuilder::unrecorded(Ticks t, Gap::Kind kind, std::uint32_t window, std::uint32_t peer,
                               std::uint32_t series, std::uint64_t count) {
  regions_.advance(t);
  const std::uint32_t index = index_of(window);
  if (index == kNone || kind > Gap::Kind::kTransfer) return;
  if (kind == Gap::Kind::kWindowCollective) {
    calls_on(index) += static_cast<std::uint32_t>(count);
    collectives_.add_gap(
        {count, 0, regions_.definitions().windows[index].comm, 0, series, series, t});
    return;
  }
  std::uint32_t other = kNone;
  if (kind == Gap::Kind::kAccessEpoch || kind == Gap::Kind::kExposureEpoch) {
    other = regions_.definitions().group_ids.find(peer);
    if (other == kNone) return regions_.unknown_reference();
  } else {
    regions_.out().quality.add(Quality::kUnseenOneSided, static_cast<std::int64_t>(count));
    if (kind == Gap::Kind::kLock && peer != OTF2_UNDEFINED_UINT32) {
      other = regions_.world_rank(regions_.definitions().windows[index].comm, peer);
    }
  }
  out_.window_gaps.push_back(
      {count, static_cast<std::uint32_t>(out_.window_events.size()), index, other, t, kind});
}

}  // namespace latecomer::trace
