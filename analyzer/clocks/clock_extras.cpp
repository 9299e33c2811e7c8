// SPDX-License-Identifier: BSD-3-Clause
// Makes the report's statements and notes about clocks.
#include "analyzer/clocks/clock_extras.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <set>
#include <string>

#include "analyzer/trace/definitions/known_node.hpp"
#include "archive/layout.hpp"

namespace latecomer::replay {
namespace {

report::Clocks::Violations violations_of(const sync::ViolationCounts& counts) {
  return {.messages = static_cast<std::uint64_t>(counts.messages),
          .reversed_messages = static_cast<std::uint64_t>(counts.reversed_messages),
          .collectives = static_cast<std::uint64_t>(counts.collectives),
          .reversed_collectives = static_cast<std::uint64_t>(counts.reversed_collectives)};
}

double seconds(const trace::Definitions& definitions, sync::Ticks ticks) {
  return static_cast<double>(ticks) / static_cast<double>(definitions.ticks_per_second);
}

// A duration with a unit that fits, such as "12 us".
std::string duration_text(double seconds) {
  const char* unit = seconds < 1e-6 ? "ns" : seconds < 1e-3 ? "us" : seconds < 1 ? "ms" : "s";
  const double scale = seconds < 1e-6 ? 1e9 : seconds < 1e-3 ? 1e6 : seconds < 1 ? 1e3 : 1;
  char text[40];
  std::snprintf(text, sizeof text, "%.3g %s", seconds * scale, unit);
  return text;
}

}  // namespace

namespace {

// Processes share a clock if the archive says so. If it says nothing, processes of one node do.
std::size_t count_clocks(const trace::Definitions& definitions) {
  std::set<std::string> clocks;
  for (const auto& process : definitions.processes) {
    if (!trace::has_known_node(definitions, process)) continue;
    const auto known = process.properties.find(layout::kPropertyClock);
    clocks.insert(known != process.properties.end() ? known->second
                                                    : "node " + std::to_string(process.node));
  }
  return std::max<std::size_t>(1, clocks.size());
}

// Name of a correction step in a sentence.
const char* in_words(const std::string& step) {
  if (step == "messages") return "after the drift of messages";
  if (step == "clc") return "after the controlled logical clock";
  return "otherwise";
}

}  // namespace

report::Clocks clock_results(const trace::Definitions& definitions, const sync::Topology& topology,
                             const Correction& correction) {
  const auto in_seconds = [&](sync::Ticks ticks) { return seconds(definitions, ticks); };
  const std::size_t metahosts = definitions.metahosts.size();
  report::Clocks out;
  for (const auto& step : correction.steps) {
    auto& to = out.steps.emplace_back();
    to.name = step.name;
    to.violations = violations_of(step.violations.total());
    to.largest = in_seconds(step.violations.largest);
    to.sum = in_seconds(step.violations.sum);
    for (std::size_t p = 0; p < step.violations.pairs.size() && metahosts > 1; ++p) {
      if (step.violations.pairs[p].all() == 0) continue;
      to.pairs.push_back({definitions.metahosts[p / metahosts].name,
                          definitions.metahosts[p % metahosts].name,
                          violations_of(step.violations.pairs[p])});
    }
  }
  out.count = count_clocks(definitions);
  out.latency = {.node = in_seconds(topology.latency[0]),
                 .metahost = in_seconds(topology.latency[1]),
                 .external = in_seconds(topology.latency[2])};
  if (correction.moved) {
    out.moved = {.events = correction.events_moved,
                 .largest_shift = in_seconds(correction.largest_shift),
                 .largest_growth = in_seconds(correction.largest_growth),
                 .interval_distortion = correction.interval_distortion};
  }
  if (correction.decay != 0) {
    out.logical_clock = {.jumps = correction.jumps,
                         .largest_jump = in_seconds(correction.largest_jump),
                         .gamma = 1.0 - 1.0 / static_cast<double>(correction.decay),
                         .avalanche = correction.avalanche,
                         .contradiction = correction.contradiction};
  }
  return out;
}

// Notes: comparisons that were left out, violations before the correction and what each step left,
// violations that remain, and shifts out of control.
std::vector<report::QualityNote> clock_notes(const trace::Definitions& definitions,
                                             const Correction& correction) {
  std::vector<report::QualityNote> notes;
  if (const auto left_out = definitions.properties.find(layout::kPropertyClocksLeftOut);
      left_out != definitions.properties.end()) {
    std::int64_t count = 0;
    const std::string& text = left_out->second;
    std::from_chars(text.data(), text.data() + text.size(), count);
    if (count > 0) {
      notes.push_back({"clock_measurements_left_out", count,
                       count == 1
                           ? "comparison of clocks left out, since it cannot be true: see "
                             "MANIFEST.md"
                           : "comparisons of clocks left out, since they cannot be true: see "
                             "MANIFEST.md"});
    }
  }
  if (correction.steps.empty()) return notes;
  const auto before = correction.steps.front().violations.total();
  if (before.all() > 0) {
    std::string text = "messages and collective exits earlier than MPI allows by the ";
    text += correction.steps.front().name == "none" ? "uncorrected clocks" : "measured clocks";
    for (std::size_t i = 1; i < correction.steps.size(); ++i) {
      const auto& step = correction.steps[i];
      const auto& last = correction.steps[i - 1].violations;
      text += ", " + std::to_string(step.violations.total().all()) + " " + in_words(step.name);
      if (step.violations.total().all() > last.total().all()) {
        text += " (more, but together by " +
                duration_text(seconds(definitions, step.violations.sum)) + " in place of " +
                duration_text(seconds(definitions, last.sum)) + ")";
      }
    }
    if (correction.moved) {
      text += ": " + std::to_string(correction.events_moved) + " events were moved, at most by " +
              duration_text(seconds(definitions, correction.largest_shift));
    } else {
      text += ": small waits are uncertain";
    }
    notes.push_back({"clock_violations", before.all(), text});
  }
  const auto after = correction.steps.back().violations.total();
  if (correction.moved && after.all() > 0) {
    notes.push_back({"clock_violations_left", after.all(),
                     "of them are still too early after the correction: the trace contradicts "
                     "itself there"});
  }
  if (correction.moved && correction.avalanche) {
    notes.push_back({"clock_avalanche", correction.jumps,
                     "receives that were moved, in part since others were: the clocks are far "
                     "from what was measured, times are uncertain"});
  }
  return notes;
}

}  // namespace latecomer::replay
