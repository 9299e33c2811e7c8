// SPDX-License-Identifier: BSD-3-Clause
// Writes the whole summary as JSON.
#include <nlohmann/json.hpp>

#include "analyzer/report/extras/read_json.hpp"
#include "analyzer/view/summary/show.hpp"

namespace latecomer::view {
namespace {

// What the report has under this key, as it is there.
nlohmann::ordered_json passed_on(const Summary& s, const char* key) {
  if (!s.document) return nullptr;
  return report::member(*s.document, key);
}

}  // namespace

nlohmann::ordered_json show_json(const Summary& s) {
  using Json = nlohmann::ordered_json;
  Json waits = Json::array();
  for (const auto& wait : s.wait_states) {
    Json paths = Json::array(), ranks = Json::array();
    for (const auto& path : wait.call_paths) {
      paths.push_back({{"call_path", path.call_path}, {"seconds", path.seconds}});
    }
    for (const auto& rank : wait.ranks) {
      ranks.push_back({{"rank", rank.rank}, {"seconds", rank.seconds}});
    }
    waits.push_back({{"metric", wait.metric},
                     {"name", wait.display},
                     {"seconds", wait.seconds},
                     {"fraction", s.time > 0 ? wait.seconds / s.time : 0},
                     {"call_paths", paths},
                     {"ranks", ranks}});
    if (!wait.spread.empty()) waits.back()["spread"] = wait.spread;
  }
  Json reasons = Json::array();
  for (const auto& reason : s.delay_reasons) {
    reasons.push_back(
        {{"metric", reason.metric}, {"name", reason.name}, {"seconds", reason.seconds}});
  }
  Json causes = Json::array();
  for (const auto& cause : s.causes) {
    Json ranks = Json::array();
    for (const auto& rank : cause.ranks) {
      ranks.push_back({{"rank", rank.rank}, {"seconds", rank.seconds}});
    }
    causes.push_back({{"call_path", cause.call_path},
                      {"seconds", cause.seconds},
                      {"ranks", ranks},
                      {"how", cause.how}});
    if (!cause.spread.empty()) causes.back()["spread"] = cause.spread;
    if (cause.thread) {
      causes.back()["thread"] = {{"rank", cause.thread->rank},
                                 {"thread", cause.thread->thread},
                                 {"seconds", cause.thread->seconds}};
    }
    if (cause.parts.empty()) continue;
    auto& parts = causes.back()["parts"] = Json::array();
    for (const auto& part : cause.parts) {
      parts.push_back({{"call_path", part.call_path}, {"seconds", part.seconds}});
    }
  }
  Json pairs = Json::array();
  for (const auto& pair : s.metahost_pairs) {
    pairs.push_back({{"metric", pair.metric},
                     {"pair", pair.pair},
                     {"wait_state", pair.wait_state},
                     {"seconds", pair.seconds}});
  }
  Json quality = Json::array();
  for (const auto& note : s.quality) {
    quality.push_back({{"name", note.name},
                       {"count", note.count},
                       {"text", note.text},
                       {"partial", note.partial},
                       {"files", note.files}});
    if (!note.file_notes.empty()) quality.back()["file_notes"] = note.file_notes;
  }
  Json endings = Json::array();
  for (const auto& ending : s.endings) {
    endings.push_back({{"state", report::name(ending.state)},
                       {"ranks", ending.ranks},
                       {"call_path", ending.call_path},
                       {"since", ending.since}});
  }
  Json shares = {{"time", s.knows_time ? Json(s.time) : Json(nullptr)}};
  shares[s.knows_computation ? "computation" : "outside_mpi"] = s.computation;
  shares["mpi"] = s.mpi;
  shares["init_finalize"] = s.init_finalize;
  shares["overhead"] = s.overhead;
  if (s.unrecorded > 0) shares["unrecorded"] = s.unrecorded;
  shares["waiting"] = s.knows_waits ? Json(s.waiting) : Json(nullptr);
  Json run = {{"ranks", s.ranks},
              {"locations", s.locations},
              {"nodes", s.nodes},
              {"metahosts", s.metahosts},
              {"duration", s.duration}};
  if (!s.summed_ranks.empty()) run["summed_ranks"] = s.summed_ranks;
  Json json = {{"schema_version", 1},
               {"report", s.file},
               {"program", {{"name", s.program}, {"arguments", s.arguments}}},
               {"run", run},
               {"operation", s.operation.empty() ? Json(nullptr) : Json(s.operation)},
               {"seconds", shares},
               {"wait_states", waits},
               {"causes", causes},
               {"delay_reasons", reasons},
               {"unknown_cause_seconds", s.unknown_cause},
               {"unknown_cause_reasons", s.unknown_cause_reasons},
               {"metahost_pairs", pairs},
               {"efficiency", passed_on(s, "efficiency")},
               {"clocks", passed_on(s, "clocks")},
               {"measurement", passed_on(s, "measurement")},
               {"endings", endings},
               {"quality", quality},
               {"tells_quality", s.tells_quality},
               {"partial", s.partial},
               {"next", next_command(s)}};
  if (!s.gains.empty()) {
    auto& gains = json["gains"] = {{"recorded", s.replayed}, {"causes", Json::array()}};
    for (const auto& gain : s.gains) {
      gains["causes"].push_back(
          {{"call_path", gain.call_path}, {"balanced", gain.balanced}, {"faster", gain.faster}});
    }
  }
  if (s.sampled) json["computation"] = passed_on(s, "computation");
  return json;
}

}  // namespace latecomer::view
