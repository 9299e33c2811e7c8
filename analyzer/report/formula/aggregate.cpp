// SPDX-License-Identifier: BSD-3-Clause
// Evaluates metrics at groups of locations. Values at locations are summed (or folded) per group,
// once per metric. Formulas of such values are evaluated at the place of the query.
#include "analyzer/report/formula/aggregate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "analyzer/report/formula/visit.hpp"

namespace latecomer::report::formula {
namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

double one(Fold::How how, double x, double y) {
  if (how == Fold::How::kSum) return x + y;
  // The other number if one is NaN.
  return how == Fold::How::kMax ? std::fmax(x, y) : std::fmin(x, y);
}

// Makes exclusive values of a metric that adds up inclusive. Callees follow their callers, so one
// pass from the end is enough.
MetricValues with_callees(const MetricValues& own,
                          const std::vector<std::vector<std::uint32_t>>& children,
                          std::size_t columns) {
  MetricValues out(children.size(), columns);
  for (auto c = static_cast<std::uint32_t>(children.size()); c-- > 0;) {
    const auto add = [&](std::span<const double> row) {
      if (row.empty()) return;
      // The row of `out` may move when another one is made.
      const std::vector<double> copy(row.begin(), row.end());
      const auto to = out.make_row(c);
      for (std::size_t i = 0; i < copy.size(); ++i) to[i] += copy[i];
    };
    add(own.row(c));
    for (const auto child : children[c]) add(out.row(child));
  }
  return out;
}

}  // namespace

// Groups may be the locations themselves; then rows need not be copied.
Aggregate::Aggregate(DerivedMetrics& metrics, std::vector<std::uint32_t> group_of,
                     std::size_t groups, PlaceKind kind)
    : metrics_(metrics),
      group_of_(std::move(group_of)),
      groups_(groups),
      kind_(kind),
      rows_(metrics.metrics_.size()),
      known_(metrics.metrics_.size()) {
  by_location_ = groups_ == group_of_.size();
  for (std::uint32_t l = 0; l < group_of_.size(); ++l) {
    by_location_ = by_location_ && group_of_[l] == l;
  }
}

// Combines two values by a fold: adds them, takes the maximum or minimum, or evaluates a formula.
Value Aggregate::folded(Fold& fold, Value a, Value b) {
  std::array<Value, 2> both = {std::move(a), std::move(b)};
  if (fold.how == Fold::How::kFormula) {
    return evaluate(fold.formula, metrics_.environment_, *this, both);
  }
  if (both[0].kind != Value::Kind::kRow) return one(fold.how, both[0].number, both[1].number);
  auto& row = both[0].row;
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = one(fold.how, row[i], both[1].row[i]);
  return std::move(row);
}

// The values of each group: the fold over its locations, one call path at a time. `nothing` is the
// value of a group without locations.
MetricValues Aggregate::grouped(Fold& fold, const MetricValues& values, double nothing) {
  const auto call_paths = static_cast<std::uint32_t>(metrics_.children_.size());
  MetricValues out(call_paths, groups_);
  std::vector<bool> begun(groups_);
  for (std::uint32_t c = 0; c < call_paths; ++c) {
    const auto row = values.row(c);
    if (row.empty() && fold.how != Fold::How::kFormula) continue;
    const auto to = out.make_row(c);
    std::ranges::fill(to, nothing);
    std::fill(begun.begin(), begun.end(), false);
    for (std::size_t l = 0; l < group_of_.size(); ++l) {
      const auto group = group_of_[l];
      if (group == kNone) continue;
      const double x = row.empty() ? 0 : row[l];
      if (!begun[group]) {
        to[group] = x;
        begun[group] = true;
        continue;
      }
      if (fold.how != Fold::How::kFormula) {
        to[group] = one(fold.how, to[group], x);
        continue;
      }
      const auto sum = folded(fold, to[group], x);
      const double next = sum.kind == Value::Kind::kRow    ? sum.row[group]
                          : sum.kind == Value::Kind::kText ? number_of(sum.text)
                                                           : sum.number;
      to[group] = is_value(next) ? next : 0;
    }
  }
  return out;
}

// The values of a metric per group, computed once. If all folds are sums, inclusive values are sums
// of exclusive ones; otherwise they have to be folded at the locations first.
const MetricValues& Aggregate::rows(std::uint32_t metric, bool inclusive) {
  const auto& own = metrics_.at_locations(metric);
  auto& description = metrics_.metrics_[metric];
  auto& over_places = description.over_places;
  auto& made = rows_[metric];
  if (by_location_ && !inclusive) return own;
  if (!inclusive) {
    if (!made.exclusive) {
      made.exclusive =
          std::make_unique<MetricValues>(grouped(over_places, own, description.nothing));
    }
    return *made.exclusive;
  }
  if (made.inclusive) return *made.inclusive;
  const bool sums = !description.inclusive && over_places.how == Fold::How::kSum &&
                    description.along_calls.how == Fold::How::kSum;
  MetricValues values;
  if (sums) {
    values = with_callees(rows(metric, false), metrics_.children_, groups_);
  } else {
    values = metrics_.inclusive_at_locations(metric);
    if (!by_location_) values = grouped(over_places, values, description.nothing);
  }
  made.inclusive = std::make_unique<MetricValues>(std::move(values));
  return *made.inclusive;
}

std::vector<double> Aggregate::as_row(Value value) const {
  if (value.kind == Value::Kind::kText) value = number_of(value.text);
  if (value.kind == Value::Kind::kNumber) return std::vector<double>(groups_, value.number);
  return std::move(value.row);
}

// Metrics with values at locations are folded over the call paths of the place. Other formulas are
// evaluated there, once per place.
Value Aggregate::value(std::uint32_t metric, bool inclusive) {
  auto& description = metrics_.metrics_[metric];
  if (!metrics_.evaluated_after(metric)) {
    const auto& values = rows(metric, inclusive);
    const double nothing = description.nothing;
    if (place_.call_paths.empty()) return nothing;
    const auto row_of = [&](std::uint32_t c) -> Value {
      const auto row = values.row(c);
      if (row.empty()) return nothing;
      return std::vector<double>(row.begin(), row.end());
    };
    auto sum = row_of(place_.call_paths[0]);
    for (const auto c : place_.call_paths.subspan(1)) {
      sum = folded(description.along_calls, as_row(std::move(sum)), as_row(row_of(c)));
    }
    return sum;
  }
  auto& known = inclusive ? known_[metric].second : known_[metric].first;
  if (known.place == place_.number) return known.value;
  const std::string& name = metrics_.anchor_.definitions.metrics[metric].name;
  if (!description.problem.empty()) throw Stop{"metric " + name + " has no values"};
  const auto before = place_;
  place_.inclusive = inclusive;
  place_.metric = metric;
  try {
    auto value = evaluate(description.bound, metrics_.environment_, *this);
    place_ = before;
    known = {place_.number, value};
    return value;
  } catch (const Stop& stop) {
    const bool own = !stop.exhausted;  // otherwise another formula may have used the steps
    if (own) fail(metric, stop);       // while place_ is still that of the failed formula
    place_ = before;
    if (!own) throw;
    throw Stop{"metric " + name + " has no value"};
  }
}

// A formula without a value for the whole report has none anywhere. One that fails elsewhere has no
// value at that place; but if it used up all steps, it has none from then on.
void Aggregate::fail(std::uint32_t metric, const Stop& stop) {
  const bool everywhere =
      groups_ == 1 && place_.inclusive && std::ranges::equal(place_.call_paths, metrics_.roots_);
  const bool derived = metrics_.metrics_[metric].derived;
  if (derived && !everywhere) metrics_.fail_at(metric, stop, place_.call_paths);
  if (derived && !everywhere && !stop.exhausted) return;
  metrics_.fail(metric, stop, metrics_.anchor_.metrics[metric].formula, "formula");
}

std::vector<double> Aggregate::visit(std::uint32_t metric,
                                     std::span<const std::uint32_t> call_paths, bool inclusive) {
  metrics_.initialize();
  auto& description = metrics_.metrics_[metric];
  failed_ = true;
  if (description.problem.empty()) {
    const DerivedMetrics::Steps steps(metrics_);
    const Visit visit(*this, call_paths, inclusive, metric);
    try {
      auto row = as_row(value(metric, inclusive));
      for (double& x : row) x = is_value(x) ? x : kNoValue;
      failed_ = false;
      return row;
    } catch (const Stop& stop) {
      if (stop.exhausted && metrics_.nested_ > 1) throw;
      if (!description.derived) description.problem = stop.what;
      fail(metric, stop);
    }
    failed_ = true;  // nested visits may have cleared it
  }
  return std::vector<double>(groups_, kNoValue);
}

std::vector<double> Aggregate::at(std::uint32_t metric, std::uint32_t call_path, bool inclusive) {
  return visit(metric, {&call_path, 1}, inclusive);
}

std::vector<double> Aggregate::over(std::uint32_t metric, std::span<const std::uint32_t> call_paths,
                                    bool inclusive) {
  return visit(metric, call_paths, inclusive);
}

Value Aggregate::metric(std::uint32_t metric, Flavour flavour) {
  return value(metric,
               flavour == Flavour::kSame ? place_.inclusive : flavour == Flavour::kInclusive);
}

double Aggregate::fixed(std::uint32_t metric) {
  const auto row = metrics_.whole_->over(metric, metrics_.roots_);
  if (metrics_.whole_->failed_) {
    throw Stop{"metric " + metrics_.anchor_.definitions.metrics[metric].name + " has no values"};
  }
  return row.front();
}

double Aggregate::call(std::uint32_t metric, double call_path, Flavour flavour,
                       std::optional<double> location) {
  const auto c = metrics_.environment_.tables().call_path(call_path);
  if (c == kNone) throw Stop{"there is no call path " + text_of(call_path)};
  const bool inclusive =
      flavour == Flavour::kSame ? place_.inclusive : flavour == Flavour::kInclusive;
  // Evaluations at other call paths use the aggregates that all formulas share.
  auto& where = location ? *metrics_.locations_ : *metrics_.whole_;
  const double column = location.value_or(0);
  if (!(column >= 0) || column >= static_cast<double>(where.columns())) {
    throw Stop{"there is no location " + text_of(column)};
  }
  const auto row = where.at(metric, c, inclusive);
  if (where.failed_) {
    throw Stop{"metric " + metrics_.anchor_.definitions.metrics[metric].name +
               " has no value there"};
  }
  return row[static_cast<std::size_t>(column)];
}

Value Aggregate::calculation(Calculation what) {
  const auto& anchor = metrics_.anchor_;
  const auto call_path = place_.call_paths.empty() ? kNone : place_.call_paths.front();
  switch (what) {
    case Calculation::kCallPath:
      return call_path == kNone ? -1.0 : static_cast<double>(anchor.call_path_ids[call_path]);
    case Calculation::kCallPathState:
      return place_.inclusive ? 0.0 : 1.0;
    case Calculation::kRegion:
      return call_path == kNone
                 ? -1.0
                 : static_cast<double>(
                       anchor.region_ids[anchor.definitions.call_paths[call_path].region]);
    case Calculation::kMetric:
      return static_cast<double>(place_.metric);
    case Calculation::kPlace: {
      std::vector<double> ids(groups_);
      for (std::size_t i = 0; i < groups_; ++i) ids[i] = static_cast<double>(i);
      return ids;
    }
    case Calculation::kPlaceKind:
      return static_cast<double>(kind_);
  }
  return 0.0;
}

void Aggregate::switch_off(std::uint32_t metric) { metrics_.metrics_[metric].switched_off = true; }

}  // namespace latecomer::report::formula
