// SPDX-License-Identifier: BSD-3-Clause
// Names and source lines of the functions of one program or library, from its file on disk.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "archive/result.hpp"
#include "tracer/record/definition_lines.hpp"

namespace latecomer::user {

// A function as its file describes it; unknown fields are empty or 0.
struct SourceFunction {
  std::string name;     // readable: demangled, Fortran names as in the source
  std::string mangled;  // the linker's name
  std::string file;
  std::uint32_t line = 0;
};

// A function as it is inlined in another one; `instance` distinguishes the places.
struct InlinedFunction {
  SourceFunction function;
  std::uint32_t instance = 0;
  // The line of the place, or of the call of the next inlined function; 0: unknown.
  std::string place_file;
  std::uint32_t place_line = 0;
};

// MT: one thread.
class ModuleSymbols {
 public:
  // Problems: no such file, another file than the one that ran (build id), or libdw is missing.
  [[nodiscard]] static Result<ModuleSymbols> open(const record::ModuleDefinition& module);
  ModuleSymbols(ModuleSymbols&&) noexcept;
  ModuleSymbols& operator=(ModuleSymbols&&) noexcept;
  ~ModuleSymbols();

  // The function that begins at `offset`. Names come from debug information (-g) if there is any,
  // otherwise from the symbol table; lines only come from debug information.
  [[nodiscard]] SourceFunction function_at(std::uint64_t offset);

  // The functions that contain `place`, an address in code: the one that was called, then those
  // inlined there (only with debug information). Empty if none is known.
  [[nodiscard]] const std::vector<InlinedFunction>& functions_around(std::uint64_t place);

 private:
  struct Impl;
  explicit ModuleSymbols(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Region of a thread runtime, complete: its name has the line of the place.
//
//   !$omp parallel @solver.c:120      !$omp parallel @solver+0x1a2b     without debug information
[[nodiscard]] record::RegionDefinition to_region(const record::ConstructDefinition& construct,
                                                 const record::ModuleDefinition& module,
                                                 const std::vector<InlinedFunction>& around);

// Name of a function about which nothing else is known: "libfoo.so+0x1a2b".
[[nodiscard]] std::string nameless(const record::ModuleDefinition& module, std::uint64_t offset);

// Region of a function, complete except for its id.
[[nodiscard]] record::RegionDefinition to_region(const SourceFunction& function,
                                                 const record::ModuleDefinition& module,
                                                 std::uint64_t offset);

// Names for the address, construct and frame definitions of logs. Files stay open from one log to
// the next, since the processes of a run mostly ran the same ones. MT: one thread.
class NameLookup {
 public:
  // Adds a region definition for every address or construct definition without one, and the
  // functions of every frame. Files that cannot be read yield nameless regions. The result says
  // why, in one sentence per file when it is first met.
  std::vector<std::string> resolve(record::Definitions& definitions);

  // Does the same except that addresses in unreadable files stay without a region.
  std::vector<std::string> resolve_readable(record::Definitions& definitions);

 private:
  using Key = std::pair<std::string, std::string>;  // path, build id
  std::optional<ModuleSymbols>& file(const record::ModuleDefinition& module,
                                     std::vector<std::string>& problems);

  std::map<Key, std::optional<ModuleSymbols>> files_;
};

}  // namespace latecomer::user
