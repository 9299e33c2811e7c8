// SPDX-License-Identifier: BSD-3-Clause
// Converts records with one switch over their kinds; longer cases have a function.
#include "tracer/convert/events/location_writer.hpp"

#include <algorithm>
#include <cmath>

#include "tracer/convert/definitions/usage.hpp"

namespace latecomer::convert {
namespace {

using record::Kind;

constexpr std::uint32_t kOperations = OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE + 1;
constexpr std::uint64_t kNoFrame = ~std::uint64_t{0};  // path_ is not the path of any frame
constexpr std::int64_t kExitStatusUnknown = OTF2_UNDEFINED_INT64;

static_assert(kFirstHandleOperation == OTF2_COLLECTIVE_OP_CREATE_HANDLE);
static_assert(record::kRootNone == OTF2_COLLECTIVE_ROOT_NONE);
static_assert(record::kRootSelf == OTF2_COLLECTIVE_ROOT_SELF);
static_assert(record::kRootThisGroup == OTF2_COLLECTIVE_ROOT_THIS_GROUP);

}  // namespace

LocationWriter::LocationWriter(OTF2_EvtWriter* writer, const ProcessMap& map,
                               const record::ClockDefinition& clock, bool scalasca25)
    : writer_(writer), map_(map), clock_(clock), scalasca25_(scalasca25) {}

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
  if (flush_ && r.ticks >= flush_begin_) write_flush();
  previous_ = time_;
  previous_ticks_ = std::exchange(ticks_, r.ticks);
  set_time(r.ticks);
  if (r.kind == Kind::kCallPath) {
    next_frame_ = r.id;
  } else {
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
      if (!left_out_sends_.empty() && left_out_sends_.erase(r.request()) != 0) return;
      return done(OTF2_EvtWriter_MpiIsendComplete(writer_, nullptr, stamp(time_), r.request()));
    case Kind::kIrecvRequest:
      if (scalasca25_ && r.left_out()) return;
      if (scalasca25_) receive_requests_.insert(r.request());
      return done(
          OTF2_EvtWriter_MpiIrecvRequest(writer_, place_only(r), stamp(time_), r.request()));
    case Kind::kRequestTest:
      return done(OTF2_EvtWriter_MpiRequestTest(writer_, nullptr, stamp(time_), r.request()));
    case Kind::kRequestCancelled:
      if (!left_out_sends_.empty() && left_out_sends_.erase(r.request()) != 0) return;
      receive_requests_.erase(r.request());
      return done(OTF2_EvtWriter_MpiRequestCancelled(writer_, nullptr, stamp(time_), r.request()));
    case Kind::kCollectiveBegin:
      pending_ = Pending::kCollective;
      pending_time_ = time_;
      return;
    case Kind::kCollectiveEnd:  // an end without a begin
      ++events_.mended.dropped;
      return;
    case Kind::kNonblockingRequest:
      if (scalasca25_ && r.left_out()) return;
      return done(OTF2_EvtWriter_NonBlockingCollectiveRequest(writer_, place_only(r), stamp(time_),
                                                              r.request()));
    case Kind::kNonblockingComplete:
      return nonblocking_complete(r);
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
      return extended(r, time_);
    case Kind::kEnd:
    case Kind::kTime:
    case Kind::kCallPath:
    case Kind::kWideId:
    case Kind::kFlush:
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
    case Kind::kBehindLast:
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
    case Kind::kExtended:
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
  if (flush_) write_flush();
  open_.push_back(region);
  done(OTF2_EvtWriter_Enter(writer_, nullptr, stamp(time_), region));
}

// Extended records belong to families. No family is known here yet.
void LocationWriter::extended(const Record&, Nanoseconds) { ++events_.mended.unknown_kinds; }

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
  for (; open_.back() != region; close_region()) ++events_.mended.closed_regions;
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

void LocationWriter::message(const Record& r) {
  if (scalasca25_ && r.kind == Kind::kIrecv && r.left_out()) return;
  const CommTarget& comm = map_.comm(r.id);
  const auto peer = static_cast<std::uint32_t>(r.peer());
  const auto tag = static_cast<std::uint32_t>(r.tag());
  if (!is_usable(comm, peer < comm.peers)) [[unlikely]] {
    // The completion of this send is dropped as well.
    if (r.kind == Kind::kIsend) left_out_sends_.insert(r.request());
    return;
  }
  const OTF2_TimeStamp time = stamp(time_);
  if (r.kind == Kind::kSend) {
    done(OTF2_EvtWriter_MpiSend(writer_, nullptr, time, peer, comm.id, tag, r.bytes()));
  } else if (r.kind == Kind::kIsend) {
    done(OTF2_EvtWriter_MpiIsend(writer_, nullptr, time, peer, comm.id, tag, r.bytes(),
                                 r.request()));
  } else if (r.kind == Kind::kRecv || (scalasca25_ && receive_requests_.erase(r.request()) == 0)) {
    done(OTF2_EvtWriter_MpiRecv(writer_, nullptr, time, peer, comm.id, tag, r.bytes()));
  } else {
    done(OTF2_EvtWriter_MpiIrecv(writer_, place_only(r), time, peer, comm.id, tag, r.bytes(),
                                 r.request()));
  }
}

bool LocationWriter::valid_collective(const Record& r, const CommTarget& comm) {
  const bool root_is_valid = r.root() < comm.peers || r.root() >= record::kRootThisGroup;
  return root_is_valid && r.op() < kOperations;
}

// Operations on handles are no communication, and stock Scalasca 2.5 does not know them. It would
// mistake neighborhood operations for others.
bool LocationWriter::leave_out(const Record& r) const {
  return scalasca25_ && (r.op() >= kFirstHandleOperation || r.neighborhood());
}

// Attributes of a collective event; null for most events. OTF2 empties the list when it writes the
// event.
OTF2_AttributeList* LocationWriter::attributes_of(const Record& r) {
  const bool left_out = r.kind == Kind::kNonblockingComplete && place_only(r) != nullptr;
  if (scalasca25_ || !(r.all_positive() || r.neighborhood() || r.series() != 0)) {
    return left_out ? attributes_.get() : nullptr;
  }
  if (!attributes_) attributes_.reset(OTF2_AttributeList_New());
  auto* const list = attributes_.get();
  if (r.neighborhood()) {
    done(OTF2_AttributeList_AddUint8(list, kNeighborhoodAttribute, r.all_positive() ? 2 : 1));
  } else if (r.all_positive()) {
    done(OTF2_AttributeList_AddUint8(list, kAllPositiveAttribute, 1));
  }
  if (r.series() != 0) {
    done(OTF2_AttributeList_AddUint32(list, kPersistentAttribute, r.series() - 1));
  }
  return attributes_.get();
}

// Attribute of an operation in a call that is left out.
OTF2_AttributeList* LocationWriter::place_only(const Record& r) {
  if (!r.left_out()) return nullptr;
  if (!attributes_) attributes_.reset(OTF2_AttributeList_New());
  done(OTF2_AttributeList_AddUint8(attributes_.get(), kLeftOutAttribute, 1));
  return attributes_.get();
}

void LocationWriter::collective_end(const Record& r) {
  const CommTarget& comm = map_.comm(r.id);
  const bool usable = !leave_out(r) && is_usable(comm, valid_collective(r, comm));
  if (usable) {
    done(OTF2_EvtWriter_MpiCollectiveBegin(writer_, nullptr, stamp(pending_time_)));
  }
  release();
  if (usable) {
    done(OTF2_EvtWriter_MpiCollectiveEnd(writer_, attributes_of(r), stamp(time_),
                                         static_cast<OTF2_CollectiveOp>(r.op()), comm.id, r.root(),
                                         r.sent(), r.received()));
  }
}

void LocationWriter::nonblocking_complete(const Record& r) {
  const CommTarget& comm = map_.comm(r.id);
  if (leave_out(r) || (scalasca25_ && r.left_out())) return;
  if (!is_usable(comm, valid_collective(r, comm))) return;
  done(OTF2_EvtWriter_NonBlockingCollectiveComplete(writer_, attributes_of(r), stamp(time_),
                                                    static_cast<OTF2_CollectiveOp>(r.op()), comm.id,
                                                    r.root(), r.sent(), r.received(), r.request()));
}

// Counts of unrecorded operations. They stand between MeasurementOnOff records, just before
// recording resumes, or where calls were left out.
void LocationWriter::unrecorded(const Record& r) {
  if (scalasca25_) return;
  const auto operation = static_cast<record::UnrecordedOperation>(r.words[1] & 0xff);
  using enum record::UnrecordedOperation;
  const std::uint32_t handle = map_.file_handle(r.id).id;
  const CommTarget file{handle, 0, handle == kNoId ? CommState::kUnknown : CommState::kDefined};
  const CommTarget& object = operation == kFileCollective     ? file
                             : operation >= kWindowCollective ? map_.window(r.id)
                                                              : map_.comm(r.id);
  const bool epoch = operation == kAccessEpoch || operation == kExposureEpoch;
  const std::uint32_t peer = epoch ? map_.group(r.lower()) : r.lower();
  if (!is_usable(object, !epoch || peer != kNoId)) return;
  if (!attributes_) attributes_.reset(OTF2_AttributeList_New());
  std::uint32_t attribute = kUnrecordedAttribute;
  for (const std::uint32_t value :
       {static_cast<std::uint32_t>(operation), object.id, peer, r.upper()}) {
    done(OTF2_AttributeList_AddUint32(attributes_.get(), attribute++, value));
  }
  done(OTF2_EvtWriter_ParameterUnsignedInt(writer_, attributes_.get(), stamp(time_),
                                           kUnrecordedParameter,
                                           r.words[1] >> record::kUnrecordedCountShift));
}

void LocationWriter::comm_event(const Record& r, Nanoseconds time) {
  if (scalasca25_) return;
  const CommTarget& comm = map_.comm(r.id);
  if (!is_usable(comm, true)) return;
  const auto write =
      r.kind == Kind::kCommCreate ? OTF2_EvtWriter_CommCreate : OTF2_EvtWriter_CommDestroy;
  done(write(writer_, nullptr, stamp(time), comm.id));
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
  release();
  if (flush_ && !ended_) write_flush();
  if (!ended_ && (complete || scalasca25_)) program_end();
  events_.last = time_;
  if (OTF2_EvtWriter_GetNumberOfEvents(writer_, &events_.count) != OTF2_SUCCESS) ok_ = false;
  return events_;
}

}  // namespace latecomer::convert
