// SPDX-License-Identifier: BSD-3-Clause
// Collects the records of the global definitions as they are, with references as OTF2 ids.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/trace/definitions/definitions.hpp"
#include "archive/printable.hpp"

namespace latecomer::trace {

// Raw records, in which references are OTF2 ids.
struct RawRegion {
  std::uint32_t name, canonical, file, begin, end;
  std::uint8_t paradigm, role;
};
struct RawNode {
  std::uint32_t id, name, class_name, parent;
};
struct RawGroup {
  std::uint8_t type, paradigm;
  bool global_members;
  std::vector<std::uint64_t> members;
};
struct RawProcess {
  std::uint32_t id, name, node;
};
struct RawLocation {
  std::uint64_t id;
  std::uint32_t name;
  std::uint8_t type;
  std::uint64_t events;
  std::uint32_t process;
};
struct RawComm {
  std::uint32_t name, group_a, group_b;
  bool inter;
};

struct RawWindow {
  std::uint32_t name, comm;
};

// All raw records, and the tables that are filled while reading.
struct Raw {
  Definitions out;
  std::unordered_map<std::uint64_t, std::string> strings;
  std::vector<RawRegion> regions;
  std::vector<RawNode> nodes;
  std::unordered_map<std::uint64_t, std::uint32_t>
      metahost_ids;  // node id -> LATECOMER metahost id
  std::unordered_map<std::uint64_t, std::map<std::string, std::string>> process_properties;
  std::unordered_map<std::uint64_t, RawGroup> groups;
  std::vector<RawProcess> processes;
  std::unordered_map<std::uint64_t, std::uint32_t> device_of;  // device -> the process that uses it
  std::vector<RawLocation> locations;
  std::vector<RawComm> comms;
  std::vector<RawWindow> windows;
  std::vector<std::uint32_t> files;                             // communicators of file handles
  std::unordered_map<std::uint64_t, std::uint32_t> file_names;  // file -> string
  std::vector<std::uint32_t> other_files;                       // files of handles outside MPI
  std::uint32_t mpi_io = kNone;                                 // id of the I/O paradigm MPI-IO

  [[nodiscard]] std::string bytes(std::uint32_t id) const {
    const auto it = strings.find(id);
    return it == strings.end() ? std::string() : it->second;
  }
  // Names are shown in terminals and in lines of text, so they must be printable.
  [[nodiscard]] std::string text(std::uint32_t id) const { return printable(bytes(id)); }
};

// Fills `r` from the archive at `where`. False: the definitions are missing or damaged.
[[nodiscard]] bool read_raw_definitions(OTF2_Reader* reader, const std::string& where, Raw& r);

}  // namespace latecomer::trace
