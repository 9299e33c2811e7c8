// SPDX-License-Identifier: BSD-3-Clause
// Writes the whole summary as JSON.
#include <nlohmann/json.hpp>

#include "analyzer/report/extras/read_json.hpp"
#include "analyzer/view/summary/show.hpp"

namespace latecomer::view {
namespace {

using Json = nlohmann::ordered_json;

// What the report has under this key, as it is there.
Json passed_on(const Summary& s, const char* key) {
  if (!s.document) return nullptr;
  return report::member(*s.document, key);
}

Json json_of(const std::vector<Summary::CallPathShare>& call_paths) {
  Json list = Json::array();
  for (const auto& path : call_paths) {
    list.push_back({{"call_path", path.call_path}, {"seconds", path.seconds}});
  }
  return list;
}

Json json_of(const std::vector<Summary::RankShare>& ranks) {
  Json list = Json::array();
  for (const auto& rank : ranks) list.push_back({{"rank", rank.rank}, {"seconds", rank.seconds}});
  return list;
}

Json json_of(const Summary::ThreadShare& share) {
  Json json = {{"rank", share.rank}, {"thread", share.thread}, {"seconds", share.seconds}};
  if (!share.name.empty()) json["name"] = share.name;
  return json;
}

Json json_of(const std::vector<Summary::ThreadShare>& threads) {
  Json list = Json::array();
  for (const auto& thread : threads) list.push_back(json_of(thread));
  return list;
}

Json json_of(const Summary& s, const Summary::WaitState& wait) {
  Json json = {{"metric", wait.metric},
               {"name", wait.display},
               {"seconds", wait.seconds},
               {"fraction", s.time > 0 ? wait.seconds / s.time : 0},
               {"call_paths", json_of(wait.call_paths)},
               {"ranks", json_of(wait.ranks)}};
  if (!wait.spread.empty()) json["spread"] = wait.spread;
  if (!wait.threads.empty()) json["threads"] = json_of(wait.threads);
  return json;
}

Json json_of(const Summary::Cause& cause) {
  Json json = {{"call_path", cause.call_path},
               {"seconds", cause.seconds},
               {"ranks", json_of(cause.ranks)},
               {"how", cause.how}};
  if (!cause.spread.empty()) json["spread"] = cause.spread;
  if (cause.thread) json["thread"] = json_of(*cause.thread);
  if (!cause.threads.empty()) json["threads"] = json_of(cause.threads);
  if (!cause.parts.empty()) json["parts"] = json_of(cause.parts);
  return json;
}

}  // namespace

nlohmann::ordered_json show_json(const Summary& s) {
  Json waits = Json::array(), thread_waits = Json::array();
  for (const auto& wait : s.wait_states) waits.push_back(json_of(s, wait));
  for (const auto& wait : s.thread_waits) thread_waits.push_back(json_of(s, wait));
  Json reasons = Json::array();
  for (const auto& reason : s.delay_reasons) {
    reasons.push_back(
        {{"metric", reason.metric}, {"name", reason.name}, {"seconds", reason.seconds}});
    if (!reason.place.empty()) reasons.back()["place"] = reason.place.substr(1);
  }
  Json causes = Json::array(), thread_causes = Json::array();
  for (const auto& cause : s.causes) causes.push_back(json_of(cause));
  for (const auto& cause : s.thread_causes) thread_causes.push_back(json_of(cause));
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
  if (s.waits_at_least) shares["waiting_at_least"] = true;
  if (!s.thread_waits.empty()) shares["thread_waiting"] = s.thread_waiting;
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
               {"only_watched", s.only_watched},
               {"next", next_command(s)}};
  if (!s.thread_waits.empty()) {
    json["thread_waits"] = std::move(thread_waits);
    json["thread_causes"] = std::move(thread_causes);
    json["unknown_thread_cause_seconds"] = s.unknown_thread_cause;
  }
  if (!s.gains.empty()) {
    auto& gains = json["gains"] = {{"recorded", s.replayed}, {"causes", Json::array()}};
    for (const auto& gain : s.gains) {
      Json curve = Json::array();
      for (const auto& point : gain.curve)
        curve.push_back({{"part", point.part}, {"run_time", point.run_time}});
      gains["causes"].push_back({{"call_path", gain.call_path},
                                 {"balanced", gain.balanced},
                                 {"faster", gain.faster},
                                 {"curve", std::move(curve)}});
    }
    gains["error"] = s.gain_error;
    auto& paths = gains["paths"] = Json::array();
    for (const auto& path : s.gain_paths) {
      paths.push_back({{"fixed", path.fixed}, {"of_cause", path.of_cause}});
    }
  }
  if (s.sampled) json["computation"] = passed_on(s, "computation");
  return json;
}

}  // namespace latecomer::view
