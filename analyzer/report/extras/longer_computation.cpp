// SPDX-License-Identifier: BSD-3-Clause
// Converts longer computation to JSON and back.
#include "analyzer/report/extras/longer_computation.hpp"

#include <nlohmann/json.hpp>

#include "analyzer/report/extras/read_json.hpp"

namespace latecomer::report {
namespace {

using nlohmann::json;

void write(JsonWriter& out, const LongerComputation::Line& line) {
  const auto whole = out.object();
  out.member("error", line.error);
  out.member("file", line.file);
  out.member("function", line.function);
  out.member("line", line.line);
  out.member("samples", line.samples);
  out.member("seconds", line.seconds);
}

LongerComputation::Line longer_line_in(const json& from) {
  LongerComputation::Line to;
  read(member(from, "function"), to.function);
  read(member(from, "file"), to.file);
  to.line = small_count_in(member(from, "line"));
  read(member(from, "seconds"), to.seconds);
  read(member(from, "error"), to.error);
  to.samples = count_in(member(from, "samples")).value_or(0);
  return to;
}

}  // namespace

void write(JsonWriter& out, const LongerComputation& one) {
  const auto whole = out.object();
  out.member("call_path", one.call_path);
  out.member("delay_costs", one.delay_costs);
  out.list("lines", one.lines, [&out](const auto& line) { write(out, line); });
  out.member("location", one.location);
  out.member("seconds", one.seconds);
  out.member("within", one.within);
}

std::vector<LongerComputation> longer_computation_from_json(const json& from) {
  std::vector<LongerComputation> all;
  for (const auto& one : elements(from)) {
    auto& to = all.emplace_back();
    to.call_path = small_count_in(member(one, "call_path"));
    to.location = small_count_in(member(one, "location"));
    read(member(one, "delay_costs"), to.delay_costs);
    read(member(one, "seconds"), to.seconds);
    to.within = small_count_in(member(one, "within"));
    for (const auto& line : elements(member(one, "lines"))) {
      to.lines.push_back(longer_line_in(line));
    }
  }
  return all;
}

}  // namespace latecomer::report
