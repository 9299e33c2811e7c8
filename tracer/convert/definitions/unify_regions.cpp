// SPDX-License-Identifier: BSD-3-Clause
// Unifies the regions that are used anywhere: artificial ones, programs, MPI functions, user,
// compiler.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "archive/shell_words.hpp"
#include "tracer/convert/definitions/unify_parts.hpp"
#include "tracer/functions/file_functions.hpp"

namespace latecomer::convert {
namespace {

// OTF2 has a string per argument in one record; further arguments are cut.
constexpr std::size_t kMaxArguments = 4096;

std::string base_name(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::uint32_t add(GlobalDefinitions& global, Region region) {
  global.regions.push_back(std::move(region));
  return static_cast<std::uint32_t>(global.regions.size() - 1);
}

void define_programs(const ProcessOrder& order, GlobalDefinitions& global) {
  std::map<std::string, std::uint32_t> programs;  // by command line
  for (const OrderedProcess& p : order) {
    record::ProgramDefinition d = p.input->definitions.program;
    if (d.path.empty()) d.path = "unknown program";
    d.arguments.resize(std::min(d.arguments.size(), kMaxArguments));
    p.map->program = global.strings.id(d.path);
    std::vector<std::string> words = {d.path};
    for (const std::string& argument : d.arguments) {
      words.push_back(argument);
      p.map->arguments.push_back(global.strings.id(argument));
    }
    const std::string command = command_line(words);
    if (!programs.try_emplace(command, 0).second) continue;
    const StringId name = global.strings.id(base_name(d.path));
    add(global, {name, global.strings.id(command), kNoId, "artificial", Paradigm::kMeasurement});
  }
}

void define_mpi_functions(const ProcessOrder& order, std::span<const MpiFunction> functions,
                          GlobalDefinitions& global) {
  std::vector<bool> used(functions.size());
  for (const OrderedProcess& p : order) {
    for (const std::uint32_t id : p.input->usage.regions) {
      if (id < used.size()) used[id] = true;
    }
  }
  const StringId file = global.strings.id("MPI");
  std::vector<std::uint32_t> ids(functions.size(), kNoId);
  for (std::size_t id = 0; id < functions.size(); ++id) {
    if (!used[id]) continue;
    const StringId name = global.strings.id(functions[id].name);
    ids[id] = add(global, {name, name, file, functions[id].role, Paradigm::kMpi});
  }
  for (const OrderedProcess& p : order) {
    for (const std::uint32_t id : p.input->usage.regions) {
      if (id < ids.size()) p.map->set_region(id, ids[id]);
    }
  }
}

// Functions on files outside MPI.
void define_file_functions(const ProcessOrder& order, GlobalDefinitions& global) {
  std::array<std::uint32_t, record::kFileFunctionCount> ids;
  ids.fill(kNoId);
  for (const OrderedProcess& p : order) {
    for (const std::uint32_t id : p.input->usage.regions) {
      if (record::is_file_region(id)) ids[id - record::kFirstFileRegion] = 0;
    }
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == kNoId) continue;
    const auto& [text, is_stream, moves] = record::kFileFunctions[i];
    const StringId name = global.strings.id(text);
    const StringId group = global.strings.id(is_stream ? "ISOC" : "POSIX");
    ids[i] =
        add(global, {name, name, group, moves ? "file_io" : "file_io_metadata", Paradigm::kNone});
  }
  for (const OrderedProcess& p : order) {
    for (const std::uint32_t id : p.input->usage.regions) {
      if (record::is_file_region(id)) p.map->set_region(id, ids[id - record::kFirstFileRegion]);
    }
  }
}

using RegionKey =
    std::tuple<std::string, std::string, std::string, std::string, std::uint32_t, std::uint32_t>;

Region region_of(const record::RegionDefinition& d, Strings& strings) {
  Region region;
  region.name = strings.id(d.name);
  region.canonical = d.mangled.empty() ? region.name : strings.id(d.mangled);
  if (!d.file.empty()) region.file = strings.id(d.file);
  region.role = d.role;
  region.paradigm = d.paradigm == "compiler"      ? Paradigm::kCompiler
                    : d.paradigm == "measurement" ? Paradigm::kMeasurement
                    : d.paradigm == "openmp"      ? Paradigm::kOpenMp
                    : d.paradigm == "pthread"     ? Paradigm::kPosix
                                                  : Paradigm::kUser;
  region.first_line = d.first_line;
  region.last_line = d.last_line;
  return region;
}

// Defines the functions of call paths. Frames have small, consecutive ids, and a parent has a lower
// id than its children.
template <typename Define>
void define_frames(const OrderedProcess& p, Define&& define) {
  std::map<std::uint32_t, PathFrame> frames;
  for (const record::FrameDefinition& d : p.input->definitions.frames) {
    if (d.id < UsageCollector::kMaxPlausibleId && d.parent < d.id) frames[d.id].parent = d.parent;
  }
  for (const record::FrameFunction& d : p.input->definitions.frame_functions) {
    const auto found = frames.find(d.frame);
    if (found == frames.end()) continue;
    const RegionKey key{"compiler", d.name, d.mangled, d.file, d.line, 0};
    const record::RegionDefinition region{0,         "compiler", "function", d.name,
                                          d.mangled, d.file,     d.line,     0};
    found->second.functions.push_back({define(key, region), d.instance});
  }
  for (auto& [id, frame] : frames) p.map->set_frame(id, std::move(frame));
}

}  // namespace

void unify_regions(const ProcessOrder& order, std::span<const MpiFunction> functions,
                   GlobalDefinitions& global) {
  const auto artificial = [&global](const char* name, Paradigm paradigm) {
    const StringId id = global.strings.id(name);
    add(global, {id, id, kNoId, "artificial", paradigm});
  };
  artificial("MEASUREMENT OFF", Paradigm::kUser);
  artificial("TRACE BUFFER FLUSH", Paradigm::kMeasurement);
  define_programs(order, global);
  define_mpi_functions(order, functions, global);
  define_file_functions(order, global);

  std::map<RegionKey, std::uint32_t> known;
  const auto define = [&](const RegionKey& key, const record::RegionDefinition& d) {
    auto [place, is_new] = known.try_emplace(key, kNoId);
    if (is_new) place->second = add(global, region_of(d, global.strings));
    return place->second;
  };
  std::uint32_t unknown = kNoId;
  for (const OrderedProcess& p : order) {
    std::unordered_map<std::uint32_t, const record::RegionDefinition*> definitions;
    for (const record::RegionDefinition& d : p.input->definitions.regions) {
      definitions.try_emplace(d.id, &d);
    }
    for (const std::uint32_t id : p.input->usage.regions) {
      if (id < functions.size() || record::is_file_region(id)) continue;
      const auto found = definitions.find(id);
      if (found == definitions.end()) {
        if (unknown == kNoId) {
          const StringId name = global.strings.id("unknown region");
          unknown = add(global, {name, name, kNoId, "function", Paradigm::kUser});
        }
        p.map->set_region(id, unknown);
        continue;
      }
      const record::RegionDefinition& d = *found->second;
      const RegionKey key{d.paradigm, d.name, d.mangled, d.file, d.first_line, d.last_line};
      p.map->set_region(id, define(key, d));
    }
    define_frames(p, define);
  }
}

}  // namespace latecomer::convert
