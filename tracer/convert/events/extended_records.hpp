// SPDX-License-Identifier: BSD-3-Clause
// Hands extended records to the converters of their families.
#pragma once

#include <otf2/OTF2_EvtWriter.h>

#include <cstdint>

#include "tracer/convert/definitions/kernel_totals.hpp"
#include "tracer/convert/definitions/process_map.hpp"
#include "tracer/record/reader.hpp"

namespace latecomer::convert {

// Where the events of a record go, and what its ids stand for.
struct EventOutput {
  OTF2_EvtWriter* writer;
  OTF2_TimeStamp before;                     // of the previous event
  OTF2_TimeStamp time;                       // of the record; the next event must not be earlier
  const ProcessMap& map;                     // ids of the process -> ids of the archive
  MetricTotals& totals;                      // of this location so far
  OTF2_AttributeList* attributes = nullptr;  // empty between two events
  bool ok = true;                            // OTF2 took all events
  std::uint64_t samples = 0;
  std::uint64_t file_operations = 0;

  void done(OTF2_ErrorCode code) { ok = ok && code == OTF2_SUCCESS; }
};

// Each family has a file here, with a function that writes the events of a record. It returns false
// if it does not know the kind of record, or if the record makes no sense. Such records are
// counted.

bool convert_sample(EventOutput& out, const record::Record& r);
bool convert_file(EventOutput& out, const record::Record& r);

// True for records of values of metrics.
inline bool is_metric(const record::Record& r) {
  return r.extended() == record::kKernelUse || r.extended() == record::kCounted;
}

// True for records that only define something, which were read before.
inline bool is_definition(const record::Record& r) {
  return r.extended() == record::kFileDescribed || r.extended() == record::kFileName;
}

// One switch over all families.
inline bool convert_extended(EventOutput& out, const record::Record& r) {
  switch (r.extended().family) {
    case record::Family::kSamples:
      return convert_sample(out, r);
    case record::Family::kFiles:
      return convert_file(out, r);
    case record::Family::kThreads:  // LocationWriter knows the regions of the team
    case record::Family::kNone:
    case record::Family::kMadeUp:
      break;
  }
  return false;
}

}  // namespace latecomer::convert
