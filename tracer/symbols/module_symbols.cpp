// SPDX-License-Identifier: BSD-3-Clause
// Looks up functions in DWARF and symbol tables. Compilation units are found by their address
// ranges. Each is searched once, when the first of its functions is needed.
#include "tracer/symbols/module_symbols.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <unordered_map>
#include <vector>

#include "tracer/symbols/debug_link.hpp"
#include "tracer/symbols/dwarf_library.hpp"
#include "tracer/symbols/loaded_modules.hpp"

namespace latecomer::user {
namespace {

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Only names of C++ begin so. Otherwise a function "f" of C would be the type float.
std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  char* const text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string out = status == 0 && text != nullptr ? text : name;
  std::free(text);
  return out;
}

// Removes suffixes of copies and pieces of functions: "foo.constprop.0" and "foo.cold" are foo.
// However, "main._omp_fn.0", the body of a parallel region, is not part of main.
std::string without_suffix(const std::string& symbol) {
  const auto dot = symbol.find('.');
  return symbol.substr(0, symbol.compare(std::min(dot, symbol.size()), 8, "._omp_fn") == 0
                              ? std::string::npos
                              : dot);
}

// Readable name of a procedure of a Fortran module: "__solver_MOD_step" is solver::step.
std::string module_procedure(const std::string& symbol) {
  const auto middle = symbol.find("_MOD_");
  if (!symbol.starts_with("__") || middle == std::string::npos) return {};
  return symbol.substr(2, middle - 2) + "::" + symbol.substr(middle + 5);
}

std::string hexadecimal(const unsigned char* bytes, int length) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (int i = 0; i < length; ++i) {
    out += kDigits[bytes[i] >> 4];
    out += kDigits[bytes[i] & 15];
  }
  return out;
}

bool is_fortran(int language) {
  return language == DW_LANG_Fortran77 || language == DW_LANG_Fortran90 ||
         language == DW_LANG_Fortran95 || language == DW_LANG_Fortran03 ||
         language == DW_LANG_Fortran08;
}

// Finds separate debug files on this machine, by build id or by the name in the file. libdw's own
// function for this would fetch them from the network.
int find_debug_file(Dwfl_Module* module, void** user, const char* name, Dwarf_Addr base,
                    const char* file, const char* link, GElf_Word checksum, char** found) {
  const auto* library = DwarfLibrary::get();
  const int opened =
      library->build_id_find_debuginfo(module, user, name, base, file, link, checksum, found);
  if (opened >= 0 || link == nullptr || file == nullptr) return opened;
  std::string path;
  const int linked = open_debug_link(file, link, checksum, path);
  if (linked >= 0) *found = strdup(path.c_str());
  return linked;
}

}  // namespace

struct ModuleSymbols::Impl {
  explicit Impl(const DwarfLibrary& library) : dw(library) {}
  ~Impl() {
    if (dwfl != nullptr) dw.end(dwfl);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  struct Unit {
    Dwarf_Die die;
    bool searched = false;
  };
  struct Range {
    Dwarf_Addr low, high;
    std::size_t unit;
  };
  struct Code {
    Dwarf_Addr low, high;
    Dwarf_Addr entry;  // beginning of the function
    Dwarf_Die function;
    bool fortran;
  };

  void list_units();
  Unit* unit_of(Dwarf_Addr address);
  void search_unit(Dwarf_Addr address);
  void search(Dwarf_Die& parent, bool fortran, const std::string& prefix);
  void take(Dwarf_Die& die, bool fortran, const std::string& prefix);
  bool entry_of(Dwarf_Die& die, Dwarf_Addr& entry) const;
  std::string linkage_name(Dwarf_Die& die) const;
  std::string symbol_at(Dwarf_Addr address) const;
  std::string symbol_around(Dwarf_Addr address) const;
  SourceFunction describe(Dwarf_Die& die, bool fortran, const std::string& name) const;
  const Code* code_around(Dwarf_Addr address);
  std::string qualified_name(Dwarf_Die& inlined) const;
  void find_inlined(Dwarf_Die& parent, const Code& code, Dwarf_Addr address,
                    std::vector<InlinedFunction>& found) const;
  std::uint32_t call_line(Dwarf_Die& inlined) const;
  void find_place(Dwarf_Addr address, InlinedFunction& innermost);

  const DwarfLibrary& dw;
  Dwfl_Callbacks callbacks{};
  Dwfl* dwfl = nullptr;
  Dwfl_Module* module = nullptr;
  Dwarf_Addr bias = 0;  // for addresses in the debug information; not 0 in prelinked files
  bool units_listed = false;
  std::vector<Unit> units;
  std::vector<Range> ranges;  // sorted by `low`
  std::unordered_map<Dwarf_Addr, SourceFunction> functions;
  std::vector<Code> code;  // code of functions; by `low` if `sorted`
  bool sorted = true;
  std::unordered_map<Dwarf_Addr, std::vector<InlinedFunction>> around;
};

void ModuleSymbols::Impl::list_units() {
  units_listed = true;
  for (Dwarf_Die* die = dw.module_nextcu(module, nullptr, &bias); die != nullptr;
       die = dw.module_nextcu(module, die, &bias)) {
    Dwarf_Addr base = 0, low = 0, high = 0;
    for (std::ptrdiff_t at = 0; (at = dw.ranges(die, at, &base, &low, &high)) > 0;) {
      ranges.push_back({low + bias, high + bias, units.size()});
    }
    units.push_back({*die});
  }
  std::ranges::sort(ranges, {}, &Range::low);
}

ModuleSymbols::Impl::Unit* ModuleSymbols::Impl::unit_of(Dwarf_Addr address) {
  if (!units_listed) list_units();
  auto after = std::ranges::upper_bound(ranges, address, {}, &Range::low);
  if (after == ranges.begin() || address >= (--after)->high) return nullptr;
  return &units[after->unit];
}

// Searches for functions, which may be in units, namespaces, modules, classes and other functions.
void ModuleSymbols::Impl::search(Dwarf_Die& parent, bool fortran, const std::string& prefix) {
  Dwarf_Die die;
  if (dw.child(&parent, &die) != 0) return;
  do {
    switch (dw.tag(&die)) {
      case DW_TAG_subprogram:
        take(die, fortran, prefix);
        search(die, fortran, prefix);
        break;
      case DW_TAG_module: {
        const char* name = dw.diename(&die);
        search(die, fortran, name != nullptr ? prefix + name + "::" : prefix);
        break;
      }
      case DW_TAG_namespace:
      case DW_TAG_structure_type:
      case DW_TAG_class_type:
      case DW_TAG_lexical_block:
        search(die, fortran, prefix);
        break;
      default:
        break;
    }
  } while (dw.siblingof(&die, &die) == 0);
}

std::string ModuleSymbols::Impl::linkage_name(Dwarf_Die& die) const {
  for (const unsigned attribute : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
    Dwarf_Attribute value;
    if (dw.attr_integrate(&die, attribute, &value) == nullptr) continue;
    if (const char* name = dw.formstring(&value)) return name;
  }
  return {};
}

std::string ModuleSymbols::Impl::symbol_at(Dwarf_Addr address) const {
  GElf_Off offset = 0;
  GElf_Sym symbol;
  const char* const name =
      dw.module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
  return name != nullptr && offset == 0 ? name : "";
}

// The symbol whose code contains this address.
std::string ModuleSymbols::Impl::symbol_around(Dwarf_Addr address) const {
  GElf_Off offset = 0;
  GElf_Sym symbol;
  const char* const name =
      dw.module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
  return name != nullptr && offset < symbol.st_size ? name : "";
}

// Finds the beginning of a function; the first of several pieces counts. False: it has no code.
bool ModuleSymbols::Impl::entry_of(Dwarf_Die& die, Dwarf_Addr& entry) const {
  Dwarf_Addr base = 0, high = 0;
  if (dw.entrypc(&die, &entry) != 0 && dw.lowpc(&die, &entry) != 0 &&
      dw.ranges(&die, 0, &base, &entry, &high) <= 0) {
    return false;
  }
  entry += bias;
  return true;
}

// Describes a function. `name` is complete for Fortran procedures; otherwise it is only used if the
// linker knows no name.
SourceFunction ModuleSymbols::Impl::describe(Dwarf_Die& die, bool fortran,
                                             const std::string& name) const {
  SourceFunction f;
  f.mangled = linkage_name(die);
  if (f.mangled.empty()) {
    Dwarf_Addr entry = 0;
    if (entry_of(die, entry)) f.mangled = without_suffix(symbol_at(entry));
  }
  const std::string procedure = fortran ? module_procedure(f.mangled) : "";
  f.name = !procedure.empty()                                ? procedure
           : !name.empty() && (fortran || f.mangled.empty()) ? name
                                                             : demangled(f.mangled);
  if (const char* file = dw.decl_file(&die)) f.file = file;
  int line = 0;
  if (dw.decl_line(&die, &line) == 0 && line > 0) f.line = static_cast<std::uint32_t>(line);
  return f;
}

void ModuleSymbols::Impl::take(Dwarf_Die& die, bool fortran, const std::string& prefix) {
  Dwarf_Addr entry = 0;
  if (!entry_of(die, entry)) return;
  const char* const name = dw.diename(&die);
  functions.try_emplace(entry, describe(die, fortran, name != nullptr ? prefix + name : ""));
  Dwarf_Addr base = 0, low = 0, high = 0;
  for (std::ptrdiff_t at = 0; (at = dw.ranges(&die, at, &base, &low, &high)) > 0;) {
    code.push_back({low + bias, high + bias, entry, die, fortran});
    sorted = false;
  }
}

// The function whose code, possibly one of several pieces, contains this address.
const ModuleSymbols::Impl::Code* ModuleSymbols::Impl::code_around(Dwarf_Addr address) {
  search_unit(address);
  if (!sorted) std::ranges::sort(code, {}, &Code::low);
  sorted = true;
  auto after = std::ranges::upper_bound(code, address, {}, &Code::low);
  if (after == code.begin() || address >= (--after)->high) return nullptr;
  return &*after;
}

// Name with the namespaces and classes around the definition, but without argument types.
std::string ModuleSymbols::Impl::qualified_name(Dwarf_Die& inlined) const {
  const char* const plain = dw.diename(&inlined);
  std::string name = plain != nullptr ? plain : "?";
  Dwarf_Attribute value;
  Dwarf_Die definition, *scopes = nullptr;
  if (dw.attr_integrate(&inlined, DW_AT_abstract_origin, &value) == nullptr ||
      dw.formref_die(&value, &definition) == nullptr) {
    return name;
  }
  Dwarf_Die declaration;
  if (dw.attr_integrate(&definition, DW_AT_specification, &value) != nullptr &&
      dw.formref_die(&value, &declaration) != nullptr) {
    definition = declaration;
  }
  const int count = dw.getscopes_die(&definition, &scopes);
  for (int i = 1; i < count; ++i) {
    const int tag = dw.tag(&scopes[i]);
    if (tag != DW_TAG_namespace && tag != DW_TAG_structure_type && tag != DW_TAG_class_type) break;
    const char* const around = dw.diename(&scopes[i]);
    name.insert(0, std::string(around != nullptr ? around : "(anonymous namespace)") + "::");
  }
  std::free(scopes);
  return name;
}

// Finds the functions that were inlined at this address, from the outermost to the innermost.
void ModuleSymbols::Impl::find_inlined(Dwarf_Die& parent, const Code& within, Dwarf_Addr address,
                                       std::vector<InlinedFunction>& found) const {
  Dwarf_Die die;
  if (dw.child(&parent, &die) != 0) return;
  do {
    const int tag = dw.tag(&die);
    if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block) continue;
    if (dw.haspc(&die, address - bias) != 1) continue;
    if (tag == DW_TAG_inlined_subroutine) {
      // The call is in the file of the function around it, but for code that is included.
      found.back().place_file = found.back().function.file;
      found.back().place_line = call_line(die);
      SourceFunction f = describe(die, within.fortran, "");
      // Functions with internal linkage have no linkage name.
      if (linkage_name(die).empty()) f.mangled = f.name = qualified_name(die);
      found.push_back({std::move(f), static_cast<std::uint32_t>(dw.dieoffset(&die)), "", 0});
    }
    return find_inlined(die, within, address, found);
  } while (dw.siblingof(&die, &die) == 0);
}

std::uint32_t ModuleSymbols::Impl::call_line(Dwarf_Die& inlined) const {
  Dwarf_Attribute value;
  Dwarf_Word line = 0;
  if (dw.attr_integrate(&inlined, DW_AT_call_line, &value) == nullptr ||
      dw.formudata(&value, &line) != 0) {
    return 0;
  }
  return static_cast<std::uint32_t>(line);
}

// libdw knows the unit of an address only if the compiler lists addresses of units, as GCC does.
void ModuleSymbols::Impl::find_place(Dwarf_Addr address, InlinedFunction& innermost) {
  int line = 0;
  const char* file = nullptr;
  if (Dwfl_Line* const found = dw.module_getsrc(module, address); found != nullptr) {
    file = dw.lineinfo(found, nullptr, &line, nullptr, nullptr, nullptr);
  } else if (Unit* const unit = unit_of(address); unit != nullptr) {
    Dwarf_Line* const here = dw.getsrc_die(&unit->die, address - bias);
    if (here == nullptr || dw.lineno(here, &line) != 0) return;
    file = dw.linesrc(here, nullptr, nullptr);
  }
  if (file == nullptr || line <= 0) return;
  innermost.place_file = file;
  innermost.place_line = static_cast<std::uint32_t>(line);
}

// Searches the compilation unit of an address, only once.
void ModuleSymbols::Impl::search_unit(Dwarf_Addr address) {
  Unit* const unit = unit_of(address);
  if (unit == nullptr || unit->searched) return;
  unit->searched = true;
  search(unit->die, is_fortran(dw.srclang(&unit->die)), "");
}

ModuleSymbols::ModuleSymbols(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ModuleSymbols::ModuleSymbols(ModuleSymbols&&) noexcept = default;
ModuleSymbols& ModuleSymbols::operator=(ModuleSymbols&&) noexcept = default;
ModuleSymbols::~ModuleSymbols() = default;

Result<ModuleSymbols> ModuleSymbols::open(const record::ModuleDefinition& module) {
  const auto* library = DwarfLibrary::get();
  if (library == nullptr) {
    return is_static_program()
               ? Problem{"names of the functions of " + module.path +
                             " are unknown: libdw cannot be loaded into a static program",
                         "keep the records (LATECOMER_KEEP_RECORDS=1), remove the archive, and run "
                         "`latecomer repair`"}
               : Problem{
                     "names of the functions of " + module.path + " are unknown: libdw is missing",
                     "install libdw (Debian: libdw1)"};
  }
  auto impl = std::make_unique<Impl>(*library);
  impl->callbacks.find_elf = library->build_id_find_elf;
  impl->callbacks.find_debuginfo = find_debug_file;
  impl->dwfl = library->begin(&impl->callbacks);
  impl->module = library->report_elf(impl->dwfl, base_name(module.path).c_str(),
                                     module.path.c_str(), -1, 0, true);
  library->report_end(impl->dwfl, nullptr, nullptr);
  if (impl->module == nullptr) {
    return Problem{"names of the functions of " + module.path +
                       " are unknown: the file cannot be read, or is no program or library",
                   "run `latecomer repair` where the file is"};
  }
  const unsigned char* bits = nullptr;
  GElf_Addr address = 0;
  const int length = library->module_build_id(impl->module, &bits, &address);
  if (!module.build_id.empty() && hexadecimal(bits, std::max(length, 0)) != module.build_id) {
    return Problem{"names of the functions of " + module.path +
                       " are unknown: the file has been changed since it ran",
                   "record again"};
  }
  return ModuleSymbols(std::move(impl));
}

SourceFunction ModuleSymbols::function_at(std::uint64_t offset) {
  impl_->search_unit(offset);
  if (const auto known = impl_->functions.find(offset); known != impl_->functions.end()) {
    return known->second;
  }
  SourceFunction f;
  f.mangled = without_suffix(impl_->symbol_at(offset));
  f.name = module_procedure(f.mangled);
  if (f.name.empty()) f.name = demangled(f.mangled);
  return f;
}

const std::vector<InlinedFunction>& ModuleSymbols::functions_around(std::uint64_t place) {
  const auto [known, is_new] = impl_->around.try_emplace(place);
  std::vector<InlinedFunction>& found = known->second;
  if (!is_new) return found;
  if (const Impl::Code* code = impl_->code_around(place); code != nullptr) {
    found.push_back({impl_->functions[code->entry], 0, "", 0});
    Dwarf_Die die = code->function;
    impl_->find_inlined(die, *code, place, found);
    impl_->find_place(place, found.back());
  } else if (const std::string symbol = impl_->symbol_around(place); !symbol.empty()) {
    SourceFunction f;
    f.mangled = without_suffix(symbol);
    f.name = module_procedure(f.mangled);
    if (f.name.empty()) f.name = demangled(f.mangled);
    found.push_back({std::move(f), 0, "", 0});
  }
  return found;
}

std::string nameless(const record::ModuleDefinition& module, std::uint64_t offset) {
  std::array<char, 20> text;
  std::snprintf(text.data(), text.size(), "+0x%llx", static_cast<unsigned long long>(offset));
  return base_name(module.path) + text.data();
}

record::RegionDefinition to_region(const SourceFunction& f, const record::ModuleDefinition& module,
                                   std::uint64_t offset) {
  return {0,         "compiler", "function", f.name.empty() ? nameless(module, offset) : f.name,
          f.mangled, f.file,     f.line,     0};
}

record::RegionDefinition to_region(const record::ConstructDefinition& d,
                                   const record::ModuleDefinition& module,
                                   const std::vector<InlinedFunction>& around) {
  record::RegionDefinition region{d.region, d.paradigm, d.role, d.name + " @", "", "", 0, 0};
  if (around.empty() || around.back().place_line == 0) {
    region.name += nameless(module, d.place);
    return region;
  }
  // Functions of the library of C++ that are inlined, such as std::mutex::lock, are at the place
  // where the program calls them.
  const auto of_program = std::find_if(around.rbegin(), around.rend(), [](const auto& f) {
    return f.place_line != 0 && f.place_file.find("/c++/") == f.place_file.npos;
  });
  const InlinedFunction& inner = of_program == around.rend() ? around.back() : *of_program;
  region.file = inner.place_file;
  region.first_line = region.last_line = inner.place_line;
  region.name += base_name(inner.place_file) + ':' + std::to_string(inner.place_line);
  return region;
}

namespace {

// Calls `name(address, module)` for every address without a region. It returns true if it added
// one.
template <typename F>
void for_unnamed(record::Definitions& definitions, F&& name) {
  std::set<std::uint32_t> named;
  for (const auto& region : definitions.regions) named.insert(region.id);
  for (const auto& address : definitions.addresses) {
    if (named.contains(address.region)) continue;
    const auto known =
        std::ranges::find(definitions.modules, address.module, &record::ModuleDefinition::id);
    const record::ModuleDefinition module = known != definitions.modules.end()
                                                ? *known
                                                : record::ModuleDefinition{address.module, "?", ""};
    if (name(address, module)) named.insert(address.region);
  }
}

// Does the same for constructs.
template <typename F>
void for_unnamed_constructs(record::Definitions& definitions, F&& name) {
  std::set<std::uint32_t> named;
  for (const auto& region : definitions.regions) named.insert(region.id);
  for (const auto& construct : definitions.constructs) {
    if (named.contains(construct.region)) continue;
    const auto known =
        std::ranges::find(definitions.modules, construct.module, &record::ModuleDefinition::id);
    const record::ModuleDefinition module =
        known != definitions.modules.end() ? *known
                                           : record::ModuleDefinition{construct.module, "?", ""};
    if (name(construct, module)) named.insert(construct.region);
  }
}

// Calls `functions(frame, module)` for every frame without functions; it adds them to the
// definitions.
template <typename F>
void for_bare_frames(record::Definitions& definitions, F&& functions) {
  std::set<std::uint32_t> done;
  for (const auto& f : definitions.frame_functions) done.insert(f.frame);
  std::map<std::uint32_t, const record::ModuleDefinition*> modules;
  for (const auto& module : definitions.modules) modules.try_emplace(module.id, &module);
  const record::ModuleDefinition unknown{0, "?", ""};
  for (const auto& frame : definitions.frames) {
    if (done.contains(frame.id)) continue;
    const auto module = modules.find(frame.module);
    functions(frame, module != modules.end() ? *module->second : unknown);
  }
}

// A function about which its file says nothing. Its place replaces the name, unless it is main.
record::FrameFunction nameless_function(const record::FrameDefinition& frame,
                                        const record::ModuleDefinition& module) {
  const auto name = frame.is_main
                        ? std::string("main")
                        : nameless(module, frame.function != 0 ? frame.function : frame.place);
  return {frame.id, 0, name, "", "", 0, "", 0};
}

void add_region(record::Definitions& definitions, const SourceFunction& function,
                const record::AddressDefinition& address, const record::ModuleDefinition& module) {
  auto region = to_region(function, module, address.offset);
  region.id = address.region;
  definitions.regions.push_back(std::move(region));
}

}  // namespace

std::optional<ModuleSymbols>& NameLookup::file(const record::ModuleDefinition& module,
                                               std::vector<std::string>& problems) {
  const auto [file, is_new] = files_.try_emplace({module.path, module.build_id});
  if (is_new) {
    if (auto opened = ModuleSymbols::open(module); opened) {
      file->second = std::move(*opened);
    } else {
      problems.push_back(opened.problem().what);
    }
  }
  return file->second;
}

std::vector<std::string> NameLookup::resolve_readable(record::Definitions& definitions) {
  std::vector<std::string> problems;
  for_unnamed(definitions, [&](const auto& address, const auto& module) {
    auto& symbols = file(module, problems);
    if (!symbols) return false;
    add_region(definitions, symbols->function_at(address.offset), address, module);
    return true;
  });
  for_unnamed_constructs(definitions, [&](const auto& construct, const auto& module) {
    auto& symbols = file(module, problems);
    if (!symbols) return false;
    definitions.regions.push_back(
        to_region(construct, module, symbols->functions_around(construct.place)));
    return true;
  });
  for_bare_frames(definitions, [&](const auto& frame, const auto& module) {
    auto& symbols = file(module, problems);
    if (!symbols) return;
    const auto& functions = symbols->functions_around(frame.place);
    for (const auto& [f, instance, place_file, place_line] : functions) {
      definitions.frame_functions.push_back(
          {frame.id, instance, f.name, f.mangled, f.file, f.line, place_file, place_line});
    }
    if (functions.empty()) definitions.frame_functions.push_back(nameless_function(frame, module));
  });
  return problems;
}

std::vector<std::string> NameLookup::resolve(record::Definitions& definitions) {
  auto problems = resolve_readable(definitions);
  for_unnamed(definitions, [&](const auto& address, const auto& module) {
    add_region(definitions, {}, address, module);
    return true;
  });
  for_unnamed_constructs(definitions, [&](const auto& construct, const auto& module) {
    definitions.regions.push_back(to_region(construct, module, {}));
    return true;
  });
  for_bare_frames(definitions, [&](const auto& frame, const auto& module) {
    definitions.frame_functions.push_back(nameless_function(frame, module));
  });
  return problems;
}

}  // namespace latecomer::user
