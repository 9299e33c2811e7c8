// SPDX-License-Identifier: BSD-3-Clause
// The program and the libraries of this process: which of them an address is in.
#pragma once

#include <cstdint>
#include <vector>

#include "tracer/record/definitions.hpp"

namespace latecomer::user {

// A module as it lies in memory. Modules get their ids when they are seen first.
struct LoadedModule {
  record::ModuleDefinition definition;
  std::uintptr_t begin = 0, end = 0;  // addresses
  std::uintptr_t bias = 0;            // address - bias = offset in the file's own numbering
};

// The program has no dynamic linker: nothing can be loaded into it.
[[nodiscard]] bool is_static_program();

// MT: one thread at a time.
class LoadedModules {
 public:
  // The module that holds `address`; null for code that belongs to no file. Looks at what is
  // loaded again where the address is in no module seen so far. The pointer is good until the next
  // call.
  [[nodiscard]] const LoadedModule* find(std::uintptr_t address);

  // Of a module that was found.
  [[nodiscard]] const record::ModuleDefinition& definition(std::uint32_t id) const {
    return modules_[id].definition;
  }

 private:
  [[nodiscard]] const LoadedModule* find_known(std::uintptr_t address) const;

  std::vector<LoadedModule> modules_;
};

}  // namespace latecomer::user
