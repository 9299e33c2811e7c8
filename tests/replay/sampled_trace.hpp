// SPDX-License-Identifier: BSD-3-Clause
// Traces with samples of the computation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/trace_builder.hpp"

namespace latecomer::test {

// Defines a stack of functions in heat.c, with a line of the innermost one; returns its id.
inline std::uint32_t stack(TraceBuilder& t, const std::vector<std::string>& functions,
                           std::uint32_t line) {
  auto& model = t.model();
  std::uint32_t parent = kNoSource;
  for (const auto& function : functions) {
    model.contexts.push_back({.region = model.region(function), .parent = parent});
    parent = static_cast<std::uint32_t>(model.contexts.size() - 1);
  }
  model.contexts.back().source = static_cast<std::uint32_t>(model.source_lines.size());
  model.source_lines.push_back({"heat.c", line});
  return parent;
}

inline void sample(TraceBuilder& t, Place who, at time, std::uint32_t context,
                   std::uint32_t generator) {
  t.raw(who, time, [=](OTF2_EvtWriter* writer, OTF2_TimeStamp stamp) {
    OTF2_EvtWriter_CallingContextSample(writer, nullptr, stamp, context, 1, generator);
  });
}

// The rank was blocked for so many seconds, in the innermost function of the context.
inline void blocked(TraceBuilder& t, Place who, at time, std::uint32_t context,
                    std::uint32_t generator, std::uint64_t seconds) {
  t.raw(who, time, [=](OTF2_EvtWriter* writer, OTF2_TimeStamp stamp) {
    OTF2_AttributeList* const list = OTF2_AttributeList_New();
    OTF2_AttributeList_AddUint64(list, kBlockedAttribute, seconds * 1'000'000'000);
    OTF2_EvtWriter_CallingContextSample(writer, list, stamp, context, 1, generator);
    OTF2_AttributeList_Delete(list);
  });
}

// The function that is called from the innermost line of a stack.
inline std::uint32_t called(TraceBuilder& t, std::uint32_t stack, const std::string& function) {
  auto& model = t.model();
  model.contexts.push_back({.region = model.region(function), .parent = stack});
  return static_cast<std::uint32_t>(model.contexts.size() - 1);
}

// Values of the counters of the model so far.
inline void counted(TraceBuilder& t, Place who, at time, const std::vector<std::uint64_t>& values) {
  t.raw(who, time, [=](OTF2_EvtWriter* writer, OTF2_TimeStamp stamp) {
    const std::vector<OTF2_Type> types(values.size(), OTF2_TYPE_UINT64);
    std::vector<OTF2_MetricValue> all(values.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i].unsigned_int = values[i];
    OTF2_EvtWriter_Metric(writer, nullptr, stamp, 0, static_cast<std::uint8_t>(values.size()),
                          types.data(), all.data());
  });
}

// Two ranks that compute in main. Rank 0 has three samples there.
inline TraceBuilder sampled_ranks() {
  TraceBuilder t(2);
  t.property("LATECOMER::SAMPLES", "4").property("LATECOMER::SAMPLES_LOST", "7");
  // 1 s, and 3 s as 3 * 10^0 s.
  t.model().generators = {{.period = 1'000'000'000}, {.period = 3, .exponent = 0}};
  const auto relax = stack(t, {"main", "relax"}, 88), norm = stack(t, {"main", "relax", "norm"}, 5),
             main = stack(t, {"main"}, 12);
  t.init({{0, 1}, {0, 1}}).enter_all("main", at(1));
  sample(t, 0, at(2), relax, 0);
  sample(t, 0, at(3), norm, 0);
  sample(t, 0, at(4), relax, 1);
  t.enter(1, "MPI_Barrier", at(2));
  sample(t, 1, at(5), main, 0);
  t.leave(1, at(11));
  t.enter(0, "MPI_Barrier", at(11))
      .leave(0, at(11))
      .leave_all(at(12))
      .finalize({{12, 13}, {12, 13}});
  return t;
}

}  // namespace latecomer::test
