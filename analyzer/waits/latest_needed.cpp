// SPDX-License-Identifier: BSD-3-Clause
// All participations in an operation are sent to one process, which answers the senders.
#include "analyzer/waits/latest_needed.hpp"

#include <algorithm>
#include <span>
#include <tuple>

#include "patterns/calls/collective_class.hpp"

namespace latecomer::replay {
namespace {

using trace::kNone;
using Who = CollectiveSummary::Who;

// A participation on its way to the owner of the operation.
struct Part {
  std::uint32_t comm = 0, instance = 0;
  std::uint32_t member = 0, rank = 0;  // rank in the communicator, world rank
  trace::Ticks begin = 0;
  std::uint32_t location = 0, call = 0;
  std::uint32_t index = 0;  // index in the sender's participations
  bool neighbors = false;   // needs its neighbors; otherwise all members up to itself
};
// A participation, and the process that sent it.
struct Asked {
  Part part;
  std::size_t process = 0;  // the process that asks
};
// The answer to a participation, identified by its index there.
struct Answer {
  std::uint32_t index = 0;
  Who latest;
};

void keep_later(Who& latest, const Part& part) {
  if (latest.rank == kNone || part.begin > latest.time) {
    latest = {part.begin, part.rank, part.location, part.call};
  }
}

// Answers the parts of one operation, which are sorted by member.
template <typename OnAnswer>
void answer(const trace::Comm& comm, std::span<const Asked> parts, OnAnswer&& on_answer) {
  Who prefix;
  for (const auto& [part, process] : parts) {
    keep_later(prefix, part);
    Who latest = prefix;
    if (part.neighbors) {
      latest = {};
      for (const auto source : comm.sources_of(part.member)) {
        const auto there = std::ranges::lower_bound(
            parts, source, {}, [](const Asked& asked) { return asked.part.member; });
        if (there != parts.end() && there->part.member == source && source != part.member) {
          keep_later(latest, there->part);
        }
      }
    }
    on_answer(process, Answer{part.index, latest});
  }
}

}  // namespace

void find_latest_needed(const trace::Definitions& definitions,
                        const std::vector<trace::LocationEvents>& mine,
                        const std::vector<Participation>& participations,
                        parallel::Processes& processes, const OnLatestNeeded& on_latest) {
  const auto n = static_cast<std::size_t>(processes.size());
  std::vector<parallel::Packer> packs(n);
  for (std::uint32_t i = 0; i < participations.size(); ++i) {
    const auto& [location, own] = participations[i];
    const auto& kind = mine[location].kinds[own->kind];
    const auto& members = definitions.comms[kind.comm].members;
    const std::uint32_t rank = definitions.locations[mine[location].location].process;
    const auto member =
        static_cast<std::uint32_t>(std::ranges::find(members, rank) - members.begin());
    const bool neighbors =
        patterns::collective_class(kind.operation) == patterns::CollectiveClass::kNeighborhood;
    packs[(kind.comm + own->instance) % n].put(Part{kind.comm, own->instance, member, rank,
                                                    own->begin, mine[location].location, own->start,
                                                    i, neighbors});
  }
  std::vector<Asked> asked;
  const auto batches = processes.exchange(take_all(packs));
  for (std::size_t p = 0; p < n; ++p) {
    for (parallel::Unpacker in(batches[p]); !in.done();) asked.push_back({in.get<Part>(), p});
  }
  std::ranges::sort(asked, {}, [](const Asked& a) {
    return std::tuple(a.part.comm, a.part.instance, a.part.member);
  });
  for (std::size_t first = 0, last = 0; first < asked.size(); first = last) {
    const Part& one = asked[first].part;
    while (last < asked.size() && asked[last].part.comm == one.comm &&
           asked[last].part.instance == one.instance) {
      ++last;
    }
    answer(definitions.comms[one.comm], std::span(asked).subspan(first, last - first),
           [&](std::size_t process, const Answer& found) { packs[process].put(found); });
  }
  for (const auto& bytes : processes.exchange(take_all(packs))) {
    for (parallel::Unpacker in(bytes); !in.done();) {
      const auto found = in.get<Answer>();
      on_latest(participations[found.index], found.latest);
    }
  }
}

}  // namespace latecomer::replay
