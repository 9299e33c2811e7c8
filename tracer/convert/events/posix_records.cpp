// SPDX-License-Identifier: BSD-3-Clause
// Converts records of POSIX threads, of their mutexes, and of what wakes them up.
#include <otf2/OTF2_EvtWriter.h>

#include "tracer/convert/events/location_writer.hpp"

namespace latecomer::convert {
namespace {

constexpr OTF2_Paradigm kParadigm = OTF2_PARADIGM_PTHREAD;

std::uint32_t low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
std::uint32_t high(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }

}  // namespace

void LocationWriter::posix_record(const Record& r) {
  const record::ExtendedKind kind = r.extended();
  const std::uint64_t word = r.words[0];
  const std::uint32_t id = low(word), order = high(word);
  if (kind == record::kThreadBegun) return posix_begun(word);
  if (kind == record::kThreadEnded) return posix_ended(word);
  const OTF2_TimeStamp t = stamp(time_);
  if (kind == record::kThreadCreated) {
    done(OTF2_EvtWriter_ThreadCreate(writer_, nullptr, t, map_.posix_threads, word));
  } else if (kind == record::kThreadJoined) {
    done(OTF2_EvtWriter_ThreadWait(writer_, nullptr, t, map_.posix_threads, word));
  } else if (kind == record::kWakes || kind == record::kWoken || kind == record::kRound) {
    const auto parameter = kWakesParameter + kind.code - record::kWakes.code;
    done(OTF2_EvtWriter_ParameterUnsignedInt(writer_, nullptr, t, parameter, word));
  } else {
    // A mutex that was free when the thread got it has a record of its release only. OTF2 has
    // pairs.
    if (kind != record::kMutexReleased) {
      done(OTF2_EvtWriter_ThreadAcquireLock(writer_, nullptr, t, kParadigm, id, order));
    }
    if (kind != record::kMutexAcquired) {
      done(OTF2_EvtWriter_ThreadReleaseLock(writer_, nullptr, t, kParadigm, id, order));
    }
  }
}

// The function that the thread begins with is the outermost one of its call paths.
void LocationWriter::posix_begun(std::uint64_t number) {
  done(OTF2_EvtWriter_ThreadBegin(writer_, nullptr, stamp(time_), map_.posix_threads, number));
  if (next_frame_ != frame_) follow_path();
  if (!samples_.empty()) write_samples();
}

// All functions are left, except the first one, when the last call was left.
void LocationWriter::posix_ended(std::uint64_t number) {
  if (next_frame_ != frame_) follow_path();
  if (!samples_.empty()) write_samples();
  leave_down_to(0);
  done(OTF2_EvtWriter_ThreadEnd(writer_, nullptr, stamp(time_), map_.posix_threads, number));
}

}  // namespace latecomer::convert
