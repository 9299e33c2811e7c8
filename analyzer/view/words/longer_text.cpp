// SPDX-License-Identifier: BSD-3-Clause
// Names the lines that have most of the difference.
#include "analyzer/view/words/longer_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "analyzer/view/text/call_path_text.hpp"
#include "analyzer/view/text/text.hpp"

namespace latecomer::view {
namespace {

constexpr double kWorthNaming = 0.1;  // part of the costs

// "heat.c:88", or the function if its line is not known.
std::string place_of(const report::LongerComputation::Line& line) {
  if (line.line == 0 || line.file.empty()) return short_name(line.function);
  return line.file.substr(line.file.rfind('/') + 1) + ":" + std::to_string(line.line);
}

// Seconds of the costs in which there are no samples, and so no lines.
double without_core(const report::LongerComputation& longer) {
  const auto& parts = longer.not_computing;
  return parts.preempted + parts.blocked + parts.off_processor;
}

// The lines that have most of the costs: " in relax (heat.c:88)" or " in relax: 61 % at
// heat.c:88". Empty: no line has enough of it.
std::string lines_text(const report::LongerComputation& longer,
                       const std::vector<std::string>& within) {
  constexpr std::size_t kMost = 3;
  constexpr double kNearlyAll = 0.95, kWorthALine = 0.05;
  if (longer.lines.empty() || within.empty()) return "";
  std::vector<std::pair<std::string, double>> places;  // the same line may be at several call paths
  for (const auto& line : longer.lines) {
    const auto place = place_of(line);
    const auto known = std::ranges::find(places, place, [](const auto& one) { return one.first; });
    if (known == places.end()) {
      places.emplace_back(place, line.seconds);
    } else {
      known->second += line.seconds;
    }
  }
  std::ranges::stable_sort(places, std::greater{}, [](const auto& one) { return one.second; });
  const std::string function = short_name(within.back());
  const auto& [first, seconds] = places.front();
  // Lines may have more than the whole, if the waiters computed longer elsewhere.
  double whole = 0;
  for (const auto& [place, part] : places) whole += part;
  whole = std::max(whole, longer.delay_costs - std::max(0.0, without_core(longer)));
  std::string text = " in ";
  for (std::size_t i = within.size() - std::min(within.size(), kMost); i < within.size(); ++i) {
    text += short_name(within[i]) + (i + 1 < within.size() ? " > " : "");
  }
  if (seconds >= kNearlyAll * whole) {
    return first == function ? text : text + " (" + first + ")";
  }
  std::size_t named = 0;
  for (const auto& [place, part] : places) {
    if (named == kMost || part < kWorthALine * whole) break;
    text += (named++ == 0 ? ": " : ", ") + percent(part, whole, 0) + " % " +
            (place.find(':') == std::string::npos ? "in " : "at ") + place;
  }
  return text;
}

// Says whether there were more instructions or slower ones: ", with 1.9 times the instructions".
// Empty if they were not counted, or if neither is clear.
std::string instructions_text(const report::LongerComputation& longer) {
  constexpr double kClear = 0.05;
  if (!(longer.instructions > 0)) return "";
  const bool is_slower = longer.time_for_each > 1 + kClear;
  std::string text = ", with " + fixed(longer.instructions, 1) + " times the instructions";
  if (std::abs(longer.instructions - 1) <= kClear) text = ", with as many instructions";
  if (!is_slower && longer.instructions <= 1 + kClear) return "";
  return text + (is_slower ? ", each " + fixed(longer.time_for_each, 1) + " times as long" : "");
}

// What a function that blocks does. Parts of names are enough: __poll_chk, ppoll.
std::string deed_of(const std::string& function) {
  struct Deed {
    const char* part;
    const char* text;
  };
  constexpr std::array<Deed, 25> kDeeds = {{{"sleep", "slept in "},
                                            {"pause", "waited for a signal in "},
                                            {"sigsuspend", "waited for a signal in "},
                                            {"sigwait", "waited for a signal in "},
                                            {"sigtimedwait", "waited for a signal in "},
                                            {"sem", "waited for a semaphore in "},
                                            {"cond", "waited for another thread in "},
                                            {"mutex", "waited for a lock in "},
                                            {"lock", "waited for a lock in "},
                                            {"barrier", "waited for other threads in "},
                                            {"join", "waited for another thread in "},
                                            {"poll", "waited for an event in "},
                                            {"select", "waited for an event in "},
                                            {"epoll", "waited for an event in "},
                                            {"recv", "waited for data in "},
                                            {"read", "waited for data in "},
                                            {"send", "waited for the receiver of data in "},
                                            {"write", "waited for the receiver of data in "},
                                            {"accept", "waited for a connection in "},
                                            {"connect", "waited for a connection in "},
                                            {"waitpid", "waited for a child in "},
                                            {"waitid", "waited for a child in "},
                                            {"wait3", "waited for a child in "},
                                            {"wait4", "waited for a child in "},
                                            {"system", "waited for a child in "}}};
  if (function == "wait") return "waited for a child in ";
  const auto found = std::ranges::find_if(
      kDeeds, [&](const Deed& d) { return function.find(d.part) != std::string::npos; });
  return found == kDeeds.end() ? "waited in " : found->text;
}

// Where it was blocked: ": it slept in usleep (heat.c:12)", or the parts of the time in several
// calls. What is left out was at no known place.
std::string blocked_text(const report::LongerComputation& longer) {
  constexpr double kNearlyAll = 0.9, kWorthIt = 0.1;
  constexpr std::size_t kMost = 3;
  const double whole = longer.not_computing.blocked;
  auto calls = longer.blocked;
  std::ranges::stable_sort(calls, std::greater{}, &report::LongerComputation::Blocked::seconds);
  if (calls.empty() || calls.front().seconds < kWorthIt * whole) {
    return ": asleep, or waiting for a file, a lock, a socket, a thread or a child";
  }
  const auto& first = calls.front();
  if (first.seconds >= kNearlyAll * whole) {
    return ": it " + deed_of(first.function) + place_of_call(first);
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, calls.size()); ++i) {
    if (calls[i].seconds < kWorthIt * whole) break;
    text += (text.empty() ? ": it " : ", ") + deed_of(calls[i].function) + place_of_call(calls[i]) +
            " for " + percent(calls[i].seconds, whole, 0) + " % of that";
  }
  return text;
}

// Part of the costs, as a sentence without its subject: text, seconds, more.
struct Reason {
  double seconds = 0;
  std::string text, more;  // no text: nothing can be said
};

std::vector<Reason> reasons_of(const report::LongerComputation& longer,
                               const std::vector<std::string>& within) {
  constexpr double kFault = 1e-6, kMany = 0.1;  // about the seconds of one; part of the time
  const auto& parts = longer.not_computing;
  const double computed = longer.computed();
  const std::string lines = lines_text(longer, within);
  // Lines have their time in the kernel, too, so they belong to it if there is nothing else.
  const bool only_kernel = computed < kWorthNaming * longer.delay_costs;
  std::string faults;
  if (parts.kernel > 0 && longer.page_faults * kFault > kMany * parts.kernel) {
    faults = ", with a page fault every " + duration_text(parts.kernel / longer.page_faults);
  }
  return {{computed, lines.empty() ? "" : "computed longer for", lines + instructions_text(longer)},
          {parts.preempted, "had no core for", ", since something else ran there"},
          {parts.blocked, "was blocked for", blocked_text(longer)},
          {parts.kernel, "was in the kernel for", (only_kernel ? lines : "") + faults},
          {parts.off_processor, "was not on a core for",
           ": asleep, waiting for a file or a lock, or without a free core"}};
}

}  // namespace

std::string place_of_call(const report::LongerComputation::Blocked& call) {
  const std::string file = call.file.substr(call.file.rfind('/') + 1);
  const std::string place = call.line != 0 && !file.empty() ? file + ":" + std::to_string(call.line)
                            : call.caller.empty()           ? ""
                                                  : "called by " + short_name(call.caller);
  return call.function + (place.empty() ? "" : " (" + place + ")");
}

std::string longer_text(const report::LongerComputation& longer,
                        const std::vector<std::string>& within) {
  if (!(longer.delay_costs > 0)) return "";
  std::vector<Reason> reasons = reasons_of(longer, within);
  std::ranges::stable_sort(reasons, std::greater{}, &Reason::seconds);
  std::string text;
  for (const Reason& reason : reasons) {
    if (reason.seconds < kWorthNaming * longer.delay_costs || reason.text.empty()) continue;
    if (text.empty()) {
      text = "it " + reason.text + " " + duration_text(reason.seconds) + " of the waiting" +
             reason.more;
    } else {
      text += "; " + reason.text + " " + duration_text(reason.seconds) + reason.more;
    }
  }
  return text;
}

std::vector<std::string> names_between(const report::Definitions& definitions, std::uint32_t from,
                                       std::uint32_t to) {
  const auto name_of = [&](std::uint32_t call_path) {
    return definitions.regions[definitions.call_paths[call_path].region].name;
  };
  std::vector<std::string> names;
  std::uint32_t at = to;
  for (; at < definitions.call_paths.size() && at != from; at = definitions.call_paths[at].parent) {
    names.insert(names.begin(), name_of(at));
  }
  if (at != from || names.empty()) names = {name_of(to)};
  return names;
}

std::string naming_rank(const std::string& text, std::uint32_t rank) {
  return text.starts_with("it ") ? "rank " + std::to_string(rank) + text.substr(2) : text;
}

}  // namespace latecomer::view
