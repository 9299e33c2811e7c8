// SPDX-License-Identifier: BSD-3-Clause
// Makes definitions of the records: references become table indices.
#include "analyzer/trace/definitions/definition_reader.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include "analyzer/trace/definitions/neighbor_sources.hpp"
#include "analyzer/trace/definitions/parents_first.hpp"
#include "analyzer/trace/definitions/raw_definitions.hpp"
#include "analyzer/trace/definitions/report_words.hpp"
#include "archive/layout.hpp"
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
    r.out.has_tasks = r.out.has_tasks || out.construct == patterns::ThreadConstruct::kTask;
    const auto time = patterns::time_class(out.name, out.mpi ? "mpi" : out.paradigm, out.role);
    out.file_access = time == "mpi_io_individual" || time == "mpi_io_collective";
    out.computation = time == "comp";
    out.probe = kind == patterns::CallKind::kProbe || kind == patterns::CallKind::kProbeNow;
    out.watched = out.init || out.finalize || out.test || out.probe ||
                  out.construct != patterns::ThreadConstruct::kNone;
    if (out.mpi) out.epoch = patterns::epoch_call(out.name);
    if (out.mpi) out.file_operation = patterns::file_operation(out.name);
    r.out.regions.push_back(std::move(out));
  }
}

// Before this call contexts and lines have ids of the archive instead of indices.
void resolve_contexts(Raw& r) {
  Definitions& out = r.out;
  IdTable files;
  for (auto& line : out.source_lines) {
    if (!r.strings.contains(line.file)) {
      line = {};
      continue;
    }
    const auto id = line.file;
    line.file = files.add(id);
    if (line.file == out.source_files.size()) out.source_files.push_back(r.text(id));
  }
  for (auto& context : out.contexts) {
    context.region = out.region_ids.find(context.region);
    context.source = out.source_ids.find(context.source);
    if (context.parent == kNone) continue;
    const auto& above = out.contexts[context.parent];
    context.inside_mpi =
        above.inside_mpi || (above.region != kNone && out.regions[above.region].mpi);
  }
}

void find_functions(Definitions& out) {
  using Key = std::pair<std::string_view, std::string_view>;
  std::map<Key, std::uint32_t> first;
  for (std::uint32_t i = 0; i < out.regions.size(); ++i) {
    const auto& region = out.regions[i];
    out.functions.push_back(first.emplace(Key(region.name, region.file), i).first->second);
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
  r.out.regions[r.out.program_region].computation = true;
  r.out.regions[r.out.off_region].computation = false;  // what the program did is unknown
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

// Files outside MPI. Handles of one file share its name.
void resolve_other_files(Raw& r) {
  IdTable files;
  for (const auto id : r.other_files) {
    const std::uint32_t file = files.add(id);
    if (file == r.out.file_names.size()) {
      const auto name = r.file_names.find(id);
      r.out.file_names.push_back(name == r.file_names.end() ? "unknown file"
                                                            : r.text(name->second));
    }
    r.out.other_files.push_back(file);
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

}  // namespace

// The order of the last steps matters: contexts need regions, locations need the system tree,
// communicators need processes, and windows and files copy communicators.
Result<Definitions> read_definitions(OTF2_Reader* reader, const std::string& where) {
  Raw r;
  const Problem damaged{
      where + ": the global definitions (traces.def) are missing or damaged",
      "copy traces.def again from where it was recorded, or record the run again"};
  if (!read_raw_definitions(reader, where, r)) return damaged;
  const System system = resolve_system(r);
  resolve_regions(r);
  resolve_contexts(r);
  resolve_program(r, where);
  find_functions(r.out);
  for (auto& counter : r.out.counters) {
    if (counter.is_time) counter.scale *= static_cast<double>(r.out.ticks_per_second);
  }
  if (Status status = resolve_locations(r, system, where); !status) return status.problem();
  if (r.out.locations.empty()) {
    return Problem{where + ": the archive defines no thread of any process",
                   "was anything recorded? record the run again"};
  }
  resolve_comms(r);
  read_neighbors(r.out);
  resolve_windows(r);
  resolve_files(r);
  resolve_other_files(r);
  return std::move(r.out);
}

}  // namespace latecomer::trace
