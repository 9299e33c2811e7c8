// SPDX-License-Identifier: BSD-3-Clause
// Prints predictions: run time first, then the waits that go and those that stay.
#include "analyzer/view/words/prediction_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include "analyzer/report/extras/json_writer.hpp"
#include "analyzer/view/text/call_path_text.hpp"
#include "analyzer/view/text/text.hpp"
#include "patterns/metrics.hpp"

namespace latecomer::view {
namespace {

constexpr std::size_t kRanks = 10;  // ranks that are listed

// "-27.6 %", "+3.0 %"; with nothing to compare with, nothing.
std::string change_text(double before, double after) {
  if (!(before > 0)) return "";
  const double change = after - before;
  const std::string number = percent(std::abs(change), before, 1);
  if (std::stod(number) == 0) return "0 %";
  return (change < 0 ? "-" : "+") + number + " %";
}

std::string arrow(double before, double after) {
  const auto change = change_text(before, after);
  return duration_text(before) + " -> " + duration_text(after) +
         (change.empty() ? "" : " (" + change + ")");
}

std::string display_name(const std::string& metric) {
  if (metric == report::Prediction::kUntilInit) return "Until all are in MPI_Init";
  const auto found = patterns::find_metric(metric);
  return found ? found->display : metric;
}

void add_row(Table& table, const std::string& name, double before, double after) {
  table.add({name, duration_text(before), duration_text(after), change_text(before, after)});
}

// Call paths in both runs. `values`: the texts of three columns, recorded, predicted and change.
std::string limits_table(const std::vector<report::Prediction::Limit>& list,
                         const std::string& title, const std::string& change_title, auto&& lead,
                         auto&& values) {
  std::vector<std::vector<std::string>> paths;
  std::vector<std::size_t> columns;
  std::vector<std::string> leads;
  for (const auto& one : list) {
    leads.push_back(lead(one));
    paths.push_back(one.names);
    constexpr std::size_t kNumbers = 34, kLeast = 20;  // columns of the numbers; of a call path
    const auto taken = leads.back().size() + kNumbers;
    columns.push_back(text_width() > taken + kLeast ? text_width() - taken : kLeast);
  }
  const auto names = short_call_paths(paths, columns);
  Table table("lrrr");
  table.add({title, "recorded", "predicted", change_title});
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto [before, after, change] = values(list[i]);
    table.add({leads[i] + names[i], before, after, change});
  }
  return "\n" + table.text();
}

// The limits of the predicted run: where its critical path runs, its largest waits and causes.
std::string limits_text(const report::Prediction::Limits& limits) {
  using Limit = report::Prediction::Limit;
  const auto none = [](const Limit&) { return std::string(); };
  const auto durations = [](const Limit& one) {
    return std::tuple(duration_text(one.before), duration_text(one.after),
                      change_text(one.before, one.after));
  };
  std::string text;
  if (!limits.path.empty()) {
    text += limits_table(limits.path, "critical path", "", none, [&](const Limit& one) {
      const auto share = [](double part, double whole) {
        return whole > 0 ? percent(part, whole, 0) + " %" : "";
      };
      // Shares of paths of two lengths: their difference is not a time.
      return std::tuple(share(one.before, limits.path_before), share(one.after, limits.path_after),
                        std::string());
    });
  }
  if (!limits.waits.empty()) {
    text += limits_table(
        limits.waits, "largest waits", "change",
        [](const Limit& one) { return display_name(one.metric) + " in "; }, durations);
  }
  if (!limits.causes.empty()) {
    text += limits_table(limits.causes, "made others wait", "change", none, durations);
    const auto& first = limits.causes.front();
    if (first.after > 0 && first.rank) {
      text += "\n" + wrapped("then the first cause: " + short_call_path(first.names, text_width()) +
                                 ", most of it on rank " + std::to_string(*first.rank) +
                                 ", makes others wait " + duration_text(first.after) + ", " +
                                 percent(first.after, limits.caused_after, 0) +
                                 " % of the waiting with a known cause",
                             "", text_width());
    }
  }
  return text;
}

}  // namespace

std::string prediction_text(const report::Prediction& prediction) {
  std::string text;
  for (const auto& change : prediction.changes) text += "what if:     " + change + "\n";
  text += "run time:    " + arrow(prediction.recorded, prediction.predicted) + ", predicted\n";
  if (duration_text(prediction.least) != duration_text(prediction.most)) {
    text += "             " + duration_text(prediction.least) + " to " +
            duration_text(prediction.most) + ", depending on how long messages travel\n";
  }
  if (prediction.changed_locations > 0) {
    text += "changed:     " + arrow(prediction.changed_before, prediction.changed_after) + ", " +
            counted(prediction.changed_call_paths, "call path") + " on " +
            counted(prediction.changed_locations, "location") + "\n";
    if (prediction.sampling_error) {
      text += "             " + duration_text(prediction.changed_before) + " +- " +
              duration_text(*prediction.sampling_error) + " as samples say (standard error)\n";
    }
    if (prediction.moved_work) {
      text += "             other ranks do " + duration_text(*prediction.moved_work) +
              " of that work where they waited:\n"
              "             the waits below still have this time\n";
    }
  }

  auto states = prediction.by_state;
  std::ranges::stable_sort(states, std::ranges::greater(),
                           [](const auto& one) { return std::max(one.before, one.after); });
  double before = 0, after = 0;
  Table table("lrrr");
  table.add({"waiting", "recorded", "predicted", "change"});
  for (const auto& one : states) {
    add_row(table, display_name(one.metric), one.before, one.after);
    before += one.before;
    after += one.after;
  }
  if (states.empty()) {
    text += "\nno process waits, in neither of the runs\n";
  } else {
    if (states.size() > 1) add_row(table, "all", before, after);
    text += "\n" + table.text();
    auto ranks = prediction.by_rank;
    std::ranges::stable_sort(ranks, std::ranges::greater(),
                             [](const auto& one) { return std::abs(one.after - one.before); });
    const auto more = ranks.size() > kRanks ? ranks.size() - kRanks : 0;
    ranks.resize(ranks.size() - more);
    std::ranges::sort(ranks, {}, &report::Prediction::Waits::rank);
    Table by_rank("rrrr");
    by_rank.add({"rank", "recorded", "predicted", "change"});
    for (const auto& one : ranks) add_row(by_rank, std::to_string(one.rank), one.before, one.after);
    text += "\n" + by_rank.text();
    if (more > 0) {
      text += "and " + counted(more, "rank") + " whose waits change less: --json\n";
    }
  }
  if (prediction.limits) text += limits_text(*prediction.limits);
  if (prediction.contradictions > 0) {
    text +=
        "\nnote: " + counted(static_cast<std::uint64_t>(prediction.contradictions), "dependency") +
        " left out, since the recorded times contradict each other\n";
  }
  for (const auto& note : prediction.notes) {
    text += "\n" + wrapped("note: " + note, "", text_width());
  }
  return text;
}

std::string prediction_json(const report::Prediction& prediction, const std::string& experiment) {
  report::JsonWriter out;
  {
    const auto whole = out.object();
    out.member("experiment", experiment);
    write(out.key("prediction"), prediction);
    out.member("schema_version", 1);
  }
  return out.take() + "\n";
}

}  // namespace latecomer::view
