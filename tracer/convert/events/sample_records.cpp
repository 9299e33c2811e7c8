// SPDX-License-Identifier: BSD-3-Clause
// Converts samples of the computation to samples of calling contexts. The kernel's part and
// counters become metrics.
#include <algorithm>
#include <array>
#include <vector>

#include "tracer/convert/events/extended_records.hpp"

namespace latecomer::convert {
namespace {

void write_totals(EventOutput& out) {
  std::array<OTF2_Type, kKernelMetrics.size()> types{};
  types.fill(OTF2_TYPE_UINT64);
  std::array<OTF2_MetricValue, kKernelMetrics.size()> values{};
  for (std::size_t i = 0; i < values.size(); ++i) values[i].unsigned_int = out.totals.kernel[i];
  out.done(OTF2_EvtWriter_Metric(out.writer, nullptr, out.time, kKernelMetricClass,
                                 static_cast<std::uint8_t>(values.size()), types.data(),
                                 values.data()));
}

// The first values are zeros, from which readers count. Sums wrap around in damaged records only.
bool convert_kernel_use(EventOutput& out, const record::Record& r) {
  if (r.length() != 3) return false;
  KernelTotals& totals = out.totals.kernel;
  if (totals == KernelTotals{}) write_totals(out);
  totals[0] += r.words[0];
  totals[1] += r.words[1];
  totals[2] += r.words[2] & 0xffffffff;
  totals[3] += r.words[2] >> 32;
  write_totals(out);
  return true;
}

// The values come before the end of the MPI call, so they belong to it.
bool convert_without_core(EventOutput& out, const record::Record& r) {
  if (r.length() != 2) return false;
  KernelTotals& totals = out.totals.kernel;
  if (totals == KernelTotals{}) write_totals(out);
  totals[0] += r.words[0];
  write_totals(out);
  return true;
}

void write_counters(EventOutput& out) {
  const std::vector<std::uint64_t>& totals = out.totals.counters;
  const std::vector<OTF2_Type> types(totals.size(), OTF2_TYPE_UINT64);
  std::vector<OTF2_MetricValue> values(totals.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i].unsigned_int = totals[i];
  out.done(OTF2_EvtWriter_Metric(out.writer, nullptr, out.time, out.map.counter_class,
                                 static_cast<std::uint8_t>(values.size()), types.data(),
                                 values.data()));
}

// The first values are zeros here, too.
bool convert_counted(EventOutput& out, const record::Record& r) {
  std::vector<std::uint64_t>& totals = out.totals.counters;
  if (out.map.counter_class == kNoId || r.length() != out.map.counters) return false;
  if (totals.empty()) {
    totals.resize(r.length());
    write_counters(out);
  }
  for (std::size_t i = 0; i < totals.size(); ++i) totals[i] += r.words[i];
  write_counters(out);
  return true;
}

// The function in which the thread was blocked is the innermost one of the context.
bool convert_blocked(EventOutput& out, const record::Record& r) {
  if (r.length() != 2) return false;
  const auto region = static_cast<std::uint32_t>(r.words[0]);
  const auto frame = static_cast<std::uint32_t>(r.words[0] >> 32);
  const std::uint32_t context = out.map.blocked(frame, region);
  if (context == kNoId || out.attributes == nullptr) return false;
  out.done(OTF2_AttributeList_AddUint64(out.attributes, kBlockedAttribute, r.words[1]));
  out.done(OTF2_EvtWriter_CallingContextSample(out.writer, out.attributes, out.time, context,
                                               OTF2_UNDEFINED_UINT32, out.map.blocked_clock));
  ++out.samples;
  return true;
}

}  // namespace

bool convert_sample(EventOutput& out, const record::Record& r) {
  if (r.extended() == record::kKernelUse) return convert_kernel_use(out, r);
  if (r.extended() == record::kWithoutCore) return convert_without_core(out, r);
  if (r.extended() == record::kBlocked) return convert_blocked(out, r);
  if (r.extended() == record::kCounted) return convert_counted(out, r);
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
