// SPDX-License-Identifier: BSD-3-Clause
// Agrees on a problem: the lowest rank that has one broadcasts its text.
#include "analyzer/parallel/agreement.hpp"

namespace latecomer::parallel {

Status agree(Processes& processes, const Status& mine) {
  const std::int64_t speaker = processes.min(mine.ok() ? processes.size() : processes.rank());
  if (speaker == processes.size()) return success();
  Bytes data;
  if (processes.rank() == speaker) {
    Packer pack;
    pack.put_text(mine.problem().what);
    pack.put_text(mine.problem().next);
    pack.put(mine.problem().status);
    data = pack.take();
  }
  processes.broadcast(data, static_cast<int>(speaker));
  Unpacker in(data);
  Problem problem;
  problem.what = in.get_text();
  problem.next = in.get_text();
  problem.status = in.get<Exit>();
  return problem;
}

}  // namespace latecomer::parallel
