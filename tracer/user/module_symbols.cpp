// SPDX-License-Identifier: BSD-3-Clause
// Looks functions up in DWARF and symbol tables. Compilation units are found by their address
// ranges and searched once, when the first of their functions is asked for.
#include "tracer/user/module_symbols.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <unordered_map>
#include <vector>

#include "tracer/user/dwarf_library.hpp"

namespace latecomer::user {
namespace {

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string demangled(const std::string& name) {
  int status = 0;
  char* const text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string out = status == 0 && text != nullptr ? text : name;
  std::free(text);
  return out;
}

// Compilers make copies of functions: "foo.constprop.0" is foo.
std::string without_suffix(const std::string& symbol) { return symbol.substr(0, symbol.find('.')); }

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

  void list_units();
  Unit* unit_of(Dwarf_Addr address);
  void search(Dwarf_Die& parent, bool fortran, const std::string& prefix);
  void take(Dwarf_Die& die, bool fortran, const std::string& prefix);
  std::string linkage_name(Dwarf_Die& die) const;
  std::string symbol_at(Dwarf_Addr address) const;

  const DwarfLibrary& dw;
  Dwfl_Callbacks callbacks{};
  Dwfl* dwfl = nullptr;
  Dwfl_Module* module = nullptr;
  Dwarf_Addr bias = 0;  // of addresses in the debug information; not 0 in prelinked files
  bool units_listed = false;
  std::vector<Unit> units;
  std::vector<Range> ranges;  // by `low`
  std::unordered_map<Dwarf_Addr, SourceFunction> functions;
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

// Functions stand in units, namespaces, modules, classes and in other functions.
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

void ModuleSymbols::Impl::take(Dwarf_Die& die, bool fortran, const std::string& prefix) {
  Dwarf_Addr entry = 0;
  if (dw.entrypc(&die, &entry) != 0 && dw.lowpc(&die, &entry) != 0) return;
  entry += bias;
  SourceFunction f;
  f.mangled = linkage_name(die);
  if (f.mangled.empty()) f.mangled = without_suffix(symbol_at(entry));
  const char* const name = dw.diename(&die);
  if (name != nullptr && (fortran || f.mangled.empty())) {
    f.name = prefix + name;
  } else {
    f.name = demangled(f.mangled);
  }
  if (const char* file = dw.decl_file(&die)) f.file = file;
  int line = 0;
  if (dw.decl_line(&die, &line) == 0 && line > 0) f.line = static_cast<std::uint32_t>(line);
  functions.try_emplace(entry, std::move(f));
}

ModuleSymbols::ModuleSymbols(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ModuleSymbols::ModuleSymbols(ModuleSymbols&&) noexcept = default;
ModuleSymbols& ModuleSymbols::operator=(ModuleSymbols&&) noexcept = default;
ModuleSymbols::~ModuleSymbols() = default;

Result<ModuleSymbols> ModuleSymbols::open(const record::ModuleDefinition& module) {
  const auto* library = DwarfLibrary::get();
  if (library == nullptr) {
    return Problem{"names of the functions of " + module.path + " are unknown: libdw is missing",
                   "install libdw (Debian: libdw1)"};
  }
  auto impl = std::make_unique<Impl>(*library);
  // Separate debug files are found by build id, on this machine; nothing is fetched.
  impl->callbacks.find_elf = library->build_id_find_elf;
  impl->callbacks.find_debuginfo = library->build_id_find_debuginfo;
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
  if (auto* unit = impl_->unit_of(offset); unit != nullptr && !unit->searched) {
    unit->searched = true;
    impl_->search(unit->die, is_fortran(impl_->dw.srclang(&unit->die)), "");
  }
  if (const auto known = impl_->functions.find(offset); known != impl_->functions.end()) {
    return known->second;
  }
  SourceFunction f;
  f.mangled = without_suffix(impl_->symbol_at(offset));
  f.name = demangled(f.mangled);
  return f;
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

namespace {

// Calls `name(address, module)` for every address without a region. True: it has one now.
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

void add_region(record::Definitions& definitions, const SourceFunction& function,
                const record::AddressDefinition& address, const record::ModuleDefinition& module) {
  auto region = to_region(function, module, address.offset);
  region.id = address.region;
  definitions.regions.push_back(std::move(region));
}

}  // namespace

std::vector<std::string> NameLookup::resolve_readable(record::Definitions& definitions) {
  std::vector<std::string> problems;
  for_unnamed(definitions, [&](const auto& address, const auto& module) {
    const auto [file, is_new] = files_.try_emplace({module.path, module.build_id});
    if (is_new) {
      if (auto opened = ModuleSymbols::open(module); opened) {
        file->second = std::move(*opened);
      } else {
        problems.push_back(opened.problem().what);
      }
    }
    if (!file->second) return false;
    add_region(definitions, file->second->function_at(address.offset), address, module);
    return true;
  });
  return problems;
}

std::vector<std::string> NameLookup::resolve(record::Definitions& definitions) {
  auto problems = resolve_readable(definitions);
  for_unnamed(definitions, [&](const auto& address, const auto& module) {
    add_region(definitions, {}, address, module);
    return true;
  });
  return problems;
}

}  // namespace latecomer::user
