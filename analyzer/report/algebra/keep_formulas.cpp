// SPDX-License-Identifier: BSD-3-Clause
// Decides which derived metrics can be kept. Formulas may use each other, so each decision is made
// once and stored.
#include "analyzer/report/algebra/keep_formulas.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace latecomer::report {
namespace {

bool is_derived(const StoredMetric& metric) { return metric.kind == StoredMetric::Kind::kDerived; }

// Everything in which two definitions of a derived metric must agree.
auto texts(const StoredMetric& metric) {
  return std::tie(metric.kind, metric.dtype, metric.derivation, metric.unit, metric.formula,
                  metric.init, metric.plus, metric.minus, metric.aggregate);
}

class Keeper {
 public:
  Keeper(std::span<Report* const> reports, Combined& to, std::span<const Matching::Input> places,
         const std::vector<bool>& wanted)
      : reports_(reports), to_(to), places_(places), wanted_(wanted) {
    for (const auto& metric : to_.definitions.metrics) there_.insert(metric.name);
  }

  Result<std::vector<std::string>> run() {
    for (std::size_t i = 0; i < reports_.size(); ++i) {
      for (std::uint32_t m = 0; m < reports_[i]->definitions().metrics.size(); ++m) {
        if (i > 0 || wanted_.empty() || wanted_[m]) consider(i, m);
      }
    }
    for (std::size_t i = 0; i < reports_.size(); ++i) compare(i);
    std::vector<std::string> left_out;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      auto& candidate = candidates_[i];
      if (there_.contains(name_of(candidate))) continue;  // an ordinary metric in another report
      if (!can_be_kept(i)) {
        left_out.push_back(name_of(candidate));
        continue;
      }
      if (const auto status = keep(candidate); !status) return status.problem();
    }
    return left_out;
  }

 private:
  struct Candidate {
    std::size_t report = 0;
    std::uint32_t metric = 0;
    bool agreed = true;
    std::optional<bool> can_be_kept;
  };

  [[nodiscard]] const Report& report_of(const Candidate& candidate) const {
    return *reports_[candidate.report];
  }
  [[nodiscard]] const StoredMetric& stored(const Candidate& candidate) const {
    return report_of(candidate).stored(candidate.metric);
  }
  [[nodiscard]] const std::string& name_of(const Candidate& candidate) const {
    return report_of(candidate).definitions().metrics[candidate.metric].name;
  }

  // Makes a metric that cannot be summed a candidate, once per name.
  void consider(std::size_t i, std::uint32_t m) {
    const auto& report = *reports_[i];
    if (report.stored(m).hidden || report.adds_up(m) || !report.why_no_values(m).empty()) return;
    const bool is_new =
        index_.emplace(report.definitions().metrics[m].name, candidates_.size()).second;
    if (is_new) candidates_.push_back({i, m, true, std::nullopt});
  }

  // Drops the agreement of candidates that report i defines in another way.
  void compare(std::size_t i) {
    const auto& report = *reports_[i];
    for (std::uint32_t m = 0; m < report.definitions().metrics.size(); ++m) {
      const auto known = index_.find(report.definitions().metrics[m].name);
      if (known == index_.end() || report.stored(m).hidden) continue;
      auto& candidate = candidates_[known->second];
      if (texts(report.stored(m)) != texts(stored(candidate))) candidate.agreed = false;
    }
  }

  // The recursion is short and ends: cycles and deep nesting of formulas have been refused before.
  bool can_be_kept(std::size_t index) {
    if (candidates_[index].can_be_kept) return *candidates_[index].can_be_kept;
    const auto& candidate = candidates_[index];
    bool can = candidate.agreed;
    if (can && !is_derived(stored(candidate))) {
      can = !places_.empty();
    } else if (can) {
      const auto operands = report_of(candidate).formulas().operands(candidate.metric);
      can = operands.has_value();
      for (std::size_t i = 0; can && i < operands->size(); ++i) {
        const auto& name = report_of(candidate).definitions().metrics[(*operands)[i]].name;
        const auto other = index_.find(name);
        can = there_.contains(name) || (other != index_.end() && can_be_kept(other->second));
      }
    }
    candidates_[index].can_be_kept = can;
    return can;
  }

  Status keep(const Candidate& candidate) {
    const auto& report = report_of(candidate);
    const auto& metrics = report.definitions().metrics;
    auto metric = metrics[candidate.metric];
    // The nearest ancestor that the result has becomes the parent.
    while (!metric.parent.empty() && !there_.contains(metric.parent)) {
      const auto above = report.find(metric.parent);
      metric.parent = above == kNone ? "" : metrics[above].parent;
    }
    const auto index = static_cast<std::uint32_t>(to_.definitions.metrics.size());
    there_.insert(metric.name);
    to_.definitions.metrics.push_back(std::move(metric));
    to_.units.push_back(stored(candidate).unit);
    to_.values.emplace_back(to_.definitions.call_paths.size(), to_.definitions.locations.size());
    to_.special.emplace(index, stored(candidate));
    return is_derived(stored(candidate)) ? success() : move_values(candidate, to_.values.back());
  }

  // Moves minima or maxima to the result. Several call paths may map to one, and all locations to
  // one column: then the minimum or maximum of their values is taken.
  Status move_values(const Candidate& candidate, MetricValues& to) const {
    auto& report = *reports_[candidate.report];
    const auto& place = places_[candidate.report];
    const bool minimum = stored(candidate).is_minimum();
    std::vector<std::uint32_t> own(report.definitions().locations.size());
    std::iota(own.begin(), own.end(), 0U);
    auto each = report.aggregate(own, own.size(), formula::PlaceKind::kLocation);
    std::vector<bool> begun(to_.definitions.call_paths.size());
    for (std::uint32_t c = 0; c < place.call_paths.size(); ++c) {
      const auto target = place.call_paths[c];
      if (target == kNone) continue;
      const auto row = each.at(candidate.metric, c, false);
      if (std::ranges::all_of(row, [](double x) { return std::isnan(x); })) continue;
      const auto out = to.make_row(target);
      if (!begun[target]) std::ranges::fill(out, kNothingSeen);
      begun[target] = true;
      for (std::size_t l = 0; l < row.size(); ++l) {
        double& at = out[place.columns[l]];
        at = minimum ? std::fmin(at, row[l]) : std::fmax(at, row[l]);
      }
    }
    return success();
  }

  std::span<Report* const> reports_;
  Combined& to_;
  std::span<const Matching::Input> places_;
  const std::vector<bool>& wanted_;
  std::vector<Candidate> candidates_;
  std::unordered_map<std::string, std::size_t> index_;  // index into candidates_, by name
  std::unordered_set<std::string> there_;               // names of the metrics of the result
};

}  // namespace

Result<std::vector<std::string>> keep_formulas(std::span<Report* const> reports, Combined& to,
                                               std::span<const Matching::Input> places,
                                               const std::vector<bool>& wanted) {
  return Keeper(reports, to, places, wanted).run();
}

}  // namespace latecomer::report
