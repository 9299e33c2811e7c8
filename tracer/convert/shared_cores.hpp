// SPDX-License-Identifier: BSD-3-Clause
// Finds machines on which more ranks and threads compute than there are cores, over a whole run.
#pragma once

#include <algorithm>
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
  // Processes whose threads have no records.
  struct Unrecorded {
    std::uint64_t processes = 0, most_threads = 0;  // most threads in one process

    void add(std::uint64_t threads) {
      ++processes;
      most_threads = std::max(most_threads, threads);
    }
  };
  std::map<std::string, Machine, std::less<>> machines_;
  Unrecorded openmp_, off_;    // off_: because of --threads off
  std::string openmp_inside_;  // program or library with a runtime linked statically, if any
};

}  // namespace latecomer::convert
