// SPDX-License-Identifier: BSD-3-Clause
// Converts results about clocks to JSON and back.
#include "analyzer/report/extras/clock_results.hpp"

#include <nlohmann/json.hpp>

#include "analyzer/report/extras/read_json.hpp"

namespace latecomer::report {
namespace {

void write(JsonWriter& out, const Clocks::Pair& pair) {
  const auto& violations = pair.violations;
  const auto whole = out.object();
  out.member("collectives", violations.collectives);
  out.member("from", pair.from);
  out.member("messages", violations.messages);
  out.member("reversed_collectives", violations.reversed_collectives);
  out.member("reversed_messages", violations.reversed_messages);
  out.member("to", pair.to);
}

void write(JsonWriter& out, const Clocks::Step& step) {
  const auto& violations = step.violations;
  const auto whole = out.object();
  out.member("collectives", violations.collectives);
  out.member("largest", step.largest);
  out.member("messages", violations.messages);
  out.member("name", step.name);
  out.list("pairs", step.pairs, [&](const auto& pair) { write(out, pair); });
  out.member("reversed_collectives", violations.reversed_collectives);
  out.member("reversed_messages", violations.reversed_messages);
  out.member("sum", step.sum);
}

void write(JsonWriter& out, const Clocks::Latency& latency) {
  const auto whole = out.object();
  out.member("external", latency.external);
  out.member("metahost", latency.metahost);
  out.member("node", latency.node);
}

}  // namespace

void write(JsonWriter& out, const Clocks& clocks) {
  const auto& moved = clocks.moved;
  const auto& logical = clocks.logical_clock;
  const auto whole = out.object();
  if (logical) {
    out.member("avalanche", logical->avalanche);
    out.member("contradiction", logical->contradiction);
  }
  out.member("count", clocks.count);
  if (moved) out.member("events_moved", moved->events);
  if (logical) out.member("gamma", logical->gamma);
  if (moved) out.member("interval_distortion", moved->interval_distortion);
  if (logical) out.member("jumps", logical->jumps);
  if (moved) out.member("largest_growth", moved->largest_growth);
  if (logical) out.member("largest_jump", logical->largest_jump);
  if (moved) out.member("largest_shift", moved->largest_shift);
  write(out.key("latency"), clocks.latency);
  if (clocks.scheme) out.member("scheme", *clocks.scheme);
  out.list("steps", clocks.steps, [&](const auto& step) { write(out, step); });
}

std::optional<Clocks> clocks_from_json(const nlohmann::json& json) {
  if (!json.is_object()) return {};
  Clocks out;
  out.count = count_in(member(json, "count")).value_or(0);
  for (const auto& element : elements(member(json, "steps"))) {
    if (!element.is_object()) return {};
    Clocks::Step step;
    read(member(element, "name"), step.name);
    step.violations.messages = count_in(member(element, "messages")).value_or(0);
    step.violations.collectives = count_in(member(element, "collectives")).value_or(0);
    out.steps.push_back(std::move(step));
  }
  return out;
}

}  // namespace latecomer::report
