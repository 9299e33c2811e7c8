// SPDX-License-Identifier: BSD-3-Clause
// One callback per kind of definition.
#include "analyzer/trace/definitions/raw_definitions.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "archive/layout.hpp"
#include "archive/otf2/definition_records.hpp"
#include "archive/thread_layout.hpp"

namespace latecomer::trace {
namespace {

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
  if (type == OTF2_TYPE_UINT64 && r.text(name) == layout::kAttributeBlocked) r.out.blocked = id;
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
OTF2_CallbackCode on_io_file(void* data, OTF2_IoFileRef id, OTF2_StringRef name,
                             OTF2_SystemTreeNodeRef) {
  raw(data).file_names.emplace(id, name);
  return OTF2_CALLBACK_SUCCESS;
}
// Handles of MPI-IO and others have indices of their own.
OTF2_CallbackCode on_io_handle(void* data, OTF2_IoHandleRef id, OTF2_StringRef, OTF2_IoFileRef file,
                               OTF2_IoParadigmRef paradigm, OTF2_IoHandleFlag, OTF2_CommRef comm,
                               OTF2_IoHandleRef) {
  auto& r = raw(data);
  if (paradigm != r.mpi_io) {
    if (r.out.other_file_ids.add(id) == r.other_files.size()) r.other_files.push_back(file);
  } else if (r.out.file_ids.add(id) == r.files.size()) {
    r.files.push_back(comm);
  }
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_parameter(void* data, OTF2_ParameterRef id, OTF2_StringRef name,
                               OTF2_ParameterType) {
  if (raw(data).text(name) == layout::kParameterUnrecorded) raw(data).out.unrecorded = id;
  if (raw(data).text(name) == layout::kParameterFileCall) raw(data).out.file_call = id;
  if (raw(data).text(name) == layout::kParameterTaskAwaited) raw(data).out.task_awaited = id;
  for (std::size_t i = 0; i < raw(data).out.wake_ups.size(); ++i) {
    if (raw(data).text(name) == layout::kParametersOfThreads[i]) raw(data).out.wake_ups[i] = id;
  }
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
OTF2_CallbackCode on_location_property(void* data, OTF2_LocationRef id, OTF2_StringRef name,
                                       OTF2_Type type, OTF2_AttributeValue value) {
  auto& r = raw(data);
  if (type != OTF2_TYPE_STRING) return OTF2_CALLBACK_SUCCESS;
  // Most properties follow their location directly.
  const auto location = std::find_if(r.locations.rbegin(), r.locations.rend(),
                                     [id](const RawLocation& l) { return l.id == id; });
  if (location == r.locations.rend()) return OTF2_CALLBACK_SUCCESS;
  r.process_properties[location->process][layout::property_of_location(id, r.text(name))] =
      r.text(value.stringRef);
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
// Files are strings here; resolve_contexts() makes a table of them.
OTF2_CallbackCode on_source_line(void* data, OTF2_SourceCodeLocationRef id, OTF2_StringRef file,
                                 std::uint32_t line) {
  auto& out = raw(data).out;
  if (out.source_ids.add(id) == out.source_lines.size()) out.source_lines.push_back({file, line});
  return OTF2_CALLBACK_SUCCESS;
}
// A context whose parent is not defined before it becomes a root.
OTF2_CallbackCode on_context(void* data, OTF2_CallingContextRef id, OTF2_RegionRef region,
                             OTF2_SourceCodeLocationRef source, OTF2_CallingContextRef parent) {
  auto& out = raw(data).out;
  const std::uint32_t above = out.context_ids.find(parent);
  if (out.context_ids.add(id) == out.contexts.size()) {
    const std::uint32_t depth = above == kNone ? 0 : out.contexts[above].depth + 1;
    out.contexts.push_back({.region = region, .parent = above, .depth = depth, .source = source});
  }
  return OTF2_CALLBACK_SUCCESS;
}
// Events may be counted instead of time; then a sample stands for no known time.
OTF2_CallbackCode on_interrupt_generator(void* data, OTF2_InterruptGeneratorRef id,
                                         OTF2_StringRef name, OTF2_InterruptGeneratorMode mode,
                                         OTF2_Base base, std::int64_t exponent,
                                         std::uint64_t period) {
  auto& out = raw(data).out;
  const double unit = std::pow(base == OTF2_BASE_BINARY ? 2 : 10, static_cast<double>(exponent));
  const double nanoseconds = 1e9 * unit * static_cast<double>(period);
  const bool is_time = mode == OTF2_INTERRUPT_GENERATOR_MODE_TIME && nanoseconds >= 0.5 &&
                       nanoseconds <= static_cast<double>(kLongestPeriod);
  if (out.generator_ids.add(id) == out.sample_clocks.size()) {
    out.sample_clocks.push_back(
        {is_time ? static_cast<std::uint64_t>(std::llround(nanoseconds)) : 0,
         raw(data).text(name) == layout::kKernelSampleClock,
         !is_time && raw(data).text(name) == layout::kBlockedClock});
  }
  return OTF2_CALLBACK_SUCCESS;
}
// Times are in seconds until the length of a tick is known.
OTF2_CallbackCode on_metric_member(void* data, OTF2_MetricMemberRef id, OTF2_StringRef name,
                                   OTF2_StringRef description, OTF2_MetricType,
                                   OTF2_MetricMode mode, OTF2_Type, OTF2_Base base,
                                   std::int64_t exponent, OTF2_StringRef unit) {
  Raw& r = raw(data);
  if (r.out.counter_ids.add(id) != r.out.counters.size()) return OTF2_CALLBACK_SUCCESS;
  const std::string in = r.text(unit);
  r.out.counters.push_back(
      {.name = r.text(name),
       .description = r.text(description),
       .is_sum = mode == OTF2_METRIC_ACCUMULATED_START || mode == OTF2_METRIC_ACCUMULATED_POINT ||
                 mode == OTF2_METRIC_ACCUMULATED_LAST || mode == OTF2_METRIC_ACCUMULATED_NEXT,
       .is_time = in == "s",
       .is_bytes = in == "B" || in == "bytes" || in == "Bytes",
       .scale = std::pow(base == OTF2_BASE_BINARY ? 2 : 10, static_cast<double>(exponent))});
  return OTF2_CALLBACK_SUCCESS;
}
// Only values of the thread itself count, as most classes have them.
OTF2_CallbackCode on_metric_class(void* data, OTF2_MetricRef id, std::uint8_t count,
                                  const OTF2_MetricMemberRef* members,
                                  OTF2_MetricOccurrence occurrence, OTF2_RecorderKind) {
  auto& out = raw(data).out;
  if (out.counter_class_ids.add(id) != out.counter_classes.size()) return OTF2_CALLBACK_SUCCESS;
  auto& counters = out.counter_classes.emplace_back();
  for (std::uint8_t i = 0; i < count; ++i) {
    const auto known = out.counter_ids.find(members[i]);
    counters.push_back(occurrence == OTF2_METRIC_ASYNCHRONOUS ? kNone : known);
  }
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

OTF2_CallbackCode on_window(void* data, OTF2_RmaWinRef id, OTF2_StringRef name, OTF2_CommRef comm,
                            OTF2_RmaWinFlag) {
  auto& r = raw(data);
  if (r.out.window_ids.add(id) == r.windows.size()) r.windows.push_back({name, comm});
  return OTF2_CALLBACK_SUCCESS;
}

}  // namespace

bool read_raw_definitions(OTF2_Reader* reader, const std::string& where, Raw& r) {
  std::uint64_t event_chunk = 0, chunk = 0;
  OTF2_Reader_GetChunkSize(reader, &event_chunk, &chunk);
  const bool whole = otf2::definitions_are_whole(
      std::filesystem::path(where).replace_extension(".def"), otf2::DefinitionsOf::kAll, chunk);
  OTF2_GlobalDefReader* definitions = whole ? OTF2_Reader_GetGlobalDefReader(reader) : nullptr;
  if (definitions == nullptr) return false;
  OTF2_GlobalDefReaderCallbacks* cb = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(cb, on_clock);
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(cb, on_string);
  OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(cb, on_attribute);
  OTF2_GlobalDefReaderCallbacks_SetIoParadigmCallback(cb, on_io_paradigm);
  OTF2_GlobalDefReaderCallbacks_SetIoRegularFileCallback(cb, on_io_file);
  OTF2_GlobalDefReaderCallbacks_SetIoHandleCallback(cb, on_io_handle);
  OTF2_GlobalDefReaderCallbacks_SetParameterCallback(cb, on_parameter);
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(cb, on_node);
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodePropertyCallback(cb, on_node_property);
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(cb, on_process);
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupPropertyCallback(cb, on_process_property);
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(cb, on_location);
  OTF2_GlobalDefReaderCallbacks_SetLocationPropertyCallback(cb, on_location_property);
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(cb, on_region);
  OTF2_GlobalDefReaderCallbacks_SetSourceCodeLocationCallback(cb, on_source_line);
  OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(cb, on_context);
  OTF2_GlobalDefReaderCallbacks_SetInterruptGeneratorCallback(cb, on_interrupt_generator);
  OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(cb, on_metric_member);
  OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(cb, on_metric_class);
  OTF2_GlobalDefReaderCallbacks_SetGroupCallback(cb, on_group);
  OTF2_GlobalDefReaderCallbacks_SetCommCallback(cb, on_comm);
  OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(cb, on_intercomm);
  OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(cb, on_window);
  OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, cb, &r);
  OTF2_GlobalDefReaderCallbacks_Delete(cb);
  std::uint64_t count = 0;
  const OTF2_ErrorCode code = OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &count);
  OTF2_Reader_CloseGlobalDefReader(reader, definitions);
  return code == OTF2_SUCCESS;
}

}  // namespace latecomer::trace
