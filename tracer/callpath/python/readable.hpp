// SPDX-License-Identifier: BSD-3-Clause
// Asks the kernel whether memory can be read, before it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace latecomer::python {

// True if all of `size` bytes can be read now. It makes a system call per page that needs no
// descriptor and no permission. Changes errno.
[[nodiscard]] bool readable(std::uintptr_t address, std::size_t size);

// A value in the memory of a structure of another program part, which the compiler knows nothing
// of.
template <typename T>
[[nodiscard]] T read(std::uintptr_t address) {
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}

[[nodiscard]] inline std::uintptr_t read_address(std::uintptr_t address) {
  return read<std::uintptr_t>(address);
}

}  // namespace latecomer::python
