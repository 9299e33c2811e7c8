// SPDX-License-Identifier: BSD-3-Clause
// Writes definitions; each comes after those that it refers to.
#include "tracer/convert/definition_writer.hpp"

#include <otf2/otf2.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "archive/layout.hpp"
#include "archive/thread_layout.hpp"
#include "tracer/convert/definitions/kernel_totals.hpp"
#include "tracer/record/extended.hpp"

namespace latecomer::convert {
namespace {

constexpr const char* kAllPositiveMeaning =
    "1: this process sends data to all and gets data from all";
constexpr const char* kNeighborhoodMeaning =
    "an operation among neighbors; 2: this process gets data from each of them, 1: perhaps not";
constexpr const char* kPersistentMeaning =
    "number of the persistent operation on its communicator, in the order of initialization";
constexpr const char* kUnrecordedMeaning =
    "of operations that were not recorded: which (0 send, 1 receive, 2 collective, 3 on a window, "
    "4 "
    "access and 5 exposure epoch, 6 lock, 7 transfer), communicator or window, peer or group, tag";
constexpr const char* kLeftOutMeaning =
    "1: a place in an order only; the call is left out, so the operation is not recorded";
constexpr const char* kCallsMeaning =
    "number of calls in a row that completed nothing and are this visit";
constexpr const char* kBlockedMeaning =
    "nanoseconds for which the thread was blocked at this place since the event before";
constexpr const char* kCallTimeMeaning =
    "ticks in these calls; the rest of the visit is the caller's";

// Names by which OTF2 knows "I/O paradigms".
struct IoParadigm {
  const char* id;
  const char* name;
  OTF2_IoParadigmClass type;
  OTF2_IoParadigmFlag flags;
};
constexpr std::array<IoParadigm, 3> kIoParadigms = {{
    {"MPI-IO", "MPI I/O", OTF2_IO_PARADIGM_CLASS_PARALLEL, OTF2_IO_PARADIGM_FLAG_NONE},
    {"POSIX", "POSIX I/O", OTF2_IO_PARADIGM_CLASS_SERIAL, OTF2_IO_PARADIGM_FLAG_OS},
    {"ISOC", "ISO C I/O", OTF2_IO_PARADIGM_CLASS_SERIAL, OTF2_IO_PARADIGM_FLAG_NONE},
}};
constexpr const char* kOpenMp = "OpenMP";
constexpr const char* kPosix = "POSIX threads";
constexpr std::int64_t kMicroseconds = -6;  // 10 to this power, in seconds
constexpr std::int64_t kNanoseconds = -9;
constexpr std::uint64_t kTicksPerSecond = 1'000'000'000;

constexpr std::array<std::pair<std::string_view, OTF2_RegionRole>, 29> kRoles = {{
    {"function", OTF2_REGION_ROLE_FUNCTION},
    {"loop", OTF2_REGION_ROLE_LOOP},
    {"code", OTF2_REGION_ROLE_CODE},
    {"wrapper", OTF2_REGION_ROLE_WRAPPER},
    {"artificial", OTF2_REGION_ROLE_ARTIFICIAL},
    {"barrier", OTF2_REGION_ROLE_BARRIER},
    {"parallel", OTF2_REGION_ROLE_PARALLEL},
    {"implicit barrier", OTF2_REGION_ROLE_IMPLICIT_BARRIER},
    {"critical", OTF2_REGION_ROLE_CRITICAL},
    {"critical sblock", OTF2_REGION_ROLE_CRITICAL_SBLOCK},
    {"sections", OTF2_REGION_ROLE_SECTIONS},
    {"single", OTF2_REGION_ROLE_SINGLE},
    {"workshare", OTF2_REGION_ROLE_WORKSHARE},
    {"task", OTF2_REGION_ROLE_TASK},
    {"taskwait", OTF2_REGION_ROLE_TASK_WAIT},
    {"ordered", OTF2_REGION_ROLE_ORDERED},
    {"thread create", OTF2_REGION_ROLE_THREAD_CREATE},
    {"thread wait", OTF2_REGION_ROLE_THREAD_WAIT},
    {"point2point", OTF2_REGION_ROLE_POINT2POINT},
    {"coll_one2all", OTF2_REGION_ROLE_COLL_ONE2ALL},
    {"coll_all2one", OTF2_REGION_ROLE_COLL_ALL2ONE},
    {"coll_all2all", OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"coll_other", OTF2_REGION_ROLE_COLL_OTHER},
    {"rma", OTF2_REGION_ROLE_RMA},
    {"atomic", OTF2_REGION_ROLE_ATOMIC},
    {"allocate", OTF2_REGION_ROLE_ALLOCATE},
    {"deallocate", OTF2_REGION_ROLE_DEALLOCATE},
    {"file_io", OTF2_REGION_ROLE_FILE_IO},
    {"file_io_metadata", OTF2_REGION_ROLE_FILE_IO_METADATA},
}};

OTF2_RegionRole role_of(std::string_view name) {
  for (const auto& [known, role] : kRoles) {
    if (known == name) return role;
  }
  return OTF2_REGION_ROLE_FUNCTION;
}

OTF2_Paradigm paradigm_of(Paradigm paradigm) {
  switch (paradigm) {
    case Paradigm::kCompiler:
      return OTF2_PARADIGM_COMPILER;
    case Paradigm::kMpi:
      return OTF2_PARADIGM_MPI;
    case Paradigm::kMeasurement:
      return OTF2_PARADIGM_MEASUREMENT_SYSTEM;
    case Paradigm::kOpenMp:
      return OTF2_PARADIGM_OPENMP;
    case Paradigm::kPosix:
      return OTF2_PARADIGM_PTHREAD;
    case Paradigm::kNone:
      return OTF2_PARADIGM_NONE;
    default:
      return OTF2_PARADIGM_USER;
  }
}

class DefinitionWriter {
 public:
  DefinitionWriter(OTF2_GlobalDefWriter* writer, GlobalDefinitions& global, const Clocks& clocks)
      : writer_(writer), global_(global), clocks_(clocks), moments_(moments_of(clocks)) {}

  // The order is that of Score-P's archives: clock, strings, attributes, paradigm, system tree,
  // locations, regions, groups, communicators, windows, files.
  void write(const std::vector<LocationDefinition>& locations, const TimeLine& time) {
    find_strings(locations);
    OTF2_GlobalDefWriter_WriteClockProperties(writer_, kTicksPerSecond, time.begin, time.length,
                                              time.wall);
    for (StringId id = 0; id < global_.strings.size(); ++id) {
      OTF2_GlobalDefWriter_WriteString(writer_, id, global_.strings.text(id).c_str());
    }
    OTF2_GlobalDefWriter_WriteAttribute(writer_, kAllPositiveAttribute,
                                        text(layout::kAttributeAllPositive),
                                        text(kAllPositiveMeaning), OTF2_TYPE_UINT8);
    OTF2_GlobalDefWriter_WriteAttribute(writer_, kNeighborhoodAttribute,
                                        text(layout::kAttributeNeighborhood),
                                        text(kNeighborhoodMeaning), OTF2_TYPE_UINT8);
    OTF2_GlobalDefWriter_WriteAttribute(writer_, kPersistentAttribute,
                                        text(layout::kAttributePersistent),
                                        text(kPersistentMeaning), OTF2_TYPE_UINT32);
    std::uint32_t attribute = kUnrecordedAttribute;
    for (const char* name : layout::kAttributesUnrecorded) {
      OTF2_GlobalDefWriter_WriteAttribute(writer_, attribute++, text(name),
                                          text(kUnrecordedMeaning), OTF2_TYPE_UINT32);
    }
    OTF2_GlobalDefWriter_WriteAttribute(writer_, kLeftOutAttribute, text(layout::kAttributeLeftOut),
                                        text(kLeftOutMeaning), OTF2_TYPE_UINT8);
    OTF2_GlobalDefWriter_WriteAttribute(writer_, kCallsAttribute, text(layout::kAttributeCalls),
                                        text(kCallsMeaning), OTF2_TYPE_UINT64);
    OTF2_GlobalDefWriter_WriteAttribute(writer_, kCallTimeAttribute,
                                        text(layout::kAttributeCallTime), text(kCallTimeMeaning),
                                        OTF2_TYPE_UINT64);
    if (global_.has_blocked) {
      OTF2_GlobalDefWriter_WriteAttribute(writer_, kBlockedAttribute,
                                          text(layout::kAttributeBlocked), text(kBlockedMeaning),
                                          OTF2_TYPE_UINT64);
    }
    write_parameters();
    write_paradigm();
    write_system();
    write_devices(locations);
    write_losses(locations);
    write_clocks();
    write_neighbors();
    for (const LocationDefinition& d : locations) {
      OTF2_GlobalDefWriter_WriteLocation(writer_, location_id(d.rank, d.thread), text(d.name),
                                         type_of(d.kind), d.events, group_of(d));
      write_affinity(d);
    }
    write_regions();
    write_contexts();
    write_kernel_metrics();
    write_counters();
    write_groups();
    write_comms();
    for (std::uint32_t id = 0; id < global_.windows.size(); ++id) {
      const Window& d = global_.windows[id];
      OTF2_GlobalDefWriter_WriteRmaWin(writer_, id, d.name, d.comm,
                                       OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS);
    }
    write_files();
  }

 private:
  // MPI has files without handles, too: deleted ones.
  [[nodiscard]] bool uses(std::uint8_t io_paradigm) const { return used_[io_paradigm]; }
  [[nodiscard]] static std::array<bool, kIoParadigms.size()> used_paradigms(
      const GlobalDefinitions& global) {
    std::array<bool, kIoParadigms.size()> used{};
    used[kMpiIo] = global.has_mpi_files;
    for (const FileHandle& handle : global.file_handles) used[handle.paradigm] = true;
    return used;
  }

  // Names of the parameters by number, up to the last one in use, since numbers have no gaps.
  [[nodiscard]] std::vector<const char*> parameters() const {
    std::vector<const char*> names = {layout::kParameterUnrecorded, layout::kParameterFileCall};
    names.insert(names.end(), std::begin(layout::kParametersOfThreads),
                 std::end(layout::kParametersOfThreads));
    names.push_back(layout::kParameterTaskAwaited);
    std::uint32_t last = kUnrecordedParameter;
    if (uses(kMpiIo)) last = kFileCallParameter;
    if (global_.wakes_threads) last = kRoundParameter;
    if (global_.has_teams) last = kTaskAwaitedParameter;
    names.resize(last + 1);
    return names;
  }
  void write_parameters() {
    std::uint32_t number = 0;
    for (const char* name : parameters()) {
      OTF2_GlobalDefWriter_WriteParameter(writer_, number++, text(name),
                                          OTF2_PARAMETER_TYPE_UINT64);
    }
  }

  // Number of a paradigm among those in use, since numbers have no gaps.
  [[nodiscard]] std::uint8_t number_of(std::uint8_t io_paradigm) const {
    std::uint8_t number = 0;
    for (std::uint8_t id = 0; id < io_paradigm; ++id) number += uses(id) ? 1 : 0;
    return number;
  }

  void write_files() {
    if (global_.files.empty()) return;
    for (std::uint8_t id = 0; id < kIoParadigms.size(); ++id) {
      if (!uses(id)) continue;
      const IoParadigm& d = kIoParadigms[id];
      OTF2_GlobalDefWriter_WriteIoParadigm(writer_, number_of(id), text(d.id), text(d.name), d.type,
                                           d.flags, 0, nullptr, nullptr, nullptr);
    }
    for (std::uint32_t id = 0; id < global_.files.size(); ++id) {
      OTF2_GlobalDefWriter_WriteIoRegularFile(writer_, id, global_.files[id],
                                              OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    }
    for (std::uint32_t id = 0; id < global_.file_handles.size(); ++id) {
      const FileHandle& d = global_.file_handles[id];
      OTF2_GlobalDefWriter_WriteIoHandle(
          writer_, id, global_.files[d.file], d.file, number_of(d.paradigm),
          d.was_open ? OTF2_IO_HANDLE_FLAG_PRE_CREATED : OTF2_IO_HANDLE_FLAG_NONE,
          d.comm == kNoId ? OTF2_UNDEFINED_COMM : d.comm, OTF2_UNDEFINED_IO_HANDLE);
      if (!d.was_open) continue;
      OTF2_GlobalDefWriter_WriteIoPreCreatedHandleState(
          writer_, id, static_cast<OTF2_IoAccessMode>(d.mode), d.status);
    }
  }

  StringId text(std::string_view value) { return global_.strings.id(value); }

  static OTF2_LocationType type_of(record::LocationKind kind) {
    switch (kind) {
      case record::LocationKind::kThread:
        return OTF2_LOCATION_TYPE_CPU_THREAD;
      case record::LocationKind::kDevice:
        return OTF2_LOCATION_TYPE_ACCELERATOR_STREAM;
      default:
        return OTF2_LOCATION_TYPE_METRIC;
    }
  }

  // OTF2 has a location group per device, which names the process that uses it.
  using DeviceKey = std::pair<std::uint32_t, std::string>;  // rank, name of the device
  static DeviceKey device_of(const LocationDefinition& d) {
    return {d.rank, d.device.empty() ? d.name : d.device};
  }
  std::uint32_t group_of(const LocationDefinition& d) const {
    const bool on_device = d.kind == record::LocationKind::kDevice;
    return on_device ? devices_.at(device_of(d)) : d.rank;
  }
  void write_devices(const std::vector<LocationDefinition>& locations) {
    for (const LocationDefinition& d : locations) {
      if (d.kind != record::LocationKind::kDevice) continue;
      const auto next = static_cast<std::uint32_t>(global_.size() + devices_.size());
      const auto [device, is_new] = devices_.try_emplace(device_of(d), next);
      if (!is_new) continue;
      OTF2_GlobalDefWriter_WriteLocationGroup(writer_, next, text(device->first.second),
                                              OTF2_LOCATION_GROUP_TYPE_ACCELERATOR,
                                              global_.processes[d.rank].node, d.rank);
    }
  }

  // All that was measured of a clock at one moment.
  struct Moment {
    sync::ClockId clock = 0;
    std::string name;
    std::string text;
  };
  // Measurements are in the order of clock and moment, so those of a moment are neighbors. Their
  // texts are joined by semicolons.
  static std::vector<Moment> moments_of(const Clocks& clocks) {
    std::vector<Moment> moments;
    for (const sync::Measurement& m : clocks.measurements()) {
      const std::string name = layout::kPropertyMoment + std::to_string(m.moment);
      if (moments.empty() || moments.back().clock != m.child || moments.back().name != name) {
        moments.push_back({m.child, name, sync::to_text(m)});
      } else {
        moments.back().text += ';' + sync::to_text(m);
      }
    }
    return moments;
  }

  // Collects all texts, which must be known before the first one is written.
  void find_strings(const std::vector<LocationDefinition>& locations) {
    for (const char* value : {"MPI", "Comm ${id}", "Win ${id}", "machine", "node"}) text(value);
    text(layout::kPropertyMetahostId);
    text(layout::kPropertyClock);
    text(layout::kAttributeAllPositive);
    text(kAllPositiveMeaning);
    text(layout::kAttributeNeighborhood);
    text(kNeighborhoodMeaning);
    text(layout::kAttributePersistent);
    text(kPersistentMeaning);
    for (const char* name : layout::kAttributesUnrecorded) text(name);
    text(kUnrecordedMeaning);
    text(layout::kAttributeLeftOut);
    text(kLeftOutMeaning);
    for (const char* value :
         {layout::kAttributeCalls, kCallsMeaning, layout::kAttributeCallTime, kCallTimeMeaning}) {
      text(value);
    }
    for (const char* name : parameters()) text(name);
    for (std::uint8_t id = 0; id < kIoParadigms.size(); ++id) {
      if (!uses(id)) continue;
      text(kIoParadigms[id].id);
      text(kIoParadigms[id].name);
    }
    if (global_.has_teams) text(kOpenMp);
    if (has_posix_) text(kPosix);
    if (!global_.sample_periods.empty()) {
      text(layout::kSampleClock);
      text(layout::kKernelSampleClock);
    }
    if (global_.has_blocked) {
      for (const char* value : {layout::kBlockedClock, layout::kAttributeBlocked, kBlockedMeaning})
        text(value);
    }
    if (global_.kernel_use) {
      for (const KernelMetric& d : kKernelMetrics) {
        for (const char* value : {d.name, d.description, d.unit}) text(value);
      }
    }
    for (const auto& counters : global_.counter_sets) {
      for (const ChosenCounter& d : counters) {
        text(d.name);
        text(d.description);
        text(unit_of(d));
      }
    }
    for (const LocationDefinition& d : locations) {
      if (d.cores.empty()) continue;
      text(d.cores);
      text(layout::kPropertyThreadCores);
    }
    for (const Neighbors& d : global_.neighbors) {
      text(property_of(d));
      text(list_of(d));
    }
    for (const LocationDefinition& d : locations) {
      text(d.name);
      if (d.kind == record::LocationKind::kDevice) text(device_of(d).second);
      if (d.lost != 0) text(layout::kPropertyRecordsLost);
    }
    for (const Moment& m : moments_) {
      text(m.name);
      text(m.text);
    }
  }

  // Name and value of the property: the id of the communicator, and the sources separated by
  // commas.
  static std::string property_of(const Neighbors& d) {
    return layout::kPropertyNeighbors + std::to_string(d.comm);
  }
  static std::string list_of(const Neighbors& d) {
    std::string list;
    for (const auto source : d.sources) list += (list.empty() ? "" : ",") + std::to_string(source);
    return list;
  }
  void write_neighbors() {
    for (const Neighbors& d : global_.neighbors) {
      OTF2_AttributeValue value;
      value.stringRef = text(list_of(d));
      OTF2_GlobalDefWriter_WriteLocationGroupProperty(writer_, d.rank, text(property_of(d)),
                                                      OTF2_TYPE_STRING, value);
    }
  }

  void write_losses(const std::vector<LocationDefinition>& locations) {
    for (const LocationDefinition& d : locations) {
      if (d.lost == 0) continue;
      OTF2_AttributeValue value;
      value.uint64 = d.lost;
      OTF2_GlobalDefWriter_WriteLocationGroupProperty(
          writer_, d.rank, text(layout::kPropertyRecordsLost), OTF2_TYPE_UINT64, value);
    }
  }

  void write_affinity(const LocationDefinition& d) {
    if (d.cores.empty()) return;
    OTF2_AttributeValue value;
    value.stringRef = text(d.cores);
    OTF2_GlobalDefWriter_WriteLocationProperty(writer_, location_id(d.rank, d.thread),
                                               text(layout::kPropertyThreadCores), OTF2_TYPE_STRING,
                                               value);
  }

  void write_clocks() {
    const auto property = [this](std::uint32_t rank, std::string_view name, OTF2_Type type,
                                 OTF2_AttributeValue value) {
      OTF2_GlobalDefWriter_WriteLocationGroupProperty(writer_, rank, text(name), type, value);
    };
    OTF2_AttributeValue value;
    for (const auto& [rank, leader] : clocks_.leaders()) {
      value.uint64 = leader;
      property(rank, layout::kPropertyClock, OTF2_TYPE_UINT64, value);
    }
    for (const Moment& m : moments_) {
      value.stringRef = text(m.text);
      property(m.clock, m.name, OTF2_TYPE_STRING, value);
    }
  }

  void write_paradigm() {
    if (global_.has_teams) {
      OTF2_GlobalDefWriter_WriteParadigm(writer_, OTF2_PARADIGM_OPENMP, text(kOpenMp),
                                         OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN);
    }
    if (has_posix_) {
      OTF2_GlobalDefWriter_WriteParadigm(writer_, OTF2_PARADIGM_PTHREAD, text(kPosix),
                                         OTF2_PARADIGM_CLASS_THREAD_CREATE_WAIT);
    }
    OTF2_GlobalDefWriter_WriteParadigm(writer_, OTF2_PARADIGM_MPI, text("MPI"),
                                       OTF2_PARADIGM_CLASS_PROCESS);
    const auto property = [this](OTF2_ParadigmProperty name, const char* value) {
      OTF2_AttributeValue attribute;
      attribute.stringRef = text(value);
      OTF2_GlobalDefWriter_WriteParadigmProperty(writer_, OTF2_PARADIGM_MPI, name, OTF2_TYPE_STRING,
                                                 attribute);
    };
    property(OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE, "Comm ${id}");
    property(OTF2_PARADIGM_PROPERTY_RMA_WIN_NAME_TEMPLATE, "Win ${id}");
  }

  void write_system() {
    for (std::uint32_t id = 0; id < global_.nodes.size(); ++id) {
      const SystemNode& d = global_.nodes[id];
      const bool machine = d.parent == kNoId;
      OTF2_GlobalDefWriter_WriteSystemTreeNode(writer_, id, d.name,
                                               text(machine ? "machine" : "node"), d.parent);
      OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(
          writer_, id,
          machine ? OTF2_SYSTEM_TREE_DOMAIN_MACHINE : OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
      if (!machine) continue;
      OTF2_AttributeValue value;
      value.uint64 = static_cast<std::uint64_t>(d.metahost_id);
      OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty(
          writer_, id, text(layout::kPropertyMetahostId), OTF2_TYPE_UINT64, value);
    }
    for (std::uint32_t rank = 0; rank < global_.size(); ++rank) {
      const ProcessPlace& d = global_.processes[rank];
      OTF2_GlobalDefWriter_WriteLocationGroup(writer_, rank, d.name,
                                              OTF2_LOCATION_GROUP_TYPE_PROCESS, d.node,
                                              OTF2_UNDEFINED_LOCATION_GROUP);
    }
  }

  void write_regions() {
    for (std::uint32_t id = 0; id < global_.regions.size(); ++id) {
      const Region& d = global_.regions[id];
      OTF2_GlobalDefWriter_WriteRegion(writer_, id, d.name, d.canonical, 0, role_of(d.role),
                                       paradigm_of(d.paradigm), OTF2_REGION_FLAG_NONE, d.file,
                                       d.first_line, d.last_line);
    }
  }

  // Contexts of samples, and how often samples were taken.
  void write_contexts() {
    for (std::uint32_t id = 0; id < global_.lines.size(); ++id) {
      const SourceLine& d = global_.lines[id];
      OTF2_GlobalDefWriter_WriteSourceCodeLocation(writer_, id, d.file, d.line);
    }
    for (std::uint32_t id = 0; id < global_.contexts.size(); ++id) {
      const Context& d = global_.contexts[id];
      OTF2_GlobalDefWriter_WriteCallingContext(writer_, id, d.region, d.line, d.parent);
    }
    for (std::uint32_t id = 0; id < global_.sample_periods.size(); ++id) {
      const std::uint32_t period = global_.sample_periods[id];
      const bool in_kernel = (period & record::kSampleInKernel) != 0;
      OTF2_GlobalDefWriter_WriteInterruptGenerator(
          writer_, id, text(in_kernel ? layout::kKernelSampleClock : layout::kSampleClock),
          OTF2_INTERRUPT_GENERATOR_MODE_TIME, OTF2_BASE_DECIMAL, kMicroseconds,
          period & ~record::kSampleInKernel);
    }
    if (global_.has_blocked) {
      OTF2_GlobalDefWriter_WriteInterruptGenerator(
          writer_, global_.blocked_clock(), text(layout::kBlockedClock),
          OTF2_INTERRUPT_GENERATOR_MODE_COUNT, OTF2_BASE_DECIMAL, 0, 1);
    }
  }

  void write_kernel_metrics() {
    if (!global_.kernel_use) return;
    std::vector<OTF2_MetricMemberRef> members;
    for (const KernelMetric& d : kKernelMetrics) {
      const auto id = static_cast<OTF2_MetricMemberRef>(members.size());
      OTF2_GlobalDefWriter_WriteMetricMember(writer_, id, text(d.name), text(d.description),
                                             OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ACCUMULATED_START,
                                             OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, d.exponent,
                                             text(d.unit));
      members.push_back(id);
    }
    OTF2_GlobalDefWriter_WriteMetricClass(writer_, kKernelMetricClass,
                                          static_cast<std::uint8_t>(members.size()), members.data(),
                                          OTF2_METRIC_SYNCHRONOUS, OTF2_RECORDER_KIND_CPU);
  }

  static OTF2_MetricType type_of(const ChosenCounter& d) {
    if (d.is_usage()) return OTF2_METRIC_TYPE_RUSAGE;
    return d.name.starts_with("PAPI_") ? OTF2_METRIC_TYPE_PAPI : OTF2_METRIC_TYPE_OTHER;
  }

  void write_counters() {
    std::uint32_t next = global_.kernel_use ? kKernelMetrics.size() : 0;
    std::uint32_t metric_class = global_.first_counter_class();
    for (const auto& counters : global_.counter_sets) {
      std::vector<OTF2_MetricMemberRef> members;
      for (const ChosenCounter& d : counters) {
        OTF2_GlobalDefWriter_WriteMetricMember(writer_, next, text(d.name), text(d.description),
                                               type_of(d), OTF2_METRIC_ACCUMULATED_START,
                                               OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL,
                                               d.is_time() ? kNanoseconds : 0, text(unit_of(d)));
        members.push_back(next++);
      }
      OTF2_GlobalDefWriter_WriteMetricClass(
          writer_, metric_class++, static_cast<std::uint8_t>(members.size()), members.data(),
          OTF2_METRIC_SYNCHRONOUS, OTF2_RECORDER_KIND_CPU);
    }
  }
  static const char* unit_of(const ChosenCounter& d) { return d.is_time() ? "s" : "#"; }

  void write_groups() {
    for (std::uint32_t id = 0; id < global_.groups.size(); ++id) {
      const Group& d = global_.groups[id];
      const bool locations = d.kind == GroupKind::kLocations || d.kind == GroupKind::kThreads ||
                             d.kind == GroupKind::kPosixThreads;
      const bool threads = d.kind == GroupKind::kThreads || d.kind == GroupKind::kTeam;
      const bool posix = d.kind == GroupKind::kPosixThreads || d.kind == GroupKind::kPosixProcess;
      const OTF2_GroupType type = locations                    ? OTF2_GROUP_TYPE_COMM_LOCATIONS
                                  : d.kind == GroupKind::kSelf ? OTF2_GROUP_TYPE_COMM_SELF
                                                               : OTF2_GROUP_TYPE_COMM_GROUP;
      const OTF2_Paradigm paradigm = threads ? OTF2_PARADIGM_OPENMP
                                     : posix ? OTF2_PARADIGM_PTHREAD
                                             : OTF2_PARADIGM_MPI;
      OTF2_GlobalDefWriter_WriteGroup(writer_, id, 0, type, paradigm, OTF2_GROUP_FLAG_NONE,
                                      static_cast<std::uint32_t>(d.members.size()),
                                      d.members.data());
    }
  }

  void write_comms() {
    for (std::uint32_t id = 0; id < global_.comms.size(); ++id) {
      const Comm& d = global_.comms[id];
      const OTF2_CommFlag flags =
          d.has_create_events ? OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS : OTF2_COMM_FLAG_NONE;
      if (d.remote_group != kNoId) {
        OTF2_GlobalDefWriter_WriteInterComm(writer_, id, d.name, d.group, d.remote_group, d.parent,
                                            flags);
      } else {
        OTF2_GlobalDefWriter_WriteComm(writer_, id, d.name, d.group, d.parent, flags);
      }
    }
  }

  OTF2_GlobalDefWriter* writer_;
  GlobalDefinitions& global_;
  const std::array<bool, kIoParadigms.size()> used_ = used_paradigms(global_);
  const bool has_posix_ = std::ranges::find(global_.regions, Paradigm::kPosix, &Region::paradigm) !=
                          global_.regions.end();
  const Clocks& clocks_;
  const std::vector<Moment> moments_;
  std::map<DeviceKey, std::uint32_t> devices_;  // location groups
};

}  // namespace

static_assert(kNoId == OTF2_UNDEFINED_UINT32);

void write_definitions(OTF2_GlobalDefWriter* writer, GlobalDefinitions& global,
                       const std::vector<LocationDefinition>& locations, const Clocks& clocks,
                       const TimeLine& time) {
  DefinitionWriter(writer, global, clocks).write(locations, time);
}

}  // namespace latecomer::convert
