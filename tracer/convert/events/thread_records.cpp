// SPDX-License-Identifier: BSD-3-Clause
// Converts records of teams of threads and of locks.
#include <algorithm>

#include "tracer/convert/events/location_writer.hpp"
#include "tracer/record/extended.hpp"

namespace latecomer::convert {
namespace {

std::uint32_t low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
std::uint32_t high(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }

}  // namespace

// True for records before which functions may be left at the time of the record before. Samples
// come after that.
bool LocationWriter::orders_samples(const Record& r) {
  if (r.kind == record::Kind::kEnter) return true;
  if (r.kind != record::Kind::kExtended) return false;
  const record::ExtendedKind kind = r.extended();
  return kind == record::kFork || kind == record::kTeamBegun || kind == record::kTeamArrived ||
         kind == record::kThreadBegun || kind == record::kThreadEnded;
}

void LocationWriter::thread_record(const Record& r) {
  const record::ExtendedKind kind = r.extended();
  if (r.length() != 0 && kind == record::kFork) return fork(low(r.words[0]), high(r.words[0]));
  if (r.length() != 0 && kind == record::kTeamBegun) return team_begun(r);
  if (r.length() != 0 && kind == record::kTeamArrived) return team_arrived(r);
  if (r.length() != 0 && (kind == record::kLockAcquired || kind == record::kLockReleased)) {
    return lock(r);
  }
  // The times of records and of what they tell are converted in the same way.
  if (r.length() != 0 && kind == record::kTaskAwaited) {
    const Nanoseconds created = clock_.nanoseconds(ticks_ - std::min(r.words[0], ticks_));
    done(OTF2_EvtWriter_ParameterUnsignedInt(
        writer_, nullptr, stamp(time_), kTaskAwaitedParameter,
        static_cast<std::uint64_t>(std::max<Nanoseconds>(0, time_ - created))));
    return;
  }
  if (r.length() != 0 && kind.code >= record::kMutexAcquired.code &&
      kind.code <= record::kRound.code) {
    return posix_record(r);
  }
  ++events_.mended.unknown_kinds;
}

void LocationWriter::fork(std::uint32_t threads, std::uint32_t team) {
  if (next_frame_ != frame_) follow_path();
  if (!samples_.empty()) write_samples();
  if (flush_) write_flush();
  if (threads == 0 && teams_ != nullptr) threads = teams_->size_of(team);
  done(OTF2_EvtWriter_ThreadFork(writer_, nullptr, stamp(time_), OTF2_PARADIGM_OPENMP, threads));
}

void LocationWriter::team_begun(const Record& r) {
  const bool is_maker = r.words[1] != 0;
  events_.in_teams = events_.in_teams || !is_maker;
  if (const record::MakerWord maker = record::maker_word(r.words[1]); is_maker && maker.forks) {
    // Samples that came between are before the fork.
    const Nanoseconds now = time_;
    const auto since = std::min(maker.since_fork, ticks_);
    time_ = std::clamp(clock_.nanoseconds(ticks_ - since), std::min(previous_, now), now);
    fork(maker.threads, high(r.words[0]));
    time_ = now;
  }
  // A thread that works for another one again has left all that it had to do before.
  if (!is_maker && !open_teams_.empty()) leave_down_to(open_teams_.front().depth);
  if (next_frame_ != frame_) follow_path();
  if (!samples_.empty()) write_samples();
  if (flush_) write_flush();
  const std::uint32_t region = map_.region(low(r.words[0]));
  if (region == kNoId) {
    ++events_.mended.dropped;
    return;
  }
  OpenTeam team{high(r.words[0]), kNoId, open_.size(), is_maker};
  if (teams_ != nullptr) team.comm = map_.team(teams_->set_of(team.number));
  if (team.comm == kNoId) {
    ++events_.mended.dropped;  // the region is all that remains
  } else {
    done(OTF2_EvtWriter_ThreadTeamBegin(writer_, nullptr, stamp(time_), team.comm));
  }
  open_teams_.push_back(team);
  open_.push_back(region);
  done(OTF2_EvtWriter_Enter(writer_, nullptr, stamp(time_), region));
}

// All that is open inside the parallel region ends before its barrier.
void LocationWriter::team_arrived(const Record& r) {
  const std::uint32_t region = map_.region(low(r.words[0]));
  const auto team = std::ranges::find(open_teams_, high(r.words[0]), &OpenTeam::number);
  if (region == kNoId || team == open_teams_.end()) {
    ++events_.mended.dropped;
    return;
  }
  const std::size_t inside = team->depth + 1;
  const Nanoseconds now = std::exchange(time_, previous_);
  while (open_.size() > inside && closes_path()) close_region();
  time_ = now;
  if (!samples_.empty()) write_samples();
  leave_down_to(inside);
  if (flush_) write_flush();
  open_teams_.back().arrived = !open_teams_.back().is_maker;
  open_.push_back(region);
  done(OTF2_EvtWriter_Enter(writer_, nullptr, stamp(time_), region));
}

void LocationWriter::lock(const Record& r) {
  const std::uint32_t id = low(r.words[0]), order = high(r.words[0]);
  if (r.extended() == record::kLockAcquired) {
    done(OTF2_EvtWriter_ThreadAcquireLock(writer_, nullptr, stamp(time_), OTF2_PARADIGM_OPENMP, id,
                                          order));
  } else {
    done(OTF2_EvtWriter_ThreadReleaseLock(writer_, nullptr, stamp(time_), OTF2_PARADIGM_OPENMP, id,
                                          order));
  }
}

// The thread waits at the end of a team until the maker leaves it, or until it has a record itself,
// if that is earlier. `ticks` are those of the next record. Samples do not end the wait.
void LocationWriter::end_work(std::uint64_t ticks) {
  const auto end = teams_ == nullptr ? std::nullopt : teams_->end_of(open_teams_.back().number);
  if (!end || *end > ticks) return;
  previous_ = time_;
  set_time(*end);
  if (!samples_.empty()) write_samples();
  leave_down_to(open_teams_.back().depth);
  previous_ = time_;
}

void LocationWriter::leave_down_to(std::size_t depth) {
  while (open_.size() > depth) close_region();
}

// Called when the parallel region of the innermost team was left.
void LocationWriter::end_teams() {
  while (!open_teams_.empty() && open_.size() <= open_teams_.back().depth) {
    const OpenTeam team = open_teams_.back();
    open_teams_.pop_back();
    if (team.comm != kNoId) {
      done(OTF2_EvtWriter_ThreadTeamEnd(writer_, nullptr, stamp(time_), team.comm));
    }
    if (team.is_maker) {
      done(OTF2_EvtWriter_ThreadJoin(writer_, nullptr, stamp(time_), OTF2_PARADIGM_OPENMP));
    }
  }
}

}  // namespace latecomer::convert
