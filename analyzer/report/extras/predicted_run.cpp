// SPDX-License-Identifier: BSD-3-Clause
// Converts predictions to JSON and back.
#include "analyzer/report/extras/predicted_run.hpp"

#include <nlohmann/json.hpp>

#include "analyzer/report/extras/read_json.hpp"

namespace latecomer::report {
namespace {

void write_limits(JsonWriter& out, const Prediction::Limits& limits) {
  const auto entry = [&](const Prediction::Limit& one) {
    const auto object = out.object();
    out.member("after", one.after);
    out.member("before", one.before);
    std::string path;
    for (const auto& name : one.names) path += (path.empty() ? "" : "/") + name;
    out.member("call_path", path);
    if (!one.metric.empty()) out.member("metric", one.metric);
    if (one.rank) out.member("rank", *one.rank);
  };
  const auto all = out.object("limits");
  {
    const auto caused = out.object("caused");
    out.member("after", limits.caused_after);
    out.member("before", limits.caused_before);
  }
  out.list("causes", limits.causes, entry);
  out.list("critical_path", limits.path, entry);
  {
    const auto length = out.object("critical_path_length");
    out.member("after", limits.path_after);
    out.member("before", limits.path_before);
  }
  out.list("waits", limits.waits, entry);
}

}  // namespace

void write(JsonWriter& out, const Prediction& prediction) {
  const auto whole = out.object();
  {
    const auto changed = out.object("changed");
    out.member("after", prediction.changed_after);
    out.member("before", prediction.changed_before);
    out.member("call_paths", prediction.changed_call_paths);
    out.member("locations", prediction.changed_locations);
    if (prediction.moved_work) out.member("moved_work", *prediction.moved_work);
    if (prediction.sampling_error) out.member("sampling_error", *prediction.sampling_error);
  }
  {
    const auto changes = out.array("changes");
    for (const auto& change : prediction.changes) out.value(change);
  }
  if (prediction.contradictions > 0) out.member("contradictions", prediction.contradictions);
  out.member("least", prediction.least);
  if (prediction.limits) write_limits(out, *prediction.limits);
  out.member("most", prediction.most);
  {
    const auto notes = out.array("notes");
    for (const auto& note : prediction.notes) out.value(note);
  }
  out.member("predicted", prediction.predicted);
  out.member("recorded", prediction.recorded);
  const auto waits = out.object("waits");
  out.list("by_rank", prediction.by_rank, [&](const auto& one) {
    const auto rank = out.object();
    out.member("after", one.after);
    out.member("before", one.before);
    out.member("rank", one.rank);
  });
  out.list("by_state", prediction.by_state, [&](const auto& one) {
    const auto state = out.object();
    out.member("after", one.after);
    out.member("before", one.before);
    out.member("metric", one.metric);
  });
}

void write(JsonWriter& out, const Gains& gains) {
  const auto whole = out.object();
  out.list("causes", gains.causes, [&](const auto& one) {
    const auto cause = out.object();
    out.member("balanced", one.balanced);
    out.member("call_path", one.call_path);
    out.list("curve", one.curve, [&](const auto& point) {
      const auto pair = out.object();
      out.member("part", point.part);
      out.member("run_time", point.run_time);
    });
    out.member("faster", one.faster);
  });
  out.member("error", gains.error);
  out.list("paths", gains.paths, [&](const auto& one) {
    const auto path = out.object();
    out.member("fixed", one.fixed);
    out.list("of_cause", one.of_cause, [&](double seconds) { out.value(seconds); });
  });
  out.member("recorded", gains.recorded);
}

std::optional<Gains> gains_from_json(const nlohmann::json& json) {
  if (!json.is_object()) return {};
  Gains gains;
  read(member(json, "recorded"), gains.recorded);
  for (const auto& element : elements(member(json, "causes"))) {
    const auto call_path = count_in(member(element, "call_path"));
    if (!call_path || *call_path > UINT32_MAX) continue;
    Gains::Cause cause{.call_path = static_cast<std::uint32_t>(*call_path)};
    read(member(element, "balanced"), cause.balanced);
    read(member(element, "faster"), cause.faster);
    for (const auto& point : elements(member(element, "curve"))) {
      Gains::Point& one = cause.curve.emplace_back();
      read(member(point, "part"), one.part);
      read(member(point, "run_time"), one.run_time);
    }
    gains.causes.push_back(std::move(cause));
  }
  read(member(json, "error"), gains.error);
  for (const auto& element : elements(member(json, "paths"))) {
    Gains::Path path;
    read(member(element, "fixed"), path.fixed);
    for (const auto& seconds : elements(member(element, "of_cause"))) {
      read(seconds, path.of_cause.emplace_back());
    }
    gains.paths.push_back(std::move(path));
  }
  return gains;
}

}  // namespace latecomer::report
