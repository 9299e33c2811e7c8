// SPDX-License-Identifier: BSD-3-Clause
// Asks the dynamic linker, and reads the program headers that each module has in memory.
#include "tracer/callpath/module_tables.hpp"

#include <dlfcn.h>
#include <link.h>

namespace latecomer::callpath {

namespace {

ModuleTables tables_of(std::span<const ElfW(Phdr)> headers, std::uintptr_t bias,
                       std::uintptr_t address) {
  const auto contains = [&](const ElfW(Phdr) & segment, std::uintptr_t inside) {
    return segment.p_type == PT_LOAD && inside - (bias + segment.p_vaddr) < segment.p_memsz;
  };
  ModuleTables found;
  std::uintptr_t index = 0;
  for (const auto& header : headers) {
    if (header.p_type == PT_GNU_EH_FRAME) index = bias + header.p_vaddr;
    if (!contains(header, address)) continue;
    found.low = bias + header.p_vaddr;
    found.high = found.low + header.p_filesz;
    found.readable = (header.p_flags & PF_R) != 0;
  }
  if (found.low == 0 || index == 0) return found;
  for (const auto& header : headers) {
    if (!contains(header, index) || (header.p_flags & PF_R) == 0) continue;
    const std::uintptr_t begin = bias + header.p_vaddr;
    found.memory = {reinterpret_cast<const std::byte*>(begin), header.p_filesz};
    found.index = index - begin;
  }
  return found;
}

}  // namespace

#if defined(DLFO_EH_SEGMENT_TYPE)

ModuleTables find_module_tables(std::uintptr_t address) {
  dl_find_object object;
  if (_dl_find_object(reinterpret_cast<void*>(address), &object) != 0) return {};
  // The first page of a module has the headers. A module whose first page has something else is
  // treated as one without tables.
  constexpr std::size_t kPage = 4096;
  const auto* const file = static_cast<const std::byte*>(object.dlfo_map_start);
  const auto& header = *reinterpret_cast<const ElfW(Ehdr)*>(file);
  constexpr std::uint32_t kMagic = 0x464c457f;  // 0x7f "ELF"
  if (*reinterpret_cast<const std::uint32_t*>(file) != kMagic ||
      header.e_phentsize != sizeof(ElfW(Phdr)) || header.e_phoff > kPage ||
      header.e_phoff % alignof(ElfW(Phdr)) != 0 ||
      header.e_phnum > (kPage - header.e_phoff) / sizeof(ElfW(Phdr))) {
    return {};
  }
  const auto* const first = reinterpret_cast<const ElfW(Phdr)*>(file + header.e_phoff);
  return tables_of({first, header.e_phnum}, object.dlfo_link_map->l_addr, address);
}

#else

ModuleTables find_module_tables(std::uintptr_t address) {
  struct Search {
    std::uintptr_t address;
    ModuleTables found;
  } search{address, {}};
  const auto visit = [](dl_phdr_info* module, std::size_t, void* data) {
    auto& wanted = *static_cast<Search*>(data);
    wanted.found =
        tables_of({module->dlpi_phdr, module->dlpi_phnum}, module->dlpi_addr, wanted.address);
    return wanted.found.low != 0 ? 1 : 0;
  };
  dl_iterate_phdr(visit, &search);
  return search.found;
}

#endif

std::uint64_t unloaded_modules() {
  std::uint64_t count = 0;
  const auto visit = [](dl_phdr_info* module, std::size_t, void* data) {
    *static_cast<std::uint64_t*>(data) = module->dlpi_subs;
    return 1;  // all modules have the same number
  };
  dl_iterate_phdr(visit, &count);
  return count;
}

}  // namespace latecomer::callpath
