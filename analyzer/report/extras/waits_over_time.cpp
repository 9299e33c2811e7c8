// SPDX-License-Identifier: BSD-3-Clause
// Converts time slices to JSON and back.
#include "analyzer/report/extras/waits_over_time.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "analyzer/report/extras/read_json.hpp"

namespace latecomer::report {
namespace {

// Zero is written as a whole number, which is shorter: most slices have no waits.
void write_seconds(JsonWriter& out, const std::vector<double>& slices) {
  const auto list = out.array();
  for (const double seconds : slices) {
    if (seconds == 0) {
      out.value(0);
    } else {
      out.value(seconds);
    }
  }
}

std::optional<TimeSlices::Metahosts> metahosts_in(const nlohmann::json& json, std::size_t slices) {
  if (!json.is_array() || json.empty()) return {};
  TimeSlices::Metahosts out;
  for (const auto& list : json) {
    if (!list.is_array() || list.size() != slices) return {};
    auto& values = out.emplace_back();
    for (const auto& value : list) {
      if (!value.is_number()) return {};
      values.push_back(value.get<double>());
    }
  }
  return out;
}

}  // namespace

void write(JsonWriter& out, const TimeSlices& slices) {
  const auto whole = out.object();
  out.member("count", slices.count);
  {
    const auto metrics = out.object("metrics");
    for (const auto& [name, metahosts] : slices.metrics) {
      out.list(name, metahosts, [&](const auto& list) { write_seconds(out, list); });
    }
  }
  out.member("seconds", slices.seconds);
}

std::optional<TimeSlices> time_slices_from_json(const nlohmann::json& json) {
  const auto& metrics = member(json, "metrics");
  const auto count = count_in(member(json, "count"));
  const auto seconds = number_in(member(json, "seconds"));
  if (!metrics.is_object() || count.value_or(0) == 0 || !seconds) return {};
  TimeSlices out;
  out.count = static_cast<std::size_t>(*count);
  out.seconds = *seconds;
  for (const auto& [name, value] : metrics.items()) {
    if (auto lists = metahosts_in(value, out.count)) out.metrics.emplace(name, *std::move(lists));
  }
  return out;
}

}  // namespace latecomer::report
