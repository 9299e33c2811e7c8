// SPDX-License-Identifier: BSD-3-Clause
// Writes statistics of messages as JSON.
#include "analyzer/report/extras/message_sizes.hpp"

namespace latecomer::report {
namespace {

void write_bars(JsonWriter& out, std::string_view name, const std::vector<Messages::Bar>& bars) {
  out.list(name, bars, [&](const auto& bar) { out.row(bar.from, bar.count); });
}

void write(JsonWriter& out, const Messages::Class& one) {
  const auto& times = one.times;
  const auto whole = out.object();
  if (times) {
    write_bars(out, "bandwidths", times->bandwidths);
    out.member("best_bandwidth", times->best_bandwidth);
  }
  out.member("bytes", one.bytes);
  out.member("from_bytes", one.from_bytes);
  out.member("link", one.link);
  if (times) {
    out.member("longest", times->longest);
    out.member("mean", times->mean);
  }
  out.member("measured", one.measured);
  out.member("messages", one.messages);
  if (times) {
    out.member("shortest", times->shortest);
    write_bars(out, "times", times->times);
  }
  if (one.together > 0) out.member("together", one.together);
}

}  // namespace

void write(JsonWriter& out, const Messages& messages) {
  const auto whole = out.object();
  {
    const auto matrix = out.object("matrix");
    out.member("blocks", messages.blocks);
    out.list("pairs", messages.pairs,
             [&](const auto& pair) { out.row(pair.from, pair.to, pair.messages, pair.bytes); });
    out.member("ranks_per_block", messages.ranks_per_block);
  }
  out.list("sizes", messages.sizes, [&](const auto& one) { write(out, one); });
}

}  // namespace latecomer::report
