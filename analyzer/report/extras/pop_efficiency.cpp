// SPDX-License-Identifier: BSD-3-Clause
// Converts efficiencies to JSON and back.
#include "analyzer/report/extras/pop_efficiency.hpp"

#include <nlohmann/json.hpp>

#include "analyzer/report/extras/read_json.hpp"

namespace latecomer::report {
namespace {

using nlohmann::json;

Efficiency::Ratios ratios_in(const json& json) {
  return {number_in(member(json, "parallel")), number_in(member(json, "load_balance")),
          number_in(member(json, "communication"))};
}

Efficiency::Ideal ideal_in(const json& json) {
  return {number_in(member(json, "ideal_run_time")), number_in(member(json, "serialization")),
          number_in(member(json, "transfer"))};
}

void write(JsonWriter& out, const Efficiency::Ratios& ratios) {
  const auto whole = out.object();
  out.member("communication", ratios.communication);
  out.member("load_balance", ratios.load_balance);
  out.member("parallel", ratios.parallel);
}

void write(JsonWriter& out, const Efficiency::Threads& threads) {
  const auto whole = out.object();
  out.member("load_balance", threads.load_balance);
  out.member("parallel", threads.parallel);
  out.member("synchronization", threads.synchronization);
}

void write(JsonWriter& out, const Efficiency::Metahost& metahost) {
  const auto whole = out.object();
  out.member("communication", metahost.ratios.communication);
  out.member("load_balance", metahost.ratios.load_balance);
  out.member("name", metahost.name);
  out.member("parallel", metahost.ratios.parallel);
}

void write(JsonWriter& out, const Efficiency::Phase& phase) {
  const auto whole = out.object();
  out.member("call_path", phase.call_path);
  out.member("communication", phase.ratios.communication);
  if (phase.ideal) out.member("ideal_run_time", phase.ideal->run_time);
  out.member("load_balance", phase.ratios.load_balance);
  out.member("name", phase.name);
  out.member("parallel", phase.ratios.parallel);
  out.member("run_time", phase.run_time);
  if (phase.ideal) {
    out.member("serialization", phase.ideal->serialization);
    out.member("transfer", phase.ideal->transfer);
  }
}

void write(JsonWriter& out, const Efficiency::Useful& useful) {
  const auto whole = out.object();
  out.member("largest", useful.largest);
  out.member("mean", useful.mean);
  out.member("rank", useful.rank);
  out.member("thread", useful.thread);
}

}  // namespace

void write(JsonWriter& out, const Efficiency& efficiency) {
  const auto whole = out.object();
  out.member("communication", efficiency.ratios.communication);
  if (efficiency.contradictions > 0) out.member("contradictions", efficiency.contradictions);
  out.member("ideal_run_time", efficiency.ideal.run_time);
  out.member("load_balance", efficiency.ratios.load_balance);
  out.list("metahosts", efficiency.metahosts, [&](const auto& one) { write(out, one); });
  out.member("parallel", efficiency.ratios.parallel);
  out.list("phases", efficiency.phases, [&](const auto& one) { write(out, one); });
  if (efficiency.hybrid) write(out.key("processes"), efficiency.hybrid->processes);
  out.member("run_time", efficiency.run_time);
  out.member("serialization", efficiency.ideal.serialization);
  if (efficiency.hybrid) write(out.key("threads"), efficiency.hybrid->threads);
  out.member("transfer", efficiency.ideal.transfer);
  write(out.key("useful"), efficiency.useful);
}

std::optional<Efficiency> efficiency_from_json(const json& json) {
  if (!json.is_object()) return {};
  Efficiency out;
  out.ratios = ratios_in(json);
  out.ideal = ideal_in(json);
  if (const auto& threads = member(json, "threads"); threads.is_object()) {
    out.hybrid = {
        ratios_in(member(json, "processes")),
        {number_in(member(threads, "parallel")), number_in(member(threads, "load_balance")),
         number_in(member(threads, "synchronization"))}};
  }
  for (const auto& element : elements(member(json, "phases"))) {
    Efficiency::Phase phase;
    phase.name = text_in(member(element, "name"));
    phase.ratios = ratios_in(element);
    phase.run_time = number_in(member(element, "run_time"));
    out.phases.push_back(std::move(phase));
  }
  return out;
}

}  // namespace latecomer::report
