// SPDX-License-Identifier: BSD-3-Clause
// Finds the unwind tables of the module that contains an address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace latecomer::callpath {

// Tables of a loaded module in memory (executable, library, vDSO).
struct ModuleTables {
  std::uintptr_t low = 0, high = 0;   // the segment of code; empty: no module
  bool readable = false;              // the code may be read
  std::span<const std::byte> memory;  // the segment that has the tables; empty: none
  std::size_t index = 0;              // position of .eh_frame_hdr in it

  [[nodiscard]] bool contains(std::uintptr_t address) const {
    return address >= low && address < high;
  }
  // The code from an address in it on; empty if it must not be read.
  [[nodiscard]] std::span<const std::byte> code_at(std::uintptr_t address) const {
    if (!readable || !contains(address)) return {};
    return {reinterpret_cast<const std::byte*>(address), high - address};
  }
};

// Takes no lock and allocates nothing with glibc 2.35 or newer. Before that, it takes the dynamic
// linker's lock. The result is valid as long as the module stays loaded.
[[nodiscard]] ModuleTables find_module_tables(std::uintptr_t address);

// Number of modules that this process has unloaded so far. Takes the dynamic linker's lock.
[[nodiscard]] std::uint64_t unloaded_modules();

}  // namespace latecomer::callpath
