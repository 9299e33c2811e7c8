// SPDX-License-Identifier: BSD-3-Clause
// Converts the cost of recording to JSON and back.
#include "analyzer/report/extras/recording_cost.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>

#include "analyzer/report/extras/read_json.hpp"

namespace latecomer::report {
namespace {

// A count that is written as any number; 0 if it cannot be one.
std::int64_t whole(double number) {
  constexpr double kMost = 9e18;
  return number >= 0 && number < kMost ? static_cast<std::int64_t>(number) : 0;
}

// A time with two or three digits and its unit.
std::string short_time(double seconds) {
  std::array<char, 32> text;
  const auto print = [&](const char* format, double value) {
    return std::string(text.data(), static_cast<std::size_t>(
                                        std::snprintf(text.data(), text.size(), format, value)));
  };
  const double size = std::abs(seconds);
  if (size >= 100) return print("%.0f s", seconds);
  if (size >= 1) return print("%.3g s", seconds);
  if (size >= 1e-3) return print("%.3g ms", seconds * 1e3);
  if (size >= 1e-6) return print("%.3g us", seconds * 1e6);
  return print("%.3g ns", seconds * 1e9);
}

}  // namespace

double Compensation::all() const {
  return std::accumulate(taken_out.begin(), taken_out.end(), 0.0);
}

std::string Compensation::text() const {
  std::string out = "stretches of overhead were taken out of all times (" + method +
                    " compensation): " + short_time(all()) + " in all locations; run time " +
                    short_time(recorded) + " -> " + short_time(compensated);
  if (spread) {
    std::array<char, 32> percent;
    std::snprintf(percent.data(), percent.size(), "%.0f", std::ceil(*spread * 100));
    out += ", costs known to " + std::string(percent.data()) + " %";
  } else {
    out += ", it is not known how exact the costs are";
  }
  if (missing > all() / 100) {
    out += "; for " + short_time(missing) + " more there was no time between events";
  }
  if (contradictions > 0) {
    out += "; " + std::to_string(contradictions) + " dependencies contradict the recorded times";
  }
  return out;
}

// Keys are in the order of their bytes.
void write(JsonWriter& out, const Compensation& c) {
  const auto whole = out.object();
  out.member("compensated", c.compensated);
  out.member("contradictions", c.contradictions);
  out.member("inside_waiting_calls", c.inside);
  out.member("method", c.method);
  out.member("missing", c.missing);
  out.member("recorded", c.recorded);
  out.member("seconds_per_mpi_event", c.seconds_per_mpi_event);
  out.member("seconds_per_region_event", c.seconds_per_region_event);
  if (c.spread) out.member("spread", *c.spread);
  out.member("stretches", c.stretches);
  const auto kinds = out.object("taken_out");
  static constexpr std::array<std::size_t, 5> kByName = {4, 0, 1, 3, 2};
  for (const auto k : kByName) out.member(Compensation::kKinds[k], c.taken_out[k]);
}

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
