// SPDX-License-Identifier: BSD-3-Clause
// Regular expressions of formulas.
#include <catch2/catch.hpp>
#include <string>

#include "analyzer/report/formula/regex.hpp"

using latecomer::report::formula::Regex;

namespace {

bool found(const std::string& pattern, const std::string& text) {
  const auto regex = Regex::compile(pattern);
  INFO(pattern);
  REQUIRE(regex);
  return regex->found_in(text);
}

}  // namespace

TEST_CASE("repeats of nothing do not take long") {
  // A thousand times a thousand times ... repeats of a pattern without states.
  CHECK(found("((){1000}{1000}{1000}){1000}{1000}{1000}", "abc"));
  CHECK(found("^(a{0}){1000}b", "bc"));
  CHECK_FALSE(found("^((){5}x){2}$", "x"));
  CHECK(found("^((){5}x){2}$", "xx"));
  // 10,000 times 30,000 groups of nothing.
  std::string nothing;
  for (int i = 0; i < 30000; ++i) nothing += "()";
  CHECK(found("^" + nothing + "x$", "x"));
  CHECK_FALSE(Regex::compile("((" + nothing + "x){99}){99}"));
}

TEST_CASE("characters that no state needs") {
  CHECK(found("^[a-c]{0}[d-f]{2}[g-i]{0}[^k]$", "dex"));
  CHECK_FALSE(found("^[a-c]{0}[d-f]{2}[g-i]{0}[^k]$", "dek"));
}

TEST_CASE("what a pattern finds") {
  CHECK(found("b", "abc"));
  CHECK_FALSE(found("x", "abc"));
  CHECK(found("", ""));
  CHECK(found("^abc$", "abc"));
  CHECK_FALSE(found("^bc", "abc"));
  CHECK_FALSE(found("ab$", "abc"));
  CHECK(found("a.c", "abc"));
  CHECK(found("^(MPI|OMP)_", "OMP_x"));
  CHECK_FALSE(found("^(MPI|OMP)_", "XMP_x"));
  CHECK(found("^ab*c$", "ac"));
  CHECK(found("^ab*c$", "abbbc"));
  CHECK_FALSE(found("^ab+c$", "ac"));
  CHECK(found("^ab?c$", "abc"));
  CHECK_FALSE(found("^ab?c$", "abbc"));
  CHECK(found("^a{2,3}$", "aaa"));
  CHECK_FALSE(found("^a{2,3}$", "aaaa"));
  CHECK(found("^a{2}$", "aa"));
  CHECK(found("^a{2,}$", "aaaaa"));
  CHECK_FALSE(found("^a{2,}$", "a"));
  CHECK(found("^[a-cx]+$", "abcx"));
  CHECK_FALSE(found("^[^a-c]+$", "xbx"));
  CHECK(found("^[]a-]+$", "]-a"));
  CHECK(found("^[[:alpha:]_]+[[:digit:]]$", "a_b7"));
  CHECK(found("^\\w+\\s\\d\\.$", "ab_1 2."));
  CHECK_FALSE(found("\\D", "123"));
  CHECK(found("(?:ab)+c", "ababc"));
  CHECK(found("a|", ""));
  CHECK(found("()*x", "x"));
  CHECK(found("{", "a{b"));
}

TEST_CASE("what is no pattern") {
  for (const char* pattern : {"(", ")", "a)", "[", "[z-a]", "*", "a|*", "\\", "[[:no:]]", "a{3,2}",
                              "a{9999}", "a***********", "(((a{1000}){1000}){1000})"}) {
    INFO(pattern);
    CHECK_FALSE(Regex::compile(pattern));
  }
  CHECK_FALSE(Regex::compile(std::string(100000, '(')));
  // A report of 60 KB may hold a pattern of 60 MB.
  CHECK_FALSE(Regex::compile(std::string(100000, 'a') + "{0}"));
}

TEST_CASE("patterns that take others forever") {
  const std::string text(5000, 'a');
  CHECK_FALSE(found("^(a*)*(a|a)*b$", text));
  CHECK_FALSE(found("(a?){50}a{50}b", text));
}
