// SPDX-License-Identifier: BSD-3-Clause
// Unifies the calling contexts of samples, and the counters that the user chose. Equal functions at
// equal lines of equal callers become one context. So the number of contexts does not grow with the
// number of addresses. Processes with the same choice of counters share a metric class.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "archive/layout.hpp"
#include "tracer/convert/definitions/unify_parts.hpp"

namespace latecomer::convert {
namespace {

class Contexts {
 public:
  explicit Contexts(GlobalDefinitions& global) : global_(global) {}

  // Defines the contexts of the frames on which samples of this process fell.
  void add(const OrderedProcess& p) {
    if (p.input->usage.sampled_frames.empty()) return;
    std::unordered_map<std::uint32_t, std::vector<const record::FrameFunction*>> functions;
    for (const auto& d : p.input->definitions.frame_functions) functions[d.frame].push_back(&d);
    for (const std::uint32_t frame : p.input->usage.sampled_frames) {
      define_path(p, functions, frame);
    }
  }

  // Contexts of the functions in which threads were blocked; their callers are defined.
  void add_blocked(const OrderedProcess& p) {
    std::vector<BlockedContext> all;
    for (const BlockedPlace& d : p.input->usage.blocked_places) {
      const std::uint32_t region = p.map->region(d.region);
      if (region == kNoId) continue;
      all.push_back({d.frame, d.region, define(p.map->context(d.frame), region, kNoId)});
    }
    if (all.empty()) return;
    global_.has_blocked = true;
    p.map->set_blocked(std::move(all), global_.blocked_clock());
  }

 private:
  // Defines the contexts of a frame and of its callers, which have lower numbers.
  template <typename Functions>
  void define_path(const OrderedProcess& p, const Functions& functions, std::uint32_t frame) {
    std::vector<std::uint32_t> missing;  // innermost first
    std::uint32_t context = kNoId;
    while (frame != 0) {
      context = p.map->context(frame);
      if (context != kNoId) break;
      missing.push_back(frame);
      frame = p.map->frame(frame).parent;
    }
    for (; !missing.empty(); missing.pop_back()) {
      const auto& known = p.map->frame(missing.back()).functions;
      const auto places = functions.find(missing.back());
      for (std::size_t i = 0; i < known.size(); ++i) {
        const bool has_place = places != functions.end() && i < places->second.size();
        const std::uint32_t line = has_place ? line_of(*places->second[i]) : kNoId;
        context = define(context, known[i].region, line);
      }
      if (context != kNoId) p.map->set_context(missing.back(), context);
    }
  }

  std::uint32_t line_of(const record::FrameFunction& d) {
    if (d.place_line == 0 || d.place_file.empty()) return kNoId;
    const auto next = static_cast<std::uint32_t>(global_.lines.size());
    const auto [line, is_new] = lines_.try_emplace({d.place_file, d.place_line}, next);
    if (is_new) global_.lines.push_back({global_.strings.id(d.place_file), d.place_line});
    return line->second;
  }

  std::uint32_t define(std::uint32_t parent, std::uint32_t region, std::uint32_t line) {
    const auto next = static_cast<std::uint32_t>(global_.contexts.size());
    const auto [context, is_new] = contexts_.try_emplace({parent, region, line}, next);
    if (is_new) global_.contexts.push_back({region, line, parent});
    return context->second;
  }

  GlobalDefinitions& global_;
  std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> lines_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> contexts_;
};

// Empty if the log does not say it, or if it is damaged.
std::vector<ChosenCounter> chosen_in(const record::Definitions& definitions) {
  for (const record::Property& property : definitions.properties) {
    if (property.name != layout::kLogCounters) continue;
    if (auto counters = parse_counters(property.value)) return *std::move(counters);
  }
  return {};
}

}  // namespace

void unify_contexts(const ProcessOrder& order, GlobalDefinitions& global) {
  Contexts contexts(global);
  std::set<std::uint32_t> periods;
  for (const OrderedProcess& p : order) {
    contexts.add(p);
    global.kernel_use = global.kernel_use || p.input->usage.kernel_use;
    periods.insert(p.input->usage.sample_periods.begin(), p.input->usage.sample_periods.end());
  }
  global.sample_periods.assign(periods.begin(), periods.end());
  for (const OrderedProcess& p : order) {
    if (!p.input->usage.sampled_frames.empty()) p.map->set_periods(global.sample_periods);
    contexts.add_blocked(p);
  }
}

void unify_counters(const ProcessOrder& order, GlobalDefinitions& global) {
  std::vector<std::string> texts;
  for (const OrderedProcess& p : order) {
    if (!p.input->usage.counted) continue;
    std::vector<ChosenCounter> counters = chosen_in(p.input->definitions);
    if (counters.empty()) continue;
    const std::string text = counters_text(counters);
    const auto set = static_cast<std::size_t>(std::ranges::find(texts, text) - texts.begin());
    p.map->counter_class = global.first_counter_class() + static_cast<std::uint32_t>(set);
    p.map->counters = static_cast<std::uint32_t>(counters.size());
    if (set < texts.size()) continue;
    texts.push_back(text);
    global.counter_sets.push_back(std::move(counters));
  }
}

}  // namespace latecomer::convert
