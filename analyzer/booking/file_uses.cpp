// SPDX-License-Identifier: BSD-3-Clause
// Each process names its rows with most time; the largest of all remain.
#include "analyzer/booking/file_uses.hpp"

#include <algorithm>
#include <tuple>

namespace latecomer::replay {
namespace {

// A row with global numbers; `use.node` is a node of the global call tree.
struct Row {
  std::uint32_t location = 0;
  trace::FileUse use;
  [[nodiscard]] trace::Ticks time() const {
    return use.reading + use.writing + use.storing + use.opening;
  }
};

void keep_largest(std::vector<Row>& rows) {
  std::ranges::sort(rows, {}, [](const Row& row) {
    return std::tuple(-row.time(), row.location, row.use.node, row.use.file);
  });
  if (rows.size() > report::FileUse::kMostRows) rows.resize(report::FileUse::kMostRows);
}

}  // namespace

FileUses file_uses(const Booking& booking, parallel::Processes& processes) {
  const trace::Definitions& definitions = booking.definitions;
  if (definitions.other_files.empty()) return {};
  std::vector<Row> rows;
  // Rows, bytes read, bytes written, ticks.
  std::vector<std::int64_t> sums(4);
  const auto add = [&sums](const Row& row, std::int64_t sign) {
    sums[0] += sign;
    sums[1] += sign * row.use.bytes.read;
    sums[2] += sign * row.use.bytes.written;
    sums[3] += sign * row.time();
  };
  for (const auto& events : booking.mine) {
    for (trace::FileUse use : events.file_uses) {
      use.node = booking.tree.from_local[use.node];
      rows.push_back({events.location, use});
      add(rows.back(), 1);
    }
  }
  keep_largest(rows);
  parallel::Packer pack;
  for (const Row& row : rows) pack.put(row);
  rows.clear();
  for (const auto& bytes : processes.all_gather(pack.take())) {
    for (parallel::Unpacker part(bytes); !part.done();) rows.push_back(part.get<Row>());
  }
  keep_largest(rows);
  processes.sum(sums);
  const auto seconds = [&](trace::Ticks ticks) {
    return static_cast<double>(ticks) / static_cast<double>(definitions.ticks_per_second);
  };
  FileUses out;
  for (const Row& row : rows) {
    const trace::FileUse& use = row.use;
    add(row, -1);
    out.listed.push_back({use.node, row.location, definitions.file_names[use.file], use.operations,
                          use.bytes.read, use.bytes.written, seconds(use.reading),
                          seconds(use.writing), seconds(use.storing), seconds(use.opening)});
  }
  out.others = {sums[0], sums[1], sums[2], seconds(sums[3])};
  return out;
}

}  // namespace latecomer::replay
