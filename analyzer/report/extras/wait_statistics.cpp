// SPDX-License-Identifier: BSD-3-Clause
// Writes statistics of waits as JSON, and finds the call paths in it.
#include "analyzer/report/extras/wait_statistics.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace latecomer::report {
namespace {

using Json = nlohmann::ordered_json;

void write(JsonWriter& out, const Timeline::Wait& wait) {
  const auto list = out.array();
  out.value(wait.begin);
  out.value(wait.length);
  out.value(wait.metric);
  if (wait.cause_rank) {
    out.value(*wait.cause_rank);
  } else {
    out.value(-1);
  }
  if (wait.cause_thread) out.value(*wait.cause_thread);
}

void write(JsonWriter& out, const Timeline::Lane& lane) {
  const auto whole = out.object();
  out.list("calls", lane.calls, [&](const auto& call) {
    out.row(call.begin, call.length, call.call_path, call.changes);
  });
  out.member("rank", lane.rank);
  out.member("thread", lane.thread);
  out.list("waits", lane.waits, [&](const auto& wait) { write(out, wait); });
}

void write(JsonWriter& out, const Timeline& timeline) {
  const auto whole = out.object();
  out.member("from", timeline.from);
  out.list("lanes", timeline.lanes, [&](const auto& lane) { write(out, lane); });
  out.list("messages", timeline.messages, [&](const auto& message) {
    out.row(message.from, message.sent, message.to, message.received, message.bytes, message.tag);
  });
  out.member("to", timeline.to);
}

void write(JsonWriter& out, const WorstWait& wait) {
  const auto whole = out.object();
  out.member("call_path", wait.call_path);
  if (wait.cause_call_path) out.member("cause_call_path", *wait.cause_call_path);
  if (wait.cause_rank) out.member("cause_rank", *wait.cause_rank);
  if (wait.cause_thread) out.member("cause_thread", *wait.cause_thread);
  out.member("enter", wait.enter);
  out.member("exit", wait.exit);
  out.member("longest", wait.longest);
  out.member("rank", wait.rank);
  out.member("seconds", wait.seconds);
  if (wait.thread) out.member("thread", *wait.thread);
  if (wait.timeline) write(out.key("timeline"), *wait.timeline);
  if (wait.waiting_ranks) out.member("waiting_ranks", *wait.waiting_ranks);
}

void write(JsonWriter& out, const WaitStatistics& one) {
  const auto whole = out.object();
  out.member("count", one.count);
  out.member("maximum", one.maximum);
  out.member("mean", one.mean);
  out.member("median", one.median);
  out.member("minimum", one.minimum);
  out.member("quartile25", one.quartile25);
  out.member("quartile75", one.quartile75);
  out.member("sum", one.sum);
  out.member("variance", one.variance);
  out.list("worst", one.worst, [&](const auto& wait) { write(out, wait); });
}

// True if `timeline` has the form that write() gives it, as far as its call paths can be found.
bool has_calls(const Json& timeline) {
  if (!timeline.is_object() || !timeline.contains("lanes") || !timeline["lanes"].is_array()) {
    return false;
  }
  return std::ranges::all_of(timeline["lanes"], [](const Json& lane) {
    return lane.is_object() && lane.contains("calls") && lane["calls"].is_array() &&
           std::ranges::all_of(
               lane["calls"], [](const Json& call) { return call.is_array() && call.size() == 4; });
  });
}

}  // namespace

void write(JsonWriter& out, const AllWaitStatistics& statistics) {
  const auto whole = out.object();
  for (const auto& [name, one] : statistics) write(out.key(name), one);
}

void renumber_call_paths(Json& statistics, const Renumber& renumber) {
  if (!statistics.is_object()) return;
  const auto change = [&](Json& id) {
    const auto found = id.is_number_unsigned() ? renumber(id.get<std::uint64_t>()) : std::nullopt;
    id = found ? Json(*found) : Json(-1);
  };
  for (auto& metric : statistics) {
    if (!metric.is_object() || !metric.contains("worst") || !metric["worst"].is_array()) continue;
    for (auto& instance : metric["worst"]) {
      if (!instance.is_object()) continue;
      for (const auto* key : {"call_path", "cause_call_path"}) {
        if (instance.contains(key)) change(instance[key]);
      }
      if (instance.contains("timeline")) {
        if (has_calls(instance["timeline"])) {
          for (auto& lane : instance["timeline"]["lanes"]) {
            for (auto& call : lane["calls"]) change(call[2]);
          }
        } else {
          instance.erase("timeline");
        }
      }
    }
  }
}

}  // namespace latecomer::report
