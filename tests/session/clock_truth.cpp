// SPDX-License-Identifier: BSD-3-Clause
// clock_truth EXPERIMENT: compares measurements of emulated clocks with their models. All ranks
// must have run on one machine with the same real clock (LATECOMER_TIMER=monotonic).
//
// One line per scheme that was measured:
//   scheme measurements=N moments=N wrong=N beyond=NS knots=N
// wrong: number of measurements whose offset differs from the true one by more than their error
// bound. beyond: by how much the error of corrected times exceeds the bound at most, between the
// first and the last measurement (the bound does not include changes of drift in between).
// "regions=N" is the number of measurement regions in the records of rank 0.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

#include "archive/layout.hpp"
#include "sync/clock_tree.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tracer/record/definition_lines.hpp"
#include "tracer/record/reader.hpp"

using namespace latecomer;

namespace {

// Emulated clocks as functions of the single real clock.
class Truth {
 public:
  explicit Truth(const record::ClockDefinition& clock) : clock_(clock) {}

  [[nodiscard]] sync::Nanoseconds real(sync::Nanoseconds local) const {
    const auto since = local - clock_.base_nanoseconds;
    return clock_.base_nanoseconds +
           (clock_.emulation == nullptr ? since : clock_.emulation->true_time(since));
  }
  [[nodiscard]] sync::Nanoseconds local(sync::Nanoseconds real) const {
    return clock_.nanoseconds(static_cast<std::uint64_t>(real));
  }

 private:
  record::ClockDefinition clock_;
};

std::uint64_t measurement_regions(const std::string& directory, const record::Definitions& rank_0) {
  std::uint64_t count = 0;
  const auto bytes = test::read_file(directory + "/records/0.0.rec");
  auto reader = record::RecordReader::over(bytes);
  if (!reader) return 0;
  for (record::Record r; reader->next(r);) {
    for (const auto& region : rank_0.regions) {
      if (r.kind == record::Kind::kEnter && region.id == r.id && region.paradigm == "measurement") {
        ++count;
      }
    }
  }
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::map<std::uint32_t, record::Definitions> logs;
  for (std::uint32_t rank = 0;; ++rank) {
    const std::string path = std::string(argv[1]) + "/records/" + std::to_string(rank) + ".def";
    const auto bytes = test::read_file(path);
    if (bytes.empty()) break;
    logs[rank] =
        record::parse_definitions({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  std::map<sync::ClockId, Truth> truth;
  std::vector<sync::Measurement> all;
  for (const auto& [rank, log] : logs) {
    if (log.clock.timer != "monotonic") return 3;
    truth.try_emplace(log.clock.leader, log.clock);
    all.insert(all.end(), log.measurements.begin(), log.measurements.end());
  }
  for (const auto scheme :
       {sync::Scheme::kFlatSingle, sync::Scheme::kFlat, sync::Scheme::kHierarchical}) {
    int count = 0, wrong = 0;
    std::set<std::uint32_t> moments;
    std::map<sync::ClockId, std::pair<sync::Nanoseconds, sync::Nanoseconds>> range;
    for (const auto& m : all) {
      if (!m.counts_for(scheme)) continue;
      ++count;
      moments.insert(m.moment);
      const auto real = truth.at(m.child).real(m.found.remote);
      const auto offset = truth.at(m.parent).local(real) - m.found.remote;
      if (std::abs(offset - m.found.offset) > m.found.error + 2) ++wrong;
      auto& [first, last] = range.try_emplace(m.child, real, real).first->second;
      first = std::min(first, real);
      last = std::max(last, real);
    }
    if (count == 0) continue;
    sync::Nanoseconds worst = 0;
    std::size_t knots = 0;
    for (const auto& [clock, correction] : sync::corrections(all, scheme).clocks) {
      knots = std::max(knots, correction.function.knots().size());
      const auto [first, last] = range.at(clock);
      for (int i = 0; i <= 100; ++i) {
        const auto real = first + (last - first) / 100 * i;
        const auto local = truth.at(clock).local(real);
        const auto error = std::abs(correction.function(local) - truth.at(0).local(real));
        worst = std::max(worst, error - correction.error(local));
      }
    }
    std::printf("%s measurements=%d moments=%zu wrong=%d beyond=%ld knots=%zu\n", name(scheme),
                count, moments.size(), wrong, static_cast<long>(worst), knots);
  }
  std::printf("regions=%lu\n", measurement_regions(argv[1], logs[0]));
}
