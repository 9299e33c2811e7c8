// SPDX-License-Identifier: BSD-3-Clause
// Formulas may use each other: those that can be kept are looked for until no more are found.
#include "analyzer/report/algebra/keep_formulas.hpp"

#include <algorithm>
#include <tuple>

namespace latecomer::report {
namespace {

auto texts(const StoredMetric& metric) {
  return std::tie(metric.derivation, metric.unit, metric.formula, metric.init, metric.plus,
                  metric.minus, metric.aggregate);
}

bool has(const Definitions& d, const std::string& name) {
  return std::ranges::any_of(d.metrics, [&](const auto& metric) { return metric.name == name; });
}

class Keeper {
 public:
  Keeper(std::span<Report* const> reports, Combined& to, const std::vector<bool>& wanted)
      : reports_(reports), to_(to), wanted_(wanted) {}

  std::vector<std::string> run() {
    for (std::size_t i = 0; i < reports_.size(); ++i) {
      for (std::uint32_t m = 0; m < reports_[i]->definitions().metrics.size(); ++m) {
        if (i > 0 || wanted_.empty() || wanted_[m]) consider(*reports_[i], m);
      }
    }
    for (bool more = true; more;) {
      more = false;
      for (auto& candidate : candidates_) {
        if (candidate.kept || !can_be_kept(candidate)) continue;
        keep(candidate);
        more = candidate.kept = true;
      }
    }
    std::vector<std::string> left_out;
    for (const auto& candidate : candidates_) {
      if (!candidate.kept) left_out.push_back(name_of(candidate));
    }
    return left_out;
  }

 private:
  struct Candidate {
    const Report* report = nullptr;
    std::uint32_t metric = 0;
    bool agreed = true, kept = false;
  };

  static const std::string& name_of(const Candidate& candidate) {
    return candidate.report->definitions().metrics[candidate.metric].name;
  }

  void consider(const Report& report, std::uint32_t m) {
    if (report.stored(m).hidden || report.adds_up(m) || !report.formula_problem(m).empty()) return;
    const Candidate candidate{&report, m};
    const auto known = std::ranges::find_if(
        candidates_, [&](const auto& other) { return name_of(other) == name_of(candidate); });
    if (known == candidates_.end()) {
      candidates_.push_back(candidate);
    } else if (texts(report.stored(m)) != texts(known->report->stored(known->metric))) {
      known->agreed = false;
    }
  }

  [[nodiscard]] bool can_be_kept(const Candidate& candidate) const {
    if (!candidate.agreed || has(to_.definitions, name_of(candidate))) return false;
    const auto operands = candidate.report->formulas().operands(candidate.metric);
    return operands && std::ranges::all_of(*operands, [&](std::uint32_t m) {
             return has(to_.definitions, candidate.report->definitions().metrics[m].name);
           });
  }

  void keep(const Candidate& candidate) {
    const auto& metrics = candidate.report->definitions().metrics;
    auto metric = metrics[candidate.metric];
    while (!metric.parent.empty() && !has(to_.definitions, metric.parent)) {
      const auto above = candidate.report->find(metric.parent);
      metric.parent = above == kNone ? "" : metrics[above].parent;
    }
    const auto index = static_cast<std::uint32_t>(to_.definitions.metrics.size());
    to_.definitions.metrics.push_back(std::move(metric));
    to_.units.push_back(candidate.report->stored(candidate.metric).unit);
    to_.values.emplace_back(to_.definitions.call_paths.size(), to_.definitions.locations.size());
    to_.formulas.emplace(index, candidate.report->stored(candidate.metric));
  }

  std::span<Report* const> reports_;
  Combined& to_;
  const std::vector<bool>& wanted_;
  std::vector<Candidate> candidates_;
};

}  // namespace

std::vector<std::string> keep_formulas(std::span<Report* const> reports, Combined& to,
                                       const std::vector<bool>& wanted) {
  return Keeper(reports, to, wanted).run();
}

}  // namespace latecomer::report
