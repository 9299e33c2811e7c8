// SPDX-License-Identifier: BSD-3-Clause
// Determines the place of every member from the sizes, then writes the bytes in file order.
#include "analyzer/report/algebra/write_combined.hpp"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>

#include "analyzer/report/container/index_member.hpp"
#include "analyzer/report/container/tar_layout.hpp"
#include "analyzer/report/cube/anchor_xml.hpp"
#include "analyzer/report/model/missing_values.hpp"
#include "archive/layout.hpp"

namespace latecomer::report {
namespace {

// The stored rows of a metric, and where its values begin in the file.
struct Data {
  std::uint64_t offset = 0;
  std::uint32_t metric = 0;
  std::vector<std::uint32_t> call_paths;
};

// The values as little-endian doubles. `nothing` replaces NaN, the sign that nothing was seen.
std::string bytes_of(std::span<const double> values, double nothing) {
  std::string bytes;
  bytes.reserve(values.size() * 8);
  for (const double value : values) {
    const auto bits = std::bit_cast<std::uint64_t>(std::isnan(value) ? nothing : value);
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(bits >> (8 * i) & 0xff);
  }
  return bytes;
}

bool is_extremum(const StoredMetric& metric) { return metric.is_minimum() || metric.is_maximum(); }

// True if a row has to be stored. Zero is an ordinary value of a minimum or maximum.
bool has_value(const Combined& report, std::uint32_t metric, std::uint32_t call_path) {
  const auto special = report.special.find(metric);
  const bool zero_counts = special != report.special.end() && is_extremum(special->second);
  return std::ranges::any_of(report.values[metric].row(call_path), [&](double value) {
    return zero_counts ? !std::isnan(value) : value != 0;
  });
}

// The number that CUBE stores in minima and maxima if nothing was seen; 0 for other metrics.
double nothing_of(const Combined& report, std::uint32_t metric) {
  const auto special = report.special.find(metric);
  if (special == report.special.end()) return 0;
  return special->second.is_minimum() ? DBL_MAX : -DBL_MAX;
}

}  // namespace

Status write_combined(const Combined& report, std::ostream& out) {
  const auto& d = report.definitions;
  // An artificial root takes row 0, so all other rows move by one.
  const std::uint32_t shift = has_artificial_root(d) ? 1 : 0;
  const auto order = call_paths_in_row_order(d);
  constexpr std::uint64_t kMarkerSize = 10;  // "CUBEX.DATA"
  TarLayout layout;
  std::vector<Data> list;
  for (std::uint32_t m = 0; m < d.metrics.size(); ++m) {
    Data data;
    data.metric = m;
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t position = 0; position < order.size(); ++position) {
      if (!has_value(report, m, order[position])) continue;
      data.call_paths.push_back(order[position]);
      numbers.push_back(position + shift);
    }
    if (numbers.empty()) continue;
    const std::uint64_t values = numbers.size() * d.locations.size();
    if (values >= 0xffffffff) {
      return Problem{"the result is too large for the CUBE format: metric " + d.metrics[m].name,
                     "latecomer cut REPORT --prune takes call paths away"};
    }
    data.offset = layout.add(std::to_string(m) + ".data", kMarkerSize + values * 8);
    layout.add(std::to_string(m) + ".index", index_member(numbers));
    list.push_back(std::move(data));
  }
  std::vector<std::uint32_t> stored;
  for (const auto& data : list) stored.push_back(data.metric);
  if (const auto extras = extras_text(d, stored); !extras.empty()) {
    layout.add(layout::kReportExtras, never_full_blocks(extras, '\n'));
  }
  layout.add("anchor.xml", never_full_blocks(anchor_xml(d, report.units, report.special), '\n'));

  std::uint64_t at = 0;
  const auto put = [&](std::uint64_t offset, const std::string& bytes) {
    for (; at < offset; ++at) out.put('\0');
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    at += bytes.size();
  };
  std::size_t next = 0;
  const auto put_data_before = [&](std::uint64_t offset) {
    for (; next < list.size() && list[next].offset < offset; ++next) {
      put(list[next].offset, "CUBEX.DATA");
      for (const auto c : list[next].call_paths) {
        const auto metric = list[next].metric;
        put(at, bytes_of(report.values[metric].row(c), nothing_of(report, metric)));
      }
    }
  };
  for (const auto& piece : layout.pieces()) {
    put_data_before(piece.offset);
    put(piece.offset, piece.bytes);
  }
  put_data_before(layout.file_size());
  put(layout.file_size(), "");
  return success();
}

}  // namespace latecomer::report
