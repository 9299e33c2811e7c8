// SPDX-License-Identifier: BSD-3-Clause
// Converts Extras to JSON and back.
#include "analyzer/report/extras/extras.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "analyzer/report/extras/read_json.hpp"

namespace latecomer::report {
namespace {

using nlohmann::json;

// Names of Ending::State in the order of the enumeration.
constexpr std::array<const char*, 6> kStates = {"aborted", "exited",  "in_call",
                                                "outside", "unknown", "not_stored"};

Ending ending_in(const json& value) {
  Ending to;
  std::string state;
  read(member(value, "state"), state);
  const auto found = std::ranges::find(kStates, state);
  if (found != kStates.end()) to.state = static_cast<Ending::State>(found - kStates.begin());
  read(member(value, "ranks"), to.ranks);
  read(member(value, "call_path"), to.call_path);
  read(member(value, "since"), to.since);
  return to;
}

QualityNote note_in(const json& value) {
  QualityNote to;
  read(member(value, "name"), to.name);
  read(member(value, "count"), to.count);
  read(member(value, "text"), to.text);
  read(member(value, "partial"), to.partial);
  read(member(value, "files"), to.files);
  read(member(value, "file_notes"), to.file_notes);
  return to;
}

Origin origin_in(const json& value) {
  Origin to;
  read(member(value, "name"), to.name);
  for (const auto& file : elements(member(value, "inputs"))) {
    if (auto name = text_in(file)) to.inputs.push_back(*std::move(name));
  }
  for (const auto& ranks : elements(member(value, "ranks"))) {
    if (const auto count = count_in(ranks)) to.ranks.push_back(*count);
  }
  return to;
}

// Results that an analysis always writes. Older reports have some of them only.
constexpr std::array<const char*, 10> kResults = {
    "clocks",      "collectives", "computation", "efficiency",  "longer_computation",
    "measurement", "messages",    "statistics",  "time_slices", "unmatched"};

std::optional<Results> results_in(const json& from) {
  const auto has = [&from](const char* key) { return from.contains(key); };
  if (!from.is_object() || std::ranges::none_of(kResults, has)) return {};
  Results results;
  results.clocks = clocks_from_json(member(from, "clocks"));
  results.computation = computation_from_json(member(from, "computation"));
  results.efficiency = efficiency_from_json(member(from, "efficiency"));
  results.file_uses = file_uses_from_json(member(from, "file_uses"));
  results.gains = gains_from_json(member(from, "gains"));
  results.longer_computation = longer_computation_from_json(member(from, "longer_computation"));
  results.other_file_uses = other_file_uses_from_json(member(from, "other_file_uses"));
  results.measurement = measurement_from_json(member(from, "measurement"));
  results.time_slices = time_slices_from_json(member(from, "time_slices"));
  return results;
}

void write(JsonWriter& out, const Extras::Program& program) {
  const auto whole = out.object();
  out.member("arguments", program.arguments);
  out.member("name", program.name);
}

void write(JsonWriter& out, const Extras::Run& run) {
  const auto whole = out.object();
  out.member("duration", run.duration);
  out.member("events", run.events);
  if (!run.launch.empty()) out.member("launch", run.launch);
  out.member("locations", run.locations);
  out.member("metahosts", run.metahosts);
  out.member("nodes", run.nodes);
  out.member("ranks", run.ranks);
}

void write(JsonWriter& out, const QualityNote& note) {
  const auto whole = out.object();
  out.member("count", note.count);
  if (!note.file_notes.empty()) out.member("file_notes", note.file_notes);
  out.member("files", note.files);
  out.member("name", note.name);
  out.member("partial", note.partial);
  out.member("text", note.text);
}

void write(JsonWriter& out, const Ending& ending) {
  const auto whole = out.object();
  out.member("call_path", ending.call_path);
  out.member("ranks", ending.ranks);
  out.member("since", ending.since);
  out.member("state", name(ending.state));
}

void write(JsonWriter& out, const Origin& origin) {
  const auto whole = out.object();
  out.member("inputs", origin.inputs);
  out.member("name", origin.name);
  if (!origin.ranks.empty()) out.member("ranks", origin.ranks);
}

void write(JsonWriter& out, const Unmatched& unmatched) {
  const auto whole = out.object();
  out.member("call_path", unmatched.call_path);
  out.member("count", unmatched.count);
  out.member("operation", unmatched.operation);
}

// A section that is null if there is nothing.
template <typename Section>
void write_section(JsonWriter& out, const char* key, const std::optional<Section>& section) {
  out.key(key);
  if (section) {
    write(out, *section);
  } else {
    out.value(nullptr);
  }
}

}  // namespace

const char* name(Ending::State state) { return kStates[static_cast<std::size_t>(state)]; }

std::string file_text(const QualityNote& note, std::size_t i) {
  const bool has_note = i < note.file_notes.size() && !note.file_notes[i].empty();
  return note.files[i] + (has_note ? ": " + note.file_notes[i] : "");
}

// Keys are in the order of their bytes.
std::string text_of(const Extras& extras, const std::vector<std::string>& stored_metrics) {
  const auto& results = extras.results;
  JsonWriter out;
  const auto write_one = [&out](const auto& one) { write(out, one); };
  {
    const auto whole = out.object();
    if (extras.call_paths_from_stacks) out.member("call_paths_from_stacks", true);
    if (results) {
      write_section(out, "clocks", results->clocks);
      out.list("collectives", results->collectives, write_one);
      if (results->compensation) write(out.key("compensation"), *results->compensation);
      if (results->computation) write(out.key("computation"), *results->computation);
      write_section(out, "efficiency", results->efficiency);
    }
    out.list("endings", extras.endings, write_one);
    if (results) {
      if (!results->file_uses.empty()) out.list("file_uses", results->file_uses, write_one);
      if (results->gains) write(out.key("gains"), *results->gains);
      if (results->computation || !results->longer_computation.empty()) {
        out.list("longer_computation", results->longer_computation, write_one);
      }
      write_section(out, "measurement", results->measurement);
      write(out.key("messages"), results->messages);
    }
    if (!extras.origin.name.empty()) write(out.key("operation"), extras.origin);
    if (results && results->other_file_uses.rows > 0) {
      write(out.key("other_file_uses"), results->other_file_uses);
    }
    out.member("partial", extras.partial);
    write(out.key("program"), extras.program);
    out.list("quality", extras.quality, write_one);
    write(out.key("run"), extras.run);
    out.member("schema_version", extras.schema_version);
    {
      const auto settings = out.object("settings");
      out.member("scalasca_compatible", extras.settings.scalasca_compatible);
    }
    if (results) write(out.key("statistics"), results->statistics);
    out.member("stored_metrics", stored_metrics);
    if (!extras.tells.empty()) out.member("tells", extras.tells);
    if (results) {
      write_section(out, "time_slices", results->time_slices);
      out.list("unmatched", results->unmatched, write_one);
    }
    if (extras.waits_at_least) out.member("waits_at_least", true);
  }
  return out.take() + "\n";
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
  for (const auto& note : elements(member(from, "quality"))) {
    extras.quality.push_back(note_in(note));
  }
  for (const auto& ending : member(from, "endings")) extras.endings.push_back(ending_in(ending));
  read(member(from, "partial"), extras.partial);
  read(member(member(from, "settings"), "scalasca_compatible"),
       extras.settings.scalasca_compatible);
  extras.origin = origin_in(member(from, "operation"));
  extras.results = results_in(from);
  for (const auto& metric : elements(member(from, "stored_metrics"))) {
    if (auto name = text_in(metric)) extras.stored_metrics.push_back(*std::move(name));
  }
  for (const auto& metric : elements(member(from, "tells"))) {
    if (auto name = text_in(metric)) extras.tells.push_back(*std::move(name));
  }
  read(member(from, "waits_at_least"), extras.waits_at_least);
  return extras;
}

}  // namespace latecomer::report
