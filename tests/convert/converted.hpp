// SPDX-License-Identifier: BSD-3-Clause
// Helpers that the tests of converted records share.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/convert/experiment.hpp"
#include "tests/convert/read_archive.hpp"
#include "tracer/convert/definitions/mpi_functions.hpp"
#include "tracer/convert/repair.hpp"

namespace latecomer::test {

using Lines = std::vector<std::string>;

// Region id of an MPI function in records.
inline std::uint32_t mpi(std::string_view name) {
  const auto functions = convert::mpi_functions();
  for (std::uint32_t id = 0; id < functions.size(); ++id) {
    if (functions[id].name == name) return id;
  }
  throw std::out_of_range("no MPI function " + std::string(name));
}

struct Converted {
  convert::RepairReport report;
  ReadArchive archive;
};

inline Converted converted(const Experiment& experiment) {
  const auto report = convert::repair(experiment.path());
  if (!report) throw std::runtime_error(report.problem().text());
  return {*report, read_archive(experiment.path())};
}

}  // namespace latecomer::test
