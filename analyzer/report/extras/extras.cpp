// SPDX-License-Identifier: BSD-3-Clause
// Converts Extras to JSON and back.
#include "analyzer/report/extras/extras.hpp"

#include <algorithm>
#include <array>

namespace latecomer::report {
namespace {

using nlohmann::json;

// The value of a key; null if there is no such key or `object` is not an object.
const json& member(const json& object, const char* key) {
  static const json kNothing;
  if (!object.is_object()) return kNothing;
  const auto found = object.find(key);
  return found == object.end() ? kNothing : *found;
}

// The functions read() leave `to` unchanged if `value` has another type.
void read(const json& value, std::string& to) {
  if (value.is_string()) to = value.get<std::string>();
}
void read(const json& value, bool& to) {
  if (value.is_boolean()) to = value.get<bool>();
}
void read(const json& value, double& to) {
  if (value.is_number()) to = value.get<double>();
}
template <typename Integer>
void read(const json& value, Integer& to) {
  if (value.is_number_integer()) to = value.get<Integer>();
}
template <typename Element>
void read(const json& value, std::vector<Element>& to) {
  if (!value.is_array()) return;
  for (const auto& element : value) read(element, to.emplace_back());
}

// Names of Ending::State in the order of the enumeration.
constexpr std::array<const char*, 6> kStates = {"aborted", "exited",  "in_call",
                                                "outside", "unknown", "not_stored"};

void read(const json& value, Ending& to) {
  std::string state;
  read(member(value, "state"), state);
  const auto found = std::ranges::find(kStates, state);
  if (found != kStates.end()) to.state = static_cast<Ending::State>(found - kStates.begin());
  read(member(value, "ranks"), to.ranks);
  read(member(value, "call_path"), to.call_path);
  read(member(value, "since"), to.since);
}

}  // namespace

const char* name(Ending::State state) { return kStates[static_cast<std::size_t>(state)]; }

std::string file_text(const QualityNote& note, std::size_t i) {
  const bool has_note = i < note.file_notes.size() && !note.file_notes[i].empty();
  return note.files[i] + (has_note ? ": " + note.file_notes[i] : "");
}

json to_json(const Extras& extras) {
  json quality = json::array();
  for (const auto& note : extras.quality) {
    quality.push_back({{"name", note.name},
                       {"count", note.count},
                       {"text", note.text},
                       {"partial", note.partial},
                       {"files", note.files}});
    if (!note.file_notes.empty()) quality.back()["file_notes"] = note.file_notes;
  }
  json endings = json::array();
  for (const auto& ending : extras.endings) {
    endings.push_back({{"state", name(ending.state)},
                       {"ranks", ending.ranks},
                       {"call_path", ending.call_path},
                       {"since", ending.since}});
  }
  const auto& run = extras.run;
  json out = {{"schema_version", extras.schema_version},
              {"program", {{"name", extras.program.name}, {"arguments", extras.program.arguments}}},
              {"run",
               {{"ranks", run.ranks},
                {"locations", run.locations},
                {"nodes", run.nodes},
                {"metahosts", run.metahosts},
                {"duration", run.duration},
                {"events", run.events}}},
              {"quality", quality},
              {"endings", endings},
              {"partial", extras.partial},
              {"settings", {{"scalasca_compatible", extras.settings.scalasca_compatible}}}};
  if (!run.launch.empty()) out["run"]["launch"] = run.launch;
  if (extras.call_paths_from_stacks) out["call_paths_from_stacks"] = true;
  return out;
}

Extras extras_from_json(const json& from) {
  Extras extras;
  read(member(from, "schema_version"), extras.schema_version);
  const json& program = member(from, "program");
  read(member(program, "name"), extras.program.name);
  read(member(program, "arguments"), extras.program.arguments);
  read(member(from, "call_paths_from_stacks"), extras.call_paths_from_stacks);
  const json& run = member(from, "run");
  read(member(run, "launch"), extras.run.launch);
  read(member(run, "ranks"), extras.run.ranks);
  read(member(run, "locations"), extras.run.locations);
  read(member(run, "nodes"), extras.run.nodes);
  read(member(run, "metahosts"), extras.run.metahosts);
  read(member(run, "duration"), extras.run.duration);
  read(member(run, "events"), extras.run.events);
  const json& quality = member(from, "quality");
  for (const auto& element : quality.is_array() ? quality : json::array()) {
    auto& note = extras.quality.emplace_back();
    read(member(element, "name"), note.name);
    read(member(element, "count"), note.count);
    read(member(element, "text"), note.text);
    read(member(element, "partial"), note.partial);
    read(member(element, "files"), note.files);
    read(member(element, "file_notes"), note.file_notes);
  }
  for (const auto& element : member(from, "endings")) read(element, extras.endings.emplace_back());
  read(member(from, "partial"), extras.partial);
  read(member(member(from, "settings"), "scalasca_compatible"),
       extras.settings.scalasca_compatible);
  return extras;
}

}  // namespace latecomer::report
