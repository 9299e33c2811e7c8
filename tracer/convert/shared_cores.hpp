// SPDX-License-Identifier: BSD-3-Clause
// Finds machines on which more ranks and threads compute than there are cores, over a whole run.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracer/record/definition_lines.hpp"

namespace latecomer::convert {

class SharedCores {
 public:
  // Adds what the log of a process states.
  void add(const record::Definitions& log);

  // Names and values for the archive; unknown facts are left out.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> properties() const;

 private:
  struct Machine {
    std::uint64_t ranks = 0, threads = 0;  // number of those that compute
    std::set<std::uint32_t> cores;         // cores that one of them may use
  };
  std::map<std::string, Machine, std::less<>> machines_;
  std::uint64_t openmp_processes_ = 0, openmp_threads_ = 0;  // most threads in one process
};

}  // namespace latecomer::convert
