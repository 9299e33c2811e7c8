// SPDX-License-Identifier: BSD-3-Clause
// Filter files: the regions that they exclude, and the errors in wrong ones.
#include "tracer/filter/filter.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using latecomer::Exit;
using latecomer::user::Filter;

namespace {

Filter parsed(const std::string& text) {
  auto result = Filter::parse(text, "filter.txt");
  REQUIRE(result.ok());
  return std::move(result.value());
}

Filter regions(const std::string& rules) {
  return parsed("SCOREP_REGION_NAMES_BEGIN\n" + rules + "\nSCOREP_REGION_NAMES_END\n");
}

Filter files(const std::string& rules) {
  return parsed("SCOREP_FILE_NAMES_BEGIN\n" + rules + "\nSCOREP_FILE_NAMES_END\n");
}

bool excludes(const Filter& filter, const std::string& name, const std::string& mangled = "",
              const std::string& file = "") {
  return filter.excludes(name, mangled, file);
}

std::string problem(const std::string& text) {
  const auto result = Filter::parse(text, "filter.txt");
  REQUIRE_FALSE(result.ok());
  CHECK(result.problem().status == Exit::kUsage);
  CHECK_FALSE(result.problem().next.empty());
  return result.problem().what;
}

}  // namespace

TEST_CASE("an empty filter excludes nothing") {
  CHECK(Filter().empty());
  CHECK(parsed("").empty());
  CHECK(parsed("\n  # only a comment\n\n").empty());
  CHECK_FALSE(excludes(Filter(), "main"));
}

TEST_CASE("the last rule that matches decides") {
  const auto filter = regions("EXCLUDE *\nINCLUDE main sol*\nEXCLUDE solve_small");
  CHECK_FALSE(filter.empty());
  CHECK(excludes(filter, "helper"));
  CHECK_FALSE(excludes(filter, "main"));
  CHECK_FALSE(excludes(filter, "solve"));
  CHECK(excludes(filter, "solve_small"));
}

TEST_CASE("the order within a rule means nothing, the order of rules does") {
  CHECK_FALSE(excludes(regions("EXCLUDE f\nINCLUDE f"), "f"));
  CHECK(excludes(regions("INCLUDE f\nEXCLUDE f"), "f"));
}

TEST_CASE("a rule goes on over lines until the next keyword") {
  const auto filter = regions("EXCLUDE a b\n  c # and\n\n  d\nINCLUDE b");
  for (const char* name : {"a", "c", "d"}) CHECK(excludes(filter, name));
  CHECK_FALSE(excludes(filter, "b"));
  CHECK_FALSE(excludes(filter, "and"));
}

TEST_CASE("patterns are those of the shell") {
  const auto filter = regions("EXCLUDE get_? [xy]* *::detail::*");
  CHECK(excludes(filter, "get_a"));
  CHECK_FALSE(excludes(filter, "get_ab"));
  CHECK(excludes(filter, "yacht"));
  CHECK_FALSE(excludes(filter, "zoo"));
  CHECK(excludes(filter, "lib::detail::f"));
  CHECK_FALSE(excludes(filter, "GET_A"));
}

TEST_CASE("backslashes take away the meaning of special characters") {
  const auto filter = regions("EXCLUDE operator\\ new a\\#b v\\[0\\] s\\*");
  CHECK(excludes(filter, "operator new"));
  CHECK(excludes(filter, "a#b"));
  CHECK(excludes(filter, "v[0]"));
  CHECK(excludes(filter, "s*"));
  CHECK_FALSE(excludes(filter, "star"));
}

TEST_CASE("C++ functions match with and without their arguments") {
  CHECK(excludes(regions("EXCLUDE foo"), "foo(int, double)"));
  CHECK(excludes(regions("EXCLUDE foo(int)"), "foo(int)"));
  CHECK_FALSE(excludes(regions("EXCLUDE foo(int)"), "foo(double)"));
  CHECK(excludes(regions("EXCLUDE A::f"), "A::f(void (*)(int)) const"));
  CHECK(excludes(regions("EXCLUDE A::operator()"), "A::operator()(int)"));
  CHECK_FALSE(excludes(regions("EXCLUDE foo"), "foobar(int)"));
  CHECK(excludes(regions("EXCLUDE (anonymous\\ namespace)::f"), "(anonymous namespace)::f(char)"));
}

TEST_CASE("mangled patterns are for mangled names only, up to the next rule") {
  const auto filter = regions("EXCLUDE MANGLED _Z3foo* _Z3bar*\nEXCLUDE baz");
  CHECK(excludes(filter, "foo(int)", "_Z3fooi"));
  CHECK(excludes(filter, "bar()", "_Z3barv"));
  CHECK_FALSE(excludes(filter, "_Z3fooi", ""));
  CHECK(excludes(filter, "baz", "_Z3bazv"));
  CHECK_FALSE(excludes(filter, "x", "baz"));
}

TEST_CASE("file rules look at the source file") {
  const auto filter = files("EXCLUDE */vendor/*\nINCLUDE */vendor/keep.c");
  CHECK(excludes(filter, "f", "", "/src/vendor/a.c"));
  CHECK_FALSE(excludes(filter, "f", "", "/src/vendor/keep.c"));
  CHECK_FALSE(excludes(filter, "f", "", "/src/own/a.c"));
  CHECK_FALSE(excludes(filter, "f", "", ""));  // unknown file: no rule matches
}

TEST_CASE("a region of an excluded file is excluded whatever its name") {
  const auto filter = parsed(
      "SCOREP_FILE_NAMES_BEGIN EXCLUDE b.c SCOREP_FILE_NAMES_END\n"
      "SCOREP_REGION_NAMES_BEGIN INCLUDE * EXCLUDE g SCOREP_REGION_NAMES_END");
  CHECK(excludes(filter, "f", "", "b.c"));
  CHECK_FALSE(excludes(filter, "f", "", "a.c"));
  CHECK(excludes(filter, "g", "", "a.c"));
}

TEST_CASE("files from other systems") {
  CHECK(excludes(parsed("SCOREP_REGION_NAMES_BEGIN\r\nEXCLUDE f\r\nSCOREP_REGION_NAMES_END\r\n"),
                 "f"));
  CHECK(excludes(parsed("SCOREP_REGION_NAMES_BEGIN EXCLUDE f SCOREP_REGION_NAMES_END"), "f"));
}

TEST_CASE("a keyword that is misspelt is no pattern") {
  const auto in_block = [](const std::string& line) {
    return problem("SCOREP_REGION_NAMES_BEGIN\nEXCLUDE foo\n" + line +
                   "\nSCOREP_REGION_NAMES_END\n");
  };
  CHECK(in_block("  EXCLUD bar") == "filter filter.txt:3: 'EXCLUD': EXCLUDE is meant?");
  CHECK(in_block("INLCUDE bar") == "filter filter.txt:3: 'INLCUDE': INCLUDE is meant?");
  CHECK(in_block("exclude bar") == "filter filter.txt:3: 'exclude': EXCLUDE is meant?");
  CHECK(in_block("Include bar") == "filter filter.txt:3: 'Include': INCLUDE is meant?");
  for (const char* pattern :
       {"excluded", "bar EXCLUD", "[e]xclude", "OCCLUDES", "MANGLE", "CLUE"}) {
    CHECK(Filter::parse("SCOREP_REGION_NAMES_BEGIN\nEXCLUDE foo\n" + std::string(pattern) +
                            "\nSCOREP_REGION_NAMES_END\n",
                        "filter.txt")
              .ok());
  }
}

TEST_CASE("what is wrong is said with its line") {
  CHECK(problem("# x\nEXCLUDE f\n") == "filter filter.txt:2: 'EXCLUDE' stands outside of a block");
  CHECK(problem("SCOREP_REGION_NAMES_BEGIN\n\nfoo\n") ==
        "filter filter.txt:3: 'foo' where EXCLUDE or INCLUDE is expected");
  CHECK(problem("\nSCOREP_REGION_NAMES_BEGIN\nEXCLUDE f\n") ==
        "filter filter.txt:2: this block has no end");
  CHECK(problem("SCOREP_REGION_NAMES_BEGIN\nEXCLUDE f\nSCOREP_FILE_NAMES_END\n") ==
        "filter filter.txt:3: 'SCOREP_FILE_NAMES_END' where SCOREP_REGION_NAMES_END is expected");
  CHECK(problem("SCOREP_REGION_NAMES_BEGIN\nSCOREP_REGION_NAMES_BEGIN\n") ==
        "filter filter.txt:2: a block begins before SCOREP_REGION_NAMES_END");
  CHECK(problem("SCOREP_REGION_NAMES_BEGIN\nEXCLUDE\nINCLUDE f\n") ==
        "filter filter.txt:3: the rule before this one has no pattern");
  CHECK(problem("SCOREP_REGION_NAMES_BEGIN\nEXCLUDE MANGLED\nSCOREP_REGION_NAMES_END\n") ==
        "filter filter.txt:3: the last rule has no pattern");
  CHECK(problem("SCOREP_FILE_NAMES_BEGIN\nEXCLUDE MANGLED f\n") ==
        "filter filter.txt:2: MANGLED means nothing for file names");
  CHECK(problem("SCOREP_REGION_NAME_BEGIN\n") ==
        "filter filter.txt:1: 'SCOREP_REGION_NAME_BEGIN' stands outside of a block");
}

namespace {

bool leaves_out(const Filter& filter, std::string_view function) {
  const auto* const found =
      std::ranges::find(latecomer::mpi::kRegions, function, &latecomer::mpi::RegionInfo::name);
  REQUIRE(found != latecomer::mpi::kRegions.end());
  return filter.excludes(*found);
}

}  // namespace

TEST_CASE("MPI functions are left out where a pattern is about them") {
  CHECK_FALSE(leaves_out(Filter(), "MPI_Test"));
  CHECK_FALSE(leaves_out(regions("EXCLUDE *"), "MPI_Test"));
  CHECK_FALSE(regions("EXCLUDE *").names_mpi_functions());
  const auto filter = regions("EXCLUDE MPI_Test* MPI_Comm_rank helper\nINCLUDE MPI_Testall");
  CHECK(filter.names_mpi_functions());
  CHECK(leaves_out(filter, "MPI_Test"));
  CHECK(leaves_out(filter, "MPI_Testany"));
  CHECK(leaves_out(filter, "MPI_Comm_rank"));
  CHECK_FALSE(leaves_out(filter, "MPI_Testall"));
  CHECK_FALSE(leaves_out(filter, "MPI_Comm_size"));
  CHECK(excludes(filter, "helper"));
  CHECK_FALSE(excludes(filter, "MPI_Test"));  // not a function of the program
}

TEST_CASE("groups of MPI functions, and those that are always recorded") {
  const auto left_out = [](const char* group) {
    return regions(std::string("EXCLUDE MPI:") + group);
  };
  CHECK(leaves_out(left_out("local"), "MPI_Comm_rank"));
  CHECK(leaves_out(left_out("local"), "MPI_Type_commit"));
  CHECK_FALSE(leaves_out(left_out("local"), "MPI_Wait"));
  CHECK_FALSE(leaves_out(left_out("local"), "MPI_Probe"));
  CHECK_FALSE(leaves_out(left_out("local"), "MPI_Comm_split"));
  CHECK_FALSE(leaves_out(left_out("local"), "MPI_Comm_spawn"));
  CHECK(leaves_out(left_out("tests"), "MPI_Iprobe"));
  CHECK_FALSE(leaves_out(left_out("tests"), "MPI_Wait"));
  CHECK(leaves_out(left_out("collective"), "MPI_Iallreduce"));
  CHECK_FALSE(leaves_out(left_out("collective"), "MPI_Send"));
  CHECK(leaves_out(left_out("point2point"), "MPI_Send"));
  CHECK(leaves_out(left_out("io"), "MPI_File_open"));
  CHECK(leaves_out(left_out("one-sided"), "MPI_Put"));
  CHECK(leaves_out(left_out("one-sided"), "MPI_Win_fence"));
  CHECK(leaves_out(regions("EXCLUDE MPI_*"), "MPI_Send"));
  for (const char* always :
       {"MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Pcontrol", "MPI_Abort"}) {
    CHECK_FALSE(leaves_out(regions("EXCLUDE MPI_*"), always));
  }
}

TEST_CASE("slips in names of MPI functions are told with their line") {
  const auto wrong = [](const std::string& rule) {
    return problem("SCOREP_REGION_NAMES_BEGIN\n" + rule + "\nSCOREP_REGION_NAMES_END\n");
  };
  CHECK(wrong("EXCLUDE MPI_test") == "filter filter.txt:2: 'MPI_test' names no MPI function");
  CHECK(wrong("EXCLUDE MPI_Tset*") == "filter filter.txt:2: 'MPI_Tset*' names no MPI function");
  CHECK(wrong("EXCLUDE MPI:test") ==
        "filter filter.txt:2: 'MPI:test' is no group of MPI functions");
  CHECK(wrong("EXCLUDE MPI_Finalize") == "filter filter.txt:2: MPI_Finalize is always recorded");
}

TEST_CASE("slips in names of constructs are told with their line and similar names") {
  const auto wrong = [](const std::string& rule) {
    const auto parsed = Filter::parse(
        "SCOREP_REGION_NAMES_BEGIN\n" + rule + "\nSCOREP_REGION_NAMES_END\n", "filter.txt");
    REQUIRE_FALSE(parsed.ok());
    return parsed.problem();
  };
  CHECK(wrong("EXCLUDE OMP:critcal").what ==
        "filter filter.txt:2: 'OMP:critcal' names no construct of OpenMP");
  CHECK(wrong("EXCLUDE OMP:critcal").next.starts_with("similar names: critical, "));
  CHECK(wrong("EXCLUDE OMP:tsk*").next.find("task") != std::string::npos);
  CHECK(wrong("EXCLUDE OMP:").what == "filter filter.txt:2: 'OMP:' names no construct of OpenMP");
  CHECK(regions("EXCLUDE OMP:omp_set_lock OMP:*lock").excludes_construct("omp_set_nest_lock"));
}

TEST_CASE("only patterns that say so apply to constructs of OpenMP") {
  const auto filter =
      regions("EXCLUDE OMP:critical OMP:task* OMP:parallel?for\nINCLUDE OMP:taskwait");
  CHECK(filter.excludes_construct("critical"));
  CHECK(filter.excludes_construct("task"));
  CHECK(filter.excludes_construct("parallel for"));
  CHECK_FALSE(filter.excludes_construct("parallel"));
  CHECK_FALSE(filter.excludes_construct("taskwait"));
  CHECK_FALSE(excludes(filter, "critical"));
  CHECK_FALSE(filter.excludes_regions());
  CHECK_FALSE(regions("EXCLUDE *").excludes_construct("critical"));
}
