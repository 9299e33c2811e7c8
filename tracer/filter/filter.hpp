// SPDX-License-Identifier: BSD-3-Clause
// Filter files, which say what regions are not recorded. The syntax is that of Score-P.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "archive/result.hpp"
#include "tracer/functions/regions.hpp"

namespace latecomer::user {

// Consists of two kinds of blocks with rules. A rule is a keyword and shell patterns (* ? [a-z],
// backslash before special characters and blanks). The last rule that matches decides; a region
// that no rule matches is recorded. A region of an excluded source file is excluded, whatever its
// name.
//
//   SCOREP_FILE_NAMES_BEGIN               # comment
//     EXCLUDE */vendor/*
//   SCOREP_FILE_NAMES_END
//   SCOREP_REGION_NAMES_BEGIN
//     EXCLUDE *
//     INCLUDE main solve
//             exchange_halo
//     EXCLUDE MANGLED _ZN3foo*
//     EXCLUDE MPI_Test* MPI:local         # MPI functions, or a group of them
//     EXCLUDE OMP:critical OMP:single    # constructs of OpenMP
//   SCOREP_REGION_NAMES_END
//
// Only patterns that begin with MPI_ or MPI: apply to MPI functions. All other filters, such as
// EXCLUDE *, leave all communication in. In the same way, only OMP: applies to constructs.
class Filter {
 public:
  Filter() = default;  // excludes nothing

  // Parses a filter. `where` names the text in messages, e.g. "filter.txt". A Problem names the
  // line.
  [[nodiscard]] static Result<Filter> parse(std::string_view text, const std::string& where);

  // True if a region is excluded. `name` is the readable name, which patterns may give without
  // C++'s argument list. `mangled` is the linker's name. Unknown names are empty and match no rule.
  [[nodiscard]] bool excludes(const std::string& name, const std::string& mangled,
                              const std::string& file) const;

  // True if a function of MPI is excluded.
  [[nodiscard]] bool excludes(const mpi::RegionInfo& function) const;
  // True if a construct of OpenMP is excluded: `name` is what follows "!$omp ".
  [[nodiscard]] bool excludes_construct(const std::string& name) const;
  [[nodiscard]] bool names_mpi_functions() const { return !mpi_.empty(); }

  // True if the filter may exclude regions of the program.
  [[nodiscard]] bool excludes_regions() const {
    const auto excludes = [](const Rule& rule) { return rule.exclude; };
    return std::ranges::any_of(files_, excludes) || std::ranges::any_of(regions_, excludes);
  }
  [[nodiscard]] bool empty() const { return files_.empty() && regions_.empty(); }

 private:
  struct Rule {
    bool exclude = true;
    bool mangled = false;
    std::string pattern;
  };
  class Parser;
  static bool names(const Rule& rule, const mpi::RegionInfo& function);

  std::vector<Rule> files_, regions_, mpi_, constructs_;
};

// Reads and checks a filter file.
[[nodiscard]] Result<Filter> read_filter(const std::string& path);

// The filter that LATECOMER_FILTER names, read at the first call and valid for the whole process;
// an empty one if it is unset. MT: any thread.
[[nodiscard]] const Result<Filter>& filter();

}  // namespace latecomer::user
