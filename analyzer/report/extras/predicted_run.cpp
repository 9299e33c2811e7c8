// SPDX-License-Identifier: BSD-3-Clause
// Writes predictions as JSON.
#include "analyzer/report/extras/predicted_run.hpp"

namespace latecomer::report {

void write(JsonWriter& out, const Prediction& prediction) {
  const auto whole = out.object();
  {
    const auto changed = out.object("changed");
    out.member("after", prediction.changed_after);
    out.member("before", prediction.changed_before);
    out.member("call_paths", prediction.changed_call_paths);
    out.member("locations", prediction.changed_locations);
  }
  {
    const auto changes = out.array("changes");
    for (const auto& change : prediction.changes) out.value(change);
  }
  if (prediction.contradictions > 0) out.member("contradictions", prediction.contradictions);
  out.member("least", prediction.least);
  out.member("most", prediction.most);
  {
    const auto notes = out.array("notes");
    for (const auto& note : prediction.notes) out.value(note);
  }
  out.member("predicted", prediction.predicted);
  out.member("recorded", prediction.recorded);
  const auto waits = out.object("waits");
  out.list("by_rank", prediction.by_rank, [&](const auto& one) {
    const auto rank = out.object();
    out.member("after", one.after);
    out.member("before", one.before);
    out.member("rank", one.rank);
  });
  out.list("by_state", prediction.by_state, [&](const auto& one) {
    const auto state = out.object();
    out.member("after", one.after);
    out.member("before", one.before);
    out.member("metric", one.metric);
  });
}

}  // namespace latecomer::report
