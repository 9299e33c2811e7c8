// SPDX-License-Identifier: BSD-3-Clause
// Converts the profile of the computation to JSON and back.
#include "analyzer/report/extras/computation.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "analyzer/report/extras/read_json.hpp"

namespace latecomer::report {
namespace {

using nlohmann::json;

void write(JsonWriter& out, const Computation::Function& function) {
  const auto whole = out.object();
  out.member("error", function.error);
  out.member("file", function.file);
  out.member("inclusive", function.inclusive);
  out.member("inclusive_error", function.inclusive_error);
  out.member("inclusive_samples", function.inclusive_samples);
  if (!function.locations.empty()) out.member("locations", function.locations);
  out.member("name", function.name);
  out.member("samples", function.samples);
  out.member("self", function.self);
}

void write(JsonWriter& out, const Computation::Line& line) {
  const auto whole = out.object();
  out.member("call_path", line.call_path);
  out.member("error", line.error);
  out.member("file", line.file);
  out.member("function", line.function);
  out.member("line", line.line);
  if (!line.locations.empty()) out.member("locations", line.locations);
  out.member("samples", line.samples);
  out.member("seconds", line.seconds);
}

std::vector<double> numbers_in(const json& value) {
  std::vector<double> numbers;
  for (const auto& one : elements(value)) numbers.push_back(number_in(one).value_or(0));
  return numbers;
}

// Reports of earlier releases have no errors. There all samples count as of one weight.
double error_in(const json& value, double seconds, std::uint64_t samples) {
  const double of_one_weight = samples > 0 ? seconds / std::sqrt(static_cast<double>(samples)) : 0;
  return number_in(value).value_or(of_one_weight);
}

Computation::Function function_in(const json& from) {
  Computation::Function to;
  read(member(from, "name"), to.name);
  read(member(from, "file"), to.file);
  read(member(from, "self"), to.self);
  read(member(from, "inclusive"), to.inclusive);
  to.samples = count_in(member(from, "samples")).value_or(0);
  to.inclusive_samples = count_in(member(from, "inclusive_samples")).value_or(0);
  to.error = error_in(member(from, "error"), to.self, to.samples);
  to.inclusive_error =
      error_in(member(from, "inclusive_error"), to.inclusive, to.inclusive_samples);
  to.locations = numbers_in(member(from, "locations"));
  return to;
}

Computation::Line line_in(const json& from) {
  Computation::Line to;
  to.call_path = small_count_in(member(from, "call_path"));
  read(member(from, "function"), to.function);
  read(member(from, "file"), to.file);
  to.line = small_count_in(member(from, "line"));
  read(member(from, "seconds"), to.seconds);
  to.samples = count_in(member(from, "samples")).value_or(0);
  to.error = error_in(member(from, "error"), to.seconds, to.samples);
  to.locations = numbers_in(member(from, "locations"));
  return to;
}

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

void write(JsonWriter& out, const LongerComputation::Blocked& one) {
  const auto whole = out.object();
  out.member("caller", one.caller);
  out.member("file", one.file);
  out.member("function", one.function);
  out.member("line", one.line);
  out.member("seconds", one.seconds);
}

LongerComputation::Blocked blocked_in(const json& from) {
  LongerComputation::Blocked to;
  read(member(from, "caller"), to.caller);
  read(member(from, "file"), to.file);
  read(member(from, "function"), to.function);
  to.line = small_count_in(member(from, "line"));
  read(member(from, "seconds"), to.seconds);
  return to;
}

void write(JsonWriter& out, const NoComputation& parts) {
  const auto whole = out.object();
  out.member("blocked", parts.blocked);
  out.member("kernel", parts.kernel);
  out.member("off_processor", parts.off_processor);
  out.member("preempted", parts.preempted);
}

NoComputation no_computation_in(const json& from) {
  NoComputation to;
  read(member(from, "blocked"), to.blocked);
  read(member(from, "kernel"), to.kernel);
  read(member(from, "off_processor"), to.off_processor);
  read(member(from, "preempted"), to.preempted);
  return to;
}

}  // namespace

void write(JsonWriter& out, const Computation& computation) {
  const auto whole = out.object();
  const auto write_one = [&out](const auto& one) { write(out, one); };
  out.list("functions", computation.functions, write_one);
  out.member("kernel_is_sampled", computation.kernel_is_sampled);
  out.list("lines", computation.lines, write_one);
  out.member("lost", computation.lost);
  write(out.key("not_computing"), computation.not_computing);
  out.member("other_functions", computation.other_functions);
  out.member("other_lines", computation.other_lines);
  out.member("periods", computation.periods);
  out.member("processor_seconds", computation.processor_seconds);
  out.member("samples", computation.samples);
  out.member("samples_elsewhere", computation.samples_elsewhere);
  out.member("seconds", computation.seconds);
  out.member("unsampled", computation.unsampled);
}

std::optional<Computation> computation_from_json(const json& from) {
  if (!from.is_object()) return {};
  Computation to;
  for (const auto& one : elements(member(from, "functions")))
    to.functions.push_back(function_in(one));
  for (const auto& one : elements(member(from, "lines"))) to.lines.push_back(line_in(one));
  if (const auto& is = member(from, "kernel_is_sampled"); is.is_boolean()) {
    to.kernel_is_sampled = is.get<bool>();
  }
  to.lost = count_in(member(from, "lost")).value_or(0);
  to.not_computing = no_computation_in(member(from, "not_computing"));
  read(member(from, "other_functions"), to.other_functions);
  read(member(from, "other_lines"), to.other_lines);
  to.periods = numbers_in(member(from, "periods"));
  read(member(from, "processor_seconds"), to.processor_seconds);
  to.samples = count_in(member(from, "samples")).value_or(0);
  to.samples_elsewhere = count_in(member(from, "samples_elsewhere")).value_or(0);
  read(member(from, "seconds"), to.seconds);
  read(member(from, "unsampled"), to.unsampled);
  return to;
}

void write(JsonWriter& out, const LongerComputation& one) {
  const auto whole = out.object();
  if (!one.blocked.empty()) {
    out.list("blocked", one.blocked, [&out](const auto& blocked) { write(out, blocked); });
  }
  out.member("call_path", one.call_path);
  out.member("delay_costs", one.delay_costs);
  if (one.instructions > 0) out.member("instructions", one.instructions);
  out.list("lines", one.lines, [&out](const auto& line) { write(out, line); });
  out.member("location", one.location);
  write(out.key("not_computing"), one.not_computing);
  out.member("page_faults", one.page_faults);
  if (one.instructions > 0) out.member("time_for_each", one.time_for_each);
  out.member("within", one.within);
}

std::vector<LongerComputation> longer_computation_from_json(const json& from) {
  std::vector<LongerComputation> all;
  for (const auto& one : elements(from)) {
    auto& to = all.emplace_back();
    to.call_path = small_count_in(member(one, "call_path"));
    to.location = small_count_in(member(one, "location"));
    read(member(one, "delay_costs"), to.delay_costs);
    to.not_computing = no_computation_in(member(one, "not_computing"));
    read(member(one, "page_faults"), to.page_faults);
    read(member(one, "instructions"), to.instructions);
    read(member(one, "time_for_each"), to.time_for_each);
    to.within = small_count_in(member(one, "within"));
    for (const auto& blocked : elements(member(one, "blocked"))) {
      to.blocked.push_back(blocked_in(blocked));
    }
    for (const auto& line : elements(member(one, "lines"))) {
      to.lines.push_back(longer_line_in(line));
    }
  }
  return all;
}

}  // namespace latecomer::report
