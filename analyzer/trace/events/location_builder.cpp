// SPDX-License-Identifier: BSD-3-Clause
// LocationBuilder's part for rarer records, and the end of a location. Enters, leaves and messages
// are in the header, since they are most of all events.
#include "analyzer/trace/events/location_builder.hpp"

#include <algorithm>

#include "analyzer/trace/events/core/call_row.hpp"
#include "archive/layout.hpp"

namespace latecomer::trace {

LocationBuilder::LocationBuilder(const Definitions& definitions, CallTree& tree,
                                 std::uint32_t location, Teams* teams)
    : definitions_(definitions),
      tree_(tree),
      rank_(definitions.locations[location].process),
      metahost_(definitions.processes[rank_].metahost),
      several_threads_(definitions.processes[rank_].locations.size() > 1),
      several_metahosts_(definitions.metahosts.size() > 1),
      teams_(teams) {
  out_.location = location;
  follow_tree();
  stack_.reserve(64);
  // The program's own region is open from the first event of the process to its last.
  stack_.push_back({.region = definitions.program_region});
  look_up_peers(kNone);
}

// Times of call paths count from the first event on, changes of the timeline from 0 on.
void LocationBuilder::begin(Ticks t) {
  out_.first = t;
  out_.time[0] -= t;
}

void LocationBuilder::follow_tree() {
  out_.time.resize(tree_.size());
  out_.visits.resize(tree_.size());
  nodes_ = static_cast<std::uint32_t>(tree_.size());
}

// Tests get a Call only when they complete something. Probes always have one.
void LocationBuilder::enter_watched(Ticks t, const Region& entered) {
  if (!entered.mpi) return enter_construct(t, entered.construct);
  if (entered.test) {
    stack_.back().call = kTest;
    return;
  }
  const std::uint32_t in = call();
  if (entered.probe) return;
  if (several_metahosts_) crosses_metahosts(in);
  if (entered.finalize) out_.finalize = in;
  if (entered.init && out_.init == kNone) out_.init = in;
}

void LocationBuilder::leave_special_call(const Frame& left, Ticks t) {
  if (!open_barriers_.empty()) leave_barrier(left, t);
  if (left.on_file) end_file_call(left.call, t);
}

// Replaces one visit by pieces that the rest of the analysis treats as separate visits. The first
// piece is the visit itself.
void LocationBuilder::leave_row(Ticks t, std::uint32_t region, std::uint64_t calls,
                                std::uint64_t time) {
  const Frame& top = stack_.back();
  const std::uint32_t index = definitions_.region_ids.find(region);
  const Ticks begin = accounted_;
  const bool has_records =
      top.call < kTest && !(index < kNone && definitions_.regions[index].probe);
  if (stack_.size() == 1 || index != top.region || has_records || top.enter != begin ||
      last_ != begin || t < begin || calls > CallRow::kMostCalls) {
    return leave_region(t, index);  // not what it claims to be
  }
  const CallRow row{begin, t, calls, time};
  out_.visits[top.node] += static_cast<std::int64_t>(calls) - row.pieces();
  const std::uint64_t events = out_.events + 1;
  std::int64_t piece = 0;
  row.for_each_piece([&](Ticks from, Ticks to) {
    if (piece++ > 0) {
      pop(last_);
      advance(from);
      push(from, index);
    }
    advance(to);
  });
  advance(t);
  out_.events = events;  // the pieces are not in the trace
  close_region(t, index);
}

void LocationBuilder::close_region(Ticks t, std::uint32_t index) {
  if (index == kNone) return;  // its enter was already counted as unknown
  if (stack_.size() > 1 && stack_.back().region == index) return pop(t);
  // The region is not the innermost one. If it is open, the regions above it are closed; otherwise
  // the record is ignored.
  const auto open = std::find_if(stack_.rbegin(), stack_.rend() - 1,
                                 [&](const Frame& frame) { return frame.region == index; });
  out_.quality.add(Quality::kUnbalancedLeaves);
  if (open == stack_.rend() - 1) return;
  const auto keep = static_cast<std::size_t>(stack_.rend() - open) - 1;
  while (stack_.size() > keep) pop(t);
}

// The innermost open MPI region, for records while another region is open inside it.
std::uint32_t LocationBuilder::call_below() {
  for (Frame* frame = &stack_.back(); frame != stack_.data(); --frame) {
    if (definitions_.regions[frame->region].mpi) {
      return frame->call < kTest ? frame->call : make_call(*frame);
    }
  }
  out_.quality.add(Quality::kRecordsOutsideMpi);
  return kNone;
}

std::span<const std::uint32_t> LocationBuilder::peers_in(std::uint32_t comm) const {
  const Comm& c = definitions_.comms[comm];
  if (c.self) return {&rank_, 1};
  // On an intercommunicator ranks refer to the other group.
  return c.inter && std::ranges::find(c.members, rank_) != c.members.end() ? c.remote : c.members;
}

void LocationBuilder::look_up_peers(std::uint32_t id) {
  last_peers_ = {id, definitions_.comm_ids.find(id), {}};
  if (last_peers_.comm != kNone) last_peers_.ranks = peers_in(last_peers_.comm);
}

// Handles a receive whose request was posted by another thread, or is not in the trace.
void LocationBuilder::receive_not_posted(Ticks t, std::uint32_t sender, std::uint32_t comm,
                                         std::uint32_t tag, std::uint64_t bytes,
                                         std::uint64_t request) {
  const std::size_t next = out_.receives.size();
  receive(t, sender, comm, tag, bytes);
  if (out_.receives.size() == next) return;
  completed_for_another(HandedRequest::Kind::kReceive, request, next);
}

// A receive that was posted or completed while recording was off takes its place as a gap.
void LocationBuilder::add_receive_gap(Ticks t, std::uint32_t slot, std::uint32_t peer,
                                      std::uint32_t comm, std::uint32_t tag) {
  advance(t);
  const std::uint32_t index = definitions_.comm_ids.find(comm);
  const std::uint32_t rank = index == kNone ? kNone : world_rank(index, peer);
  if (rank == kNone) return out_.quality.add(Quality::kUnknownReferences);
  const auto end = static_cast<std::uint32_t>(out_.receives.size());
  out_.receive_gaps.push_back({1, std::min(slot, end), index, rank, tag, 0, t});
}

void LocationBuilder::add_collective_gap(Ticks t, std::uint32_t slot, std::uint32_t comm,
                                         std::uint32_t series) {
  if (comm == kNone) return out_.quality.add(Quality::kUnknownReferences);
  const auto end = static_cast<std::uint32_t>(out_.collectives.size());
  out_.collective_gaps.push_back({1, std::min(slot, end), comm, 0, 0, series, t});
}

// Sorts a number of unrecorded operations into the list of gaps of their kind.
void LocationBuilder::unrecorded(Ticks t, Gap::Kind kind, std::uint32_t object, std::uint32_t peer,
                                 std::uint32_t tag, std::uint64_t count) {
  const bool on_file = kind == Gap::Kind::kFileCollective;
  if (kind >= Gap::Kind::kAccessEpoch && !on_file) {
    return unrecorded_on_window(t, kind, object, peer, count);
  }
  advance(t);
  const bool on_window = kind == Gap::Kind::kWindowCollective;
  Gap gap{count, 0, 0, 0, tag, 0, t};
  if (on_window) {
    const std::uint32_t window = window_index(object);
    if (window == kNone) return;
    if (window >= window_calls_.size()) window_calls_.resize(window + 1);
    window_calls_[window] += static_cast<std::uint32_t>(count);
    gap.comm = definitions_.windows[window].comm;
  } else {
    const std::uint32_t file = on_file ? definitions_.file_ids.find(object) : kNone;
    gap.comm = file != kNone ? definitions_.files[file].comm
               : on_file     ? kNone
                             : definitions_.comm_ids.find(object);
    if (gap.comm == kNone) return out_.quality.add(Quality::kUnknownReferences);
  }
  if (on_window || on_file || kind == Gap::Kind::kCollective) {
    gap.before = static_cast<std::uint32_t>(out_.collectives.size());
    gap.series = tag;
    out_.collective_gaps.push_back(gap);
    return;
  }
  gap.peer = world_rank(gap.comm, peer);
  if (gap.peer == kNone) return out_.quality.add(Quality::kUnknownReferences);
  if (kind == Gap::Kind::kSend) {
    gap.before = static_cast<std::uint32_t>(out_.sends.size());
    out_.send_gaps.push_back(gap);
  } else if (kind == Gap::Kind::kReceive) {
    gap.before = static_cast<std::uint32_t>(out_.receives.size());
    out_.receive_gaps.push_back(gap);
  }
}

void LocationBuilder::request_cancelled(Ticks t, std::uint64_t request) {
  advance(t);
  if (adopted_receives_.take({request}) != kNone) return;
  const std::uint32_t sent = sends_by_request_.take(request);
  if (sent != kNone) {
    out_.sends.change(sent, [](Message& message) { message.peer = kNone; });
  } else if (receives_by_request_.take(request) == kNone) {
    completed_for_another(HandedRequest::Kind::kCancelled, request, 0);
  }
}

void LocationBuilder::completed_for_another(HandedRequest::Kind kind, std::uint64_t request,
                                            std::size_t index) {
  if (!several_threads_) return;
  out_.completed_here.push_back(
      {.kind = kind, .index = static_cast<std::uint32_t>(index), .id = request});
}

// Index of a kind, which is added if it is new.
std::uint32_t LocationBuilder::kind_index(const CollectiveKind& kind) {
  const auto next = static_cast<std::uint32_t>(out_.kinds.size());
  last_kind_ = kinds_.at(kind, next);
  if (last_kind_ == next) out_.kinds.push_back(kind);
  return last_kind_;
}

[[gnu::always_inline]] inline bool LocationBuilder::participate(Collective& slot, Ticks t,
                                                                const CollectiveKind& kind) {
  if (kind.comm == kNone) {
    out_.quality.add(Quality::kUnknownReferences);
    return false;
  }
  const std::uint32_t in = call();
  if (in == kNone) return false;
  const bool again = last_kind_ != kNone && out_.kinds[last_kind_] == kind;
  slot.kind = again ? last_kind_ : kind_index(kind);
  if (slot.start == kNone) slot.start = in;
  slot.call = in;
  slot.end = t;
  if (definitions_.comms[kind.comm].spans_metahosts) crosses_metahosts(in);
  return true;
}

// The inlined form is for blocking operations; this one serves rarer records.
void LocationBuilder::complete(Collective& slot, Ticks t, const CollectiveKind& kind) {
  participate(slot, t, kind);
}

void LocationBuilder::collective_end(Ticks t, std::uint8_t operation, std::uint32_t comm,
                                     std::uint32_t root, std::uint64_t sent, std::uint64_t received,
                                     bool all_positive) {
  advance(t);
  if (comm != last_peers_.id) [[unlikely]]
    look_up_peers(comm);
  Collective slot;
  // If this call has no begin record, the last one belongs to an earlier call.
  slot.begin = std::max(collective_begin_, stack_.back().enter);
  if (participate(slot, t,
                  {last_peers_.comm, root, operation, false, sent, received, all_positive, 0})) {
    out_.collectives.push_back(slot);
  }
}

void LocationBuilder::nonblocking_request(Ticks t, std::uint64_t request, bool left_out) {
  left_out = left_out || is_off();
  advance(t);
  const auto index = static_cast<std::uint32_t>(out_.collectives.size());
  auto& slot = out_.collectives.emplace_back();
  slot.begin = t;
  if (!left_out) slot.start = call();
  (left_out ? adopted_collectives_ : collectives_by_request_).at({request}, index) = index;
}

void LocationBuilder::nonblocking_complete(Ticks t, std::uint8_t operation, std::uint32_t comm,
                                           std::uint32_t root, std::uint64_t sent,
                                           std::uint64_t received, std::uint64_t request,
                                           bool all_positive, std::uint32_t series, bool left_out) {
  advance(t);
  left_out = left_out || is_off();
  std::uint32_t slot = collectives_by_request_.take({request});
  if (left_out || adopted_collectives_.size() != 0) [[unlikely]] {
    const std::uint32_t adopted = adopted_collectives_.take({request});
    if (left_out || adopted != kNone) {
      if (slot == kNone) slot = adopted;
      return add_collective_gap(t, slot, definitions_.comm_ids.find(comm), series);
    }
  }
  if (slot == kNone) {
    slot = static_cast<std::uint32_t>(out_.collectives.size());
    out_.collectives.emplace_back().begin = t;
    completed_for_another(HandedRequest::Kind::kCollective, request, slot);
  }
  complete(out_.collectives[slot], t,
           {definitions_.comm_ids.find(comm), root, operation, true, sent, received, all_positive,
            series});
}

// The interval belongs to the flush, although the next events may have times inside it.
void LocationBuilder::buffer_flush(Ticks t, Ticks stop) {
  advance(t);
  // Flushes of our own tracer are short, and included in the cost that it reports.
  if (!definitions_.properties.contains(layout::kPropertyVersion)) {
    out_.quality.add(Quality::kFlushes);
  }
  push(t, definitions_.flush_region);
  accounted_ = std::max(accounted_, stop);
  pop(t);
}

void LocationBuilder::recording(Ticks t, bool on) {
  advance(t);
  const bool off_open = stack_.back().region == definitions_.off_region;
  if (!on && !off_open) {
    out_.quality.add(Quality::kRecordingPauses);
    push(t, definitions_.off_region);
  } else if (on && off_open) {
    pop(t);
  }
}

void LocationBuilder::unknown(Ticks t) {
  advance(t);
  out_.quality.add(Quality::kUnknownRecords);
}

void LocationBuilder::program_end(Ticks t) {
  advance(t);
  out_.stop.exited = true;
}

// The innermost open MPI region counts as the call in which the location stopped.
void LocationBuilder::note_stop() {
  Stop& stop = out_.stop;
  stop.node = stack_.back().node;
  stop.accounted = accounted_;
  stop.since = last_;
  stop.regions = static_cast<std::uint32_t>(stack_.size()) - 1;
  bool finalizing = false;
  for (auto frame = stack_.rbegin(); frame != stack_.rend() - 1; ++frame) {
    if (frame->call < kTest) stop.calls.push_back(frame->call);
    const auto& region = definitions_.regions[frame->region];
    finalizing = finalizing || (region.mpi && region.name == "MPI_Finalize");
    if (!region.mpi || stop.mpi_node != 0) continue;
    stop.mpi_node = frame->node;
    stop.since = frame->enter;
  }
  for (std::uint32_t node = 0; node < out_.visits.size(); ++node) {
    if (out_.visits[node] == 0) continue;
    const auto& region = definitions_.regions[tree_.nodes()[node].region];
    if (!region.mpi) continue;
    if (region.name == "MPI_Init" || region.name == "MPI_Init_thread") stop.began_mpi = true;
    if (region.name == "MPI_Finalize") stop.finalized = !finalizing;
    if (region.name == "MPI_Abort") stop.aborted = true;
  }
}

// Leaves open requests to join_requests(), if another thread may have completed them.
void LocationBuilder::hand_on_requests() {
  if (!several_threads_) return;
  using Kind = HandedRequest::Kind;
  const auto hand_on = [&](std::uint64_t request, std::uint32_t index, Kind kind) {
    out_.open_here.push_back({.kind = kind, .index = index, .id = request});
  };
  sends_by_request_.each(
      [&](std::uint64_t request, std::uint32_t index) { hand_on(request, index, Kind::kSend); });
  receives_by_request_.each(
      [&](std::uint64_t request, std::uint32_t index) { hand_on(request, index, Kind::kReceive); });
  collectives_by_request_.each([&](const IntKey& request, std::uint32_t index) {
    hand_on(request.value, index, Kind::kCollective);
  });
  for (const auto& [key, operation] : open_file_operations_) {
    out_.open_here.push_back({.kind = Kind::kFile,
                              .counts = operation.what != FileOperation::kOther,
                              .writes = operation.what == FileOperation::kWrite,
                              .index = operation.node,
                              .handle = key.first,
                              .id = key.second});
  }
}

LocationEvents LocationBuilder::finish() {
  if (stack_.size() > 1) {
    out_.quality.add(Quality::kUnclosedRegions, static_cast<std::int64_t>(stack_.size()) - 1);
  }
  hand_on_requests();
  out_.last = last_;
  follow_tree();
  if (accounted_ == kNever) {
    accounted_ = 0;
  } else {
    out_.time[stack_.back().node] += accounted_ - out_.timeline.last_time();
  }
  note_stop();
  if (out_.events > 0 && definitions_.locations[out_.location].thread == 0) out_.visits[0] = 1;
  out_.quality.add(
      Quality::kUnresolvedRequests,
      static_cast<std::int64_t>(receives_by_request_.size() + collectives_by_request_.size() +
                                adopted_receives_.size() + adopted_collectives_.size()));
  for (auto* gaps : {&out_.receive_gaps, &out_.collective_gaps}) {
    std::ranges::stable_sort(*gaps, {}, &Gap::before);
  }
  return std::move(out_);
}

}  // namespace latecomer::trace
