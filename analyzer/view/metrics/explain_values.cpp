// SPDX-License-Identifier: BSD-3-Clause
// Sums a metric, and finds the delay costs and reasons that belong to it.
#include "analyzer/view/metrics/explain_values.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "analyzer/view/metrics/metric_table.hpp"
#include "analyzer/view/summary/cause_groups.hpp"
#include "analyzer/view/text/call_path_text.hpp"
#include "analyzer/view/text/text.hpp"
#include "analyzer/view/words/longer_text.hpp"
#include "archive/printable.hpp"
#include "archive/shell_word.hpp"
#include "patterns/derived/wait_state_of.hpp"

namespace latecomer::view {
namespace {

constexpr std::size_t kMostPaths = 3, kMostRanks = 5, kMostCauses = 3;
constexpr double kWorthNaming = 0.005;  // part of the value

using Totals = std::map<std::uint32_t, std::vector<double>>;  // call path -> value by location

template <typename Share>
void sort_by_size(std::vector<Share>& shares) {
  std::ranges::stable_sort(shares, std::greater{},
                           [](const auto& share) { return std::abs(share.seconds); });
}

class Explanation {
 public:
  Explanation(report::Report& report, Summary summary)
      : report_(report), d_(report.definitions()), groups_(d_), summary_(std::move(summary)) {}

  Result<ExplainedValues> run(const patterns::Metric& metric) {
    ExplainedValues out;
    out.file = report_.file();
    out.command = summary_.command;
    out.program = summary_.program;
    out.root = summary_.root;
    out.metric = metric.name;
    out.time = summary_.knows_time ? summary_.time : 0;
    const auto index = report_.find(metric.name);
    if (index == report::kNone) return out;
    out.unit = report_.stored(index).unit;
    if (!report_.adds_up(index)) {
      return Problem{"values of " + metric.name + " cannot be summed up",
                     "latecomer show --metric " + metric.name + " REPORT"};
    }
    Totals totals;
    if (auto status = add(metric.name, totals); !status) return status.problem();
    for (const auto& [c, row] : totals) {
      const double value = std::accumulate(row.begin(), row.end(), 0.0);
      out.value += value;
      if (value != 0) out.call_paths.push_back({call_path_names(d_, c), value});
    }
    sort_by_size(out.call_paths);
    out.ranks = by_rank(totals);
    if (metric.name == "delay_unknown") return out;  // it is where processes waited
    if (metric.name.starts_with("delay")) {
      if (metric.name == "delay" && report_.find("delay_unknown") != report::kNone) {
        if (auto status = add("delay_unknown", totals, -1); !status) return status.problem();
      }
      out.causes = charged(totals);
    } else if (const auto wait = patterns::wait_state_of(metric.name); wait == metric.name) {
      Totals delays;
      for (const auto& other : d_.metrics) {
        // Costs of long-term delays are a part of the others, which contain them.
        const bool part =
            other.parent.starts_with("delay_") && patterns::wait_state_of(other.parent) == wait;
        if (!other.name.starts_with("delay_") || part ||
            patterns::wait_state_of(other.name) != wait) {
          continue;
        }
        if (auto status = add(other.name, delays); !status) return status.problem();
      }
      out.causes = charged(delays);
    } else {
      out.causes = late_by(metric.name);
    }
    sort_by_size(out.causes);
    return out;
  }

 private:
  // Adds the values of a metric, or subtracts them (factor -1).
  Status add(const std::string& name, Totals& totals, double factor = 1) {
    const auto values = report_.values(report_.find(name));
    if (!values) return values.problem();
    for (std::uint32_t c = 0; c < d_.call_paths.size(); ++c) {
      const auto row = (*values)->row(c);
      if (row.empty()) continue;
      auto& to = totals[c];
      to.resize(row.size());
      for (std::size_t l = 0; l < row.size(); ++l) to[l] += factor * row[l];
    }
    return success();
  }

  [[nodiscard]] std::vector<RankShare> by_rank(const Totals& totals) const {
    if (!summary_.summed_ranks.empty()) return {};
    std::map<std::uint32_t, double> sums;
    for (const auto& [c, row] : totals) {
      for (std::size_t l = 0; l < row.size(); ++l) {
        if (row[l] != 0) sums[d_.processes[d_.locations[l].process].rank] += row[l];
      }
    }
    std::vector<RankShare> ranks;
    for (const auto& [rank, value] : sums) ranks.push_back({rank, value});
    sort_by_size(ranks);
    return ranks;
  }

  // The call paths of delay costs by groups, with the reasons that the summary knows.
  [[nodiscard]] std::vector<Summary::Cause> charged(const Totals& totals) const {
    std::map<std::uint32_t, Totals> groups;
    for (const auto& [c, row] : totals) {
      if (std::accumulate(row.begin(), row.end(), 0.0) != 0) groups[groups_.of(c)][c] = row;
    }
    std::vector<Summary::Cause> causes;
    for (const auto& [group, rows] : groups) {
      Summary::Cause cause;
      for (const auto& [c, row] : rows) {
        cause.members.push_back(c);
        cause.seconds += std::accumulate(row.begin(), row.end(), 0.0);
      }
      cause.call_path = groups_.names(cause.members);
      cause.ranks = by_rank(rows);
      const auto known = std::ranges::find_if(summary_.causes, [&](const auto& other) {
        return groups_.of(other.members.front()) == group;
      });
      // The reason is that of the rank with most delay costs of all kinds.
      if (known != summary_.causes.end() && !known->ranks.empty() && !cause.ranks.empty() &&
          known->ranks.front().rank == cause.ranks.front().rank) {
        cause.how = known->how;
      }
      causes.push_back(std::move(cause));
    }
    return causes;
  }

  // Causes of waiting of which time of this metric is an important part.
  [[nodiscard]] std::vector<Summary::Cause> late_by(const std::string& metric) const {
    constexpr double kMuch = 0.1;
    std::vector<Summary::Cause> causes;
    for (const auto& [one, group, path, within] : longer_in_groups(report_, groups_)) {
      const auto& parts = one.not_computing;
      const double part = metric == "comp_preempted"                       ? parts.preempted
                          : metric == "comp_blocked"                       ? parts.blocked
                          : metric == "page_faults" && one.page_faults > 0 ? parts.kernel
                                                                           : 0;
      if (!(part > kMuch * one.delay_costs)) continue;
      Summary::Cause cause;
      cause.call_path = call_path_names(d_, path);
      cause.seconds = one.delay_costs;
      cause.ranks = {{d_.processes[d_.locations[one.location].process].rank, one.delay_costs}};
      cause.how = longer_text(one, names_between(d_, path, within));
      causes.push_back(std::move(cause));
    }
    return causes;
  }

  report::Report& report_;
  const report::Definitions& d_;
  const CauseGroups groups_;
  Summary summary_;
};

// "main > relax", without the program itself.
std::string path_text(const ExplainedValues& v, std::vector<std::string> names) {
  if (names.size() > 1 && (names.front() == v.program || names.front() == v.root)) {
    names.erase(names.begin());
  }
  return short_call_path(names, 50);
}

std::string amount(double value, const std::string& unit) {
  return unit == "sec"
             ? duration_text(value)
             : value_text(value, unit, std::abs(value)) + " " + (unit == "occ" ? "times" : unit);
}

}  // namespace

Result<ExplainedValues> explain_values(report::Report& report, const patterns::Metric& metric) {
  auto summary = summarize(report);
  if (!summary) return summary.problem();
  return Explanation(report, std::move(*summary)).run(metric);
}

std::string text_of(const ExplainedValues& v) {
  std::string text = "In " + printable(v.file) + " (" + cut(v.command, 50) + "): ";
  if (v.value == 0) return text + "nothing\n";
  text += amount(v.value, v.unit);
  if (v.unit == "sec" && v.time > 0) text += ", " + percent(v.value, v.time, 1) + " % of the time";
  text += "\n\n";
  const auto share = [&v](double part) {
    return percent(v.value < 0 ? -part : part, std::abs(v.value), 0) + "%";
  };
  const auto is_small = [](double part, double least) { return std::abs(part) < std::abs(least); };
  std::string where, ranks;
  for (std::size_t i = 0; i < std::min(v.call_paths.size(), kMostPaths); ++i) {
    const auto& path = v.call_paths[i];
    if (i > 0 && is_small(path.seconds, kWorthNaming * v.value)) break;
    where += (i == 0 ? "" : ", ") + path_text(v, path.call_path) + " " + share(path.seconds);
  }
  for (std::size_t i = 0; i < std::min(v.ranks.size(), kMostRanks); ++i) {
    if (i > 0 && is_small(v.ranks[i].seconds, kWorthNaming * v.value)) break;
    ranks +=
        (i == 0 ? "" : ", ") + std::to_string(v.ranks[i].rank) + ": " + share(v.ranks[i].seconds);
  }
  const auto line = [&text](const std::string& name, const std::string& words) {
    if (words.empty()) return;
    const std::string indent(10, ' ');
    text += "  " + pad_right(name, 8) + wrapped(words, indent, text_width()).substr(indent.size());
  };
  line("where", where);
  line("ranks", ranks);
  for (std::size_t i = 0; i < std::min(v.causes.size(), kMostCauses); ++i) {
    const auto& cause = v.causes[i];
    if (i > 0 && is_small(cause.seconds, 0.01 * v.causes.front().seconds)) break;
    line(i == 0 ? "cause" : "",
         path_text(v, cause.call_path) +
             (cause.ranks.empty() ? ""
                                  : " (rank " + std::to_string(cause.ranks.front().rank) +
                                        (cause.ranks.size() > 1 ? " most" : "") + ")") +
             " made others wait " + duration_text(cause.seconds) +
             (cause.how.empty() ? "" : ": " + cause.how));
  }
  line("next", "latecomer show --metric " + v.metric + " --by rank " + shell_word(v.file));
  return text;
}

nlohmann::ordered_json json_of(const ExplainedValues& v) {
  using Json = nlohmann::ordered_json;
  const auto ranks_of = [](const std::vector<RankShare>& ranks) {
    Json list = Json::array();
    for (const auto& [rank, value] : ranks) list.push_back({{"rank", rank}, {"value", value}});
    return list;
  };
  Json paths = Json::array(), causes = Json::array();
  for (const auto& path : v.call_paths) {
    paths.push_back({{"call_path", path.call_path}, {"value", path.seconds}});
  }
  for (const auto& cause : v.causes) {
    causes.push_back({{"call_path", cause.call_path},
                      {"seconds", cause.seconds},
                      {"ranks", ranks_of(cause.ranks)},
                      {"how", cause.how}});
  }
  return {{"report", v.file},    {"value", v.value},           {"unit", v.unit},  {"time", v.time},
          {"call_paths", paths}, {"ranks", ranks_of(v.ranks)}, {"causes", causes}};
}

}  // namespace latecomer::view
