// SPDX-License-Identifier: BSD-3-Clause
// Converts samples of the computation to samples of calling contexts.
#include "tracer/convert/events/extended_records.hpp"

namespace latecomer::convert {

bool convert_sample(EventOutput& out, const record::Record& r) {
  if (r.extended() != record::kSample || r.length() != 1) return false;
  const std::uint32_t context = out.map.context(r.words[0] & 0xffffffff);
  const std::uint32_t period = out.map.period(static_cast<std::uint32_t>(r.words[0] >> 32));
  if (context == kNoId || period == kNoId) return false;
  // Samples say nothing of the time between them, so they have no distance to the one before.
  out.done(OTF2_EvtWriter_CallingContextSample(out.writer, nullptr, out.time, context,
                                               OTF2_UNDEFINED_UINT32, period));
  ++out.samples;
  return true;
}

}  // namespace latecomer::convert
