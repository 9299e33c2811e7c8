// SPDX-License-Identifier: BSD-3-Clause
// make_records DIRECTORY: writes an archive with every record of OTF2, with attributes, on wrong
// clocks. make_records names: prints the names of the records that it writes.
#include <cstdio>
#include <cstring>

#include "analyzer/trace/definitions/otf2_records.hpp"
#include "tests/support/trace_builder.hpp"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace {

using namespace latecomer::test;

// All arguments of the record are zero.
template <typename... Arguments>
void write(OTF2_ErrorCode (*record)(OTF2_EvtWriter*, OTF2_AttributeList*, OTF2_TimeStamp,
                                    Arguments...),
           OTF2_EvtWriter* out, OTF2_TimeStamp time) {
  OTF2_AttributeList* attributes = OTF2_AttributeList_New();
  OTF2_AttributeList_AddUint64(attributes, 3, 1234567);
  OTF2_AttributeList_AddDouble(attributes, 4, 0.25);
  record(out, attributes, time, Arguments{}...);
  OTF2_AttributeList_Delete(attributes);
}

void write_metric(OTF2_EvtWriter* out, OTF2_TimeStamp time) {
  const OTF2_Type types[] = {OTF2_TYPE_UINT64, OTF2_TYPE_DOUBLE, OTF2_TYPE_INT64};
  OTF2_MetricValue values[3] = {};
  values[0].unsigned_int = 42;
  values[1].floating_point = 2.5;
  values[2].signed_int = -7;
  OTF2_EvtWriter_Metric(out, nullptr, time, 5, 3, types, values);
}

void write_program(OTF2_EvtWriter* out, OTF2_TimeStamp time) {
  const OTF2_StringRef arguments[] = {1, 2};
  OTF2_EvtWriter_ProgramBegin(out, nullptr, time, 1, 2, arguments);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
#define LATECOMER_NAME(name) std::puts(#name);
  if (std::strcmp(argv[1], "names") == 0) {
    LATECOMER_RECORDS(LATECOMER_NAME)
    return 0;
  }
  // Rank 1's clock is 3 s behind and drifts: the message is received 5 s before it was sent, 2 s on
  // corrected clocks.
  TraceBuilder t(2);
  t.node("a", {0}).node("b", {1});
  static_cast<void>(t.window());  // records of one-sided communication name the window
  t.send(0, at(100), to(1));
  t.recv(1, at(90), leave(95), from(0));
  for (const double time : {1.0, 200.0}) t.clock_offset(0, time, 0);
  t.clock_offset(1, 1.0, 3'000'000'000).clock_offset(1, 200.0, 3'000'001'000);
  double now = 96;
  const auto add = [&](const TraceBuilder::Write& record) {
    now += 0.001;
    t.raw(1, at(now), record);
  };
#define LATECOMER_WRITE(name) \
  add([](OTF2_EvtWriter* out, OTF2_TimeStamp time) { write(OTF2_EvtWriter_##name, out, time); });
  LATECOMER_RECORDS(LATECOMER_WRITE)
  add(write_metric);
  add(write_program);
  t.flush(1, at(now + 0.1), now + 0.6);
  t.call(1, "end", at(now + 0.7));
  t.write(argv[1]);
  return 0;
}
