// SPDX-License-Identifier: BSD-3-Clause
// Converts the records of one-sided communication.
#include "tracer/convert/events/location_writer.hpp"

namespace latecomer::convert {
namespace {

using record::Kind;

static_assert(record::kLevelProcess == OTF2_RMA_SYNC_LEVEL_PROCESS);
static_assert(record::kLevelMemory == OTF2_RMA_SYNC_LEVEL_MEMORY);
static_assert(static_cast<std::uint32_t>(record::kEverybody) == OTF2_UNDEFINED_UINT32);

constexpr std::uint64_t kLock = 0;  // the only lock id: a window has one lock per target

bool names_target(Kind kind) {
  switch (kind) {
    case Kind::kRmaRequestLock:
    case Kind::kRmaReleaseLock:
    case Kind::kRmaSync:
    case Kind::kRmaPut:
    case Kind::kRmaGet:
    case Kind::kRmaAtomic:
      return true;
    default:
      return false;
  }
}

bool may_be_everybody(Kind kind) {
  return kind == Kind::kRmaRequestLock || kind == Kind::kRmaReleaseLock;
}

}  // namespace

void LocationWriter::one_sided(const Record& r) {
  const OTF2_TimeStamp time = static_cast<OTF2_TimeStamp>(time_);
  if (r.kind == Kind::kRmaCollectiveBegin) {
    return done(OTF2_EvtWriter_RmaCollectiveBegin(writer_, nullptr, time));
  }
  const CommTarget& window = map_.window(r.id);
  const std::uint32_t target = r.lower();
  const bool everybody = target == OTF2_UNDEFINED_UINT32 && may_be_everybody(r.kind);
  if (!is_usable(window, !names_target(r.kind) || target < window.peers || everybody)) return;
  const std::uint32_t id = window.id;
  switch (r.kind) {
    case Kind::kWindowCreate:
      return done(OTF2_EvtWriter_RmaWinCreate(writer_, nullptr, time, id));
    case Kind::kWindowDestroy:
      return done(OTF2_EvtWriter_RmaWinDestroy(writer_, nullptr, time, id));
    case Kind::kRmaCollectiveEnd:
      return done(OTF2_EvtWriter_RmaCollectiveEnd(writer_, nullptr, time,
                                                  static_cast<OTF2_CollectiveOp>(r.lower()),
                                                  r.upper(), id, record::kRootNone, 0, 0));
    case Kind::kRmaGroupSync: {
      const std::uint32_t group = map_.group(r.lower());
      if (group == kNoId) {
        ++events_.mended.dropped;
        return;
      }
      return done(OTF2_EvtWriter_RmaGroupSync(writer_, nullptr, time, r.upper() & ~record::kAccess,
                                              id, group));
    }
    case Kind::kRmaRequestLock:
      return done(
          OTF2_EvtWriter_RmaRequestLock(writer_, nullptr, time, id, target, kLock,
                                        r.upper() != 0 ? OTF2_LOCK_SHARED : OTF2_LOCK_EXCLUSIVE));
    case Kind::kRmaReleaseLock:
      return done(OTF2_EvtWriter_RmaReleaseLock(writer_, nullptr, time, id, target, kLock));
    case Kind::kRmaSync:
      return done(
          OTF2_EvtWriter_RmaSync(writer_, nullptr, time, id, target, OTF2_RMA_SYNC_TYPE_MEMORY));
    case Kind::kRmaPut:
      return done(
          OTF2_EvtWriter_RmaPut(writer_, nullptr, time, id, target, r.words[1], r.words[2]));
    case Kind::kRmaGet:
      return done(
          OTF2_EvtWriter_RmaGet(writer_, nullptr, time, id, target, r.words[1], r.words[2]));
    case Kind::kRmaAtomic:
      return done(OTF2_EvtWriter_RmaAtomic(writer_, nullptr, time, id, target,
                                           static_cast<OTF2_RmaAtomicType>(r.upper()), r.words[1],
                                           r.words[2], r.words[3]));
    case Kind::kRmaComplete:
      return done(OTF2_EvtWriter_RmaOpCompleteNonBlocking(writer_, nullptr, time, id, r.words[0]));
    case Kind::kRmaCompleteRemote:
      return done(OTF2_EvtWriter_RmaOpCompleteRemote(writer_, nullptr, time, id, r.words[0]));
    default:
      return;
  }
}

}  // namespace latecomer::convert
