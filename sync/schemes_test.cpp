// SPDX-License-Identifier: BSD-3-Clause
// Schemes of clock measurement compared on simulated links with the latencies of the VIOLA testbed.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>
#include <vector>

#include "sync/clock_model.hpp"
#include "sync/clock_tree.hpp"

using namespace latecomer::sync;

namespace {

constexpr Nanoseconds kSecond = 1'000'000'000;

// Two metahosts of two nodes: 0, 1 and 2, 3. Links are randomly asymmetric: every round waits in
// queues, longer on the slow link.
class Metacomputer {
 public:
  explicit Metacomputer(unsigned seed) : random_(seed) {
    for (const char* text : {"drift=5ppm", "offset=3s drift=-40ppm", "offset=-2s drift=70ppm",
                             "offset=20ms drift=-15ppm"}) {
      clocks_.emplace_back(parse_clock(text).value());
    }
  }

  // A measurement at about true time `begin`; partner and child are those of a plan.
  Measurement measure(std::uint32_t moment, ClockId child, ClockId partner, Scheme scheme,
                      Nanoseconds begin) {
    const bool slow = child / 2 != partner / 2;
    std::normal_distribution<double> latency(slow ? 988'000 : 21'500, slow ? 3'860 : 810);
    Nanoseconds now = begin;
    const auto hop = [&] { return now += static_cast<Nanoseconds>(latency(random_)); };
    Measurement m{moment, child, partner, partner, static_cast<std::uint8_t>(scheme), slow, {}};
    m.found = measure_offset(
        [&] {
          Round round;
          round.sent = clocks_[partner].local(now);
          round.remote = clocks_[child].local(hop());
          round.received = clocks_[partner].local(hop());
          return round;
        },
        Limits{});
    return m;
  }

  // Largest difference of the corrected times of two processes at the same true time.
  Nanoseconds apart(const Corrections& found, ClockId a, ClockId b) const {
    Nanoseconds largest = 0;
    for (Nanoseconds t = 0; t <= 100 * kSecond; t += kSecond) {
      const Nanoseconds at_a = found.clocks.at(a).function(clocks_[a].local(t));
      const Nanoseconds at_b = found.clocks.at(b).function(clocks_[b].local(t));
      largest = std::max(largest, std::abs(at_a - at_b));
    }
    return largest;
  }

 private:
  std::mt19937 random_;
  std::vector<ClockModel> clocks_;
};

}  // namespace

TEST_CASE("property: only the hierarchical scheme is good enough inside a remote metahost") {
  // A message takes 21.5 us there, so the two clocks may differ by that much.
  constexpr Nanoseconds kLatency = 21'500;
  Nanoseconds worst_hierarchical = 0, worst_flat = 0;
  int single_is_bad = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    Metacomputer m(seed);
    std::vector<Measurement> all;
    for (std::uint32_t moment = 0; moment < 2; ++moment) {
      const Nanoseconds begin = moment * 100 * kSecond;
      all.push_back(m.measure(moment, 2, 0, Scheme::kHierarchical, begin));
      all.push_back(m.measure(moment, 1, 0, Scheme::kHierarchical, begin + kSecond / 10));
      all.push_back(m.measure(moment, 3, 2, Scheme::kHierarchical, begin + kSecond / 10));
      all.push_back(m.measure(moment, 2, 0, Scheme::kFlat, begin + kSecond / 5));
      all.push_back(m.measure(moment, 3, 0, Scheme::kFlat, begin + kSecond / 4));
    }
    const auto hierarchical = corrections(all, Scheme::kHierarchical);
    const auto flat = corrections(all, Scheme::kFlat);
    worst_hierarchical = std::max(worst_hierarchical, m.apart(hierarchical, 2, 3));
    worst_flat = std::max(worst_flat, m.apart(flat, 2, 3));
    for (auto& measurement : all) measurement.schemes = 1;  // flat-single: the first one remains
    const std::vector<Measurement> first = {all[3], all[4]};
    if (m.apart(corrections(first, Scheme::kFlatSingle), 2, 3) > kLatency) ++single_is_bad;
  }
  CHECK(worst_hierarchical < 2'000);
  CHECK(worst_flat > 3 * worst_hierarchical);
  CHECK(single_is_bad == 100);  // 85 ppm over 100 s
}
