// SPDX-License-Identifier: BSD-3-Clause
// Writes archives with OTF2's calls in the order that the library requires, and definitions in
// Score-P's order.
#include "tests/support/archive_writer.hpp"

#include <algorithm>
#include <stdexcept>

#include "archive/layout.hpp"

namespace latecomer::test {
namespace {

constexpr std::uint64_t kDefinitionChunk = 256 * 1024;

void check(OTF2_ErrorCode code, const char* what) {
  if (code == OTF2_SUCCESS) return;
  throw std::runtime_error(std::string(what) + ": " + OTF2_Error_GetDescription(code));
}

OTF2_FlushType flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) { return OTF2_FLUSH; }

const OTF2_FlushCallbacks kFlush = {flush, nullptr};

// Global definitions. Strings get an id at their first use and must be written first, so a first
// pass only collects them.
class Definitions {
 public:
  Definitions(OTF2_GlobalDefWriter* out, const TraceModel& model) : out_(out), model_(model) {}

  void write() {
    for (const bool dry : {true, false}) {  // the first pass only collects strings
      dry_ = dry;
      if (!dry) write_strings();
      string("");
      string(model_.regions[2].name);  // kProgramName
      put(OTF2_GlobalDefWriter_WriteAttribute, kAllPositiveAttribute,
          string(layout::kAttributeAllPositive), string(""), OTF2_TYPE_UINT8);
      put(OTF2_GlobalDefWriter_WriteAttribute, kNeighborhoodAttribute,
          string(layout::kAttributeNeighborhood), string(""), OTF2_TYPE_UINT8);
      put(OTF2_GlobalDefWriter_WriteAttribute, kPersistentAttribute,
          string(layout::kAttributePersistent), string(""), OTF2_TYPE_UINT32);
      put(OTF2_GlobalDefWriter_WriteAttribute, kBlockedAttribute, string(layout::kAttributeBlocked),
          string(""), OTF2_TYPE_UINT64);
      put(OTF2_GlobalDefWriter_WriteAttribute, kCallsAttribute, string(layout::kAttributeCalls),
          string(""), OTF2_TYPE_UINT64);
      put(OTF2_GlobalDefWriter_WriteAttribute, kCallTimeAttribute,
          string(layout::kAttributeCallTime), string(""), OTF2_TYPE_UINT64);
      write_paradigm();
      write_system();
      write_locations();
      write_regions();
      write_communicators();
      for (std::uint32_t id = 0; id < model_.groups.size(); ++id) {
        const auto& members = model_.groups[id];
        write_group(kFirstGroup + id, OTF2_GROUP_TYPE_COMM_GROUP, {members.begin(), members.end()});
      }
      write_teams();
      if (model_.files) write_files();
      write_samples();
      for (std::uint32_t id = 0; id < model_.windows.size(); ++id) {
        put(OTF2_GlobalDefWriter_WriteRmaWin, id, string(""), model_.windows[id].comm,
            OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS);
      }
    }
  }

 private:
  // Calls an OTF2 function in the second pass only.
  template <typename F, typename... A>
  void put(F f, A... arguments) {
    if (!dry_) check(f(out_, arguments...), "global definition");
  }
  // Id of a string, which its first use in the dry pass defines.
  std::uint32_t string(const std::string& text) {
    const auto [it, added] = ids_.emplace(text, static_cast<std::uint32_t>(texts_.size()));
    if (added) texts_.push_back(text);
    return it->second;
  }
  void write_strings() {
    put(OTF2_GlobalDefWriter_WriteClockProperties, model_.ticks_per_second, model_.epoch,
        model_.length, OTF2_UNDEFINED_TIMESTAMP);
    for (std::uint32_t id = 0; id < texts_.size(); ++id) {
      put(OTF2_GlobalDefWriter_WriteString, id, texts_[id].c_str());
    }
  }
  void write_files() {
    for (std::uint32_t id = 0; id < 2; ++id) {
      const auto name = string(id == 0 ? "MPI-IO" : "POSIX I/O");
      put(OTF2_GlobalDefWriter_WriteIoParadigm, id, name, name,
          id == 0 ? OTF2_IO_PARADIGM_CLASS_PARALLEL : OTF2_IO_PARADIGM_CLASS_SERIAL,
          OTF2_IO_PARADIGM_FLAG_NONE, std::uint8_t{0}, nullptr, nullptr, nullptr);
    }
    const auto name = string("data");
    put(OTF2_GlobalDefWriter_WriteIoRegularFile, 0, name, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (std::uint32_t id = 0; id < 2; ++id) {
      put(OTF2_GlobalDefWriter_WriteIoHandle, id, name, 0, id, OTF2_IO_HANDLE_FLAG_NONE,
          OTF2_UNDEFINED_COMM, OTF2_UNDEFINED_IO_HANDLE);
    }
    put(OTF2_GlobalDefWriter_WriteParameter, kFileCallParameter, string(layout::kParameterFileCall),
        OTF2_PARAMETER_TYPE_UINT64);
    std::uint32_t id = kFirstSharedFile;
    for (const auto comm : model_.shared_files) {
      put(OTF2_GlobalDefWriter_WriteIoHandle, id++, name, 0, 0, OTF2_IO_HANDLE_FLAG_NONE, comm,
          OTF2_UNDEFINED_IO_HANDLE);
    }
  }
  void write_thread_parameters() {
    if (!model_.wake_ups) return;
    std::uint32_t id = kFirstThreadParameter;
    for (const char* name : layout::kParametersOfThreads) {
      put(OTF2_GlobalDefWriter_WriteParameter, id++, string(name), OTF2_PARAMETER_TYPE_UINT64);
    }
  }
  void write_samples() {
    write_thread_parameters();
    for (std::uint32_t id = 0; id < model_.source_lines.size(); ++id) {
      const auto& [file, line] = model_.source_lines[id];
      put(OTF2_GlobalDefWriter_WriteSourceCodeLocation, id, string(file), line);
    }
    for (std::uint32_t id = 0; id < model_.contexts.size(); ++id) {
      const auto& [region, source, parent] = model_.contexts[id];
      put(OTF2_GlobalDefWriter_WriteCallingContext, id, region, source, parent);
    }
    for (std::uint32_t id = 0; id < model_.generators.size(); ++id) {
      const auto& g = model_.generators[id];
      put(OTF2_GlobalDefWriter_WriteInterruptGenerator, id, string(g.name), g.mode, g.base,
          g.exponent, g.period);
    }
    write_counters();
  }
  void write_counters() {
    if (model_.counters.empty()) return;
    std::vector<OTF2_MetricMemberRef> members;
    for (const auto& c : model_.counters) {
      const auto id = static_cast<OTF2_MetricMemberRef>(members.size());
      put(OTF2_GlobalDefWriter_WriteMetricMember, id, string(c.name), string(""),
          OTF2_METRIC_TYPE_OTHER, c.mode, OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, c.exponent,
          string(c.unit));
      members.push_back(id);
    }
    put(OTF2_GlobalDefWriter_WriteMetricClass, 0, static_cast<std::uint8_t>(members.size()),
        members.data(), OTF2_METRIC_SYNCHRONOUS, OTF2_RECORDER_KIND_CPU);
  }
  void write_paradigm() {
    const auto paradigm = static_cast<OTF2_Paradigm>(OTF2_PARADIGM_MPI);
    put(OTF2_GlobalDefWriter_WriteParadigm, paradigm, string("MPI"), OTF2_PARADIGM_CLASS_PROCESS);
    OTF2_AttributeValue value{};
    value.stringRef = string("Comm ${id}");
    put(OTF2_GlobalDefWriter_WriteParadigmProperty, paradigm,
        OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE, OTF2_TYPE_STRING, value);
  }
  void write_system() {
    const auto metahosts = static_cast<std::uint32_t>(model_.metahosts.size());
    for (std::uint32_t m = 0; m < metahosts; ++m) {
      put(OTF2_GlobalDefWriter_WriteSystemTreeNode, m, string(model_.metahosts[m].name),
          string("machine"), OTF2_UNDEFINED_SYSTEM_TREE_NODE);
      put(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain, m, OTF2_SYSTEM_TREE_DOMAIN_MACHINE);
      OTF2_AttributeValue value{};
      value.stringRef = string(std::to_string(model_.metahosts[m].id));
      put(OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty, m, string(layout::kPropertyMetahostId),
          OTF2_TYPE_STRING, value);
    }
    for (std::uint32_t n = 0; n < model_.nodes.size(); ++n) {
      put(OTF2_GlobalDefWriter_WriteSystemTreeNode, metahosts + n, string(model_.nodes[n].name),
          string("node"), model_.nodes[n].metahost);
      put(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain, metahosts + n,
          OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
    }
    // Nested nodes refer to the next one as their parent, so that children are defined before
    // parents.
    const auto nested = metahosts + static_cast<std::uint32_t>(model_.nodes.size());
    for (std::uint32_t n = 0; n < model_.nested_nodes; ++n) {
      put(OTF2_GlobalDefWriter_WriteSystemTreeNode, nested + n, string("nested"), string("node"),
          n + 1 < model_.nested_nodes ? nested + n + 1 : 0);
    }
    for (std::uint32_t r = 0; r < model_.node_of.size(); ++r) {
      put(OTF2_GlobalDefWriter_WriteLocationGroup, r, string("MPI Rank " + std::to_string(r)),
          OTF2_LOCATION_GROUP_TYPE_PROCESS, metahosts + model_.node_of[r],
          OTF2_UNDEFINED_LOCATION_GROUP);
      const auto found = model_.process_properties.find(r);
      if (found == model_.process_properties.end()) continue;
      for (const auto& [name, text] : found->second) {
        OTF2_AttributeValue value{};
        value.stringRef = string(text);
        put(OTF2_GlobalDefWriter_WriteLocationGroupProperty, r, string(name), OTF2_TYPE_STRING,
            value);
      }
    }
  }
  void write_locations() {
    auto group = static_cast<std::uint32_t>(model_.node_of.size());  // after those of processes
    for (const auto& l : model_.locations) {
      const std::uint32_t name = string(l.name);
      if (l.device == Location::Device::kNone) {
        put(OTF2_GlobalDefWriter_WriteLocation, l.id, name, OTF2_LOCATION_TYPE_CPU_THREAD, l.events,
            l.rank);
        continue;
      }
      put(OTF2_GlobalDefWriter_WriteLocationGroup, group, name,
          OTF2_LOCATION_GROUP_TYPE_ACCELERATOR,
          static_cast<std::uint32_t>(model_.metahosts.size()) + model_.node_of[l.rank],
          l.device == Location::Device::kOfProcess ? l.rank : OTF2_UNDEFINED_LOCATION_GROUP);
      put(OTF2_GlobalDefWriter_WriteLocation, l.id, name, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM,
          l.events, group++);
    }
  }
  void write_regions() {
    for (std::uint32_t id = 0; id < model_.regions.size(); ++id) {
      const Region& r = model_.regions[id];
      if (!model_.artificial_regions && r.role == OTF2_REGION_ROLE_ARTIFICIAL) continue;
      const std::uint32_t name = string(r.name);
      put(OTF2_GlobalDefWriter_WriteRegion, id, name, name, string(""), r.role, r.paradigm,
          OTF2_REGION_FLAG_NONE, string(r.file), r.line, r.line);
    }
  }
  void write_group(std::uint32_t id, OTF2_GroupType type, const std::vector<std::uint64_t>& members,
                   OTF2_Paradigm paradigm = OTF2_PARADIGM_MPI) {
    put(OTF2_GlobalDefWriter_WriteGroup, id, string(""), type, paradigm, OTF2_GROUP_FLAG_NONE,
        static_cast<std::uint32_t>(members.size()), members.data());
  }
  // A group has all threads of all processes; teams are positions there.
  void write_teams() {
    if (model_.teams.empty()) return;
    put(OTF2_GlobalDefWriter_WriteParadigm, static_cast<OTF2_Paradigm>(OTF2_PARADIGM_OPENMP),
        string("OpenMP"), OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN);
    std::vector<std::uint64_t> threads;
    for (const auto& l : model_.locations) threads.push_back(l.id);
    write_group(kFirstGroupOfTeam - 1, OTF2_GROUP_TYPE_COMM_LOCATIONS, threads,
                OTF2_PARADIGM_OPENMP);
    for (std::uint32_t i = 0; i < model_.teams.size(); ++i) {
      std::vector<std::uint64_t> members;
      for (const auto location : model_.teams[i]) {
        const auto at = std::ranges::find(threads, location);
        members.push_back(static_cast<std::uint64_t>(at - threads.begin()));
      }
      write_group(kFirstGroupOfTeam + i, OTF2_GROUP_TYPE_COMM_GROUP, members, OTF2_PARADIGM_OPENMP);
      put(OTF2_GlobalDefWriter_WriteComm, kFirstTeam + i, string("Thread team"),
          kFirstGroupOfTeam + i, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    }
  }
  // Communicators with the same processes share a group.
  std::uint32_t group_of(const std::vector<std::uint32_t>& members) {
    const auto [it, added] = groups_.emplace(members, static_cast<std::uint32_t>(groups_.size()));
    const std::uint32_t id = 2 + it->second;
    if (added || !written_.contains(id)) {
      write_group(id, OTF2_GROUP_TYPE_COMM_GROUP, {members.begin(), members.end()});
      if (!dry_) written_[id] = true;
    }
    return id;
  }
  void write_communicators() {
    std::vector<std::uint64_t> masters;
    for (const auto& l : model_.locations) {
      if (l.id >> 32 == 0) masters.push_back(l.id);
    }
    // Group 0 maps ranks to locations, group 1 is that of MPI_COMM_SELF. Other groups follow.
    write_group(0, OTF2_GROUP_TYPE_COMM_LOCATIONS, masters);
    write_group(1, OTF2_GROUP_TYPE_COMM_SELF, {});
    for (std::uint32_t id = 0; id < model_.communicators.size(); ++id) {
      const Communicator& c = model_.communicators[id];
      const std::uint32_t a = c.self ? 1 : group_of(c.members);
      const std::uint32_t name = string(c.name);
      if (c.remote.empty()) {
        put(OTF2_GlobalDefWriter_WriteComm, id, name, a,
            id < 2 ? OTF2_UNDEFINED_COMM : OTF2_CommRef{0}, OTF2_COMM_FLAG_NONE);
      } else {
        put(OTF2_GlobalDefWriter_WriteInterComm, id, name, a, group_of(c.remote), OTF2_CommRef{0},
            OTF2_COMM_FLAG_NONE);
      }
    }
    const auto first = static_cast<std::uint32_t>(model_.communicators.size());
    for (std::uint32_t i = 0; i < model_.copies_of_world; ++i) {
      put(OTF2_GlobalDefWriter_WriteComm, first + i, string(""),
          group_of(model_.communicators[0].members), OTF2_CommRef{0}, OTF2_COMM_FLAG_NONE);
    }
  }

  OTF2_GlobalDefWriter* out_;
  const TraceModel& model_;
  bool dry_ = true;
  std::map<std::string, std::uint32_t> ids_;
  std::vector<std::string> texts_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> groups_;
  std::map<std::uint32_t, bool> written_;
};

}  // namespace

ArchiveWriter::ArchiveWriter(const std::filesystem::path& directory) {
  archive_ =
      OTF2_Archive_Open(directory.c_str(), layout::kArchiveName, OTF2_FILEMODE_WRITE, kEventChunk,
                        kDefinitionChunk, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (archive_ == nullptr)
    throw std::runtime_error("cannot write an archive to " + directory.string());
  check(OTF2_Archive_SetFlushCallbacks(archive_, &kFlush, nullptr), "flush callbacks");
  check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_), "archive directory");
  check(OTF2_Archive_OpenEvtFiles(archive_), "event files");
}

ArchiveWriter::~ArchiveWriter() {
  if (archive_ != nullptr) OTF2_Archive_Close(archive_);
}

std::uint64_t ArchiveWriter::write_events(std::uint64_t location,
                                          const std::function<void(OTF2_EvtWriter*)>& write) {
  OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(archive_, location);
  if (writer == nullptr) throw std::runtime_error("no event writer");
  write(writer);
  std::uint64_t events = 0;
  check(OTF2_EvtWriter_GetNumberOfEvents(writer, &events), "number of events");
  check(OTF2_Archive_CloseEvtWriter(archive_, writer), "event writer");
  return events;
}

void ArchiveWriter::finish(const TraceModel& model) {
  check(OTF2_Archive_CloseEvtFiles(archive_), "event files");
  check(OTF2_Archive_OpenDefFiles(archive_), "definition files");
  for (const auto& l : model.locations) {
    OTF2_DefWriter* writer = OTF2_Archive_GetDefWriter(archive_, l.id);
    if (writer == nullptr) throw std::runtime_error("no definition writer");
    for (const auto& o : l.offsets) {
      check(OTF2_DefWriter_WriteClockOffset(writer, o.time, o.offset, o.deviation), "clock offset");
    }
    check(OTF2_Archive_CloseDefWriter(archive_, writer), "definition writer");
  }
  check(OTF2_Archive_CloseDefFiles(archive_), "definition files");
  OTF2_GlobalDefWriter* global = OTF2_Archive_GetGlobalDefWriter(archive_);
  if (global == nullptr) throw std::runtime_error("no global definition writer");
  Definitions(global, model).write();
  check(OTF2_Archive_CloseGlobalDefWriter(archive_, global), "global definitions");
  OTF2_Archive_SetCreator(archive_, model.creator.c_str());
  for (const auto& [name, value] : model.properties) {
    check(OTF2_Archive_SetProperty(archive_, name.c_str(), value.c_str(), true), "property");
  }
  OTF2_Archive* closing = archive_;
  archive_ = nullptr;
  check(OTF2_Archive_Close(closing), "archive");
}

}  // namespace latecomer::test
