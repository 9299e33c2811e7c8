// SPDX-License-Identifier: BSD-3-Clause
// Writes the order of arrivals as JSON.
#include "analyzer/report/extras/arrival_order.hpp"

namespace latecomer::report {
namespace {

void write_spread(JsonWriter& out, const std::string& name, const Arrivals::Spread& spread) {
  out.member(name + "_deviation", spread.deviation);
  out.member(name + "_largest", spread.largest);
  out.member(name + "_mean", spread.mean);
  out.member(name + "_median", spread.median);
  out.member(name + "_smallest", spread.smallest);
}

void write_counts(JsonWriter& out, std::string_view name,
                  const std::vector<Arrivals::RankCount>& counts) {
  out.list(name, counts, [&](const auto& one) { out.row(one.rank, one.count); });
}

}  // namespace

void write(JsonWriter& out, const Arrivals& arrivals) {
  const auto whole = out.object();
  write_spread(out, "after", arrivals.after);
  out.member("communicator", arrivals.communicator);
  out.member("communicator_id", arrivals.communicator_id);
  write_spread(out, "early", arrivals.early);
  write_counts(out, "first", arrivals.first);
  write_counts(out, "last", arrivals.last);
  out.member("operation", arrivals.operation);
  out.member("operations", arrivals.operations);
  out.member("processes", arrivals.processes);
  out.list("ranks", arrivals.ranks, [&](const auto& one) {
    out.row(one.rank, one.first, one.last, one.early_mean, one.places);
  });
}

}  // namespace latecomer::report
