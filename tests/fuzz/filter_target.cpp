// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: filter files, parsed and then asked about names.
#include "tests/fuzz/target.hpp"
#include "tracer/filter/filter.hpp"

namespace latecomer::fuzz {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kWords[] = {"SCOREP_REGION_NAMES_BEGIN\n"sv,
                                       "SCOREP_REGION_NAMES_END\n"sv,
                                       "SCOREP_FILE_NAMES_BEGIN\n"sv,
                                       "SCOREP_FILE_NAMES_END\n"sv,
                                       "\nEXCLUDE "sv,
                                       "\nINCLUDE "sv,
                                       "MANGLED "sv,
                                       "MPI_*"sv,
                                       "MPI:collective"sv,
                                       "MPI:tests"sv,
                                       "MPI_Send"sv,
                                       "MPI_Init"sv,
                                       "*"sv,
                                       "?"sv,
                                       "[a-z]"sv,
                                       "[!a"sv,
                                       "[[:alpha:]]"sv,
                                       "\\ "sv,
                                       "# word"sv,
                                       "EXLCUDE"sv,
                                       "***?*?*"sv};

}  // namespace

void run(std::span<const std::uint8_t> input) {
  const auto filter = user::Filter::parse(text_of(input), "filter");
  if (!filter) {
    must(!filter.problem().what.empty(), "a problem has words");
    return;
  }
  for (const char* name : {"solve(int, double) const", "main", ")(", ""}) {
    static_cast<void>(filter->excludes(name, "_Z5solveid", "/home/of me/solve.cpp"));
  }
  for (std::size_t i = 0; i < mpi::kRegions.size(); i += 40) {
    static_cast<void>(filter->excludes(mpi::kRegions[i]));
  }
  must(filter->excludes_regions() <= !filter->empty(), "who excludes has rules");
}

std::vector<Bytes> seeds() {
  return {bytes_of("SCOREP_REGION_NAMES_BEGIN\n  EXCLUDE *\n  INCLUDE main solve\n  exchange_halo\n"
                   "  EXCLUDE MANGLED _ZN3foo*\nSCOREP_REGION_NAMES_END\n"),
          bytes_of("SCOREP_FILE_NAMES_BEGIN # comment\n  EXCLUDE */vendor/* a\\ b\n"
                   "SCOREP_FILE_NAMES_END\n"),
          bytes_of("SCOREP_REGION_NAMES_BEGIN\nEXCLUDE MPI_Test* MPI:local\nINCLUDE MPI_Testall\n"
                   "SCOREP_REGION_NAMES_END\n")};
}

void mutate(Bytes& input, Random& random) { mutate_text(input, random, kWords); }

}  // namespace latecomer::fuzz
