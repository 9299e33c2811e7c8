// SPDX-License-Identifier: BSD-3-Clause
// Converts the records of collective operations and communicators.
#include "tracer/convert/definitions/usage.hpp"
#include "tracer/convert/events/location_writer.hpp"

namespace latecomer::convert {

using record::Kind;

namespace {

constexpr std::uint32_t kOperations = OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE + 1;

static_assert(kFirstHandleOperation == OTF2_COLLECTIVE_OP_CREATE_HANDLE);
static_assert(record::kRootNone == OTF2_COLLECTIVE_ROOT_NONE);
static_assert(record::kRootSelf == OTF2_COLLECTIVE_ROOT_SELF);
static_assert(record::kRootThisGroup == OTF2_COLLECTIVE_ROOT_THIS_GROUP);

}  // namespace

void LocationWriter::collective(const Record& r) {
  switch (r.kind) {
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
    default:
      return nonblocking_complete(r);
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

void LocationWriter::comm_event(const Record& r, Nanoseconds time) {
  if (scalasca25_) return;
  const CommTarget& comm = map_.comm(r.id);
  if (!is_usable(comm, true)) return;
  const auto write =
      r.kind == Kind::kCommCreate ? OTF2_EvtWriter_CommCreate : OTF2_EvtWriter_CommDestroy;
  done(write(writer_, nullptr, stamp(time), comm.id));
}

}  // namespace latecomer::convert
