// SPDX-License-Identifier: BSD-3-Clause
// Loads libdw and binds its functions by name.
#include "tracer/symbols/dwarf_library.hpp"

#include <dlfcn.h>

#include <optional>

#include "tracer/symbols/loaded_modules.hpp"

namespace latecomer::user {
namespace {

class Binder {
 public:
  explicit Binder(void* library) : library_(library) {}

  template <typename Function>
  void bind(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library_, name));
    if (function == nullptr) complete_ = false;
  }
  [[nodiscard]] bool complete() const { return complete_; }

 private:
  void* library_;
  bool complete_ = true;
};

// Returns nothing in a static program: dlopen() would load a second C library, which is not
// initialized.
std::optional<DwarfLibrary> load() {
  if (is_static_program()) return {};
  void* const library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {};
  DwarfLibrary l;
  Binder b(library);
  b.bind(l.begin, "dwfl_begin");
  b.bind(l.end, "dwfl_end");
  b.bind(l.report_elf, "dwfl_report_elf");
  b.bind(l.report_end, "dwfl_report_end");
  b.bind(l.module_build_id, "dwfl_module_build_id");
  b.bind(l.module_addrinfo, "dwfl_module_addrinfo");
  b.bind(l.module_nextcu, "dwfl_module_nextcu");
  b.bind(l.module_getsrc, "dwfl_module_getsrc");
  b.bind(l.lineinfo, "dwfl_lineinfo");
  b.bind(l.build_id_find_debuginfo, "dwfl_build_id_find_debuginfo");
  b.bind(l.build_id_find_elf, "dwfl_build_id_find_elf");
  b.bind(l.getsrc_die, "dwarf_getsrc_die");
  b.bind(l.lineno, "dwarf_lineno");
  b.bind(l.linesrc, "dwarf_linesrc");
  b.bind(l.ranges, "dwarf_ranges");
  b.bind(l.child, "dwarf_child");
  b.bind(l.siblingof, "dwarf_siblingof");
  b.bind(l.tag, "dwarf_tag");
  b.bind(l.lowpc, "dwarf_lowpc");
  b.bind(l.entrypc, "dwarf_entrypc");
  b.bind(l.diename, "dwarf_diename");
  b.bind(l.attr_integrate, "dwarf_attr_integrate");
  b.bind(l.formstring, "dwarf_formstring");
  b.bind(l.formudata, "dwarf_formudata");
  b.bind(l.getscopes_die, "dwarf_getscopes_die");
  b.bind(l.formref_die, "dwarf_formref_die");
  b.bind(l.haspc, "dwarf_haspc");
  b.bind(l.dieoffset, "dwarf_dieoffset");
  b.bind(l.decl_file, "dwarf_decl_file");
  b.bind(l.decl_line, "dwarf_decl_line");
  b.bind(l.srclang, "dwarf_srclang");
  if (!b.complete()) return {};
  return l;
}

}  // namespace

const DwarfLibrary* DwarfLibrary::get() {
  static const auto library = load();  // the same for all of the process, also in latecomer-repair
  return library ? &*library : nullptr;
}

}  // namespace latecomer::user
