// SPDX-License-Identifier: BSD-3-Clause
// The program and libraries of this process, found by an address in them.
#pragma once

#include <cstdint>
#include <vector>

#include "tracer/record/definition_lines.hpp"

namespace latecomer::user {

// A module in memory. Modules get their ids when they are first seen.
struct LoadedModule {
  record::ModuleDefinition definition;
  std::uintptr_t begin = 0, end = 0;  // addresses
  std::uintptr_t bias = 0;            // address - bias = offset in the file's own numbering
};

// True if the program has no dynamic linker, so that nothing can be loaded into it.
[[nodiscard]] bool is_static_program();

// MT: one thread at a time.
class LoadedModules {
 public:
  // The module that contains `address`; null for code that belongs to no file. Looks again at what
  // is loaded if the address is in no module seen so far. The pointer is valid until the next call.
  [[nodiscard]] const LoadedModule* find(std::uintptr_t address);

  // Definition of a module that was found.
  [[nodiscard]] const record::ModuleDefinition& definition(std::uint32_t id) const {
    return modules_[id].definition;
  }

 private:
  [[nodiscard]] const LoadedModule* find_known(std::uintptr_t address) const;

  std::vector<LoadedModule> modules_;
};

}  // namespace latecomer::user
