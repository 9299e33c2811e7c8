// SPDX-License-Identifier: BSD-3-Clause
// Reads definitions. Callbacks collect the records; then references become table indices.
#include "analyzer/trace/definitions/definition_reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <string_view>

#include "analyzer/trace/definitions/neighbor_sources.hpp"
#include "analyzer/trace/definitions/parents_first.hpp"
#include "analyzer/trace/definitions/report_words.hpp"
#include "archive/layout.hpp"
#include "archive/otf2/definition_records.hpp"
#include "archive/printable.hpp"
#include "patterns/calls/call_kind.hpp"
#include "patterns/calls/time_class.hpp"

namespace latecomer::trace {

std::uint32_t IdTable::add(std::uint64_t id) {
  if (id < kDenseLimit) {
    if (id >= dense_.size()) dense_.resize(id + 1, kNone);
    if (dense_[id] == kNone) dense_[id] = size_++;
    return dense_[id];
  }
  const auto [it, inserted] = sparse_.emplace(id, size_);
  if (inserted) ++size_;
  return it->second;
}

namespace {

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
  std::vector<std::uint32_t> files;  // communicators of file handles
  std::uint32_t mpi_io = kNone;      // id of the I/O paradigm MPI-IO

  [[nodiscard]] std::string bytes(std::uint32_t id) const {
    const auto it = strings.find(id);
    return it == strings.end() ? std::string() : it->second;
  }
  // Names are shown in terminals and in lines of text, so they must be printable.
  [[nodiscard]] std::string text(std::uint32_t id) const { return printable(bytes(id)); }
};

Raw& raw(void* data) { return *static_cast<Raw*>(data); }

OTF2_CallbackCode on_clock(void* data, std::uint64_t resolution, std::uint64_t offset,
                           std::uint64_t length, std::uint64_t) {
  if (resolution > 0) raw(data).out.ticks_per_second = resolution;
  raw(data).out.first_tick = offset;
  raw(data).out.trace_length = length;
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_string(void* data, OTF2_StringRef id, const char* text) {
  raw(data).strings.emplace(id, text);
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_attribute(void* data, OTF2_AttributeRef id, OTF2_StringRef name,
                               OTF2_StringRef, OTF2_Type type) {
  auto& r = raw(data);
  if (type == OTF2_TYPE_UINT32 && r.text(name) == layout::kAttributePersistent) {
    r.out.persistent = id;
  }
  for (std::size_t i = 0; i < r.out.unrecorded_attributes.size(); ++i) {
    if (type == OTF2_TYPE_UINT32 && r.text(name) == layout::kAttributesUnrecorded[i]) {
      r.out.unrecorded_attributes[i] = id;
    }
  }
  if (type == OTF2_TYPE_UINT64 && r.text(name) == layout::kAttributeCalls) r.out.calls = id;
  if (type == OTF2_TYPE_UINT64 && r.text(name) == layout::kAttributeCallTime) {
    r.out.call_time = id;
  }
  if (type != OTF2_TYPE_UINT8) return OTF2_CALLBACK_SUCCESS;
  if (r.text(name) == layout::kAttributeAllPositive) r.out.all_positive = id;
  if (r.text(name) == layout::kAttributeNeighborhood) r.out.neighborhood = id;
  if (r.text(name) == layout::kAttributeLeftOut) r.out.left_out = id;
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_io_paradigm(void* data, OTF2_IoParadigmRef id, OTF2_StringRef identification,
                                 OTF2_StringRef, OTF2_IoParadigmClass, OTF2_IoParadigmFlag,
                                 std::uint8_t, const OTF2_IoParadigmProperty*, const OTF2_Type*,
                                 const OTF2_AttributeValue*) {
  if (raw(data).text(identification) == "MPI-IO") raw(data).mpi_io = id;
  return OTF2_CALLBACK_SUCCESS;
}
// Only handles of MPI-IO get an index.
OTF2_CallbackCode on_io_handle(void* data, OTF2_IoHandleRef id, OTF2_StringRef, OTF2_IoFileRef,
                               OTF2_IoParadigmRef paradigm, OTF2_IoHandleFlag, OTF2_CommRef comm,
                               OTF2_IoHandleRef) {
  auto& r = raw(data);
  if (paradigm == r.mpi_io && r.out.file_ids.add(id) == r.files.size()) r.files.push_back(comm);
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_parameter(void* data, OTF2_ParameterRef id, OTF2_StringRef name,
                               OTF2_ParameterType) {
  if (raw(data).text(name) == layout::kParameterUnrecorded) raw(data).out.unrecorded = id;
  if (raw(data).text(name) == layout::kParameterFileCall) raw(data).out.file_call = id;
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_node(void* data, OTF2_SystemTreeNodeRef id, OTF2_StringRef name,
                          OTF2_StringRef class_name, OTF2_SystemTreeNodeRef parent) {
  raw(data).nodes.push_back({id, name, class_name, parent});
  return OTF2_CALLBACK_SUCCESS;
}
// Tools write the metahost id as a number or as a string.
OTF2_CallbackCode on_node_property(void* data, OTF2_SystemTreeNodeRef id, OTF2_StringRef name,
                                   OTF2_Type type, OTF2_AttributeValue value) {
  if (raw(data).text(name) != layout::kPropertyMetahostId) return OTF2_CALLBACK_SUCCESS;
  std::uint32_t number = value.uint32;
  if (type == OTF2_TYPE_STRING) {
    const std::string digits = raw(data).text(value.stringRef);
    number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
  }
  raw(data).metahost_ids[id] = number;
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_process(void* data, OTF2_LocationGroupRef id, OTF2_StringRef name,
                             OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef node,
                             OTF2_LocationGroupRef creator) {
  if (type == OTF2_LOCATION_GROUP_TYPE_PROCESS) raw(data).processes.push_back({id, name, node});
  if (type == OTF2_LOCATION_GROUP_TYPE_ACCELERATOR) raw(data).device_of[id] = creator;
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_process_property(void* data, OTF2_LocationGroupRef id, OTF2_StringRef name,
                                      OTF2_Type type, OTF2_AttributeValue value) {
  auto& r = raw(data);
  r.process_properties[id][r.text(name)] = type == OTF2_TYPE_STRING ? r.text(value.stringRef)
                                           : type == OTF2_TYPE_UINT32
                                               ? std::to_string(value.uint32)
                                               : std::to_string(value.uint64);
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_location(void* data, OTF2_LocationRef id, OTF2_StringRef name,
                              OTF2_LocationType type, std::uint64_t events,
                              OTF2_LocationGroupRef process) {
  raw(data).locations.push_back({id, name, type, events, process});
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_region(void* data, OTF2_RegionRef id, OTF2_StringRef name,
                            OTF2_StringRef canonical, OTF2_StringRef, OTF2_RegionRole role,
                            OTF2_Paradigm paradigm, OTF2_RegionFlag, OTF2_StringRef file,
                            std::uint32_t begin, std::uint32_t end) {
  auto& r = raw(data);
  const std::uint32_t index = r.out.region_ids.add(id);
  if (index == r.regions.size()) {
    r.regions.push_back({name, canonical, file, begin, end, paradigm, role});
  }
  return OTF2_CALLBACK_SUCCESS;
}
// A context whose parent is not defined before it becomes a root.
OTF2_CallbackCode on_context(void* data, OTF2_CallingContextRef id, OTF2_RegionRef region,
                             OTF2_SourceCodeLocationRef, OTF2_CallingContextRef parent) {
  auto& out = raw(data).out;
  const std::uint32_t above = out.context_ids.find(parent);
  if (out.context_ids.add(id) == out.contexts.size()) out.contexts.push_back({region, above});
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_group(void* data, OTF2_GroupRef id, OTF2_StringRef, OTF2_GroupType type,
                           OTF2_Paradigm paradigm, OTF2_GroupFlag flags, std::uint32_t n,
                           const std::uint64_t* members) {
  const bool global = (flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS) != 0;
  raw(data).groups[id] = {type, paradigm, global, {members, members + n}};
  return OTF2_CALLBACK_SUCCESS;
}
// Intracommunicators and intercommunicators share one space of ids.
OTF2_CallbackCode add_comm(Raw& r, std::uint64_t id, const RawComm& comm) {
  if (r.out.comm_ids.add(id) == r.comms.size()) r.comms.push_back(comm);
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_comm(void* data, OTF2_CommRef id, OTF2_StringRef name, OTF2_GroupRef group,
                          OTF2_CommRef, OTF2_CommFlag) {
  return add_comm(raw(data), id, {name, group, kNone, false});
}
OTF2_CallbackCode on_intercomm(void* data, OTF2_CommRef id, OTF2_StringRef name, OTF2_GroupRef a,
                               OTF2_GroupRef b, OTF2_CommRef, OTF2_CommFlag) {
  return add_comm(raw(data), id, {name, a, b, true});
}

// The system tree with parents first, whatever the order in the file, and the metahost of each
// node.
struct System {
  std::unordered_map<std::uint64_t, std::uint32_t> index;
  std::vector<std::uint32_t> metahost;
};

System resolve_system(Raw& r) {
  System system;
  std::vector<std::uint32_t> ids, parents;
  for (const auto& node : r.nodes) {
    ids.push_back(node.id);
    parents.push_back(node.parent);
  }
  for (const auto place : parents_first<std::uint32_t>(ids, parents)) {
    const RawNode& node = r.nodes[place];
    const auto found = system.index.find(node.parent);
    const std::uint32_t above = found == system.index.end() ? kNone : found->second;
    system.index.emplace(node.id, static_cast<std::uint32_t>(r.out.system.size()));
    if (above == kNone) {
      const auto known = r.metahost_ids.find(node.id);
      const auto number = static_cast<std::uint32_t>(r.out.metahosts.size());
      r.out.metahosts.push_back(
          {known == r.metahost_ids.end() ? number : known->second, r.text(node.name)});
      system.metahost.push_back(number);
    } else {
      system.metahost.push_back(system.metahost[above]);
    }
    r.out.system.push_back({r.text(node.name), r.text(node.class_name), above});
  }
  if (r.out.system.empty()) {
    r.out.system.push_back({"machine", "machine", kNone});
    r.out.metahosts.push_back({0, "machine"});
    system.metahost.push_back(0);
  }
  if (r.out.metahosts.size() > kMostMetahosts) {
    r.out.metahosts = {{0, "machine"}};
    std::ranges::fill(system.metahost, 0);
  }
  return system;
}

void resolve_regions(Raw& r) {
  for (const auto& region : r.regions) {
    Region out;
    out.name = r.text(region.name);
    out.canonical = r.bytes(region.canonical);  // that of the program has its arguments
    if (out.canonical.empty()) out.canonical = out.name;
    out.file = r.text(region.file);
    out.paradigm = paradigm_word(region.paradigm);
    out.role = role_word(region.role);
    out.begin_line = region.begin;
    out.end_line = region.end;
    // Old tracers mark MPI functions only by their file, others only by their paradigm.
    out.mpi = region.paradigm == OTF2_PARADIGM_MPI || out.file == "MPI";
    const auto kind = out.mpi ? patterns::call_kind(out.name) : patterns::CallKind::kOther;
    out.init = kind == patterns::CallKind::kInit;
    out.finalize = kind == patterns::CallKind::kFinalize;
    out.test = kind == patterns::CallKind::kTest;
    if (!out.mpi) out.construct = patterns::thread_construct(out.name, out.paradigm, out.role);
    const auto time = patterns::time_class(out.name, out.mpi ? "mpi" : out.paradigm, out.role);
    out.file_access = time == "mpi_io_individual" || time == "mpi_io_collective";
    out.probe = kind == patterns::CallKind::kProbe || kind == patterns::CallKind::kProbeNow;
    out.watched = out.init || out.finalize || out.test || out.probe ||
                  out.construct != patterns::ThreadConstruct::kNone;
    if (out.mpi) out.epoch = patterns::epoch_call(out.name);
    if (out.mpi) out.file_operation = patterns::file_operation(out.name);
    r.out.regions.push_back(std::move(out));
  }
}

// Before this call a context has the archive's id of its region instead of an index.
void resolve_contexts(Definitions& out) {
  for (auto& context : out.contexts) {
    context.region = out.region_ids.find(context.region);
    if (context.parent == kNone) continue;
    const auto& above = out.contexts[context.parent];
    context.inside_mpi =
        above.inside_mpi || (above.region != kNone && out.regions[above.region].mpi);
  }
}

// Finds or adds an artificial region. Added regions get an id that no archive uses.
std::uint32_t artificial_region(Raw& r, const std::string& name, const std::string& paradigm) {
  for (std::uint32_t i = 0; i < r.out.regions.size(); ++i) {
    const auto& region = r.out.regions[i];
    if (region.name == name && region.role == "artificial") return i;
  }
  Region region;
  region.name = region.canonical = name;
  region.paradigm = paradigm;
  region.role = "artificial";
  r.out.regions.push_back(std::move(region));
  return r.out.region_ids.add(0xfffffff000000000 + r.out.regions.size());
}

// Artificial regions of Score-P, including old versions, that do not stand for the program.
bool is_of_measurement(const std::string& name) {
  constexpr std::array<std::string_view, 6> kNames = {
      "TRACE BUFFER FLUSH", "MEASUREMENT OFF", "THREADS", "TASKS", "KERNELS", "PARALLEL"};
  return std::ranges::find(kNames, name) != kNames.end();
}

// Name of the archive: "scorep_bt_16_trace" for "/home/me/scorep_bt_16_trace/traces.otf2", "bt" for
// "/home/me/bt.otf2".
std::string archive_name(const std::string& where) {
  const std::filesystem::path anchor(where);
  if (anchor.stem() != layout::kArchiveName) return anchor.stem().string();
  std::error_code error;
  return std::filesystem::absolute(anchor, error)
      .lexically_normal()
      .parent_path()
      .filename()
      .string();
}

// Finds the region of the program: the artificial region of the measurement system that has none of
// the other known names. Without one the program gets the name of the archive.
void resolve_program(Raw& r, const std::string& where) {
  r.out.program_region = kNone;
  for (std::uint32_t i = 0; i < r.out.regions.size(); ++i) {
    const auto& region = r.out.regions[i];
    if (region.role == "artificial" && region.paradigm == "measurement" &&
        !is_of_measurement(region.name)) {
      r.out.program_region = i;
      break;
    }
  }
  if (r.out.program_region == kNone) {
    r.out.program_region = artificial_region(r, "program", "measurement");
    r.out.program = archive_name(where);
  }
  if (r.out.program.empty()) r.out.program = r.out.regions[r.out.program_region].name;
  r.out.flush_region = artificial_region(r, "TRACE BUFFER FLUSH", "measurement");
  r.out.off_region = artificial_region(r, "MEASUREMENT OFF", "user");
}

LocationKind kind_of(OTF2_LocationType type) {
  switch (type) {
    case OTF2_LOCATION_TYPE_CPU_THREAD:
      return LocationKind::kThread;
    case OTF2_LOCATION_TYPE_ACCELERATOR_STREAM:
      return LocationKind::kDevice;
    case OTF2_LOCATION_TYPE_METRIC:
      return LocationKind::kMetric;
    default:
      return LocationKind::kOther;
  }
}

// Makes processes in the order of world ranks, and their locations. Those of a device belong to the
// process that uses it. Locations without a process are left out.
Status resolve_locations(Raw& r, const System& system, const std::string& where) {
  std::unordered_map<std::uint64_t, std::size_t> by_id;  // location id -> index in r.locations
  for (std::size_t i = 0; i < r.locations.size(); ++i) by_id.emplace(r.locations[i].id, i);
  std::unordered_map<std::uint64_t, const RawProcess*> processes;
  for (const auto& p : r.processes) processes.emplace(p.id, &p);

  // The world rank is the position in the group of all MPI locations. Processes outside MPI follow.
  std::vector<std::uint64_t> order;  // ids of location groups
  std::unordered_map<std::uint64_t, std::uint32_t> rank;
  const auto take = [&](std::uint64_t process) {
    if (!processes.contains(process)) return;
    if (rank.emplace(process, static_cast<std::uint32_t>(order.size())).second) {
      order.push_back(process);
    }
  };
  for (const auto& [id, group] : r.groups) {
    if (group.type != OTF2_GROUP_TYPE_COMM_LOCATIONS || group.paradigm != OTF2_PARADIGM_MPI)
      continue;
    for (const auto member : group.members) {
      const auto it = by_id.find(member);
      if (it == by_id.end()) {
        return Problem{where + ": the list of MPI processes names location " +
                           std::to_string(member) + ", which is not defined",
                       "the global definitions (traces.def) are damaged; record the run again"};
      }
      take(r.locations[it->second].process);
    }
    break;
  }
  for (const auto& p : r.processes) take(p.id);

  for (const auto id : order) {
    const RawProcess& p = *processes[id];
    const auto node = system.index.find(p.node);
    Process out;
    out.name = r.text(p.name);
    out.node = node == system.index.end() ? 0 : node->second;
    out.metahost = system.metahost[out.node];
    if (const auto found = r.process_properties.find(id); found != r.process_properties.end()) {
      out.properties = found->second;
    }
    r.out.processes.push_back(std::move(out));
  }
  for (const auto& l : r.locations) {
    const auto device = r.device_of.find(l.process);
    const auto it = rank.find(device == r.device_of.end() ? l.process : device->second);
    if (it == rank.end()) continue;
    Location out;
    out.kind = kind_of(l.type);
    out.id = l.id;
    out.name = r.text(l.name);
    out.process = it->second;
    out.events = l.events;
    const bool is_thread = out.kind == LocationKind::kThread && device == r.device_of.end();
    (is_thread ? r.out.locations : r.out.other_locations).push_back(std::move(out));
  }
  std::ranges::stable_sort(r.out.locations, {}, &Location::process);
  std::ranges::stable_sort(r.out.other_locations, {}, &Location::process);
  for (std::size_t i = 0; i < r.out.other_locations.size(); ++i) {
    auto& location = r.out.other_locations[i];
    const auto* const before = i == 0 ? nullptr : &r.out.other_locations[i - 1];
    const bool same = before != nullptr && before->process == location.process;
    location.thread = same ? before->thread + 1 : 0;
  }
  for (std::uint32_t i = 0; i < r.out.locations.size(); ++i) {
    auto& location = r.out.locations[i];
    auto& own = r.out.processes[location.process].locations;
    location.thread = static_cast<std::uint32_t>(own.size());
    own.push_back(i);
  }
  return success();
}

// Members of groups. Each group is resolved once, since many communicators may share it.
class GroupMembers {
 public:
  struct Group {
    Members members;
    bool self = false;
    // The range of metahosts of the members; least_metahost is kNone without members.
    std::uint32_t least_metahost = kNone, greatest_metahost = 0;
  };
  explicit GroupMembers(const Raw& raw) : raw_(raw) {}

  const Group& operator[](std::uint32_t id) {
    const auto [known, added] = known_.try_emplace(id);
    if (added) read(id, known->second);
    return known->second;
  }

 private:
  void read(std::uint32_t id, Group& to) {
    const auto it = raw_.groups.find(id);
    if (it == raw_.groups.end()) return;
    const RawGroup& group = it->second;
    to.self = group.type == OTF2_GROUP_TYPE_COMM_SELF;
    const bool locations = group.global_members || group.type == OTF2_GROUP_TYPE_COMM_LOCATIONS;
    if (locations && by_location_.empty()) {
      for (const auto& l : raw_.out.locations) by_location_.emplace(l.id, l.process);
    }
    const auto n = static_cast<std::uint64_t>(raw_.out.processes.size());
    std::vector<std::uint32_t> ranks;
    ranks.reserve(group.members.size());
    for (const auto member : group.members) {
      std::uint32_t rank = member < n ? static_cast<std::uint32_t>(member) : kNone;
      if (locations && !by_location_.empty()) {
        const auto location = by_location_.find(member);
        rank = location == by_location_.end() ? kNone : location->second;
      }
      ranks.push_back(rank);
      if (rank == kNone) continue;
      const auto metahost = raw_.out.processes[rank].metahost;
      to.least_metahost = std::min(to.least_metahost, metahost);
      to.greatest_metahost = std::max(to.greatest_metahost, metahost);
    }
    to.members = std::move(ranks);
  }

  const Raw& raw_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_location_;  // location id -> world rank
  std::unordered_map<std::uint32_t, Group> known_;
};

void resolve_comms(Raw& r) {
  GroupMembers groups(r);
  for (const auto& comm : r.comms) {
    Comm out;
    out.name = r.text(comm.name);
    out.inter = comm.inter;
    const auto& own = groups[comm.group_a];
    out.members = own.members;
    out.self = own.self;
    auto least = own.least_metahost, greatest = own.greatest_metahost;
    if (comm.inter) {
      const auto& other = groups[comm.group_b];
      out.remote = other.members;
      least = std::min(least, other.least_metahost);
      greatest = std::max(greatest, other.greatest_metahost);
    }
    out.spans_metahosts = least != kNone && least != greatest;
    r.out.comms.push_back(std::move(out));
  }
}

OTF2_CallbackCode on_window(void* data, OTF2_RmaWinRef id, OTF2_StringRef name, OTF2_CommRef comm,
                            OTF2_RmaWinFlag) {
  auto& r = raw(data);
  if (r.out.window_ids.add(id) == r.windows.size()) r.windows.push_back({name, comm});
  return OTF2_CALLBACK_SUCCESS;
}

// Adds a communicator with the same processes; kNone if the id is not defined.
std::uint32_t copy_comm(Definitions& out, std::uint32_t id) {
  const std::uint32_t comm = out.comm_ids.find(id);
  if (comm == kNone) return kNone;
  out.comms.push_back(Comm(out.comms[comm]));
  out.comms.back().original = comm;
  out.comms.back().sources.clear();
  return static_cast<std::uint32_t>(out.comms.size() - 1);
}

void resolve_files(Raw& r) {
  for (const auto id : r.files) {
    // Files that a process opens alone, which may be many, need no communicator of their own: there
    // are no other processes to wait for.
    const auto comm = r.out.comm_ids.find(id);
    const bool alone = comm != kNone && r.out.comms[comm].size() < 2;
    r.out.files.push_back({alone ? comm : copy_comm(r.out, id)});
  }
}

// Resolves windows, and groups of processes that synchronize as world ranks.
void resolve_windows(Raw& r) {
  for (const auto& window : r.windows) {
    r.out.windows.push_back({r.text(window.name), copy_comm(r.out, window.comm)});
  }
  if (r.windows.empty()) return;
  for (const auto& [id, group] : r.groups) {
    if (group.type != OTF2_GROUP_TYPE_COMM_GROUP || group.paradigm != OTF2_PARADIGM_MPI ||
        group.global_members) {
      continue;
    }
    r.out.group_ids.add(id);
    auto& members = r.out.groups.emplace_back();
    for (const auto member : group.members) {
      if (member < r.out.processes.size()) members.push_back(static_cast<std::uint32_t>(member));
    }
  }
}

void drop_callbacks(OTF2_GlobalDefReaderCallbacks* callbacks) {
  OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
}

}  // namespace

// The order of the last steps matters: contexts need regions, locations need the system tree,
// communicators need processes, and windows and files copy communicators.
Result<Definitions> read_definitions(OTF2_Reader* reader, const std::string& where) {
  Raw r;
  std::uint64_t event_chunk = 0, chunk = 0;
  OTF2_Reader_GetChunkSize(reader, &event_chunk, &chunk);
  const bool whole = otf2::definitions_are_whole(
      std::filesystem::path(where).replace_extension(".def"), otf2::DefinitionsOf::kAll, chunk);
  OTF2_GlobalDefReader* definitions = whole ? OTF2_Reader_GetGlobalDefReader(reader) : nullptr;
  const Problem damaged{
      where + ": the global definitions (traces.def) are missing or damaged",
      "copy traces.def again from where it was recorded, or record the run again"};
  if (definitions == nullptr) return damaged;
  OTF2_GlobalDefReaderCallbacks* cb = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(cb, on_clock);
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(cb, on_string);
  OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(cb, on_attribute);
  OTF2_GlobalDefReaderCallbacks_SetIoParadigmCallback(cb, on_io_paradigm);
  OTF2_GlobalDefReaderCallbacks_SetIoHandleCallback(cb, on_io_handle);
  OTF2_GlobalDefReaderCallbacks_SetParameterCallback(cb, on_parameter);
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(cb, on_node);
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodePropertyCallback(cb, on_node_property);
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(cb, on_process);
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupPropertyCallback(cb, on_process_property);
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(cb, on_location);
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(cb, on_region);
  OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(cb, on_context);
  OTF2_GlobalDefReaderCallbacks_SetGroupCallback(cb, on_group);
  OTF2_GlobalDefReaderCallbacks_SetCommCallback(cb, on_comm);
  OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(cb, on_intercomm);
  OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(cb, on_window);
  OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, cb, &r);
  drop_callbacks(cb);
  std::uint64_t count = 0;
  const OTF2_ErrorCode code = OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &count);
  OTF2_Reader_CloseGlobalDefReader(reader, definitions);
  if (code != OTF2_SUCCESS) return damaged;

  const System system = resolve_system(r);
  resolve_regions(r);
  resolve_contexts(r.out);
  resolve_program(r, where);
  if (Status status = resolve_locations(r, system, where); !status) return status.problem();
  if (r.out.locations.empty()) {
    return Problem{where + ": the archive defines no thread of any process",
                   "was anything recorded? record the run again"};
  }
  resolve_comms(r);
  read_neighbors(r.out);
  resolve_windows(r);
  resolve_files(r);
  return std::move(r.out);
}

}  // namespace latecomer::trace
