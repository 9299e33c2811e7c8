// SPDX-License-Identifier: BSD-3-Clause
// Finds metrics and explains them with the texts of patterns/.
#include "analyzer/view/text/explain.hpp"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <string_view>

#include "analyzer/view/text/run_numbers.hpp"
#include "analyzer/view/text/text.hpp"
#include "patterns/derived/drawings.hpp"
#include "patterns/derived/wait_state_of.hpp"
#include "patterns/drawings/drawing.hpp"

namespace latecomer::view {
namespace {

using patterns::Metric;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

const char* unit_word(patterns::Unit unit) {
  switch (unit) {
    case patterns::Unit::kSeconds:
      return "seconds";
    case patterns::Unit::kOccurrences:
      return "occurrences";
    case patterns::Unit::kBytes:
      return "bytes";
  }
  return "";
}

const Metric* by_name(const std::vector<Metric>& metrics, const std::string& name) {
  const auto found = std::find_if(metrics.begin(), metrics.end(),
                                  [&](const Metric& metric) { return metric.name == name; });
  return found == metrics.end() ? nullptr : &*found;
}

// Display names from the root to the metric.
std::vector<std::string> place(const std::vector<Metric>& metrics, const Metric& metric) {
  std::vector<std::string> names;
  for (const Metric* m = &metric; m != nullptr; m = by_name(metrics, m->parent)) {
    names.push_back(m->display);
  }
  std::reverse(names.begin(), names.end());
  return names;
}

// Prefers metrics of time. If several metrics have one name, most people mean a time; the others
// show the same time from another side.
void prefer_times(const std::vector<Metric>& all, std::vector<const Metric*>& metrics) {
  const auto is_time = [&](const Metric* metric) {
    while (const Metric* parent = by_name(all, metric->parent)) metric = parent;
    return metric->name == "time";
  };
  if (std::any_of(metrics.begin(), metrics.end(), is_time)) {
    std::erase_if(metrics, [&](const Metric* metric) { return !is_time(metric); });
  }
}

}  // namespace

// Dynamic programming: d[i][j] is the distance of the first i characters of `a` and the first j of
// `b`.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      const std::size_t replaced = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

Result<Metric> find_metric(const std::vector<Metric>& metrics, const std::string& name,
                           const std::string& command) {
  if (const auto* exact = by_name(metrics, name)) return *exact;
  // The length is limited because the edit distance takes quadratic time.
  const std::string wanted = lower(name).substr(0, 200);
  std::vector<const Metric*> same;
  const Metric* nearest = nullptr;
  std::size_t smallest = 0;
  for (const auto& metric : metrics) {
    // Metrics of threads have names as short as "Barrier", although the user may mean another one.
    std::string_view name = metric.name;
    if (name.starts_with("delay_")) name.remove_prefix(6);
    const bool threads = name.starts_with("omp") || name.starts_with("pthread");
    if ((!threads && lower(metric.display) == wanted) || lower(metric.name) == wanted) {
      same.push_back(&metric);
    }
    for (const auto& candidate : {metric.name, metric.display}) {
      const auto distance = edit_distance(wanted, lower(candidate));
      if (nearest == nullptr || distance < smallest) {
        nearest = &metric;
        smallest = distance;
      }
    }
  }
  prefer_times(metrics, same);
  if (same.size() == 1) return *same.front();
  if (same.size() > 1) {
    std::string names;
    for (const auto* metric : same) names += (names.empty() ? "" : ", ") + metric->name;
    return Problem{"several metrics are called " + same.front()->display + ": " + names,
                   command + " NAME with one of these names", Exit::kUsage};
  }
  if (nearest == nullptr) return Problem{"there are no metrics", "", Exit::kUsage};
  // A part of a name: the metric if only one contains it, otherwise a list of all that contain it.
  std::vector<const Metric*> with_part;
  for (const auto& metric : metrics) {
    if (wanted.size() < 3) break;
    if (metric.parent.starts_with("metahost_pairs")) continue;  // one per pair
    for (const auto& candidate : {metric.name, metric.display}) {
      if (lower(candidate).find(wanted) == std::string::npos) continue;
      with_part.push_back(&metric);
      break;
    }
  }
  prefer_times(metrics, with_part);
  if (with_part.size() == 1) return *with_part.front();
  if (with_part.size() > 1) {
    constexpr std::size_t kMost = 12;
    std::string names;
    for (std::size_t i = 0; i < with_part.size() && i < kMost; ++i) {
      names += (i == 0 ? "" : ", ") + with_part[i]->name;
    }
    if (with_part.size() > kMost) names += ", ...";
    return Problem{"several metrics have \"" + name + "\" in their names: " + names,
                   command + " NAME with one of these names", Exit::kUsage};
  }
  // Up to a third of the letters may be wrong; names that differ more are other words.
  const bool near = smallest <= std::max<std::size_t>(2, wanted.size() / 3);
  return Problem{
      "there is no metric " + name +
          (near ? "; the nearest is " + nearest->name + " (" + nearest->display + ")" : ""),
      command + " lists all metrics", Exit::kUsage};
}

std::optional<Metric> counter_metric(const std::string& name) {
  constexpr std::string_view kPrefix = "counter_";
  if (!name.starts_with(kPrefix) || name.size() == kPrefix.size()) return {};
  Metric metric;
  metric.name = name;
  metric.display = name.substr(kPrefix.size());
  metric.unit = patterns::Unit::kOccurrences;
  metric.description = "What a counter of the trace counted.";
  metric.explanation =
      "What it counted between two of its values belongs to the call path that was open meanwhile. "
      "Counters of the processor, such as those of PAPI, say why a rank computed longer. If it "
      "counted more instructions, it had more work. If it counted more cycles for as many "
      "instructions, it worked slower, for instance since data was not in the caches.\n"
      "What to try: compare the ranks and call paths that made others wait with the others.\n";
  return metric;
}

std::string explain_text(const std::vector<Metric>& metrics, const Metric& metric) {
  std::string where;
  for (const auto& name : place(metrics, metric)) where += (where.empty() ? "" : " > ") + name;
  std::string text = metric.display + "\n\n";
  text += "  name   " + metric.name + "\n";
  text += "  unit   " + std::string(unit_word(metric.unit)) + "\n";
  text += "  place  " + where + "\n";
  std::string parts;
  for (const auto& other : metrics) {
    if (other.parent == metric.name) parts += (parts.empty() ? "" : ", ") + other.display;
  }
  if (!parts.empty()) {
    text += "  parts  " + wrapped(parts, "         ", text_width() - 10).substr(9);
  }
  if (!metric.formula.empty()) {
    text += "  time   " + wrapped(metric.formula, "         ", text_width() - 10).substr(9);
  }
  const bool repeated = metric.explanation.starts_with(metric.description);
  if (!repeated) text.append("\n").append(wrapped(metric.description, "", 80));
  if (const auto drawing = patterns::drawing_of(metric.name)) {
    text.append("\n").append(patterns::plain_text(*drawing));
  }
  if (!metric.explanation.empty()) text.append("\n").append(wrapped(metric.explanation, "", 80));
  return text;
}

nlohmann::ordered_json explain_json(const std::vector<Metric>& metrics, const Metric& metric) {
  auto children = nlohmann::ordered_json::array();
  for (const auto& other : metrics) {
    if (other.parent == metric.name) children.push_back(other.name);
  }
  const auto drawing = patterns::drawing_of(metric.name);
  return {{"name", metric.name},
          {"display_name", metric.display},
          {"unit", unit_word(metric.unit)},
          {"parent", metric.parent},
          {"place", place(metrics, metric)},
          {"children", children},
          {"description", metric.description},
          {"formula", metric.formula},
          {"explanation", metric.explanation},
          {"advice", metric.advice},
          {"wait_state", patterns::wait_state_of(metric.name)},
          {"drawing", drawing ? nlohmann::ordered_json(patterns::svg(*drawing)) : nullptr}};
}

std::string list_text(const std::vector<Metric>& metrics) {
  Table table("lll");
  table.add({"metric", "name", "unit"});
  for (const auto& metric : metrics) {
    const auto depth = place(metrics, metric).size() - 1;
    table.add({std::string(2 * depth, ' ') + metric.display, metric.name, unit_word(metric.unit)});
  }
  return table.text() + "\n" + run_numbers_list() +
         "\nlatecomer explain NAME tells more about one of them.\n";
}

nlohmann::ordered_json list_json(const std::vector<Metric>& metrics) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& metric : metrics) list.push_back(explain_json(metrics, metric));
  return list;
}

}  // namespace latecomer::view
