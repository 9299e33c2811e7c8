// SPDX-License-Identifier: BSD-3-Clause
// RegionBuilder's part for rarer records, and the end of a location. Enters and leaves are in the
// header, since they are most of all events.
#include "analyzer/trace/events/core/region_builder.hpp"

#include <otf2/otf2.h>

#include <algorithm>

#include "analyzer/trace/events/core/call_row.hpp"
#include "archive/layout.hpp"

namespace latecomer::trace {

RegionBuilder::RegionBuilder(const Definitions& definitions, CallTree& tree, std::uint32_t location,
                             RegionWatcher& watcher)
    : definitions_(definitions),
      tree_(tree),
      watcher_(watcher),
      rank_(definitions.locations[location].process),
      metahost_(definitions.processes[rank_].metahost),
      several_threads_(definitions.processes[rank_].locations.size() > 1),
      several_metahosts_(definitions.metahosts.size() > 1) {
  out_.location = location;
  follow_tree();
  stack_.reserve(64);
  // The program's own region is open from the first event of the process to its last.
  stack_.push_back({.region = definitions.program_region});
  look_up_peers(kNone);
}

// A leave with an attribute for the number of calls ends a row of calls.
bool RegionBuilder::take(Event& event) {
  const Ticks t = event.time;
  switch (event.record.type) {
    case kEnter:
      return event.with<std::uint32_t>([&](std::uint32_t id) { enter(t, event.region(id)); });
    case kLeave:
      return event.with<std::uint32_t>([&](std::uint32_t id) {
        const auto calls = event.attribute(definitions_.calls, AttributeType::kUint64);
        if (calls <= 1) [[likely]]
          return leave(t, event.region(id));
        leave_row(t, event.id(IdKind::kRegion, id), calls,
                  event.attribute(definitions_.call_time, AttributeType::kUint64));
      });
    case kMeasurementOnOff:
      return event.with<std::uint8_t>(
          [&](std::uint8_t mode) { recording(t, mode == OTF2_MEASUREMENT_ON); });
    case kProgramEnd:
      program_end(t);
      return true;
    default:  // these records may be the first or last of a location, and limit its time
      advance(t);
      return true;
  }
}

// Times of call paths count from the first event on, changes of the timeline from 0 on.
void RegionBuilder::begin(Ticks t) {
  out_.first = t;
  out_.time[0] -= t;
}

void RegionBuilder::follow_tree() {
  out_.time.resize(tree_.size());
  out_.visits.resize(tree_.size());
  nodes_ = static_cast<std::uint32_t>(tree_.size());
}

// Tests get a Call only when they complete something. Probes always have one.
void RegionBuilder::enter_watched(Ticks t, const Region& entered) {
  if (!entered.mpi) return watcher_.entered(entered.construct, t);
  if (entered.test) {
    stack_.back().call = Frame::kTest;
    return;
  }
  const std::uint32_t in = call();
  if (entered.probe) return;
  if (several_metahosts_) crosses_metahosts(in);
  if (entered.finalize) out_.finalize = in;
  if (entered.init && out_.init == kNone) out_.init = in;
}

// Replaces one visit by pieces that the rest of the analysis treats as separate visits. The first
// piece is the visit itself.
void RegionBuilder::leave_row(Ticks t, std::uint32_t region, std::uint64_t calls,
                              std::uint64_t time) {
  const Frame& top = stack_.back();
  const std::uint32_t index = definitions_.region_ids.find(region);
  const Ticks begin = accounted_;
  const bool has_records =
      top.call < Frame::kTest && !(index < kNone && definitions_.regions[index].probe);
  if (stack_.size() == 1 || index != top.region || has_records || top.enter != begin ||
      last_ != begin || t < begin || calls > CallRow::kMostCalls) {
    return leave(t, index);  // not what it claims to be
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

void RegionBuilder::close_region(Ticks t, std::uint32_t index) {
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
std::uint32_t RegionBuilder::call_below() {
  for (Frame* frame = &stack_.back(); frame != stack_.data(); --frame) {
    if (definitions_.regions[frame->region].mpi) {
      return frame->call < Frame::kTest ? frame->call : make_call(*frame);
    }
  }
  out_.quality.add(Quality::kRecordsOutsideMpi);
  return kNone;
}

std::span<const std::uint32_t> RegionBuilder::peers_in(std::uint32_t comm) const {
  const Comm& c = definitions_.comms[comm];
  if (c.self) return {&rank_, 1};
  // On an intercommunicator ranks refer to the other group.
  return c.inter && std::ranges::find(c.members, rank_) != c.members.end() ? c.remote : c.members;
}

void RegionBuilder::look_up_peers(std::uint32_t id) {
  last_peers_ = {id, definitions_.comm_ids.find(id), {}};
  if (last_peers_.comm != kNone) last_peers_.ranks = peers_in(last_peers_.comm);
}

void RegionBuilder::completed_for_another(HandedRequest::Kind kind, std::uint64_t request,
                                          std::size_t index) {
  if (!several_threads_) return;
  out_.completed_here.push_back(
      {.kind = kind, .index = static_cast<std::uint32_t>(index), .id = request});
}

void RegionBuilder::go_on_at(Ticks t, std::uint32_t node) {
  make_room(node);
  const std::uint32_t before = stack_.back().node;
  stack_.push_back({.node = node, .region = definitions_.program_region, .enter = t});
  change_node(before, node);
}

// The interval belongs to the flush, although the next events may have times inside it.
void RegionBuilder::buffer_flush(Ticks t, Ticks stop) {
  advance(t);
  // Flushes of our own tracer are short, and included in the cost that it reports.
  if (!definitions_.properties.contains(layout::kPropertyVersion)) {
    out_.quality.add(Quality::kFlushes);
  }
  push(t, definitions_.flush_region);
  accounted_ = std::max(accounted_, stop);
  pop(t);
}

void RegionBuilder::recording(Ticks t, bool on) {
  advance(t);
  const bool off_open = stack_.back().region == definitions_.off_region;
  if (!on && !off_open) {
    out_.quality.add(Quality::kRecordingPauses);
    push(t, definitions_.off_region);
  } else if (on && off_open) {
    pop(t);
  }
}

void RegionBuilder::unknown(Ticks t) {
  advance(t);
  out_.quality.add(Quality::kUnknownRecords);
}

void RegionBuilder::program_end(Ticks t) {
  advance(t);
  out_.stop.exited = true;
}

// The innermost open MPI region counts as the call in which the location stopped.
void RegionBuilder::note_stop() {
  Stop& stop = out_.stop;
  stop.node = stack_.back().node;
  stop.accounted = accounted_;
  stop.since = last_;
  stop.regions = static_cast<std::uint32_t>(stack_.size()) - 1;
  bool finalizing = false;
  for (auto frame = stack_.rbegin(); frame != stack_.rend() - 1; ++frame) {
    if (frame->call < Frame::kTest) stop.calls.push_back(frame->call);
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

RegionEvents RegionBuilder::finish() {
  if (stack_.size() > 1) {
    out_.quality.add(Quality::kUnclosedRegions, static_cast<std::int64_t>(stack_.size()) - 1);
  }
  out_.last = last_;
  follow_tree();
  if (accounted_ == kNever) {
    accounted_ = 0;
  } else {
    out_.time[stack_.back().node] += accounted_ - out_.timeline.last_time();
  }
  note_stop();
  if (out_.events > 0 && definitions_.locations[out_.location].thread == 0) out_.visits[0] = 1;
  return std::move(out_);
}

}  // namespace latecomer::trace
