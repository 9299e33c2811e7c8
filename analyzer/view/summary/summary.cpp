// SPDX-License-Identifier: BSD-3-Clause
// Sums the metrics that matter for a first look over call paths and locations.
#include "analyzer/view/summary/summary.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "analyzer/view/summary/report_sums.hpp"
#include "analyzer/view/summary/summary_causes.hpp"
#include "analyzer/view/summary/wait_states.hpp"
#include "analyzer/view/text/call_path_text.hpp"
#include "analyzer/view/text/text.hpp"
#include "archive/layout.hpp"
#include "archive/printable.hpp"
#include "archive/shell_words.hpp"

namespace latecomer::view {
namespace {

constexpr const char* kPairPrefix = "metahost_pairs_";

class Summarizer {
 public:
  explicit Summarizer(report::Report& report)
      : report_(report), d_(report.definitions()), sums_(report) {}

  Result<Summary> run() {
    out_.file = report_.file();
    const auto& extras = report_.extras();
    out_.program = extras.program.name;
    out_.arguments = extras.program.arguments;
    std::vector<std::string> words = {out_.program};
    words.insert(words.end(), out_.arguments.begin(), out_.arguments.end());
    out_.command = out_.program.empty() ? "unknown program" : printable(command_line(words));
    out_.endings = extras.endings;
    if (extras.results) {
      out_.clocks = extras.results->clocks;
      out_.sampled = extras.results->computation;
      out_.efficiency = extras.results->efficiency;
    }
    out_.document = d_.document;
    out_.quality = extras.quality;
    out_.tells_quality = report_.document().contains("quality");
    out_.operation = extras.origin.name;
    out_.difference = out_.operation == "diff";
    if (!out_.operation.empty()) {
      out_.inputs = extras.origin.inputs;
      out_.summed_ranks = extras.origin.ranks;
    }
    out_.partial = extras.partial;
    out_.only_watched = extras.only_watched();
    out_.waits_at_least = extras.waits_at_least;
    system();

    const auto time = sums_.totals("time");
    out_.time = time.all;
    out_.knows_time = report_.find("time") != report::kNone;
    const auto longest = std::max_element(time.locations.begin(), time.locations.end());
    // A report without a run time gets that of its longest location.
    out_.duration = extras.run.duration;
    // A sum over ranks, or a difference, is not the run time of anything.
    const bool is_run = !out_.difference && out_.summed_ranks.empty();
    if (!(out_.duration > 0)) {
      out_.duration = is_run && longest != time.locations.end() ? *longest : 0;
    }
    shares(time);
    for (const auto m : wait_states_of(d_)) {
      if (report_.stored(m).hidden) continue;
      out_.knows_waits = true;
      wait_state(d_.metrics[m], false);
    }
    for (const auto m : thread_waits_of(d_)) {
      if (!report_.stored(m).hidden) wait_state(d_.metrics[m], true);
    }
    add_causes(report_, sums_, out_);
    for (const auto& metric : d_.metrics) {
      if (metric.name.starts_with(kPairPrefix) && is_leaf(metric.name)) metahost_pair(metric);
    }
    const auto largest_first = [](const auto& a, const auto& b) {
      return std::abs(a.seconds) > std::abs(b.seconds);
    };
    std::stable_sort(out_.wait_states.begin(), out_.wait_states.end(), largest_first);
    std::stable_sort(out_.thread_waits.begin(), out_.thread_waits.end(), largest_first);
    std::stable_sort(out_.metahost_pairs.begin(), out_.metahost_pairs.end(), largest_first);
    if (sums_.problem()) return *sums_.problem();
    return std::move(out_);
  }

 private:
  void system() {
    std::set<std::uint32_t> nodes;
    for (const auto& process : d_.processes) {
      // The place of processes without records is no node.
      const bool known =
          process.node >= d_.system.size() || d_.system[process.node].name != layout::kUnknownHost;
      if (known) nodes.insert(process.node);
    }
    out_.ranks = d_.processes.size();
    out_.locations = d_.locations.size();
    out_.nodes = std::max<std::size_t>(1, nodes.size());
    for (const auto& node : d_.system) {
      if (node.class_name == "machine") out_.metahosts.push_back(node.name);
    }
    if (!d_.call_paths.empty()) {
      const auto& root = d_.regions[d_.call_paths[0].region];
      if (root.paradigm == "measurement" && root.role == "artificial") out_.root = root.name;
    }
    if (out_.program.empty() && !d_.call_paths.empty()) {
      out_.program = d_.regions[d_.call_paths[0].region].name;
      out_.command = out_.program;  // the name stands for the command line
    }
  }

  void shares(const Totals& time) {
    const bool has_mpi = report_.find("mpi") != report::kNone;
    if (has_mpi) {
      out_.mpi = sums_.totals("mpi").all;
    } else {
      // Time below the outermost MPI calls, identified by their paradigm.
      std::vector<bool> in_mpi(d_.call_paths.size());
      for (std::size_t c = 0; c < d_.call_paths.size(); ++c) {
        const auto& call_path = d_.call_paths[c];
        in_mpi[c] = d_.regions[call_path.region].paradigm == "mpi" ||
                    (call_path.parent != report::kNone && in_mpi[call_path.parent]);
        if (in_mpi[c]) out_.mpi += time.call_paths[c];
      }
    }
    const auto if_known = [&](const char* name) {
      return report_.find(name) == report::kNone ? 0 : sums_.totals(name).all;
    };
    out_.init_finalize = if_known("mpi_init_exit");
    out_.overhead = if_known("overhead");
    out_.knows_computation = report_.find("comp") != report::kNone;
    for (std::size_t c = 0; c < d_.call_paths.size(); ++c) {
      const auto& region = d_.regions[d_.call_paths[c].region];
      if (region.name == "MEASUREMENT OFF") out_.unrecorded += time.call_paths[c];
    }
    out_.computation = out_.knows_computation ? sums_.totals("comp").all : out_.time - out_.mpi;
    // CUBE's rules make it computation, but nothing is known about it.
    out_.computation -= out_.unrecorded;
    if (!out_.difference) out_.computation = std::max(0.0, out_.computation);
  }

  void wait_state(const patterns::Metric& metric, bool of_threads) {
    const auto sums = sums_.totals(metric.name);
    (of_threads ? out_.thread_waiting : out_.waiting) += sums.all;
    if (!sums_.counts(sums.all)) return;
    Summary::WaitState wait;
    wait.metric = metric.name;
    wait.display = metric.display;
    wait.seconds = sums.all;

    std::vector<std::uint32_t> order;
    for (std::uint32_t c = 0; c < d_.call_paths.size(); ++c) {
      if (sums_.counts(sums.call_paths[c])) order.push_back(c);
    }
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
      return std::abs(sums.call_paths[a]) > std::abs(sums.call_paths[b]);
    });
    for (const auto c : order) {
      wait.call_paths.push_back({call_path_names(d_, c), sums.call_paths[c]});
    }
    wait.ranks = sums_.by_rank(sums.locations);
    wait.spread = sums_.spread(wait.ranks);
    if (of_threads) wait.threads = sums_.by_thread(sums.locations);
    (of_threads ? out_.thread_waits : out_.wait_states).push_back(std::move(wait));
  }

  [[nodiscard]] bool is_leaf(const std::string& name) const {
    return std::none_of(d_.metrics.begin(), d_.metrics.end(),
                        [&](const auto& metric) { return metric.parent == name; });
  }

  void metahost_pair(const patterns::Metric& metric) {
    const double seconds = sums_.totals(metric.name).all;
    if (!sums_.counts(seconds)) return;
    const auto parent = report_.find(metric.parent);
    out_.metahost_pairs.push_back({metric.name, metric.display,
                                   parent == report::kNone ? "" : d_.metrics[parent].display,
                                   seconds});
  }

  report::Report& report_;
  const report::Definitions& d_;
  ReportSums sums_;
  Summary out_;
};

}  // namespace

std::string why_partial(const Summary& summary) {
  if (!summary.partial) return "";
  constexpr std::size_t kMost = 2;  // the notes have all of them
  std::string why;
  std::size_t count = 0;
  for (const auto& note : summary.quality) {
    if (!note.partial || ++count > kMost) continue;
    why += (why.empty() ? "" : "; ") +
           with_commas(static_cast<std::uint64_t>(std::max<std::int64_t>(note.count, 0))) + " " +
           note.text.substr(0, note.text.find(':'));
  }
  if (count == 0) return "something is missing";
  return count > kMost ? why + "; and more" : why;
}

Result<Summary> summarize(report::Report& report) { return Summarizer(report).run(); }

}  // namespace latecomer::view
