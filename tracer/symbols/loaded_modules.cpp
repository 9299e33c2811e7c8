// SPDX-License-Identifier: BSD-3-Clause
// Reads the dynamic linker's list, and build ids from the notes in memory.
#include "tracer/symbols/loaded_modules.hpp"

#include <link.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <string>

namespace latecomer::user {
namespace {

// Resolves a path. The main program has no name in the list; paths may be relative to the directory
// in which the program began.
std::string path_of(const char* name) {
  char* const resolved = realpath(*name == '\0' ? "/proc/self/exe" : name, nullptr);
  std::string path = resolved != nullptr ? resolved : name;
  std::free(resolved);
  return path;
}

// Finds the build id among ELF notes. Each note has the sizes of name and description, its type,
// the name ("GNU") and the description; the latter two are padded to 4 bytes.
std::string build_id(const char* notes, std::size_t size) {
  static constexpr char kDigits[] = "0123456789abcdef";
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes, sizeof note);
    const std::size_t name = (note.n_namesz + 3) & ~std::size_t{3};
    const std::size_t description = (note.n_descsz + 3) & ~std::size_t{3};
    if (sizeof note + name + description > size) break;
    const char* const text = notes + sizeof note;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(text, "GNU", 4) == 0) {
      std::string id;
      for (std::size_t i = 0; i < note.n_descsz; ++i) {
        const auto byte = static_cast<unsigned char>(text[name + i]);
        id += kDigits[byte >> 4];
        id += kDigits[byte & 15];
      }
      return id;
    }
    notes += sizeof note + name + description;
    size -= sizeof note + name + description;
  }
  return {};
}

LoadedModule describe(const dl_phdr_info& info) {
  LoadedModule module;
  module.bias = info.dlpi_addr;
  module.begin = UINTPTR_MAX;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info.dlpi_phdr[i];
    const std::uintptr_t begin = info.dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD) {
      module.begin = std::min(module.begin, begin);
      module.end = std::max(module.end, begin + part.p_memsz);
    }
    if (part.p_type == PT_NOTE && module.definition.build_id.empty()) {
      module.definition.build_id = build_id(reinterpret_cast<const char*>(begin), part.p_memsz);
    }
  }
  return module;
}

struct Search {
  std::uintptr_t address;
  LoadedModule found;
};

int visit(dl_phdr_info* info, std::size_t, void* data) {
  auto* search = static_cast<Search*>(data);
  LoadedModule module = describe(*info);
  if (search->address < module.begin || search->address >= module.end) return 0;
  module.definition.path = path_of(info->dlpi_name);
  search->found = std::move(module);
  return 1;
}

// Only visits the first object, which is the program: it names the dynamic linker that it needs.
int look_for_linker(dl_phdr_info* info, std::size_t, void* found) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type == PT_INTERP) *static_cast<bool*>(found) = true;
  }
  return 1;
}

}  // namespace

bool is_static_program() {
  bool found = false;
  dl_iterate_phdr(look_for_linker, &found);
  return !found;
}

const LoadedModule* LoadedModules::find_known(std::uintptr_t address) const {
  const auto it = std::ranges::find_if(
      modules_, [address](const LoadedModule& m) { return address >= m.begin && address < m.end; });
  return it == modules_.end() ? nullptr : &*it;
}

const LoadedModule* LoadedModules::find(std::uintptr_t address) {
  if (const auto* known = find_known(address)) return known;
  Search search{address, {}};
  if (dl_iterate_phdr(visit, &search) == 0) return nullptr;
  search.found.definition.id = static_cast<std::uint32_t>(modules_.size());
  modules_.push_back(std::move(search.found));
  return &modules_.back();
}

}  // namespace latecomer::user
