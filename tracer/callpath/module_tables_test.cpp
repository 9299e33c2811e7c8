// SPDX-License-Identifier: BSD-3-Clause
// Modules of this process, as the dynamic linker lists them.
#include "tracer/callpath/module_tables.hpp"

#include <dlfcn.h>
#include <link.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <memory>

using latecomer::callpath::find_module_tables;
using latecomer::callpath::ModuleTables;

TEST_CASE("each module's tables are found from its code") {
  std::size_t modules = 0;
  const auto visit = [](dl_phdr_info* module, std::size_t, void* data) {
    const ElfW(Phdr)* index = nullptr;
    for (int i = 0; i < module->dlpi_phnum; ++i) {
      if (module->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME) index = &module->dlpi_phdr[i];
    }
    for (int i = 0; index != nullptr && i < module->dlpi_phnum; ++i) {
      const auto& code = module->dlpi_phdr[i];
      if (code.p_type != PT_LOAD || (code.p_flags & PF_X) == 0) continue;
      const std::uintptr_t begin = module->dlpi_addr + code.p_vaddr;
      for (const std::uintptr_t place : {begin, begin + code.p_filesz - 1}) {
        const ModuleTables found = find_module_tables(place);
        CHECK(found.contains(place));
        CHECK(found.low == begin);
        CHECK(found.high == begin + code.p_filesz);
        REQUIRE(found.index < found.memory.size());
        CHECK(reinterpret_cast<std::uintptr_t>(&found.memory[found.index]) ==
              module->dlpi_addr + index->p_vaddr);
        CHECK(found.code_at(place).size() == found.high - place);
      }
      ++*static_cast<std::size_t*>(data);
    }
    return 0;
  };
  dl_iterate_phdr(visit, &modules);
  CHECK(modules > 3);
}

TEST_CASE("memory outside of modules has no tables") {
  const auto on_heap = std::make_unique<int>();
  for (const std::uintptr_t place : {std::uintptr_t{0}, std::uintptr_t{1}, ~std::uintptr_t{0},
                                     reinterpret_cast<std::uintptr_t>(&on_heap),
                                     reinterpret_cast<std::uintptr_t>(on_heap.get())}) {
    const ModuleTables found = find_module_tables(place);
    CHECK(found.memory.empty());
    CHECK_FALSE(found.contains(place));
    CHECK(found.code_at(place).empty());
  }
}

TEST_CASE("modules that were unloaded are counted") {
  const std::uint64_t before = latecomer::callpath::unloaded_modules();
  void* const module = dlopen("libanl.so.1", RTLD_NOW | RTLD_LOCAL);  // a part of glibc
  REQUIRE(module != nullptr);
  CHECK(latecomer::callpath::unloaded_modules() == before);
  dlclose(module);
  CHECK(latecomer::callpath::unloaded_modules() == before + 1);
}
