// SPDX-License-Identifier: BSD-3-Clause
// Looks into the files of the modules in memory; nothing in here fails. Sanitizers would report a
// look at the memory: it has gaps between its constants.
#include "tracer/session/job/openmp_runtime.hpp"

#include <link.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <string_view>
#include <utility>
#include <vector>

namespace latecomer::session {
namespace {

constexpr std::array<std::string_view, 7> kLibraries = {
    "libgomp.so", "libgomp-", "libomp.so", "libomp-", "libiomp5.so", "libnvomp.so", "libcraymp.so"};

// Names in two parts: a static program has the measurement library's constants, too.
struct Setting {
  std::string_view begin, end;
  [[nodiscard]] std::string name() const { return std::string(begin) += end; }
};
// A runtime reads both.
constexpr std::array<std::array<Setting, 2>, 2> kSettings = {{
    {{{"GOMP_", "SPINCOUNT"}, {"OMP_WAIT_", "POLICY"}}},
    {{{"KMP_", "BLOCKTIME"}, {"KMP_", "AFFINITY"}}},
}};
constexpr std::size_t kBlock = std::size_t{1} << 20;
constexpr std::size_t kOverlap = 64;  // a name may lie in two blocks

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

struct Module {
  std::string name;  // empty: the program
  std::string path;
  struct Part {
    std::size_t offset, bytes;
  };
  std::vector<Part> constants;
};

// Linkers put constants into parts that are neither code nor variables, older ones beside the code.
std::vector<Module::Part> constants_of(const dl_phdr_info& module, bool beside_code) {
  std::vector<Module::Part> found;
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = module.dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_W) != 0) continue;
    if (beside_code || (part.p_flags & PF_X) == 0) found.push_back({part.p_offset, part.p_filesz});
  }
  return found;
}

// A static program has the measurement library inside.
bool is_measurement_library(const dl_phdr_info& module) {
  const auto own = reinterpret_cast<std::uintptr_t>(&has_runtime_settings);
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = module.dlpi_phdr[i];
    const std::uintptr_t begin = module.dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && own >= begin && own < begin + part.p_memsz) return true;
  }
  return false;
}

struct Loaded {
  std::vector<std::string> libraries;
  std::vector<Module> others;
};

int visit(dl_phdr_info* info, std::size_t, void* data) {
  auto& loaded = *static_cast<Loaded*>(data);
  const bool is_program = info->dlpi_name == nullptr || *info->dlpi_name == '\0';
  Module module{"", is_program ? "/proc/self/exe" : info->dlpi_name, {}};
  if (!is_program) module.name = base_name(module.path);
  const auto starts = [&](std::string_view library) { return module.name.starts_with(library); };
  if (std::ranges::any_of(kLibraries, starts)) {
    loaded.libraries.push_back(module.name);
  } else if (is_program || !is_measurement_library(*info)) {
    module.constants = constants_of(*info, false);
    if (module.constants.size() < 2) module.constants = constants_of(*info, true);
    loaded.others.push_back(std::move(module));
  }
  return 0;
}

bool has_runtime(const Module& module) {
  return std::ranges::any_of(module.constants, [&](const Module::Part& part) {
    return has_runtime_settings(module.path, part.offset, part.bytes);
  });
}

}  // namespace

bool has_runtime_settings(const std::string& path, std::size_t begin, std::size_t bytes) {
  std::ifstream file(path, std::ios::binary);
  std::array<std::array<bool, 2>, kSettings.size()> found{};
  std::string block;
  while (bytes != 0 && file) {
    const std::size_t part = std::min(bytes, kBlock);
    block.resize(part);
    file.seekg(static_cast<std::streamoff>(begin));
    file.read(block.data(), static_cast<std::streamsize>(part));
    block.resize(static_cast<std::size_t>(file.gcount()));
    for (std::size_t runtime = 0; runtime < kSettings.size(); ++runtime) {
      for (std::size_t i = 0; i < kSettings[runtime].size(); ++i) {
        bool& is_there = found[runtime][i];
        is_there = is_there || block.find(kSettings[runtime][i].name()) != std::string::npos;
      }
      if (found[runtime][0] && found[runtime][1]) return true;
    }
    if (part == bytes) break;
    begin += part - kOverlap;
    bytes -= part - kOverlap;
  }
  return false;
}

OpenMpRuntimes openmp_runtimes() {
  Loaded loaded;
  dl_iterate_phdr(visit, &loaded);
  const auto inside = std::ranges::find_if(loaded.others, has_runtime);
  OpenMpRuntimes found{!loaded.libraries.empty(), std::move(loaded.libraries), ""};
  if (inside != loaded.others.end()) {
    found.inside = inside->name.empty() ? program_invocation_short_name : inside->name;
  }
  return found;
}

}  // namespace latecomer::session
