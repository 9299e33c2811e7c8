// SPDX-License-Identifier: BSD-3-Clause
// Evaluates formulas. Numbers and texts are the same in all columns, rows differ. If a branch of
// the formula depends on a row, the formula is evaluated column by column instead.
#include "analyzer/report/formula/evaluator.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <utility>

namespace latecomer::report::formula {
namespace {

constexpr std::size_t kMostRoom = 16'000'000;  // numbers in variables

// Thrown if columns would take different branches.
struct Diverged {};

// Operands for all columns, by metric and flavour, or by calculation.
using Rows = std::map<std::pair<std::uint32_t, std::uint32_t>, Value>;
// Stands for a metric in the key of a calculation.
constexpr std::uint32_t kCalculationRow = 0xffffffff;

std::string in_case(std::string text, int (*change)(int)) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [&](char c) { return static_cast<char>(change(static_cast<unsigned char>(c))); });
  return text;
}

double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

// One evaluation of a formula, for all columns or for one. Every node, and every 4 or 8 elements of
// a long value, costs a step.
class Evaluator {
 public:
  Evaluator(const Bound& formula, Environment& environment, Operands& operands,
            std::span<const Value> arguments, Rows& rows, std::optional<std::size_t> column)
      : program_(*formula.program),
        names_(formula.names),
        environment_(environment),
        operands_(operands),
        arguments_(arguments),
        rows_(rows),
        column_(column),
        locals_(paid_for(formula.names.size(), environment)) {}

  Value run() { return value(program_.root); }

 private:
  static std::size_t paid_for(std::size_t names, Environment& environment) {
    environment.spend(names, 0);
    return names;
  }
  // Charges the steps for copying a text or a row.
  Value paid(Value value, std::uint32_t at) {
    environment_.spend(value.text.size() / 8 + value.row.size() / 8, at);
    return value;
  }
  // The value of an operand. In an evaluation by column its row is fetched once for all columns.
  template <typename Get>
  Value fetched(const Rows::key_type& key, std::uint32_t at, Get&& get) {
    if (!column_) return paid(get(), at);
    const auto [known, fresh] = rows_.try_emplace(key);
    if (fresh) known->second = paid(get(), at);
    const Value& found = known->second;
    return found.kind == Value::Kind::kRow ? Value(found.row[*column_]) : found;
  }
  [[nodiscard]] const Node& node(std::uint32_t n) const { return program_.nodes[n]; }

  // In an evaluation by column, the element of a row for this column.
  Value here(Value value) const {
    if (value.kind == Value::Kind::kRow && column_) return value.row[*column_];
    return value;
  }

  static double number(const Value& value) {
    if (value.kind == Value::Kind::kText) return number_of(value.text);
    if (value.kind == Value::Kind::kRow) return same_in_all(value.row);
    return value.number;
  }
  // The number that all columns share.
  static double same_in_all(const std::vector<double>& row) {
    for (const double x : row) {
      if (x != row.front()) throw Diverged();
    }
    return row.empty() ? 0 : row.front();
  }
  // True if a condition holds in all columns, false if it holds in none.
  static bool truth(const Value& value) {
    if (value.kind != Value::Kind::kRow) return number(value) != 0;
    for (const double x : value.row) {
      if ((x != 0) != (value.row.front() != 0)) throw Diverged();
    }
    return !value.row.empty() && value.row.front() != 0;
  }
  static std::string text(Value value) {
    if (value.kind == Value::Kind::kText) return std::move(value.text);
    return text_of(number(value));
  }

  // Applies f to two values, element by element if one of them is a row.
  template <typename F>
  Value join(Value a, Value b, std::uint32_t at, F f) {
    const bool rows = a.kind == Value::Kind::kRow || b.kind == Value::Kind::kRow;
    if (!rows) return static_cast<double>(f(number(a), number(b)));
    environment_.spend(std::max(a.row.size(), b.row.size()) / 8, at);
    if (a.kind != Value::Kind::kRow) {
      const double left = number(a);
      for (double& x : b.row) x = static_cast<double>(f(left, x));
      return b;
    }
    if (b.kind != Value::Kind::kRow) {
      const double right = number(b);
      for (double& x : a.row) x = static_cast<double>(f(x, right));
      return a;
    }
    for (std::size_t i = 0; i < a.row.size(); ++i) {
      a.row[i] = static_cast<double>(f(a.row[i], b.row[i]));
    }
    return a;
  }
  // Applies f to a value, or to each element of a row.
  template <typename F>
  Value map(Value a, std::uint32_t at, F f) {
    if (a.kind != Value::Kind::kRow) return static_cast<double>(f(number(a)));
    environment_.spend(a.row.size() / 4, at);
    for (double& x : a.row) x = static_cast<double>(f(x));
    return a;
  }

  Value joined(Join how, Value a, Value b, std::uint32_t at) {
    switch (how) {
      case Join::kAdd:
        return join(std::move(a), std::move(b), at, [](double x, double y) { return x + y; });
      case Join::kSubtract:
        return join(std::move(a), std::move(b), at, [](double x, double y) { return x - y; });
      case Join::kMultiply:
        return join(std::move(a), std::move(b), at, [](double x, double y) { return x * y; });
      case Join::kDivide:
        return join(std::move(a), std::move(b), at, [](double x, double y) { return x / y; });
      case Join::kEqual:
        return join(std::move(a), std::move(b), at, [](double x, double y) { return x == y; });
      case Join::kNotEqual:
        return join(std::move(a), std::move(b), at, [](double x, double y) { return x != y; });
      case Join::kLess:
        return join(std::move(a), std::move(b), at, [](double x, double y) { return x < y; });
      case Join::kLessEqual:
        return join(std::move(a), std::move(b), at, [](double x, double y) { return x <= y; });
      case Join::kGreater:
        return join(std::move(a), std::move(b), at, [](double x, double y) { return x > y; });
      case Join::kGreaterEqual:
        return join(std::move(a), std::move(b), at, [](double x, double y) { return x >= y; });
      case Join::kSame:
      case Join::kAlike: {
        auto left = text(std::move(a)), right = text(std::move(b));
        environment_.spend((left.size() + right.size()) / 8, at);
        if (how == Join::kSame) return left == right ? 1.0 : 0.0;
        return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                          [](char x, char y) {
                            return std::tolower(static_cast<unsigned char>(x)) ==
                                   std::tolower(static_cast<unsigned char>(y));
                          })
                   ? 1.0
                   : 0.0;
      }
      case Join::kAnd:
        return join(std::move(a), std::move(b), at,
                    [](double x, double y) { return x != 0 && y != 0; });
      case Join::kOr:
        return join(std::move(a), std::move(b), at,
                    [](double x, double y) { return x != 0 || y != 0; });
      case Join::kXor:
        return join(std::move(a), std::move(b), at,
                    [](double x, double y) { return (x != 0) != (y != 0); });
    }
    return 0.0;
  }

  Value chain(const Node& n) {
    auto sum = value(n.parts[0]);
    for (std::size_t i = 0; i < n.joins.size(); ++i) {
      // `0 and x` and `1 or x` do not evaluate x.
      if (sum.kind == Value::Kind::kNumber) {
        if (n.joins[i] == Join::kAnd && sum.number == 0) continue;
        if (n.joins[i] == Join::kOr && sum.number != 0) {
          sum.number = 1;
          continue;
        }
      }
      sum = joined(n.joins[i], std::move(sum), value(n.parts[i + 1]), n.at);
    }
    return sum;
  }

  double random() {
    auto& s = environment_.random_state;  // xorshift: the same numbers in every run
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    return static_cast<double>(s >> 11) * 0x1p-53;
  }

  Value function(const Node& n) {
    auto a = value(n.parts[0]);
    switch (static_cast<Function>(n.id)) {
      case Function::kAbs:
        return map(std::move(a), n.at, [](double x) { return std::abs(x); });
      case Function::kSqrt:
        return map(std::move(a), n.at, [](double x) { return std::sqrt(x); });
      case Function::kExp:
        return map(std::move(a), n.at, [](double x) { return std::exp(x); });
      case Function::kLog:
        return map(std::move(a), n.at, [](double x) { return std::log(x); });
      case Function::kSin:
        return map(std::move(a), n.at, [](double x) { return std::sin(x); });
      case Function::kCos:
        return map(std::move(a), n.at, [](double x) { return std::cos(x); });
      case Function::kTan:
        return map(std::move(a), n.at, [](double x) { return std::tan(x); });
      case Function::kCot:
        return map(std::move(a), n.at, [](double x) { return 1 / std::tan(x); });
      case Function::kAsin:
        return map(std::move(a), n.at, [](double x) { return std::asin(x); });
      case Function::kAcos:
        return map(std::move(a), n.at, [](double x) { return std::acos(x); });
      case Function::kAtan:
        return map(std::move(a), n.at, [](double x) { return std::atan(x); });
      case Function::kAcot:
        return map(std::move(a), n.at, [](double x) { return std::atan(1 / x); });
      case Function::kFloor:
        return map(std::move(a), n.at, [](double x) { return std::floor(x); });
      case Function::kCeil:
        return map(std::move(a), n.at, [](double x) { return std::ceil(x); });
      case Function::kSign:
        return map(std::move(a), n.at, sign);
      case Function::kPositive:
        return map(std::move(a), n.at, [](double x) { return x > 0 ? x : 0; });
      case Function::kNegative:
        return map(std::move(a), n.at, [](double x) { return x < 0 ? x : 0; });
      case Function::kRandom:
        return map(std::move(a), n.at, [&](double x) { return x * random(); });
      case Function::kMax:
        return join(std::move(a), value(n.parts[1]), n.at,
                    [](double x, double y) { return std::max(x, y); });
      case Function::kMin:
        return join(std::move(a), value(n.parts[1]), n.at,
                    [](double x, double y) { return std::min(x, y); });
      case Function::kLower:
        return paid(in_case(text(std::move(a)), [](int c) { return std::tolower(c); }), n.at);
      case Function::kUpper:
        return paid(in_case(text(std::move(a)), [](int c) { return std::toupper(c); }), n.at);
      case Function::kEnvironment:
        return std::string();  // the environment of the reader is hidden from reports
    }
    return 0.0;
  }

  [[nodiscard]] double index_of(const Node& n, std::size_t part) {
    return n.parts.size() > part ? number(value(n.parts[part])) : 0;
  }

  Value variable(const Node& n) {
    const auto& binding = names_[n.id];
    if (const auto* calculation = std::get_if<Calculation>(&binding)) {
      return fetched({kCalculationRow, static_cast<std::uint32_t>(*calculation)}, n.at,
                     [&] { return operands_.calculation(*calculation); });
    }
    if (std::holds_alternative<Nothing>(binding)) return std::string();
    const double index = index_of(n, 0);
    if (const auto* table = std::get_if<Table>(&binding)) {
      return paid(environment_.tables().get(table->index, index), n.at);
    }
    if (!(index >= 0) || index >= static_cast<double>(kMostRoom)) return 0.0;
    return here(paid(array(binding).get(static_cast<std::size_t>(index)), n.at));
  }

  Variable& array(const Binding& binding) {
    if (const auto* local = std::get_if<Local>(&binding)) return locals_[local->slot];
    return *std::get<Variable*>(binding);
  }

  void assign(const Node& n) {
    auto what = value(n.parts[0]);
    const double index = index_of(n, 1);
    const auto& binding = names_[n.id];
    const bool is_local = std::holds_alternative<Local>(binding);
    if (!is_local && !std::holds_alternative<Variable*>(binding)) {
      throw Stop{"the variable " + program_.names[n.id] + " cannot be set", n.at};
    }
    // Global variables hold no rows: formulas that are evaluated by column would see all columns.
    if (!is_local && what.kind == Value::Kind::kRow) what = same_in_all(what.row);
    auto& room = is_local ? room_taken_ : environment_.room_taken;
    if (!(index >= 0) || index >= static_cast<double>(kMostRoom)) {
      throw Stop{"the index " + text_of(index) + " of " + program_.names[n.id] + " is out of range",
                 n.at};
    }
    auto& to = array(binding);
    const auto at = static_cast<std::size_t>(index);
    const std::size_t growth = at < to.numbers.size() ? 0 : at + 1 - to.numbers.size();
    if (room + growth > kMostRoom) throw Stop{"its variables are too large", n.at};
    environment_.spend(growth / 8, n.at);
    room =
        static_cast<std::size_t>(static_cast<std::ptrdiff_t>(room) + to.set(at, std::move(what)));
    if (room > kMostRoom) throw Stop{"its variables are too large", n.at};
  }

  Value metric(const Node& n) {
    const auto m = program_.references[n.id].index;
    try {
      return metric(n, m);
    } catch (Stop& stop) {
      stop.at = n.at;  // position of the reference in this formula
      throw;
    }
  }
  Value metric(const Node& n, std::uint32_t m) {
    if (n.scope == Scope::kFixed) {
      environment_.spend(operands_.columns() / 8, n.at);
      return operands_.fixed(m);
    }
    if (n.scope == Scope::kContext) {
      return fetched({m, static_cast<std::uint32_t>(n.flavour)}, n.at,
                     [&] { return operands_.metric(m, n.flavour); });
    }
    const double call_path = number(value(n.parts[0]));
    std::optional<double> location;
    if (n.parts.size() > 1) location = number(value(n.parts[1]));
    environment_.spend(operands_.columns() / 8, n.at);
    return operands_.call(m, call_path, n.flavour, location);
  }

  // Executes a statement.
  void execute(std::uint32_t index) {
    const auto& n = node(index);
    environment_.spend(1, n.at);
    switch (n.op) {
      case Op::kAssign:
        return assign(n);
      case Op::kIf:
        for (std::size_t i = 0; i + 1 < n.parts.size(); i += 2) {
          if (truth(value(n.parts[i]))) return execute(n.parts[i + 1]);
        }
        if (n.parts.size() % 2 == 1) execute(n.parts.back());
        return;
      case Op::kWhile:
        while (truth(value(n.parts[0]))) execute(n.parts[1]);
        return;
      case Op::kSequence:
        for (const auto part : n.parts) execute(part);
        return;
      case Op::kSwitchOff:
        rows_.clear();
        return operands_.switch_off(program_.references[n.id].index);
      default:
        static_cast<void>(value(index));
    }
  }

  // Evaluates an expression.
  Value value(std::uint32_t index) {
    const auto& n = node(index);
    environment_.spend(1, n.at);
    switch (n.op) {
      case Op::kNumber:
        return n.number;
      case Op::kText:
        environment_.spend(n.text.size() / 8, n.at);
        return n.text;
      case Op::kChain:
        return chain(n);
      case Op::kPower:
        return join(value(n.parts[0]), value(n.parts[1]), n.at,
                    [](double x, double y) { return std::pow(x, y); });
      case Op::kNegate:
        return map(value(n.parts[0]), n.at, [](double x) { return -x; });
      case Op::kNot:
        return map(value(n.parts[0]), n.at, [](double x) { return x == 0; });
      case Op::kMatch: {
        const auto& pattern = program_.patterns[n.id];
        const auto in = text(value(n.parts[0]));
        environment_.spend(pattern.size() * (in.size() + 1) / 4, n.at);
        return pattern.found_in(in) ? 1.0 : 0.0;
      }
      case Op::kFunction:
        return function(n);
      case Op::kVariable:
        return variable(n);
      case Op::kDefined:
      case Op::kSizeOf: {
        const auto& binding = names_[n.id];
        if (const auto* table = std::get_if<Table>(&binding)) {
          return n.op == Op::kDefined
                     ? 1.0
                     : static_cast<double>(environment_.tables().size(table->index));
        }
        if (std::holds_alternative<Calculation>(binding)) return 1.0;
        if (std::holds_alternative<Nothing>(binding)) return 0.0;
        const auto& found = array(binding);
        if (n.op == Op::kDefined) return found.defined ? 1.0 : 0.0;
        return static_cast<double>(found.numbers.size());
      }
      case Op::kMetric:
        return metric(n);
      case Op::kArgument:
        if (n.id >= arguments_.size()) {
          throw Stop{"arg1 and arg2 have a value in aggregation formulas only", n.at};
        }
        return here(arguments_[n.id]);
      case Op::kBlock:
        for (std::size_t i = 0; i + 1 < n.parts.size(); ++i) execute(n.parts[i]);
        return value(n.parts.back());
      default:
        execute(index);
        return 0.0;
    }
  }

  const Program& program_;
  const std::vector<Binding>& names_;
  Environment& environment_;
  Operands& operands_;
  std::span<const Value> arguments_;
  Rows& rows_;
  std::optional<std::size_t> column_;
  std::vector<Variable> locals_;
  std::size_t room_taken_ = 0;
};

}  // namespace

// Tries all columns at once. If they take different branches, evaluates column by column, then and
// in future.
Value evaluate(Bound& formula, Environment& environment, Operands& operands,
               std::span<const Value> arguments) {
  Rows rows;
  if (!formula.by_column) {
    try {
      return Evaluator(formula, environment, operands, arguments, rows, std::nullopt).run();
    } catch (const Diverged&) {
      formula.by_column = true;
    }
  }
  std::vector<double> row;
  for (std::size_t column = 0; column < operands.columns(); ++column) {
    const auto value = Evaluator(formula, environment, operands, arguments, rows, column).run();
    row.push_back(value.kind == Value::Kind::kText ? number_of(value.text) : value.number);
  }
  return row;
}

}  // namespace latecomer::report::formula
