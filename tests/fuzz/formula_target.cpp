// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: formulas of derived metrics: value, init, plus, minus, aggregation, separated by
// zero bytes. Each is evaluated in all three ways that CUBE has.
#include <algorithm>
#include <array>
#include <string>

#include "analyzer/report/formula/aggregate.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/report/cube_file.hpp"

namespace latecomer::fuzz {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;
using report::StoredMetric;

constexpr std::string_view kWords[] = {"metric::m0()"sv,
                                       "metric::m0(e)"sv,
                                       "metric::m1(i,e)"sv,
                                       "metric::set::m1(1)"sv,
                                       "metric::get::value()"sv,
                                       "metric::x()"sv,
                                       "metric::y(e)"sv,
                                       "metric::context::m0()"sv,
                                       "metric::fixed::m0(*,i)"sv,
                                       "arg1"sv,
                                       "arg2"sv,
                                       "${a}"sv,
                                       "${a}[0]"sv,
                                       "${a}[1e18]"sv,
                                       "${a} = "sv,
                                       "${cube::#callpaths}"sv,
                                       "${cube::region::name}[0]"sv,
                                       "${calculation::callpath::id}"sv,
                                       "${calculation::region::id}"sv,
                                       "global(a);"sv,
                                       "local(a);"sv,
                                       "if ("sv,
                                       ") {"sv,
                                       "} else {"sv,
                                       "};"sv,
                                       "while (1) {"sv,
                                       "while (${i} < 9) {"sv,
                                       "return "sv,
                                       "{"sv,
                                       "}"sv,
                                       "^"sv,
                                       "-"sv,
                                       "/ 0"sv,
                                       "=~ /^MPI_(a|b)*/"sv,
                                       "eq"sv,
                                       "seq"sv,
                                       "and"sv,
                                       "or"sv,
                                       "xor"sv,
                                       "not "sv,
                                       "|"sv,
                                       "max("sv,
                                       "min("sv,
                                       "sqrt("sv,
                                       "random("sv,
                                       "lowercase("sv,
                                       "env(\"HOME\")"sv,
                                       "\"text\""sv,
                                       "'t'"sv,
                                       "1e999"sv,
                                       "<<@@init@@"sv,
                                       "sizeof(${a})"sv,
                                       "defined(${a})"sv,
                                       "\0"sv};

// Exactly five texts. Zero bytes after the fourth separator belong to the last text.
std::vector<std::string> texts_of(std::span<const std::uint8_t> input) {
  std::vector<std::string> out(1);
  for (const auto byte : input) {
    if (byte == 0 && out.size() < 5) {
      out.emplace_back();
    } else {
      out.back() += static_cast<char>(byte);
    }
  }
  out.resize(5);
  return out;
}

// A report with the metrics m0 and m1, and with x, y, z that have no formulas yet.
const report::Anchor& plain_anchor() {
  static const report::Anchor anchor = [] {
    std::string metrics;
    for (int m = 0; m < 5; ++m) metrics += test::metric_xml(m, "EXCLUSIVE", "DOUBLE");
    const std::string xml = test::small_anchor(metrics);
    const auto* first = reinterpret_cast<const std::byte*>(xml.data());
    auto read = report::read_anchor({first, first + xml.size()}, "report");
    must(read.ok(), "the report without formulas can be read");
    for (std::size_t m = 2; m < 5; ++m) {
      read->definitions.metrics[m].name = std::string(1, static_cast<char>('x' + m - 2));
      read->metrics[m].kind = StoredMetric::Kind::kDerived;
    }
    return std::move(*read);
  }();
  return anchor;
}

}  // namespace

void run(std::span<const std::uint8_t> input) {
  const auto texts = texts_of(input);
  report::Anchor anchor = plain_anchor();
  for (std::size_t m = 2; m < 5; ++m) {
    StoredMetric& metric = anchor.metrics[m];
    metric.derivation =
        std::array{StoredMetric::Derivation::kAfter, StoredMetric::Derivation::kExclusive,
                   StoredMetric::Derivation::kInclusive}[m - 2];
    metric.formula = texts[0];
    metric.init = texts[1];
    metric.plus = texts[2];
    metric.minus = texts[3];
    metric.aggregate = texts[4];
  }
  report::MetricValues stored(anchor.definitions.call_paths.size(), 2);
  for (std::uint32_t c = 0; c < anchor.definitions.call_paths.size(); ++c) {
    std::ranges::fill(stored.make_row(c), 1.5 + c);
  }
  report::formula::DerivedMetrics derived(
      anchor, [&](std::uint32_t) { return Result<const report::MetricValues*>(&stored); });
  derived.initialize();
  using report::formula::PlaceKind;
  report::formula::Aggregate whole(derived, {0, 0}, 1, PlaceKind::kNode);
  report::formula::Aggregate ranks(derived, {0, 1}, 2, PlaceKind::kProcess);
  for (std::uint32_t m = 2; m < 5; ++m) {
    if (derived.adds_up(m)) static_cast<void>(derived.values(m));
    static_cast<void>(derived.operands(m));
    must(whole.at(m, 0, true).size() == 1, "a group has a value");
    must(ranks.at(m, 1, false).size() == 2, "two groups have two values");
  }
}

std::vector<Bytes> seeds() {
  return {
      bytes_of("100 * metric::m0() / metric::m1(i)"s),
      bytes_of(
          "max(metric::m0(e), metric::x())\0{ return 0; }\0max(arg1, arg2)\0min(arg1, arg2)\0arg1 + arg2"s),
      bytes_of("${m}[${calculation::callpath::id}] * metric::m0(e)\0"
               "{ global(m); ${i} = 0; while (${i} < ${cube::#callpaths}) { ${m}[${i}] = 0; "
               "${r} = ${cube::callpath::calleeid}[${i}]; "
               "if (${cube::region::name}[${r}] =~ /^[A-C]$/) { ${m}[${i}] = 1; }; "
               "${i} = ${i} + 1; }; return 0; }"s),
      bytes_of("{ ${a} = 0; if (${cube::region::paradigm}[${calculation::region::id}] eq \"mpi\") "
               "{ ${a} = metric::m0(e); }; return ${a}; }"s)};
}

void mutate(Bytes& input, Random& random) { mutate_text(input, random, kWords); }

}  // namespace latecomer::fuzz
