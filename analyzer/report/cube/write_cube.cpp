// SPDX-License-Identifier: BSD-3-Clause
// Writes a CUBE file in parallel. The list of rows determines the size and place of every member;
// then the rows are distributed over the writers. A writer also writes what lies between its rows.
// Such pieces are small, so they are joined with their neighbors.
#include "analyzer/report/cube/write_cube.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "analyzer/report/container/index_member.hpp"
#include "analyzer/report/container/tar_layout.hpp"
#include "analyzer/report/cube/anchor_xml.hpp"
#include "analyzer/report/cube/row_exchange.hpp"
#include "analyzer/report/cube/shared_file.hpp"
#include "analyzer/report/model/missing_values.hpp"
#include "archive/layout.hpp"

namespace latecomer::report {
namespace {

constexpr std::size_t kBatchBytes = std::size_t{16} << 20;  // per writer and round
constexpr std::uint64_t kMarkerSize = 10;                   // "CUBEX.DATA"

std::uint64_t little_endian(std::uint64_t value) {
  if constexpr (std::endian::native == std::endian::big) return __builtin_bswap64(value);
  return value;
}

// The place of everything in the file.
struct Plan {
  TarLayout layout;
  std::vector<std::uint64_t> offset;  // begin of the values of each row
  std::vector<FilePiece> markers;
};

Result<Plan> make_plan(const Definitions& definitions, const RowList& list) {
  Plan plan;
  plan.offset.resize(list.rows.size());
  const std::uint64_t locations = definitions.locations.size();
  const std::uint32_t shift = has_artificial_root(definitions) ? 1 : 0;
  std::vector<std::uint32_t> stored;
  for (std::size_t begin = 0, end = 0; begin < list.rows.size(); begin = end) {
    const auto metric = list.rows[begin].metric;
    stored.push_back(metric);
    while (end < list.rows.size() && list.rows[end].metric == metric) ++end;
    const std::uint64_t values = (end - begin) * locations;
    if (values >= 0xffffffff) {
      return Problem{"the report is too large for the CUBE format: " + std::to_string(end - begin) +
                         " call paths of metric " + definitions.metrics[metric].name + " on " +
                         std::to_string(locations) + " locations",
                     "leave out small functions with a filter file"};
    }
    const auto name = std::to_string(metric);
    const auto start = plan.layout.add(name + ".data", kMarkerSize + values * 8);
    plan.markers.push_back({start, "CUBEX.DATA"});
    std::vector<std::uint32_t> numbers;
    for (std::size_t r = begin; r < end; ++r) {
      plan.offset[r] = start + kMarkerSize + (r - begin) * locations * 8;
      numbers.push_back(list.position[r] + shift);
    }
    plan.layout.add(name + ".index", index_member(numbers));
  }
  if (const auto extras = extras_text(definitions, stored); !extras.empty()) {
    plan.layout.add(layout::kReportExtras, never_full_blocks(extras, '\n'));
  }
  plan.layout.add("anchor.xml", never_full_blocks(anchor_xml(definitions), '\n'));
  return plan;
}

// The rows [begin, end) that each process writes in a round. Each writer has a contiguous share of
// all rows.
std::vector<RowRange> ranges_of_round(std::size_t rows, std::size_t round, std::size_t per_round,
                                      const std::vector<int>& writers, int processes) {
  std::vector<RowRange> ranges(static_cast<std::size_t>(processes));
  for (std::size_t w = 0; w < writers.size(); ++w) {
    const std::size_t share_end = rows * (w + 1) / writers.size();
    const std::size_t begin = std::min(share_end, rows * w / writers.size() + round * per_round);
    ranges[static_cast<std::size_t>(writers[w])] = {begin, std::min(share_end, begin + per_round)};
  }
  return ranges;
}

// Converts ticks, counts or bytes to the form in the file.
void encode(std::span<std::int64_t> values, bool seconds, std::uint64_t ticks_per_second) {
  for (auto& value : values) {
    const auto bits = seconds ? std::bit_cast<std::uint64_t>(static_cast<double>(value) /
                                                             static_cast<double>(ticks_per_second))
                              : static_cast<std::uint64_t>(value);
    value = static_cast<std::int64_t>(little_endian(bits));
  }
}

// Writes pieces in file order and joins short ones.
class Stream {
 public:
  explicit Stream(SharedFile& file) : file_(file) {}

  void write(std::uint64_t offset, std::span<const std::byte> bytes) {
    // The few bytes between the end of a member and the next one are zeros.
    if (offset - begin_ - bytes_.size() > kGap || bytes_.size() + bytes.size() > kLong) {
      flush();
      begin_ = offset;
    }
    if (bytes.size() > kLong) {
      file_.write(offset, bytes);
      begin_ += bytes.size();
      return;
    }
    bytes_.resize(offset - begin_);
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void flush() {
    file_.write(begin_, bytes_);
    bytes_.clear();
  }

 private:
  static constexpr std::uint64_t kGap = 512;
  static constexpr std::size_t kLong = std::size_t{1} << 20;
  SharedFile& file_;
  std::uint64_t begin_ = 0;
  std::vector<std::byte> bytes_;
};

// The pieces of a writer that are not values, in file order. They begin at its first row and end at
// that of the next writer. The first writer also has the pieces before all rows.
std::vector<const FilePiece*> pieces_of(const Plan& plan, std::size_t writer, std::size_t writers) {
  const auto begin = [&](std::size_t w) {
    const std::size_t rows = plan.offset.size(), row = rows * w / writers;
    if (w == 0) return std::uint64_t{0};
    return w < writers && row < rows ? plan.offset[row] : plan.layout.file_size();
  };
  std::vector<const FilePiece*> pieces;
  for (const auto* list : {&plan.layout.pieces(), &plan.markers}) {
    for (const auto& piece : *list) {
      if (piece.offset >= begin(writer) && piece.offset < begin(writer + 1)) {
        pieces.push_back(&piece);
      }
    }
  }
  std::ranges::sort(pieces, {}, &FilePiece::offset);
  return pieces;
}

}  // namespace

Status write_cube(const Definitions& definitions, const Severities& mine,
                  std::span<const std::uint32_t> my_columns, parallel::Processes& processes,
                  const std::filesystem::path& file, bool may_write) {
  const std::size_t columns = definitions.locations.size();
  const auto list =
      list_rows(mine, definitions.metrics.size(), call_paths_in_row_order(definitions), processes);
  const auto plan = make_plan(definitions, list);
  if (!plan) return plan.problem();
  auto shared = SharedFile::create(file, plan->layout.file_size(), processes, may_write);
  if (!shared) return shared.problem();

  const auto& writers = shared->writers();
  Stream stream(*shared);
  const auto writer =
      static_cast<std::size_t>(std::ranges::find(writers, processes.rank()) - writers.begin());
  std::vector<const FilePiece*> pieces;
  if (writer < writers.size()) pieces = pieces_of(*plan, writer, writers.size());
  auto piece = pieces.begin();
  const auto write_pieces_before = [&](std::uint64_t offset) {
    for (; piece != pieces.end() && (*piece)->offset < offset; ++piece) {
      stream.write((*piece)->offset, std::as_bytes(std::span((*piece)->bytes)));
    }
  };
  RowExchange exchange(mine, my_columns, columns, processes);
  const std::size_t per_round =
      std::max<std::size_t>(1, kBatchBytes / std::max<std::size_t>(1, columns * 8));
  const std::size_t largest_share = (list.rows.size() + writers.size() - 1) / writers.size();
  for (std::size_t round = 0; round * per_round < largest_share; ++round) {
    const auto wanted =
        ranges_of_round(list.rows.size(), round, per_round, writers, processes.size());
    auto values = exchange.collect(list, wanted);
    const RowRange own = wanted[static_cast<std::size_t>(processes.rank())];
    // Rows of one metric lie side by side: they are written at once.
    for (std::size_t begin = own.begin, end = begin; begin < own.end; begin = end) {
      const auto metric = list.rows[begin].metric;
      while (end < own.end && list.rows[end].metric == metric) ++end;
      const auto part =
          std::span(values).subspan((begin - own.begin) * columns, (end - begin) * columns);
      encode(part, definitions.metrics[metric].unit == patterns::Unit::kSeconds,
             definitions.ticks_per_second);
      write_pieces_before(plan->offset[begin]);
      stream.write(plan->offset[begin], std::as_bytes(part));
    }
  }
  write_pieces_before(plan->layout.file_size());
  stream.flush();
  return shared->finish();
}

}  // namespace latecomer::report
