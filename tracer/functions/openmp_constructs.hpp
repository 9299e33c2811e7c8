// SPDX-License-Identifier: BSD-3-Clause
// Names and roles of constructs of OpenMP, which a filter can name.
#pragma once

#include <array>
#include <string_view>

namespace latecomer::openmp {

// A construct in records: OTF2's role in lower case, and the name of its regions without the place.
struct ConstructWords {
  const char* role;
  const char* name;
};

// In the order of Construct (tracer/sources/openmp/constructs.hpp).
inline constexpr std::array<ConstructWords, 25> kConstructWords = {{
    {"parallel", "!$omp parallel"},
    {"parallel", "!$omp parallel for"},
    {"parallel", "!$omp parallel sections"},
    {"implicit barrier", "!$omp implicit barrier"},
    {"barrier", "!$omp barrier"},
    {"loop", "!$omp for"},
    {"sections", "!$omp sections"},
    {"critical", "!$omp critical"},
    {"critical sblock", "!$omp critical sblock"},
    {"task", "!$omp task"},
    {"taskwait", "!$omp taskwait"},
    {"taskwait", "!$omp taskgroup"},
    {"ordered", "!$omp ordered"},
    {"single", "!$omp single"},
    {"loop", "!$omp taskloop"},
    {"atomic", "!$omp atomic"},
    {"critical sblock", "!$omp atomic sblock"},
    {"loop", "!$omp distribute"},
    {"workshare", "!$omp workshare"},
    {"workshare", "!$omp scope"},
    {"code", "!$omp target"},
    {"code", "!$omp target data"},
    {"code", "!$omp target update"},
    {"function", "omp_set_lock"},
    {"function", "omp_set_nest_lock"},
}};

// The name that a filter gives after OMP:, such as "critical" or "omp_set_lock".
constexpr std::string_view filter_name(const ConstructWords& words) {
  constexpr std::string_view kDirective = "!$omp ";
  const std::string_view name = words.name;
  return name.starts_with(kDirective) ? name.substr(kDirective.size()) : name;
}

}  // namespace latecomer::openmp
