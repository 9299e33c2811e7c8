// SPDX-License-Identifier: BSD-3-Clause
// Reads and checks all formulas when a report is opened; evaluates them on demand.
#include "analyzer/report/formula/derived.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "analyzer/report/formula/aggregate.hpp"
#include "analyzer/report/formula/parser.hpp"
#include "analyzer/report/formula/visit.hpp"

namespace latecomer::report::formula {
namespace {

constexpr const char* kFormula = "formula";
constexpr const char* kInit = "initial formula";
constexpr const char* kPlus = "formula in place of +";
constexpr const char* kMinus = "formula in place of -";
constexpr const char* kAggregate = "formula in place of sums over processes";
// Limits of a report's formulas: depth of nested references, and nodes of all formulas.
constexpr std::uint32_t kDeepest = 1000;
constexpr std::size_t kMostNodes = 1'000'000;
// Limits of steps. A formula of ordinary length takes some ten steps per call path; these limits
// end endless loops.
constexpr std::uint64_t kLeastSteps = 2'000'000, kStepsPerCell = 300;
constexpr std::uint64_t kMetrics = 20;  // number of metrics that may use up their steps
constexpr std::size_t kMostCells = std::size_t{1} << 27;  // values of all metrics: a gibibyte

// True if a node has the same value everywhere.
bool constant(const Program& program, std::uint32_t index) {
  const auto& node = program.nodes[index];
  if (node.op == Op::kNumber) return true;
  if (node.op != Op::kNegate && node.op != Op::kChain && node.op != Op::kPower) return false;
  return std::all_of(node.parts.begin(), node.parts.end(),
                     [&](std::uint32_t part) { return constant(program, part); });
}

}  // namespace

DerivedMetrics::DerivedMetrics(const Anchor& anchor, Stored stored)
    : anchor_(anchor),
      stored_(std::move(stored)),
      environment_(anchor),
      metrics_(anchor.metrics.size()),
      children_(anchor.definitions.call_paths.size()) {
  const auto& d = anchor_.definitions;
  for (std::uint32_t c = 0; c < d.call_paths.size(); ++c) {
    const auto parent = d.call_paths[c].parent;
    (parent == kNone ? roots_ : children_[parent]).push_back(c);
  }
  most_steps_ = kLeastSteps + kStepsPerCell * d.call_paths.size() * (8 + d.locations.size());
  steps_left_ = kMetrics * most_steps_;
  std::vector<std::uint32_t> own(d.locations.size());
  for (std::uint32_t l = 0; l < own.size(); ++l) own[l] = l;
  locations_ = std::make_unique<Aggregate>(*this, own, own.size(), PlaceKind::kLocation);
  whole_ = std::make_unique<Aggregate>(*this, std::vector<std::uint32_t>(own.size(), 0), 1,
                                       PlaceKind::kNode);
  for (std::uint32_t m = 0; m < metrics_.size(); ++m) {
    const auto& stored = anchor_.metrics[m];
    metrics_[m].derived = stored.kind == StoredMetric::Kind::kDerived;
    if (metrics_[m].derived) read(m);
    if (!stored.is_minimum() && !stored.is_maximum()) continue;
    metrics_[m].adds_up = false;
    metrics_[m].nothing = kNothingSeen;
    metrics_[m].along_calls.how = metrics_[m].over_places.how =
        stored.is_minimum() ? Fold::How::kMin : Fold::How::kMax;
  }
  // Resolves the names of metrics. Of several metrics with one name the first counts.
  std::unordered_map<std::string_view, std::uint32_t> index;
  for (std::uint32_t m = 0; m < metrics_.size(); ++m) index.emplace(d.metrics[m].name, m);
  for (std::uint32_t m = 0; m < metrics_.size(); ++m) {
    auto& metric = metrics_[m];
    const auto resolve = [&](std::optional<Program>& program, const std::string& text,
                             const char* which) {
      if (!program) return;
      for (auto& reference : program->references) {
        const auto found = index.find(reference.metric);
        if (found != index.end()) {
          reference.index = found->second;
          continue;
        }
        fail(m, {"the report has no metric " + reference.metric, reference.at}, text, which);
        program.reset();
        return;
      }
    };
    const auto& texts = anchor_.metrics[m];
    resolve(metric.value, texts.formula, kFormula);
    resolve(metric.init, texts.init, kInit);
    resolve(metric.plus, texts.plus, kPlus);
    resolve(metric.aggregate, texts.aggregate, kAggregate);
    resolve(metric.minus, texts.minus, kMinus);
  }
  count_globals();
  find_order();
  bind();
}

DerivedMetrics::~DerivedMetrics() = default;

void DerivedMetrics::read_one(std::uint32_t metric, const std::string& text, const char* which,
                              std::optional<Program>& to) {
  if (!metrics_[metric].problem.empty() || text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return;
  }
  if (nodes_ > kMostNodes) {
    metrics_[metric].problem = "the formulas of the report are too long";
    return;
  }
  auto parsed = parse(text);
  if (const auto* error = std::get_if<SyntaxError>(&parsed)) {
    fail(metric, {error->what, static_cast<std::uint32_t>(error->at)}, text, which);
    return;
  }
  auto& program = std::get<Program>(parsed);
  nodes_ += program.nodes.size() + program.states;
  environment_.declare(program);
  to = std::move(program);
}

void DerivedMetrics::read(std::uint32_t metric) {
  const auto& stored = anchor_.metrics[metric];
  auto& own = metrics_[metric];
  read_one(metric, stored.formula, kFormula, own.value);
  if (own.problem.empty() && !own.value) own.problem = "it has no formula";
  read_one(metric, stored.init, kInit, own.init);
  if (stored.derivation == StoredMetric::Derivation::kAfter) return;
  read_one(metric, stored.plus, kPlus, own.plus);
  read_one(metric, stored.aggregate, kAggregate, own.aggregate);
  if (stored.derivation == StoredMetric::Derivation::kInclusive) {
    read_one(metric, stored.minus, kMinus, own.minus);
  }
}

void DerivedMetrics::fail(std::uint32_t metric, const Stop& stop, const std::string& text,
                          const char* which) {
  if (!metrics_[metric].problem.empty()) return;
  metrics_[metric].problem =
      stop.what + " (" + std::string(which) + ", " + place_in(text, stop.at) + ")";
}

void DerivedMetrics::fail_at(std::uint32_t metric, const Stop& stop,
                             std::span<const std::uint32_t> call_paths) {
  auto& own = metrics_[metric];
  if (!own.problem.empty() || !own.gap.empty()) return;
  const auto& d = anchor_.definitions;
  std::string place;
  for (auto c = call_paths.empty() ? kNone : call_paths.front(); c != kNone;
       c = d.call_paths[c].parent) {
    place = d.regions[d.call_paths[c].region].name + (place.empty() ? "" : " > " + place);
  }
  if (call_paths.size() > 1) place += " and others";
  own.gap = "at " + place + ": " + stop.what + " (formula, " +
            place_in(anchor_.metrics[metric].formula, stop.at) + ")";
}

// Counts for each global variable how many metrics declare it.
void DerivedMetrics::count_globals() {
  for (const auto& metric : metrics_) {
    std::set<std::string> names;
    for (const auto* program : {&metric.value, &metric.init}) {
      if (*program) names.insert((*program)->globals.begin(), (*program)->globals.end());
    }
    for (const auto& name : names) ++globals_[name];
  }
}

// The derived metrics that a metric's formulas use, without duplicates.
std::vector<std::uint32_t> DerivedMetrics::used_by(std::uint32_t metric) const {
  const auto& own = metrics_[metric];
  std::vector<std::uint32_t> used;
  for (const auto* program : {&own.value, &own.plus, &own.minus, &own.aggregate}) {
    if (!*program) continue;
    for (const auto& reference : (*program)->references) {
      if (metrics_[reference.index].derived) used.push_back(reference.index);
    }
  }
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  return used;
}

std::optional<std::vector<std::uint32_t>> DerivedMetrics::operands(std::uint32_t metric) const {
  const auto& own = metrics_[metric];
  std::vector<std::uint32_t> used;
  for (const auto* program : {&own.value, &own.init, &own.plus, &own.minus, &own.aggregate}) {
    if (!*program) continue;
    for (const auto& node : (*program)->nodes) {
      if (node.op == Op::kMetric && node.scope == Scope::kCall) return std::nullopt;
    }
    for (const auto& reference : (*program)->references) used.push_back(reference.index);
    for (const auto& name : (*program)->names) {
      const auto global = globals_.find(name);
      if (global == globals_.end() || (*program)->locals.contains(name)) continue;
      const bool declares = (own.init && own.init->globals.contains(name)) ||
                            (own.value && own.value->globals.contains(name));
      if (global->second > (declares ? 1U : 0U)) return std::nullopt;  // other metrics use it, too
    }
  }
  return used;
}

// Finishes formulas in dependency order: depth first, without recursion. A formula that is met
// again while it is still open is part of a cycle.
void DerivedMetrics::find_order() {
  enum class State : std::uint8_t { kNew, kOpen, kDone };
  struct Step {
    std::uint32_t metric;
    std::vector<std::uint32_t> used;
    std::size_t next = 0;
  };
  std::vector<State> states(metrics_.size(), State::kNew);
  std::vector<Step> stack;
  const auto open = [&](std::uint32_t m) {
    states[m] = State::kOpen;
    stack.push_back({m, used_by(m)});
  };
  for (std::uint32_t m = 0; m < metrics_.size(); ++m) {
    if (!metrics_[m].derived || states[m] != State::kNew) continue;
    open(m);
    while (!stack.empty()) {
      auto& step = stack.back();
      if (step.next == step.used.size()) {
        finish(step.metric);
        states[step.metric] = State::kDone;
        stack.pop_back();
        continue;
      }
      const auto next = step.used[step.next++];
      if (states[next] == State::kNew) {
        open(next);
      } else if (states[next] == State::kOpen) {
        std::string way;
        auto from = stack.size();
        while (stack[--from].metric != next) {
        }
        for (auto i = from; i < stack.size(); ++i) {
          way += anchor_.definitions.metrics[stack[i].metric].name + " > ";
        }
        way += anchor_.definitions.metrics[next].name;
        if (way.size() > 200) way = way.substr(0, 200) + "...";
        for (auto i = from; i < stack.size(); ++i) {
          auto& problem = metrics_[stack[i].metric].problem;
          if (problem.empty()) problem = "its formula uses itself (" + way + ")";
        }
      }
    }
  }
}

// Determines the depth of a metric and whether it adds up; all metrics that it uses are finished.
void DerivedMetrics::finish(std::uint32_t metric) {
  auto& own = metrics_[metric];
  std::uint32_t depth = 0;
  for (const auto used : used_by(metric)) {
    depth = std::max(depth, metrics_[used].depth);
    if (!own.problem.empty() || metrics_[used].problem.empty()) continue;
    own.problem = "metric " + anchor_.definitions.metrics[used].name +
                  ", which its formula uses, has no values";
  }
  std::uint32_t deepest = 0;
  for (const auto* program : {&own.value, &own.init, &own.plus, &own.minus, &own.aggregate}) {
    if (*program) deepest = std::max(deepest, (*program)->depth);
  }
  own.depth = depth + deepest;
  if (own.depth > kDeepest) {
    own.depth = kDeepest;
    if (own.problem.empty()) own.problem = "its formula uses others that use others, too many";
  }
  if (!own.problem.empty()) return;
  own.adds_up = anchor_.metrics[metric].derivation == StoredMetric::Derivation::kAfter
                    ? linear(*own.value, own.value->root)
                    : !own.plus && !own.minus && !own.aggregate;
}

// True if a node is a sum of metrics with constant factors: it has the same value before and after
// summation.
bool DerivedMetrics::linear(const Program& program, std::uint32_t index) const {
  const auto& node = program.nodes[index];
  const auto is_linear = [&](std::uint32_t part) { return linear(program, part); };
  const auto is_constant = [&](std::uint32_t part) { return constant(program, part); };
  switch (node.op) {
    case Op::kNumber:
      return node.number == 0;
    case Op::kNegate:
      return linear(program, node.parts[0]);
    case Op::kBlock:
      return node.parts.size() == 1 && linear(program, node.parts[0]);
    case Op::kMetric:
      return node.scope == Scope::kContext && node.flavour == Flavour::kSame &&
             metrics_[program.references[node.id].index].adds_up;
    case Op::kChain: {
      const auto joins = [&](Join a, Join b) {
        return std::all_of(node.joins.begin(), node.joins.end(),
                           [&](Join join) { return join == a || join == b; });
      };
      if (joins(Join::kAdd, Join::kSubtract)) {
        return std::all_of(node.parts.begin(), node.parts.end(), is_linear);
      }
      if (!joins(Join::kMultiply, Join::kDivide)) return false;
      std::size_t factors = 0;  // factors that are not constant
      for (std::size_t i = 0; i < node.parts.size(); ++i) {
        if (is_constant(node.parts[i])) continue;
        const bool divides = i > 0 && node.joins[i - 1] == Join::kDivide;
        if (divides || ++factors > 1 || !is_linear(node.parts[i])) return false;
      }
      return factors == 1;
    }
    default:
      return false;
  }
}

// Classifies the formula that combines two values. max(arg1, arg2) and min(arg1, arg2) are
// recognized, because they are much cheaper than an evaluation.
Fold DerivedMetrics::fold_of(const std::optional<Program>& program) {
  if (!program) return {};
  const auto& nodes = program->nodes;
  const auto& root = nodes[program->root];
  const auto of_both = [&] {
    return root.parts.size() == 2 && nodes[root.parts[0]].op == Op::kArgument &&
           nodes[root.parts[1]].op == Op::kArgument &&
           nodes[root.parts[0]].id != nodes[root.parts[1]].id;
  };
  if (root.op == Op::kFunction && of_both()) {
    const auto function = static_cast<Function>(root.id);
    if (function == Function::kMax) return {Fold::How::kMax, {}};
    if (function == Function::kMin) return {Fold::How::kMin, {}};
  }
  return {Fold::How::kFormula, {&*program, environment_.bind(*program)}};
}

// Binds names, which is possible only now: all formulas have been read, so all global variables are
// known.
void DerivedMetrics::bind() {
  for (std::uint32_t m = 0; m < metrics_.size(); ++m) {
    auto& own = metrics_[m];
    if (!own.derived || !own.problem.empty()) continue;
    try {
      own.bound = {&*own.value, environment_.bind(*own.value)};
      if (own.init) own.bound_init = {&*own.init, environment_.bind(*own.init)};
      own.along_calls = fold_of(own.plus);
      own.back = fold_of(own.minus);
      own.over_places = fold_of(own.aggregate);
    } catch (const Stop& stop) {
      own.problem = stop.what;
    }
  }
}

void DerivedMetrics::initialize() {
  if (initialized_) return;
  initialized_ = true;
  for (std::uint32_t m = 0; m < metrics_.size(); ++m) {
    auto& own = metrics_[m];
    if (!own.init || !own.problem.empty()) continue;
    const Steps steps(*this);
    try {
      const Aggregate::Visit visit(*whole_, roots_, true, m);
      static_cast<void>(evaluate(own.bound_init, environment_, *whole_));
    } catch (const Stop& stop) {
      fail(m, stop, anchor_.metrics[m].init, "initial formula");
    }
  }
  // Metrics below one that is switched off are switched off, too.
  if (std::ranges::none_of(metrics_, [](const Metric& m) { return m.switched_off; })) return;
  for (std::uint32_t m = 0; m < metrics_.size(); ++m) {
    const auto& parent = anchor_.definitions.metrics[m].parent;
    for (std::uint32_t p = 0; !parent.empty() && p < m; ++p) {
      if (anchor_.definitions.metrics[p].name != parent) continue;
      metrics_[m].switched_off = metrics_[m].switched_off || metrics_[p].switched_off;
      break;
    }
  }
}

bool DerivedMetrics::evaluated_after(std::uint32_t metric) const {
  return metrics_[metric].derived &&
         anchor_.metrics[metric].derivation == StoredMetric::Derivation::kAfter;
}

// Evaluates a formula at each call path and location.
MetricValues DerivedMetrics::evaluated(std::uint32_t metric, bool inclusive) {
  const auto& d = anchor_.definitions;
  auto& own = metrics_[metric];
  MetricValues out(d.call_paths.size(), d.locations.size());
  const Steps steps(*this);
  const auto make_row = [&](std::uint32_t c) {
    cells_ += d.locations.size();
    if (cells_ > kMostCells) throw Stop{"the values of all formulas need too much room"};
    return out.make_row(c);
  };
  for (std::uint32_t c = 0; c < d.call_paths.size(); ++c) {
    const Aggregate::Visit visit(*locations_, {&c, 1}, inclusive, metric);
    auto value = evaluate(own.bound, environment_, *locations_);
    if (value.kind == Value::Kind::kText) value = number_of(value.text);
    if (value.kind == Value::Kind::kNumber) {
      if (value.number == 0 || !is_value(value.number)) continue;
      std::ranges::fill(make_row(c), value.number);
      continue;
    }
    // 0 / 0 and the like: nothing happened there.
    for (double& x : value.row) x = is_value(x) ? x : 0;
    if (std::ranges::all_of(value.row, [](double x) { return x == 0; })) continue;
    std::ranges::copy(value.row, make_row(c).begin());
  }
  return out;
}

// Makes inclusive values exclusive; `back` replaces the subtraction of the callees.
MetricValues DerivedMetrics::without_callees(const MetricValues& inclusive, Fold& back) {
  const auto columns = anchor_.definitions.locations.size();
  MetricValues out(children_.size(), columns);
  const auto row_of = [&](std::uint32_t c) {
    const auto row = inclusive.row(c);
    return row.empty() ? std::vector<double>(columns) : std::vector<double>(row.begin(), row.end());
  };
  for (std::uint32_t c = 0; c < children_.size(); ++c) {
    // Rows without any value are skipped, unless a formula may turn zeros into something.
    const bool none =
        inclusive.row(c).empty() && std::ranges::all_of(children_[c], [&](std::uint32_t child) {
          return inclusive.row(child).empty();
        });
    if (none && back.how != Fold::How::kFormula) continue;
    Value own = row_of(c);
    for (const auto child : children_[c]) {
      if (back.how != Fold::How::kSum) {
        own = locations_->folded(back, std::move(own), row_of(child));
        continue;
      }
      const auto below = inclusive.row(child);
      for (std::size_t l = 0; l < below.size(); ++l) own.row[l] -= below[l];
    }
    if (own.kind != Value::Kind::kRow) own = std::vector<double>(columns, own.number);
    std::ranges::copy(own.row, out.make_row(c).begin());
  }
  return out;
}

const MetricValues& DerivedMetrics::at_locations(std::uint32_t metric) {
  auto& own = metrics_[metric];
  if (!own.derived) {
    const auto values = stored_(metric);
    if (!values) throw Stop{values.problem().what};
    return **values;
  }
  const std::string& name = anchor_.definitions.metrics[metric].name;
  if (!own.problem.empty()) throw Stop{"metric " + name + " has no values"};
  if (own.values) return *own.values;
  const bool inclusive = anchor_.metrics[metric].derivation == StoredMetric::Derivation::kInclusive;
  try {
    auto values = evaluated(metric, inclusive);
    if (inclusive) {
      auto exclusive = without_callees(values, own.back);
      own.inclusive = std::make_unique<MetricValues>(std::move(values));
      values = std::move(exclusive);
    }
    own.values = std::make_unique<MetricValues>(std::move(values));
  } catch (const Stop& stop) {
    if (nested_ > 0 && stop.exhausted) throw;
    fail(metric, stop, anchor_.metrics[metric].formula, "formula");
    throw Stop{"metric " + name + " has no values"};
  }
  return *own.values;
}

MetricValues DerivedMetrics::inclusive_at_locations(std::uint32_t metric) {
  const auto& own_values = at_locations(metric);
  auto& own = metrics_[metric];
  if (own.inclusive) return *own.inclusive;
  const auto columns = anchor_.definitions.locations.size();
  MetricValues out(children_.size(), columns);
  const auto row_of = [&](const MetricValues& values, std::uint32_t c) {
    const auto row = values.row(c);
    return row.empty() ? std::vector<double>(columns, own.nothing)
                       : std::vector<double>(row.begin(), row.end());
  };
  const auto is_nothing = [&](double x) {
    return std::isnan(own.nothing) ? std::isnan(x) : x == 0;
  };
  // Callees follow their callers, so they are complete in this direction.
  for (auto c = static_cast<std::uint32_t>(children_.size()); c-- > 0;) {
    Value sum = row_of(own_values, c);
    for (const auto child : children_[c]) {
      sum = locations_->folded(own.along_calls, std::move(sum), row_of(out, child));
    }
    if (sum.kind != Value::Kind::kRow) sum = std::vector<double>(columns, sum.number);
    if (std::ranges::all_of(sum.row, is_nothing)) continue;
    std::ranges::copy(sum.row, out.make_row(c).begin());
  }
  return out;
}

const MetricValues& DerivedMetrics::values(std::uint32_t metric) {
  initialize();
  auto& own = metrics_[metric];
  if (own.problem.empty() && own.adds_up) {
    try {
      return at_locations(metric);
    } catch (const Stop& stop) {
      if (own.problem.empty()) own.problem = stop.what;
    }
  }
  // A metric without values still gets no values of its own here: it may have values at other
  // places.
  if (!none_) {
    none_ = std::make_unique<MetricValues>(children_.size(), anchor_.definitions.locations.size());
  }
  return *none_;
}

}  // namespace latecomer::report::formula
