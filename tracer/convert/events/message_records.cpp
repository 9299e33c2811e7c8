// SPDX-License-Identifier: BSD-3-Clause
// Converts the records of messages and their requests.
#include "tracer/convert/events/location_writer.hpp"

namespace latecomer::convert {

using record::Kind;

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

void LocationWriter::request(const Record& r) {
  const bool is_send = r.kind == Kind::kIsendComplete || r.kind == Kind::kRequestCancelled;
  if (is_send && !left_out_sends_.empty() && left_out_sends_.erase(r.request()) != 0) return;
  switch (r.kind) {
    case Kind::kIsendComplete:
      return done(OTF2_EvtWriter_MpiIsendComplete(writer_, nullptr, stamp(time_), r.request()));
    case Kind::kIrecvRequest:
      if (scalasca25_ && r.left_out()) return;
      if (scalasca25_) receive_requests_.insert(r.request());
      return done(
          OTF2_EvtWriter_MpiIrecvRequest(writer_, place_only(r), stamp(time_), r.request()));
    case Kind::kRequestTest:
      return done(OTF2_EvtWriter_MpiRequestTest(writer_, nullptr, stamp(time_), r.request()));
    default:
      receive_requests_.erase(r.request());
      return done(OTF2_EvtWriter_MpiRequestCancelled(writer_, nullptr, stamp(time_), r.request()));
  }
}

}  // namespace latecomer::convert
