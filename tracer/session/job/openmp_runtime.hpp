// SPDX-License-Identifier: BSD-3-Clause
// Runtimes of OpenMP in this process, also those that are linked statically.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace latecomer::session {

struct OpenMpRuntimes {
  bool is_library = false;             // there is one in a library of its own
  std::vector<std::string> libraries;  // names of these libraries
  // Name of the program or library that one is linked into statically; empty: none. Its functions
  // are called directly, so the measurement library cannot stand in front of them.
  std::string inside;
};

[[nodiscard]] OpenMpRuntimes openmp_runtimes();

// True if the file has, from `begin` on, the names of settings that only GCC's runtime reads, or
// those that only LLVM's reads. Programs without symbols have them, too.
[[nodiscard]] bool has_runtime_settings(const std::string& path, std::size_t begin,
                                        std::size_t bytes);

}  // namespace latecomer::session
