// SPDX-License-Identifier: BSD-3-Clause
// Converts the cost of recording to JSON and back.
#include "analyzer/report/extras/recording_cost.hpp"

#include <nlohmann/json.hpp>

#include "analyzer/report/extras/read_json.hpp"

namespace latecomer::report {
namespace {

// A count that is written as any number; 0 if it cannot be one.
std::int64_t whole(double number) {
  constexpr double kMost = 9e18;
  return number >= 0 && number < kMost ? static_cast<std::int64_t>(number) : 0;
}

}  // namespace

void write(JsonWriter& out, const Measurement& m) {
  const auto whole = out.object();
  out.member("events", m.events);
  if (m.filtered_events) out.member("filtered_events", m.filtered_events->count);
  if (m.flushes) out.member("flushes", m.flushes->count);
  out.member("fraction", m.fraction);
  if (m.processor_seconds) out.member("processor_seconds", *m.processor_seconds);
  if (m.region_events) out.member("region_events", m.region_events->count);
  if (m.samples) out.member("samples", m.samples->count);
  out.member("seconds", m.seconds);
  if (m.filtered_events) out.member("seconds_for_filtered_events", m.filtered_events->seconds);
  if (m.flushes) out.member("seconds_for_flushes", m.flushes->seconds);
  if (m.region_events) out.member("seconds_for_region_events", m.region_events->seconds);
  if (m.samples) out.member("seconds_for_samples", m.samples->seconds);
  if (m.stacks) out.member("seconds_for_stacks", m.stacks->seconds);
  if (m.seconds_for_threads) out.member("seconds_for_threads", *m.seconds_for_threads);
  out.member("seconds_per_event", m.seconds_per_event);
  if (m.stacks) out.member("stacks", m.stacks->count);
  if (m.unsuccessful_polls) out.member("unsuccessful_polls", *m.unsuccessful_polls);
}

std::optional<Measurement> measurement_from_json(const nlohmann::json& json) {
  if (!json.is_object()) return {};
  const auto number = [&json](const char* key) { return number_in(member(json, key)).value_or(0); };
  Measurement out;
  out.events = static_cast<std::uint64_t>(whole(number("events")));
  out.seconds = number("seconds");
  out.fraction = number("fraction");
  out.seconds_per_event = number("seconds_per_event");
  if (const auto count = whole(number("region_events")); count > 0) {
    out.region_events = Measurement::Counted{count, number("seconds_for_region_events")};
  }
  return out;
}

}  // namespace latecomer::report
