// SPDX-License-Identifier: BSD-3-Clause
// Parses formulas by recursive descent, with one function per kind of expression. A chain of
// operators of one precedence is one node, so long formulas are not deep.
//
//   precedence from weak to strong:
//   or xor, and, not, == != < <= > >= eq seq =~, + -, * /, -a, a^b
#include "analyzer/report/formula/parser.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "analyzer/report/formula/scanner.hpp"

namespace latecomer::report::formula {
namespace {

// Limits of one formula.
constexpr std::uint32_t kDeepestFormula = 100;
constexpr std::size_t kMostFormulaNodes = 200'000;

struct Named {
  std::string_view name;
  Function function;
  std::size_t arguments;
};
constexpr std::array<Named, 25> kFunctions = {
    {{"abs", Function::kAbs, 1},         {"sqrt", Function::kSqrt, 1},
     {"exp", Function::kExp, 1},         {"log", Function::kLog, 1},
     {"ln", Function::kLog, 1},          {"sin", Function::kSin, 1},
     {"cos", Function::kCos, 1},         {"tan", Function::kTan, 1},
     {"cot", Function::kCot, 1},         {"asin", Function::kAsin, 1},
     {"acos", Function::kAcos, 1},       {"atan", Function::kAtan, 1},
     {"acot", Function::kAcot, 1},       {"floor", Function::kFloor, 1},
     {"ceil", Function::kCeil, 1},       {"sgn", Function::kSign, 1},
     {"sign", Function::kSign, 1},       {"pos", Function::kPositive, 1},
     {"neg", Function::kNegative, 1},    {"random", Function::kRandom, 1},
     {"max", Function::kMax, 2},         {"min", Function::kMin, 2},
     {"lowercase", Function::kLower, 1}, {"uppercase", Function::kUpper, 1},
     {"env", Function::kEnvironment, 1}}};

struct Operator {
  std::string_view word;
  Join join;
};
constexpr std::array<Operator, 2> kOr = {{{"or", Join::kOr}, {"xor", Join::kXor}}};
constexpr std::array<Operator, 1> kAnd = {{{"and", Join::kAnd}}};
constexpr std::array<Operator, 8> kCompare = {{{"==", Join::kEqual},
                                               {"!=", Join::kNotEqual},
                                               {"<=", Join::kLessEqual},
                                               {">=", Join::kGreaterEqual},
                                               {"<", Join::kLess},
                                               {">", Join::kGreater},
                                               {"eq", Join::kSame},
                                               {"seq", Join::kAlike}}};
constexpr std::array<Operator, 2> kAdd = {{{"+", Join::kAdd}, {"-", Join::kSubtract}}};
constexpr std::array<Operator, 2> kMultiply = {{{"*", Join::kMultiply}, {"/", Join::kDivide}}};

class Parser : Scanner {
 public:
  explicit Parser(std::string_view text) : Scanner(text) {}

  std::variant<Program, SyntaxError> run() {
    try {
      program_.root = expression();
      take(";");
      space();
      if (at_ < text_.size()) fail("the formula should end here");
      measure();
      return std::move(program_);
    } catch (const SyntaxError& error) {
      return error;
    }
  }

 private:
  std::uint32_t add(Node node) {
    if (program_.nodes.size() + program_.states >= kMostFormulaNodes)
      fail("the formula is too long");
    program_.nodes.push_back(std::move(node));
    return static_cast<std::uint32_t>(program_.nodes.size() - 1);
  }
  // A node that refers to the current position of the text.
  Node make(Op op) const {
    Node node;
    node.op = op;
    node.at = static_cast<std::uint32_t>(at_);
    return node;
  }
  // Index of a name in Program::names; each name is stored once.
  std::uint32_t name_id(const std::string& name) {
    auto& names = program_.names;
    const auto [at, is_new] = ids_.emplace(name, static_cast<std::uint32_t>(names.size()));
    if (is_new) names.push_back(name);
    return at->second;
  }
  std::uint32_t reference(std::string metric, std::size_t at) {
    program_.references.push_back({std::move(metric), static_cast<std::uint32_t>(at)});
    return static_cast<std::uint32_t>(program_.references.size() - 1);
  }

  // A chain of operators of one precedence; next() parses an operand. A single operand is not
  // wrapped.
  template <std::size_t N, typename Next>
  std::uint32_t chain(const std::array<Operator, N>& operators, Next next) {
    Node node = make(Op::kChain);
    const auto first = next();
    for (;;) {
      const auto found = std::find_if(operators.begin(), operators.end(),
                                      [&](const Operator& o) { return take(o.word); });
      if (found == operators.end()) break;
      if (node.parts.empty()) node.parts.push_back(first);
      node.joins.push_back(found->join);
      node.parts.push_back(next());
    }
    return node.parts.empty() ? first : add(std::move(node));
  }

  // Conjunctions joined by or and xor; a conjunction is negations joined by and.
  std::uint32_t expression() {
    if (++depth_ > kDeepestFormula) fail("parentheses and blocks are nested too deep");
    const auto node = chain(kOr, [&] { return chain(kAnd, [&] { return negation(); }); });
    --depth_;
    return node;
  }

  // [not]... comparison
  std::uint32_t negation() {
    Node node = make(Op::kNot);
    std::size_t nots = 0;
    while (take("not")) ++nots;
    auto value = comparison();
    if (nots % 2 == 0 && nots > 0) {  // not not a is 0 or 1, so it is not the same as a
      node.parts = {value};
      value = add(node);
    }
    if (nots == 0) return value;
    node.parts = {value};
    return add(std::move(node));
  }

  // sum [== sum]... [=~ /pattern/]...
  std::uint32_t comparison() {
    auto left = chain(kCompare, [&] { return sum(); });
    while (take("=~")) {
      Node node = make(Op::kMatch);
      node.parts = {left};
      node.id = pattern();
      left = add(std::move(node));
    }
    return left;
  }

  // A pattern /.../, in which \/ stands for a slash.
  std::uint32_t pattern() {
    need("/");
    const auto begin = at_;
    std::string pattern;
    for (;; ++at_) {
      if (at_ >= text_.size()) fail("the / that ends the pattern is missing");
      if (text_[at_] == '/') break;
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        if (text_[at_ + 1] != '/') pattern += text_[at_];
        ++at_;
      }
      pattern += text_[at_];
    }
    auto regex = Regex::compile(pattern);
    if (!regex) {
      at_ = begin;
      fail("this regular expression is not understood");
    }
    ++at_;
    program_.states += regex->size();
    program_.patterns.push_back(std::move(*regex));
    return static_cast<std::uint32_t>(program_.patterns.size() - 1);
  }

  // Terms joined by + and -; a term is powers joined by * and /.
  std::uint32_t sum() {
    return chain(kAdd, [&] { return chain(kMultiply, [&] { return signed_power(); }); });
  }

  // [+ or -]... power
  std::uint32_t signed_power() {
    Node node = make(Op::kNegate);
    std::size_t minuses = 0;
    for (;;) {
      if (take("-")) {
        ++minuses;
      } else if (!take("+")) {
        break;
      }
    }
    const auto value = power();
    if (minuses % 2 == 0) return value;
    node.parts = {value};
    return add(std::move(node));
  }

  // a^b^c is a^(b^c).
  std::uint32_t power() {
    Node node = make(Op::kPower);
    const auto base = primary();
    if (!take("^")) return base;
    if (++depth_ > kDeepestFormula) fail("powers are nested too deep");
    node.parts = {base, signed_power()};
    --depth_;
    return add(std::move(node));
  }

  // A number, text, variable, metric, call of a function, block, or expression in parentheses.
  std::uint32_t primary() {
    space();
    if (at_ >= text_.size()) fail("a value is expected");
    const char c = text_[at_];
    if (is_digit(c) || c == '.') return number();
    if (c == '"' || c == '\'') return text(c);
    if (take("(")) {
      const auto node = expression();
      need(")");
      return node;
    }
    // |a| is abs(a).
    if (take("|")) {
      Node node = make(Op::kFunction);
      node.id = static_cast<std::uint32_t>(Function::kAbs);
      node.parts = {expression()};
      need("|");
      return add(std::move(node));
    }
    if (c == '{') return block();
    if (c == '$') return variable();
    if (take_prefix("metric::")) return metric();
    if (take("arg1") || take("arg2")) {
      Node node = make(Op::kArgument);
      node.id = text_[at_ - 1] == '1' ? 0 : 1;
      return add(std::move(node));
    }
    if (in_word(c)) return function();
    fail("a value is expected");
  }

  std::uint32_t number() {
    Node node = make(Op::kNumber);
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), node.number);
    if (error != std::errc()) fail("this is no number");
    at_ += static_cast<std::size_t>(end - begin);
    return add(std::move(node));
  }

  // 'text' or "text"; there are no escapes.
  std::uint32_t text(char quote) {
    Node node = make(Op::kText);
    const auto end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("the quote that ends the text is missing");
    node.text = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return add(std::move(node));
  }

  // ${name} or ${name}[index]
  std::uint32_t variable() {
    Node node = make(Op::kVariable);
    ++at_;
    need("{");
    node.id = name_id(up_to('}'));
    if (take("[")) {
      node.parts = {expression()};
      need("]");
    }
    return add(std::move(node));
  }

  // i, e or *: inclusive, exclusive, or as the formula itself is evaluated.
  Flavour flavour() {
    if (take("i")) return Flavour::kInclusive;
    if (take("e")) return Flavour::kExclusive;
    if (take("*")) return Flavour::kSame;
    fail("i, e or * is expected");
  }

  // The rest of a reference, after "metric::".
  std::uint32_t metric() {
    Node node = make(Op::kMetric);
    if (take_prefix("fixed::")) {
      node.scope = Scope::kFixed;
    } else if (take_prefix("call::")) {
      node.scope = Scope::kCall;
    } else {
      take_prefix("context::");
    }
    const auto begin = at_;
    node.id = reference(up_to('('), begin);
    if (node.scope == Scope::kCall) {
      node.parts.push_back(expression());
      need(",");
      node.flavour = flavour();
      if (take(",")) {
        node.parts.push_back(expression());
        need(",");
        flavour();  // ignored: locations have no children
      }
    } else if (!sees(")")) {
      node.flavour = flavour();
      if (take(",")) flavour();
    }
    need(")");
    return add(std::move(node));
  }

  // A name or ${name}, in parentheses.
  std::string name_in_parentheses() {
    need("(");
    if (!take("${")) return up_to(')');
    auto name = up_to('}');
    need(")");
    return name;
  }

  std::uint32_t function() {
    Node node = make(Op::kFunction);
    const auto begin = at_;
    const auto name = word();
    if (name == "defined" || name == "sizeof") {
      node.op = name == "defined" ? Op::kDefined : Op::kSizeOf;
      node.id = name_id(name_in_parentheses());
      return add(std::move(node));
    }
    const auto known = std::find_if(kFunctions.begin(), kFunctions.end(),
                                    [&](const Named& f) { return f.name == name; });
    if (known == kFunctions.end()) {
      at_ = begin;
      fail("'" + name + "' is no function");
    }
    node.id = static_cast<std::uint32_t>(known->function);
    need("(");
    if (known->function == Function::kRandom && take(")")) {
      Node one = make(Op::kNumber);
      one.number = 1;
      node.parts = {add(one)};
      return add(std::move(node));
    }
    for (std::size_t i = 0; i < known->arguments; ++i) {
      if (i > 0) need(",");
      node.parts.push_back(expression());
    }
    need(")");
    return add(std::move(node));
  }

  // { statement; ... return value; }
  std::uint32_t block() {
    Node node = make(Op::kBlock);
    need("{");
    while (!take("return")) {
      if (sees("}") || at_ >= text_.size()) fail("'return' is expected at the end of a block");
      statement(node.parts);
    }
    node.parts.push_back(expression());
    take(";");
    need("}");
    return add(std::move(node));
  }

  // { statement; ... } of if and while
  std::uint32_t sequence() {
    Node node = make(Op::kSequence);
    need("{");
    if (++depth_ > kDeepestFormula) fail("parentheses and blocks are nested too deep");
    while (!take("}")) {
      if (at_ >= text_.size()) fail("'}' is missing");
      statement(node.parts);
    }
    --depth_;
    return add(std::move(node));
  }

  // Appends a statement to `to`. Declarations and print add no node.
  void statement(std::vector<std::uint32_t>& to) {
    if (take(";")) return;
    if (sees("return")) fail("'return' stands at the end of a block only");
    if (sees("if")) {
      to.push_back(condition());
    } else if (sees("while")) {
      Node node = make(Op::kWhile);
      need("while");
      need("(");
      node.parts.push_back(expression());
      need(")");
      node.parts.push_back(sequence());
      to.push_back(add(std::move(node)));
    } else if (take("global")) {
      program_.globals.insert(name_in_parentheses());
    } else if (take("local")) {
      program_.locals.insert(name_in_parentheses());
    } else if (take("print")) {  // ignored: reports print nothing
      need("(");
      expression();
      need(")");
    } else if (take_prefix("cube::metric::set::")) {
      to.push_back(property());
    } else if (sees("$")) {
      assignment(to);
    } else {
      to.push_back(expression());
    }
    // A statement ends with a semicolon, which may be missing after a block.
    auto last = at_;
    while (is_space(text_[last - 1])) --last;
    if (!take(";") && text_[last - 1] != '}') fail("';' is expected");
  }

  // ${name} = expression or ${name}[index] = expression
  void assignment(std::vector<std::uint32_t>& to) {
    const auto begin = at_;
    const auto target = variable();
    if (sees("==") || sees("=~") || !take("=")) {  // a statement whose value is not used
      at_ = begin;
      to.push_back(expression());
      return;
    }
    Node node = make(Op::kAssign);
    node.id = program_.nodes[target].id;
    node.parts = {expression()};
    for (const auto index : program_.nodes[target].parts) node.parts.push_back(index);
    to.push_back(add(std::move(node)));
  }

  // if (...) {...} elseif (...) {...} else {...}
  std::uint32_t condition() {
    Node node = make(Op::kIf);
    need("if");
    do {
      need("(");
      node.parts.push_back(expression());
      need(")");
      node.parts.push_back(sequence());
    } while (take("elseif"));
    if (take("else")) node.parts.push_back(sequence());
    return add(std::move(node));
  }

  // The rest of a statement, after "cube::metric::set::".
  std::uint32_t property() {
    Node node = make(Op::kSwitchOff);
    const auto begin = at_;
    node.id = reference(up_to('('), begin);
    space();
    const auto key = program_.nodes[primary()].text;
    need(",");
    space();
    const auto value = program_.nodes[primary()].text;
    need(")");
    if (key != "value" || value != "VOID") {  // other properties do not change values
      Node nothing = make(Op::kSequence);
      return add(std::move(nothing));
    }
    return add(std::move(node));
  }

  // Determines the depth of the tree. Parts precede the nodes they belong to, so one pass is
  // enough.
  void measure() {
    std::vector<std::uint32_t> depth(program_.nodes.size(), 1);
    for (std::size_t n = 0; n < depth.size(); ++n) {
      for (const auto part : program_.nodes[n].parts) {
        depth[n] = std::max(depth[n], depth[part] + 1);
      }
    }
    program_.depth = depth[program_.root];
  }

  std::uint32_t depth_ = 0;
  Program program_;
  std::map<std::string, std::uint32_t> ids_;
};

}  // namespace

std::variant<Program, SyntaxError> parse(std::string_view text) { return Parser(text).run(); }

}  // namespace latecomer::report::formula
