// SPDX-License-Identifier: BSD-3-Clause
// Converts records with one switch over their kinds, which hands each to its family. The records of
// regions are converted here.
#include "tracer/convert/events/location_writer.hpp"

#include <algorithm>
#include <cmath>

#include "tracer/convert/events/extended_records.hpp"

namespace latecomer::convert {
namespace {

using record::Kind;

constexpr std::uint64_t kNoFrame = ~std::uint64_t{0};  // path_ is not the path of any frame
constexpr std::int64_t kExitStatusUnknown = OTF2_UNDEFINED_INT64;

}  // namespace

LocationWriter::LocationWriter(OTF2_EvtWriter* writer, const ProcessMap& map,
                               const record::ClockDefinition& clock, bool scalasca25,
                               const Teams* teams)
    : writer_(writer), map_(map), clock_(clock), scalasca25_(scalasca25), teams_(teams) {}

bool LocationWriter::write(const Record& r) {
  if (ended_) [[unlikely]] {
    ++events_.mended.dropped;
    return ok_;
  }
  if (r.kind == Kind::kFlush) {
    flush_ = r.words[0] - r.ticks <= record::kMaxDistance && r.words[1] <= record::kMaxDistance;
    flush_begin_ = r.words[0];
    flush_ticks_ = r.words[1];
    return ok_;
  }
  if (!open_teams_.empty() && open_teams_.back().arrived) [[unlikely]]
    end_work(r.ticks);
  if (r.kind == Kind::kExtended && r.extended().family == record::Family::kSamples) {
    samples_.push_back(r);
    return ok_;
  }
  if (r.kind == Kind::kExtended && is_definition(r)) return ok_;
  // The time of this record is only that of the one before it, a sample.
  if (r.kind == Kind::kCallPath && !samples_.empty()) {
    next_frame_ = r.id;
    return ok_;
  }
  if (flush_ && r.ticks >= flush_begin_) write_flush();
  previous_ = time_;
  previous_ticks_ = std::exchange(ticks_, r.ticks);
  set_time(r.ticks);
  if (r.kind == Kind::kCallPath) {
    next_frame_ = r.id;
  } else {
    if (!samples_.empty() && !orders_samples(r)) write_samples();
    take(r);
  }
  return ok_;
}

void LocationWriter::set_time(std::uint64_t ticks) {
  // A flush delays records, so none may be earlier than its end.
  const Nanoseconds time = std::max(clock_.nanoseconds(ticks), flush_end_);
  if (time < time_) [[unlikely]]
    ++events_.stepped_back;
  time_ = std::max(time_, time);
  if (!begun_) [[unlikely]] {
    begun_ = true;
    events_.first = time_;
  }
}

void LocationWriter::write_flush() {
  flush_ = false;
  const Nanoseconds begin = std::max(time_, clock_.nanoseconds(flush_begin_));
  flush_end_ = std::max(begin, clock_.nanoseconds(flush_begin_ + flush_ticks_));
  ++events_.flushes;
  events_.flush_time += static_cast<std::uint64_t>(flush_end_ - begin);
  time_ = flush_end_;
  if (pending_ == Pending::kNothing) return put_flush(begin, flush_end_);
  // Held back like the events of communicators until the pending begin is written or given up.
  Record flush{};
  flush.kind = Kind::kFlush;
  flush.words[0] = static_cast<std::uint64_t>(flush_end_);
  held_back_.push_back({flush, begin});
}

void LocationWriter::put_flush(Nanoseconds begin, Nanoseconds end) {
  const OTF2_TimeStamp from = stamp(begin), to = stamp(end);
  done(OTF2_EvtWriter_BufferFlush(writer_, nullptr, from, to));
}

OTF2_TimeStamp LocationWriter::stamp(Nanoseconds time) {
  if (time < written_) [[unlikely]]
    ++events_.stepped_back;
  written_ = std::max(written_, time);
  return static_cast<OTF2_TimeStamp>(written_);
}

void LocationWriter::take(const Record& r) {
  if (pending_ != Pending::kNothing) [[unlikely]] {
    if (hold_back(r)) return;
  }
  switch (r.kind) {
    case Kind::kEnter:
      return enter(r);
    case Kind::kLeave:
      return leave(r);
    case Kind::kLeaveUnsuccessful:
      return leave_unsuccessful(r);
    case Kind::kSend:
    case Kind::kRecv:
    case Kind::kIsend:
    case Kind::kIrecv:
      return message(r);
    case Kind::kIsendComplete:
    case Kind::kIrecvRequest:
    case Kind::kRequestTest:
    case Kind::kRequestCancelled:
      return request(r);
    case Kind::kCollectiveBegin:
    case Kind::kCollectiveEnd:
    case Kind::kNonblockingRequest:
    case Kind::kNonblockingComplete:
      return collective(r);
    case Kind::kCommCreate:
    case Kind::kCommDestroy:
      return comm_event(r, time_);
    case Kind::kMeasurement:
      return measurement(r.id != 0);
    case Kind::kThreadBegin:
      return thread_begin();
    case Kind::kProgramBegin:
      return program_begin();
    case Kind::kProgramEnd:
      return program_end();
    case Kind::kWindowCreate:
    case Kind::kWindowDestroy:
    case Kind::kRmaCollectiveBegin:
    case Kind::kRmaCollectiveEnd:
    case Kind::kRmaGroupSync:
    case Kind::kRmaRequestLock:
    case Kind::kRmaReleaseLock:
    case Kind::kRmaSync:
    case Kind::kRmaPut:
    case Kind::kRmaGet:
    case Kind::kRmaAtomic:
    case Kind::kRmaComplete:
    case Kind::kRmaCompleteRemote:
      return one_sided(r);
    case Kind::kUnrecorded:
      return unrecorded(r);
    case Kind::kFileOpened:
    case Kind::kFileClosed:
    case Kind::kFileDeleted:
    case Kind::kFileBegin:
    case Kind::kFileIssued:
    case Kind::kFileComplete:
    case Kind::kFileMoved:
    case Kind::kFileCall:
      return file_event(r);
    case Kind::kExtended:
      if (r.extended().family == record::Family::kThreads) return thread_record(r);
      return extended(r, time_);
    case Kind::kEnd:
    case Kind::kTime:
    case Kind::kCallPath:
    case Kind::kWideId:
    case Kind::kFlush:
    case Kind::kConstruct:
    case Kind::kSendAgain:
    case Kind::kRecvAgain:
    case Kind::kIsendAgain:
    case Kind::kIrecvAgain:
    case Kind::kCollectiveEndAgain:
    case Kind::kIsendCompleteNear:
    case Kind::kIrecvRequestNear:
    case Kind::kEnterSendAgain:
    case Kind::kEnterRecvAgain:
    case Kind::kEnterIsendAgain:
    case Kind::kEnterIrecvAgain:
    case Kind::kEnterCollectiveEndAgain:
    case Kind::kEnterIsendCompleteNear:
    case Kind::kEnterIrecvRequestNear:
    case Kind::kVisit:
      return;  // handled by the reader and in write()
  }
}

// Returns true if the record has been handled. Otherwise nothing is pending any more.
bool LocationWriter::hold_back(const Record& r) {
  if (pending_ == Pending::kOff) {
    if (r.kind == Kind::kLeave) {
      // A region left while recording is off ends when it was switched off.
      const Nanoseconds now = time_;
      time_ = pending_time_;
      leave(r);
      time_ = now;
      return true;
    }
    release();
    return false;
  }
  switch (r.kind) {
    case Kind::kCommCreate:
    case Kind::kCommDestroy:
      held_back_.push_back({r, time_});
      return true;
    case Kind::kExtended:
      if (r.extended().family == record::Family::kThreads) {
        release();
        return false;
      }
      held_back_.push_back({r, time_});
      return true;
    case Kind::kCollectiveEnd:
      collective_end(r);
      return true;
    default:
      release();
      return false;
  }
}

// Writes what was held back. A collective operation that failed has no end and gets no begin.
void LocationWriter::release() {
  const Pending what = std::exchange(pending_, Pending::kNothing);
  if (what == Pending::kOff) {
    // The thread has no record of its end in a team of another one.
    const auto other = std::ranges::find(open_teams_, false, &OpenTeam::is_maker);
    if (other != open_teams_.end()) {
      const Nanoseconds now = std::exchange(time_, pending_time_);
      leave_down_to(other->depth);
      time_ = now;
    }
    done(OTF2_EvtWriter_MeasurementOnOff(writer_, nullptr, stamp(pending_time_),
                                         OTF2_MEASUREMENT_OFF));
  }
  for (const auto& [record, time] : held_back_) {
    if (record.kind == Kind::kFlush) {
      put_flush(time, static_cast<Nanoseconds>(record.words[0]));
    } else if (record.kind == Kind::kExtended) {
      extended(record, time);
    } else {
      comm_event(record, time);
    }
  }
  held_back_.clear();
}

void LocationWriter::enter(const Record& r) {
  const std::uint32_t region = map_.region(r.id);
  if (region == kNoId) [[unlikely]] {
    ++events_.mended.dropped;
    return;
  }
  if (next_frame_ != frame_) follow_path();
  if (!samples_.empty()) write_samples();
  if (flush_) write_flush();
  open_.push_back(region);
  done(OTF2_EvtWriter_Enter(writer_, nullptr, stamp(time_), region));
}

void LocationWriter::extended(const Record& r, Nanoseconds time) {
  const auto before = static_cast<OTF2_TimeStamp>(written_);
  if (!attributes_) attributes_.reset(OTF2_AttributeList_New());
  EventOutput out{writer_, before, stamp(time), map_, totals_, attributes_.get()};
  if (!convert_extended(out, r)) ++events_.mended.unknown_kinds;
  ok_ = ok_ && out.ok;
  events_.samples += out.samples;
  events_.file_operations += out.file_operations;
}

// Times of samples are between the previous record and this one. Metrics come at the enter or leave
// of a region, after them. A time without a core in an MPI call ended before its record was made.
void LocationWriter::write_samples() {
  for (const bool metrics : {false, true}) {
    for (const Record& r : samples_) {
      if (is_metric(r) != metrics) continue;
      const bool is_earlier = r.extended() == record::kWithoutCore && r.length() == 2;
      const std::uint64_t ticks = r.ticks - (is_earlier ? std::min(r.words[1], r.ticks) : 0);
      const Nanoseconds time =
          metrics ? time_
                  : std::clamp(clock_.nanoseconds(ticks), std::min(previous_, time_), time_);
      if (pending_ == Pending::kNothing) {
        extended(r, time);
      } else {
        held_back_.push_back({r, time});
      }
    }
  }
  samples_.clear();
}

// Leaves functions at the time of the previous record, when the last call was left, and enters
// others now. Functions outside a region that the program itself entered stay open until that
// region is left.
void LocationWriter::follow_path() {
  std::vector<Function> next;
  for (std::uint64_t frame = next_frame_; frame != 0; frame = map_.frame(frame).parent) {
    const PathFrame& f = map_.frame(frame);
    for (auto i = f.functions.rbegin(); i != f.functions.rend(); ++i) {
      next.push_back({f.parent, *i});
    }
  }
  std::reverse(next.begin(), next.end());
  const auto same = [](const Function& a, const Function& b) {
    return a.caller == b.caller && a.function.region == b.function.region &&
           a.function.instance == b.function.instance;
  };
  const auto common = static_cast<std::size_t>(
      std::mismatch(path_.begin(), path_.end(), next.begin(), next.end(), same).first -
      path_.begin());
  const Nanoseconds now = std::exchange(time_, previous_);
  while (path_.size() > common && path_.back().open + 1 == open_.size()) close_region();
  time_ = now;
  if (!samples_.empty()) write_samples();
  if (path_.size() > common) return;
  for (std::size_t i = common; i < next.size(); ++i) {
    next[i].open = open_.size();
    open_.push_back(next[i].function.region);
    path_.push_back(next[i]);
    done(OTF2_EvtWriter_Enter(writer_, nullptr, stamp(time_), open_.back()));
  }
  frame_ = next_frame_;
}

void LocationWriter::leave(const Record& r) {
  const std::uint32_t region = map_.region(r.id);
  if (!open_.empty() && open_.back() == region) [[likely]] {
    close_region();
    return;
  }
  if (std::find(open_.begin(), open_.end(), region) == open_.end()) {
    ++events_.mended.dropped_leaves;
    return;
  }
  for (; open_.back() != region; close_region()) {
    if (!closes_path()) ++events_.mended.closed_regions;
  }
  close_region();
}

// The previous record is the enter of the first of these calls. Their time is converted by its
// share of the visit.
void LocationWriter::leave_unsuccessful(const Record& r) {
  const std::uint64_t calls = r.words[0] & record::kMostPolls;
  if (calls < 2 || open_.empty() || open_.back() != map_.region(r.id)) return leave(r);
  const std::uint64_t span = r.ticks - previous_ticks_;
  const std::uint64_t inside = std::min(r.words[0] >> record::kPollCountBits, span);
  const double share = span == 0 ? 0 : static_cast<double>(inside) / static_cast<double>(span);
  const auto time = std::llrint(share * static_cast<double>(time_ - previous_));
  if (!attributes_) attributes_.reset(OTF2_AttributeList_New());
  done(OTF2_AttributeList_AddUint64(attributes_.get(), kCallsAttribute, calls));
  done(OTF2_AttributeList_AddUint64(attributes_.get(), kCallTimeAttribute,
                                    static_cast<std::uint64_t>(time)));
  events_.in_rows += calls - 1;
  close_region(attributes_.get());
}

void LocationWriter::close_region(OTF2_AttributeList* attributes) {
  done(OTF2_EvtWriter_Leave(writer_, attributes, stamp(time_), open_.back()));
  open_.pop_back();
  if (!path_.empty() && path_.back().open == open_.size()) {
    path_.pop_back();
    // The next call must look for the common functions again.
    frame_ = kNoFrame;
  }
  if (!open_teams_.empty() && open_.size() <= open_teams_.back().depth) [[unlikely]]
    end_teams();
}

bool LocationWriter::is_usable(const CommTarget& comm, bool peer_is_valid) {
  if (comm.state == CommState::kDefined && peer_is_valid) [[likely]]
    return true;
  if (comm.state == CommState::kUnknown) {
    ++events_.mended.unknown_comm;
  } else if (!peer_is_valid) {
    ++events_.mended.dropped;
  }
  return false;
}

void LocationWriter::measurement(bool on) {
  if (on == !off_) return;
  off_ = !on;
  if (on) {
    done(OTF2_EvtWriter_MeasurementOnOff(writer_, nullptr, stamp(time_), OTF2_MEASUREMENT_ON));
    return;
  }
  events_.was_off = true;
  // The event is written after the leaves that follow and belong before it (hold_back).
  pending_ = Pending::kOff;
  pending_time_ = time_;
}

// All that the previous thread had open ended with its last record.
void LocationWriter::thread_begin() {
  ++events_.threads;
  const Nanoseconds now = std::exchange(time_, previous_);
  while (!open_.empty()) close_region();
  time_ = now;
  frame_ = next_frame_ = 0;
}

void LocationWriter::program_begin() {
  if (in_program_) return;
  in_program_ = true;
  done(OTF2_EvtWriter_ProgramBegin(writer_, nullptr, stamp(time_), map_.program,
                                   static_cast<std::uint32_t>(map_.arguments.size()),
                                   map_.arguments.data()));
}

void LocationWriter::program_end() {
  // Readers that make a region of the time without recording expect its end.
  if (off_ && scalasca25_) measurement(true);
  while (!open_.empty()) close_region();
  if (in_program_) {
    done(OTF2_EvtWriter_ProgramEnd(writer_, nullptr, stamp(time_), kExitStatusUnknown));
  }
  ended_ = true;
}

LocationEvents LocationWriter::finish(bool complete) {
  if (!open_teams_.empty() && open_teams_.back().arrived) end_work(~std::uint64_t{0});
  release();
  if (!samples_.empty()) {  // of a process that was killed
    previous_ = time_;
    set_time(samples_.back().ticks);
    write_samples();
  }
  if (flush_ && !ended_) write_flush();
  if (!ended_ && (complete || scalasca25_)) program_end();
  events_.last = time_;
  if (OTF2_EvtWriter_GetNumberOfEvents(writer_, &events_.count) != OTF2_SUCCESS) ok_ = false;
  return events_;
}

}  // namespace latecomer::convert
