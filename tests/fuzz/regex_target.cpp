// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: regular expressions of formulas. The input is a pattern and, after the first line
// end, a text to search.
#include "analyzer/report/formula/regex.hpp"

#include <algorithm>

#include "tests/fuzz/target.hpp"

namespace latecomer::fuzz {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kWords[] = {"^"sv,           "$"sv,
                                       "("sv,           ")"sv,
                                       "|"sv,           "*"sv,
                                       "+"sv,           "?"sv,
                                       "."sv,           "{2}"sv,
                                       "{0,3}"sv,       "{,}"sv,
                                       "{1000}"sv,      "{99999999999}"sv,
                                       "[a-z]"sv,       "[^a-z]"sv,
                                       "[[:alpha:]]"sv, "[[:x:]]"sv,
                                       "[]a]"sv,        "[z-a]"sv,
                                       "\\d"sv,         "\\w+"sv,
                                       "\\s"sv,         "\\"sv,
                                       "(a*)*"sv,       "(((a{9}){9}){9}){9}"sv,
                                       "()"sv,          "(?:"sv};

}  // namespace

void run(std::span<const std::uint8_t> input) {
  const std::string all = text_of(input);
  const std::size_t end = std::min(all.find('\n'), all.size());
  const auto regex = report::formula::Regex::compile(std::string_view(all).substr(0, end));
  if (!regex) return;
  const std::string_view text = std::string_view(all).substr(std::min(all.size(), end + 1));
  static_cast<void>(regex->found_in(""));
  // Time is the product of both sizes; a report cannot have larger ones.
  if (regex->size() * text.size() < 10'000'000) static_cast<void>(regex->found_in(text));
}

std::vector<Bytes> seeds() {
  return {bytes_of("^MPI_(Send|Recv)$\nMPI_Send"), bytes_of("[[:alpha:]_]+[0-9]{1,3}\nsolve_12"),
          bytes_of("\\w+\\s\\d*[^x]?\nstep 7"), bytes_of("(a|b)*abb\nababababb")};
}

void mutate(Bytes& input, Random& random) { mutate_text(input, random, kWords); }

}  // namespace latecomer::fuzz
