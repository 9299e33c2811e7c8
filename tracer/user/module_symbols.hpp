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
#include "tracer/record/definitions.hpp"

namespace latecomer::user {

// A function as its file describes it; what the file does not tell is empty or 0.
struct SourceFunction {
  std::string name;     // for people: demangled, Fortran names as in the source
  std::string mangled;  // for the linker
  std::string file;
  std::uint32_t line = 0;
};

// A function as it appears in another one; `instance` tells apart where.
struct InlinedFunction {
  SourceFunction function;
  std::uint32_t instance = 0;
};

// MT: one thread.
class ModuleSymbols {
 public:
  // Problems: no such file, not the file that was running (build id), libdw is missing.
  [[nodiscard]] static Result<ModuleSymbols> open(const record::ModuleDefinition& module);
  ModuleSymbols(ModuleSymbols&&) noexcept;
  ModuleSymbols& operator=(ModuleSymbols&&) noexcept;
  ~ModuleSymbols();

  // The function that begins at `offset`. Names come from debug information (-g) where there is
  // some, else from the symbol table; lines only from debug information.
  [[nodiscard]] SourceFunction function_at(std::uint64_t offset);

  // The functions that `place`, an address of code, belongs to: the one that was called, then those
  // that the compiler put into it there (only with debug information). Empty if none is known.
  [[nodiscard]] const std::vector<InlinedFunction>& functions_around(std::uint64_t place);

 private:
  struct Impl;
  explicit ModuleSymbols(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// "libfoo.so+0x1a2b": the name of a function that nothing else is known of.
[[nodiscard]] std::string nameless(const record::ModuleDefinition& module, std::uint64_t offset);

// The region of a function, complete but for its id.
[[nodiscard]] record::RegionDefinition to_region(const SourceFunction& function,
                                                 const record::ModuleDefinition& module,
                                                 std::uint64_t offset);

// Names for the address and frame definitions of logs. Files stay open from one log to the next:
// the processes of a run mostly ran the same ones. MT: one thread.
class NameLookup {
 public:
  // Gives every address definition without a region definition of the same id one, and every frame
  // its functions. Files that cannot be read yield nameless regions; the result says why, one
  // sentence per file when it is met first.
  std::vector<std::string> resolve(record::Definitions& definitions);

  // The same, but addresses in files that cannot be read stay without a region.
  std::vector<std::string> resolve_readable(record::Definitions& definitions);

 private:
  using Key = std::pair<std::string, std::string>;  // path, build id
  std::optional<ModuleSymbols>& file(const record::ModuleDefinition& module,
                                     std::vector<std::string>& problems);

  std::map<Key, std::optional<ModuleSymbols>> files_;
};

}  // namespace latecomer::user
