// SPDX-License-Identifier: BSD-3-Clause
// Joins starts and completions of requests by their ids.
#include "analyzer/trace/events/handed_requests.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace latecomer::trace {
namespace {

using Kind = HandedRequest::Kind;

struct Start {
  std::size_t location = 0;
  const HandedRequest* request = nullptr;
};
using Starts = std::map<std::pair<std::uint64_t, std::uint32_t>, Start>;

// Joins one completion in location `l` with its start. A completion of another kind than its start
// is ignored.
void join(std::vector<LocationEvents>& mine, const Start& start, std::size_t l,
          const HandedRequest& completed) {
  LocationEvents &from = mine[start.location], &to = mine[l];
  const auto there = static_cast<std::uint32_t>(l);
  const std::uint32_t index = start.request->index;
  if (start.request->kind != Kind::kSend && start.request->kind != Kind::kFile) {
    from.quality.add(Quality::kUnresolvedRequests, -1);
  }
  switch (completed.kind) {
    case Kind::kSend:
      break;
    case Kind::kCancelled:
      if (start.request->kind != Kind::kSend) break;
      from.sends.change(index, [](Message& message) { message.peer = kNone; });
      break;
    case Kind::kReceive:
      if (start.request->kind != Kind::kReceive) break;
      from.receives_elsewhere.push_back({index, there, completed.index});
      to.receives.change(completed.index, [](Message& message) { message.other = kNone; });
      break;
    case Kind::kCollective:
      if (start.request->kind != Kind::kCollective) break;
      from.collectives_elsewhere.push_back({index, there, completed.index});
      to.collectives[completed.index].begin = from.collectives[index].begin;
      break;
    case Kind::kFile:
      if (start.request->kind != Kind::kFile) break;
      from.count_file_bytes(index, start.request->writes, start.request->counts, completed.bytes);
      if (completed.index != kNone) to.file_requests.push_back({completed.index, index});
      break;
  }
}

void join_process(std::vector<LocationEvents>& mine, std::size_t first, std::size_t last) {
  Starts starts;
  for (std::size_t l = first; l < last; ++l) {
    for (const auto& request : mine[l].open_here)
      starts[{request.id, request.handle}] = {l, &request};
  }
  for (std::size_t l = first; l < last; ++l) {
    for (const auto& completed : mine[l].completed_here) {
      const auto found = starts.find({completed.id, completed.handle});
      if (found == starts.end() || found->second.location == l) continue;
      join(mine, found->second, l, completed);
      starts.erase(found);
    }
  }
  for (std::size_t l = first; l < last; ++l) {
    std::ranges::sort(mine[l].receives_elsewhere, {}, &Elsewhere::index);
    std::ranges::sort(mine[l].collectives_elsewhere, {}, &Elsewhere::index);
    std::ranges::stable_sort(mine[l].file_requests, {}, &FileRequest::call);
    mine[l].open_here = {};
    mine[l].completed_here = {};
  }
}

}  // namespace

void join_requests(const Definitions& definitions, std::vector<LocationEvents>& mine) {
  const auto process = [&](std::size_t l) {
    return definitions.locations[mine[l].location].process;
  };
  for (std::size_t first = 0, last = 0; first < mine.size(); first = last) {
    while (last < mine.size() && process(last) == process(first)) ++last;
    if (last - first > 1) join_process(mine, first, last);
  }
}

}  // namespace latecomer::trace
