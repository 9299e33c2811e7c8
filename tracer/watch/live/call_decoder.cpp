// SPDX-License-Identifier: BSD-3-Clause
// One switch over the kinds of records. Its rules for times are those of the converter to OTF2.
#include "tracer/watch/live/call_decoder.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tracer/convert/definitions/mpi_functions.hpp"

namespace latecomer::watch {
namespace {

using record::Kind;
using record::Record;

// Differences of such times do not overflow, whatever a damaged file says.
constexpr Nanoseconds kFarthest = std::int64_t{1} << 61;

patterns::SendMode mode_of(std::uint32_t region) {
  static const std::vector<patterns::SendMode> modes = [] {
    std::vector<patterns::SendMode> all;
    for (const auto& function : convert::mpi_functions())
      all.push_back(patterns::send_mode(function.name));
    return all;
  }();
  return region < modes.size() ? modes[region] : patterns::SendMode::kNone;
}

}  // namespace

void CallDecoder::set_time(std::uint64_t ticks) {
  const Nanoseconds time = std::clamp(clock_.nanoseconds(ticks), -kFarthest, kFarthest);
  time_ = std::max({time_, time, flush_end_});
}

void CallDecoder::end_flush() {
  flush_ = false;
  set_time(flush_begin_);
  set_time(flush_begin_ + flush_ticks_);
  flush_end_ = time_;
}

void CallDecoder::take(const Record& r, const OnCall& on_call) {
  if (r.kind == Kind::kFlush) {
    flush_ = r.words[0] - r.ticks <= record::kMaxDistance && r.words[1] <= record::kMaxDistance;
    flush_begin_ = r.words[0];
    flush_ticks_ = r.words[1];
    return;
  }
  if (r.kind == Kind::kExtended) {
    if (r.extended().family == record::Family::kThreads) begun_ = false;
    return;
  }
  if (flush_ && r.ticks >= flush_begin_) end_flush();
  const std::uint64_t before = std::exchange(ticks_, r.ticks);
  set_time(r.ticks);
  switch (r.kind) {
    case Kind::kCallPath:
      frame_ = static_cast<std::uint32_t>(r.id);
      return;
    case Kind::kCommCreate:
    case Kind::kCommDestroy:
      return;
    case Kind::kCollectiveBegin:
      begun_ = true;
      begin_ = time_;
      return;
    case Kind::kCollectiveEnd:
      operation(r, on_call);
      break;
    case Kind::kEnter:
      enter(r);
      break;
    case Kind::kLeave:
      leave(r, on_call);
      break;
    case Kind::kLeaveUnsuccessful: {
      const std::uint64_t calls = r.words[0] & record::kMostPolls;
      counts_.unsuccessful += static_cast<std::int64_t>(calls);
      if (calls < 2 || open_.empty() || open_.back().region != r.id) {
        leave(r, on_call);
        break;
      }
      // The previous record is the enter of the first of these calls.
      const std::uint64_t span = r.ticks - before;
      const std::uint64_t inside = std::min(r.words[0] >> record::kPollCountBits, span);
      const double share = span == 0 ? 0 : static_cast<double>(inside) / static_cast<double>(span);
      close(on_call, std::llrint(share * static_cast<double>(time_ - open_.back().enter)),
            static_cast<std::int64_t>(calls));
      break;
    }
    case Kind::kThreadBegin:
      program_ended_ = false;
      lose();
      break;
    case Kind::kProgramEnd:
      program_ended_ = true;
      while (!open_.empty()) close(on_call, time_ - open_.back().enter);
      break;
    case Kind::kMeasurement:
      off_ = r.id == 0;
      off_since_ = time_;
      break;
    default:
      operation(r, on_call);
      break;
  }
  begun_ = false;
}

std::optional<CallDecoder::OpenCall> CallDecoder::open_call() const {
  const auto open = std::ranges::find(open_, true, &Open::is_mpi);
  if (open == open_.end()) return {};
  return OpenCall{open->region, open->frame, open->enter};
}

void CallDecoder::lose() {
  open_.clear();
  mpi_depth_ = 0;
  frame_ = 0;
  begun_ = false;
}

void CallDecoder::enter(const Record& r) {
  if (flush_) end_flush();
  if (open_.size() >= kDeepest) return;
  const auto region = static_cast<std::uint32_t>(r.id);
  const bool is_mpi = region < convert::mpi_functions().size();
  open_.push_back({region, frame_, time_, is_mpi, is_mpi && mpi_depth_ == 0, r.ticks, {}});
  if (is_mpi) ++mpi_depth_;
}

void CallDecoder::leave(const Record& r, const OnCall& on_call) {
  const auto region = static_cast<std::uint32_t>(r.id);
  if (std::ranges::find(open_, region, &Open::region) == open_.end()) return;
  // Regions that are left while recording is off ended when it was switched off.
  if (off_) time_ = std::max(off_since_, open_.back().enter);
  for (bool found = false; !found;) {
    found = open_.back().region == region;
    close(on_call, time_ - open_.back().enter);
  }
}

void CallDecoder::close(const OnCall& on_call, Nanoseconds inside, std::int64_t calls) {
  Open region = std::move(open_.back());
  open_.pop_back();
  if (!region.is_mpi) return;
  --mpi_depth_;
  on_call({region.region, region.frame, region.enter, time_, region.is_outermost ? inside : 0,
           std::move(region.operations), region.is_outermost ? calls : 0});
}

// An operation belongs to the innermost call. Operations that were not recorded have a place in the
// order, but no call.
void CallDecoder::add(const Operation& operation, const OnCall& on_call) {
  using enum Operation::Kind;
  const auto call =
      std::find_if(open_.rbegin(), open_.rend(), [](const Open& o) { return o.is_mpi; });
  const bool is_gap = operation.kind == kSendsMissing || operation.kind == kReceivesMissing ||
                      operation.kind == kCollectivesMissing;
  if (call == open_.rend()) {
    if (!is_gap) {
      ++counts_.outside_calls;
      return;
    }
    return on_call({0, 0, time_, time_, 0, {operation}, 0});
  }
  if (call->operations.size() >= kMostOperations) {
    ++counts_.too_many;
    return;
  }
  call->operations.push_back(operation);
}

void CallDecoder::operation(const Record& r, const OnCall& on_call) {
  using enum Operation::Kind;
  Operation o;
  o.comm = static_cast<CommId>(r.id);
  o.time = time_;
  const auto message = [&] {
    o.peer = static_cast<Rank>(r.peer());
    o.tag = r.tag();
    o.bytes = r.bytes();
  };
  switch (r.kind) {
    case Kind::kSend:
    case Kind::kIsend: {
      o.kind = kSend;
      message();
      if (r.kind == Kind::kIsend) o.request = r.request();
      const auto call =
          std::find_if(open_.rbegin(), open_.rend(), [](const Open& open) { return open.is_mpi; });
      if (call != open_.rend()) o.mode = mode_of(call->region);
      break;
    }
    case Kind::kRecv:
      o.kind = kReceive;
      message();
      break;
    case Kind::kIrecv:
      message();
      if (r.left_out()) {  // in a call that a filter left out: it only keeps its place
        o.kind = kReceivesMissing;
        o.count = 1;
      } else {
        o.kind = kReceive;
      }
      o.request = r.request();
      break;
    case Kind::kIsendComplete:
      o.kind = kSendEnds;
      o.request = r.request();
      break;
    case Kind::kIrecvRequest:
      o.kind = kReceiveBegins;
      o.request = r.request();
      break;
    case Kind::kRequestCancelled:
      o.kind = kCancelled;
      o.request = r.request();
      break;
    case Kind::kNonblockingRequest:
      o.kind = kCollectiveBegins;
      o.request = r.request();
      break;
    case Kind::kCollectiveEnd:
    case Kind::kNonblockingComplete:
      if (r.kind == Kind::kCollectiveEnd && !begun_) {
        ++counts_.outside_calls;
        return;
      }
      o.kind = kCollective;
      o.operation = static_cast<std::uint8_t>(
          r.neighborhood()
              ? static_cast<std::uint32_t>(patterns::CollectiveOperation::kNeighborhood)
              : r.op());
      o.peer = r.root();
      o.all_positive = r.all_positive();
      o.sends = r.sent() != 0;
      o.receives = r.received() != 0;
      if (r.kind == Kind::kCollectiveEnd) {
        o.begin = std::max(begin_, open_.empty() ? begin_ : open_.back().enter);
      } else {
        o.request = r.request();
      }
      break;
    case Kind::kUnrecorded: {
      message();
      o.count = r.words[1] >> record::kUnrecordedCountShift;
      const auto what = static_cast<record::UnrecordedOperation>(r.words[1] & 0xff);
      if (what == record::UnrecordedOperation::kSend) {
        o.kind = kSendsMissing;
      } else if (what == record::UnrecordedOperation::kReceive) {
        o.kind = kReceivesMissing;
      } else if (what == record::UnrecordedOperation::kCollective) {
        o.kind = kCollectivesMissing;
      } else {
        return;
      }
      break;
    }
    case Kind::kRmaCollectiveEnd:
    case Kind::kRmaGroupSync:
    case Kind::kRmaRequestLock:
    case Kind::kFileCall:
    case Kind::kFileBegin:
      ++counts_.not_watched;
      return;
    default:
      return;
  }
  add(o, on_call);
}

}  // namespace latecomer::watch
