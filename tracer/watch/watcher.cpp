// SPDX-License-Identifier: BSD-3-Clause
// Hands the calls of all ranks to those that look for waits.
#include "tracer/watch/watcher.hpp"

namespace latecomer::watch {

void Watcher::take(const CallEvent& call) {
  using enum Operation::Kind;
  waits_.add_call(call);
  bool has_messages = false, has_collectives = false;
  for (const Operation& operation : call.operations) {
    const bool collective = operation.kind == kCollective || operation.kind == kCollectiveBegins ||
                            operation.kind == kCollectivesMissing;
    has_collectives = has_collectives || collective;
    has_messages = has_messages || !collective;
    if (collective) collectives_.take(call, operation);
  }
  if (has_collectives) collectives_.end_call(call.rank);
  if (has_messages) messages_.take(call);
}

void Watcher::take(const RemoteOperation& operation) {
  if (operation.kind != RemoteOperation::Kind::kEager && !others_.contains(operation.rank)) return;
  switch (operation.kind) {
    case RemoteOperation::Kind::kCollective:
      return collectives_.take(operation);
    case RemoteOperation::Kind::kLoss:
      collectives_.lose(operation.rank);
      if (!operation.only_collectives) messages_.lose(operation.rank);
      return;
    default:
      return messages_.take(operation);
  }
}

void Watcher::lose(Rank rank) {
  RemoteOperation loss;
  loss.kind = RemoteOperation::Kind::kLoss;
  loss.rank = rank;
  others_.tell(loss);
  waits_.lose(rank);
  collectives_.lose(rank);
  messages_.lose(rank);
}

void Watcher::finish() {
  collectives_.finish();
  messages_.finish();
}

}  // namespace latecomer::watch
