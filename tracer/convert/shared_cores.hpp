// SPDX-License-Identifier: BSD-3-Clause
// Where more ranks and threads compute than there are cores, of all processes of a run.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracer/record/definitions.hpp"

namespace latecomer::convert {

class SharedCores {
 public:
  // What the log of a process says.
  void add(const record::Definitions& log);

  // Names and values for the archive; none for what is not known.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> properties() const;

 private:
  struct Machine {
    std::uint64_t ranks = 0, threads = 0;  // that compute
    std::set<std::uint32_t> cores;         // that one of them may use
  };
  std::map<std::string, Machine, std::less<>> machines_;
  std::uint64_t openmp_processes_ = 0, openmp_threads_ = 0;  // most threads in one of them
};

}  // namespace latecomer::convert
