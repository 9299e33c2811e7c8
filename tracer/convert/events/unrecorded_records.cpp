// SPDX-License-Identifier: BSD-3-Clause
// Converts counts of operations that were not recorded.
#include "tracer/convert/events/location_writer.hpp"

namespace latecomer::convert {

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

}  // namespace latecomer::convert
