// SPDX-License-Identifier: BSD-3-Clause
// Extras to JSON and back.
#include "analyzer/report/extras.hpp"

namespace latecomer::report {
namespace {

using nlohmann::json;

const json& member(const json& object, const char* key) {
  static const json kNothing;
  if (!object.is_object()) return kNothing;
  const auto found = object.find(key);
  return found == object.end() ? kNothing : *found;
}

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
void read(const json& value, std::vector<std::string>& to) {
  if (!value.is_array()) return;
  for (const auto& element : value) read(element, to.emplace_back());
}

}  // namespace

json to_json(const Extras& extras) {
  json quality = json::array();
  for (const auto& note : extras.quality) {
    quality.push_back({{"name", note.name}, {"count", note.count}, {"text", note.text}});
  }
  const auto& run = extras.run;
  return {{"schema_version", extras.schema_version},
          {"program", {{"name", extras.program.name}, {"arguments", extras.program.arguments}}},
          {"run",
           {{"ranks", run.ranks},
            {"locations", run.locations},
            {"nodes", run.nodes},
            {"metahosts", run.metahosts},
            {"duration", run.duration},
            {"events", run.events}}},
          {"quality", quality},
          {"partial", extras.partial},
          {"settings", {{"scalasca_compatible", extras.settings.scalasca_compatible}}}};
}

Extras extras_from_json(const json& from) {
  Extras extras;
  read(member(from, "schema_version"), extras.schema_version);
  const json& program = member(from, "program");
  read(member(program, "name"), extras.program.name);
  read(member(program, "arguments"), extras.program.arguments);
  const json& run = member(from, "run");
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
  }
  read(member(from, "partial"), extras.partial);
  read(member(member(from, "settings"), "scalasca_compatible"),
       extras.settings.scalasca_compatible);
  return extras;
}

}  // namespace latecomer::report
