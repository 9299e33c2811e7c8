// SPDX-License-Identifier: BSD-3-Clause
// Matches functions and lines by their names. The squares of the errors of both runs add up.
#include "analyzer/view/difference/computation_changes.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "analyzer/view/difference/changes_table.hpp"
#include "analyzer/view/text/call_path_text.hpp"
#include "analyzer/view/text/text.hpp"

namespace latecomer::view {
namespace {

using report::Computation;

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Time and samples of one thing in one run.
struct Sampled {
  double seconds = 0;
  double variance = 0;  // of the seconds
  std::uint64_t samples = 0;
  std::size_t rows = 0;  // of the list; a line has one for each call path

  void add(double more, double error, std::uint64_t with_samples) {
    seconds += more;
    variance += error * error;
    samples += with_samples;
    ++rows;
  }
};

// Numbers of one run that all its functions and lines share.
struct Run {
  double per_sample = 0;                      // seconds
  double least_function = 0, least_line = 0;  // the last row of a list that is cut off; else 0

  explicit Run(const Computation& c) {
    if (c.samples > 0) per_sample = c.processor_seconds / static_cast<double>(c.samples);
    if (per_sample == 0 && !c.periods.empty()) per_sample = c.periods.back();
    if (c.other_functions > 0 && !c.functions.empty()) least_function = c.functions.back().self;
    if (c.other_lines > 0 && !c.lines.empty()) least_line = c.lines.back().seconds;
  }

  // Without a sample the error is that of one.
  [[nodiscard]] double variance(const Sampled& one) const {
    return one.samples == 0 ? per_sample * per_sample : one.variance;
  }
};

struct BothRuns {
  Run before, after;

  // `least_*`: the smallest time in each list, if it is cut off.
  [[nodiscard]] SampledChange change(const Sampled& a, const Sampled& b, double least_before,
                                     double least_after) const {
    SampledChange out;
    out.seconds = {a.seconds, b.seconds};
    out.samples_before = a.samples;
    out.samples_after = b.samples;
    out.error = std::sqrt(before.variance(a) + after.variance(b));
    const auto missing = [](const Sampled& here, const Sampled& there) {
      return static_cast<double>(there.rows > here.rows ? there.rows - here.rows : 0);
    };
    out.unlisted = missing(a, b) * least_before + missing(b, a) * least_after;
    return out;
  }
};

using LineKey = std::pair<std::string, std::uint32_t>;    // file name, line
using FunctionKey = std::pair<std::string, std::string>;  // function, file name

struct SampledFunction {
  std::string file;
  std::array<Sampled, 2> self, inclusive;  // before and after
  struct Line {
    std::string file;
    std::array<Sampled, 2> self;
  };
  std::map<LineKey, Line> lines;
};

std::map<FunctionKey, SampledFunction> by_name(const Computation& before,
                                               const Computation& after) {
  std::map<FunctionKey, SampledFunction> functions;
  const std::array<const Computation*, 2> runs = {&before, &after};
  for (const std::size_t i : {0, 1}) {
    for (const auto& function : runs[i]->functions) {
      auto& to = functions[{function.name, base_name(function.file)}];
      if (to.file.empty()) to.file = function.file;
      to.self[i].add(function.self, function.error, function.samples);
      to.inclusive[i].add(function.inclusive, function.inclusive_error, function.inclusive_samples);
    }
  }
  // A line may belong to a function that only the list of the other run has.
  for (const std::size_t i : {0, 1}) {
    for (const auto& line : runs[i]->lines) {
      if (line.line == 0) continue;
      const auto function = functions.find({line.function, base_name(line.file)});
      if (function == functions.end()) continue;
      auto& to = function->second.lines[{base_name(line.file), line.line}];
      if (to.file.empty()) to.file = line.file;
      to.self[i].add(line.seconds, line.error, line.samples);
    }
  }
  return functions;
}

double size(const SampledChange& change) { return std::abs(change.seconds.change()); }

std::string signed_text(double seconds, int decimals) {
  return (seconds > 0 ? "+" : "") + fixed(seconds, decimals);
}

// Lines that changed as their function did: "heat.c:88", or "heat.c:88 60 %, :90 30 %" of its
// change. If the source was edited, lines have other numbers: one is gone, another one is new. Such
// changes are larger than that of the function, and are not named.
std::string lines_text(const FunctionChange& function) {
  constexpr std::size_t kMost = 2;
  constexpr double kLargest = 1.2, kNearlyAll = 0.95, kWorthNaming = 0.1;
  const double whole = function.self.seconds.change();
  std::string text;
  std::size_t named = 0;
  for (const auto& line : function.lines) {
    const double part = line.self.seconds.change() / whole;
    if (!line.self.is_clear()) continue;
    if (std::abs(part) > kLargest) return "";
    if (part < kWorthNaming || named == kMost) continue;
    const std::string number = ":" + std::to_string(line.line);
    if (part >= kNearlyAll) return base_name(line.file) + number;
    text +=
        (named++ == 0 ? base_name(line.file) : ", ") + number + " " + percent(part, 1, 0) + " %";
  }
  return text;
}

nlohmann::ordered_json json_of(const SampledChange& change) {
  return {{"before", change.seconds.before},
          {"after", change.seconds.after},
          {"change", change.seconds.change()},
          {"error", change.error},
          {"clear", change.is_clear()},
          {"samples", {{"before", change.samples_before}, {"after", change.samples_after}}}};
}

}  // namespace

ComputationChanges computation_changes(const Computation& before, const Computation& after) {
  ComputationChanges out;
  out.seconds = {before.seconds, after.seconds};
  const auto& a = before.not_computing;
  const auto& b = after.not_computing;
  out.not_computing = {{"preempted", "without a core", {a.preempted, b.preempted}},
                       {"blocked", "blocked", {a.blocked, b.blocked}},
                       {"kernel", "in the kernel", {a.kernel, b.kernel}},
                       {"off_processor", "not on a core", {a.off_processor, b.off_processor}}};
  const BothRuns runs = {Run(before), Run(after)};
  for (const auto& [key, one] : by_name(before, after)) {
    FunctionChange function = {key.first, one.file, {}, {}, {}};
    const auto change = [&](const std::array<Sampled, 2>& both, double least_before,
                            double least_after) {
      return runs.change(both[0], both[1], least_before, least_after);
    };
    function.self = change(one.self, runs.before.least_function, runs.after.least_function);
    // A function whose own time is too small for the list may have any time with its callees.
    function.inclusive = change(one.inclusive, runs.before.least_function > 0 ? before.seconds : 0,
                                runs.after.least_function > 0 ? after.seconds : 0);
    for (const auto& [place, line] : one.lines) {
      function.lines.push_back({line.file, place.second,
                                change(line.self, runs.before.least_line, runs.after.least_line)});
    }
    std::ranges::stable_sort(function.lines, std::greater{},
                             [](const auto& line) { return size(line.self); });
    out.functions.push_back(std::move(function));
  }
  std::ranges::stable_sort(out.functions, std::greater{},
                           [](const auto& function) { return size(function.self); });
  return out;
}

std::string functions_text(const ComputationChanges& changes, double least, std::size_t top) {
  std::vector<const FunctionChange*> listed;
  double largest = 0;
  for (const auto& function : changes.functions) {
    const auto& self = function.self;
    if (size(self) < least || !self.is_clear()) continue;
    listed.push_back(&function);
    largest = std::max({largest, self.seconds.before, self.seconds.after});
  }
  if (listed.empty()) {
    return wrapped(
        "No function changed by more than twice the error of its samples and 0.05 % of the time.",
        "", text_width());
  }
  const int decimals = decimals_for(largest);
  const std::size_t shown = std::min(top, listed.size());
  Table table("lrrrrrl");
  table.add({"Functions that changed", "A", "B", "change", "%", "error", "lines"});
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& function = *listed[i];
    const auto& seconds = function.self.seconds;
    const std::string lines = lines_text(function), file = base_name(function.file);
    table.add({"  " + cut(short_name(function.name), 40), fixed(seconds.before, decimals),
               fixed(seconds.after, decimals), signed_text(seconds.change(), decimals),
               relative(seconds.before, seconds.after), fixed(function.self.error, decimals),
               cut(lines.empty() ? file : lines, 30)});
  }
  std::string text = table.text();
  if (shown < listed.size()) {
    text += "  and " + counted(listed.size() - shown, "smaller one") + ", see --top\n";
  }
  return text;
}

nlohmann::ordered_json computation_changes_json(const ComputationChanges& changes) {
  using Json = nlohmann::ordered_json;
  const auto both = [](const BeforeAfter& values) {
    return Json{{"before", values.before}, {"after", values.after}, {"change", values.change()}};
  };
  Json json = both(changes.seconds);
  for (const auto& part : changes.not_computing) {
    json["not_computing"][part.name] = both(part.seconds);
  }
  auto& functions = json["functions"] = Json::array();
  for (const auto& function : changes.functions) {
    Json one = {{"name", function.name},
                {"file", function.file},
                {"self", json_of(function.self)},
                {"inclusive", json_of(function.inclusive)},
                {"where", lines_text(function)}};
    auto& lines = one["lines"] = Json::array();
    for (const auto& line : function.lines) {
      Json place = {{"file", line.file}, {"line", line.line}};
      place.update(json_of(line.self));
      lines.push_back(std::move(place));
    }
    functions.push_back(std::move(one));
  }
  return json;
}

}  // namespace latecomer::view
