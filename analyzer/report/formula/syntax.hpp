// SPDX-License-Identifier: BSD-3-Clause
// The tree of a formula in CUBE's language (CubePL).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analyzer/report/formula/regex.hpp"

namespace latecomer::report::formula {

// Kinds of nodes; the comments say what `id` and `parts` of a node are.
enum class Op : std::uint8_t {
  kNumber,
  kText,
  kChain,     // parts joined from left to right: a + b - c
  kPower,     // two parts
  kNegate,    // -a
  kNot,       // not a
  kMatch,     // a =~ /pattern/: `id` of the pattern
  kFunction,  // `id` of the function, parts are its arguments
  kVariable,  // `id` of the name; part: its index
  kDefined,   // defined(x)
  kSizeOf,    // sizeof(x)
  kMetric,    // `id` of the reference; parts: arguments of metric::call
  kArgument,  // arg1, arg2: `id` 0, 1
  kBlock,     // statements, the last one is the value
  kAssign,    // variable: parts are value, index
  kIf,  // condition, block, condition, block, ...; an odd number of parts ends with the else block
  kWhile,      // condition, block
  kSequence,   // statements without value
  kSwitchOff,  // cube::metric::set::NAME("value", "VOID"): `id` of the reference
};

// Operators that join the parts of a chain.
enum class Join : std::uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kSame,   // eq
  kAlike,  // seq: ignores case
  kAnd,
  kOr,
  kXor,
};

enum class Function : std::uint8_t {
  kAbs,
  kSqrt,
  kExp,
  kLog,
  kSin,
  kCos,
  kTan,
  kCot,
  kAsin,
  kAcos,
  kAtan,
  kAcot,
  kFloor,
  kCeil,
  kSign,
  kPositive,
  kNegative,
  kRandom,
  kMax,
  kMin,
  kLower,
  kUpper,
  kEnvironment,
};

// Selects the value of a metric along the call tree; kSame: as the formula is evaluated.
enum class Flavour : std::uint8_t { kSame, kExclusive, kInclusive };

// The place whose value of a metric is meant.
enum class Scope : std::uint8_t {
  kContext,  // metric::NAME(): at the place of evaluation
  kFixed,    // metric::fixed::NAME(): in the whole report
  kCall,     // metric::call::NAME(id, flavour, ...): at another call path
};

// A node of the tree. Members that its operation does not need are unused.
struct Node {
  Op op = Op::kNumber;
  Scope scope = Scope::kContext;
  Flavour flavour = Flavour::kSame;
  std::uint32_t at = 0;  // byte of the text
  std::uint32_t id = 0;
  double number = 0;
  std::string text;
  std::vector<std::uint32_t> parts;  // nodes
  std::vector<Join> joins;           // kChain: operators between the parts
};

// A metric that a formula uses.
struct Reference {
  std::string metric;
  std::uint32_t at = 0;
  std::uint32_t index = 0xffffffff;  // index in the report; set when the report is known
};

// A parsed formula. Nodes refer to each other by index; parts precede the nodes they belong to.
struct Program {
  std::vector<Node> nodes;
  std::uint32_t root = 0;
  std::uint32_t depth = 0;  // depth of the tree
  std::vector<Reference> references;
  std::vector<Regex> patterns;
  std::size_t states = 0;                 // total size of all patterns
  std::vector<std::string> names;         // names of variables
  std::set<std::string> globals, locals;  // declared
};

}  // namespace latecomer::report::formula
