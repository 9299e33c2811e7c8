// SPDX-License-Identifier: BSD-3-Clause
// libdw, loaded when it is needed. Most programs have no functions to look up, and the measurement
// library must not bring other libraries into them.
#pragma once

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

namespace latecomer::user {

// The functions of libdw in use, under their own names.
struct DwarfLibrary {
  decltype(&::dwfl_begin) begin;
  decltype(&::dwfl_end) end;
  decltype(&::dwfl_report_elf) report_elf;
  decltype(&::dwfl_report_end) report_end;
  decltype(&::dwfl_module_build_id) module_build_id;
  decltype(&::dwfl_module_addrinfo) module_addrinfo;
  decltype(&::dwfl_module_nextcu) module_nextcu;
  decltype(&::dwfl_module_getsrc) module_getsrc;
  decltype(&::dwfl_lineinfo) lineinfo;
  decltype(&::dwfl_build_id_find_debuginfo) build_id_find_debuginfo;
  decltype(&::dwfl_build_id_find_elf) build_id_find_elf;
  decltype(&::dwarf_getsrc_die) getsrc_die;
  decltype(&::dwarf_lineno) lineno;
  decltype(&::dwarf_linesrc) linesrc;
  decltype(&::dwarf_ranges) ranges;
  decltype(&::dwarf_child) child;
  decltype(&::dwarf_siblingof) siblingof;
  decltype(&::dwarf_tag) tag;
  decltype(&::dwarf_lowpc) lowpc;
  decltype(&::dwarf_entrypc) entrypc;
  decltype(&::dwarf_diename) diename;
  decltype(&::dwarf_attr_integrate) attr_integrate;
  decltype(&::dwarf_formstring) formstring;
  decltype(&::dwarf_formudata) formudata;
  decltype(&::dwarf_getscopes_die) getscopes_die;
  decltype(&::dwarf_formref_die) formref_die;
  decltype(&::dwarf_haspc) haspc;
  decltype(&::dwarf_dieoffset) dieoffset;
  decltype(&::dwarf_decl_file) decl_file;
  decltype(&::dwarf_decl_line) decl_line;
  decltype(&::dwarf_srclang) srclang;

  // Null if libdw is missing or too old, and in static programs.
  [[nodiscard]] static const DwarfLibrary* get();
};

}  // namespace latecomer::user
