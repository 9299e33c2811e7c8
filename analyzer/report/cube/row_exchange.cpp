// SPDX-License-Identifier: BSD-3-Clause
// Exchanges rows. A message holds one byte per row (1: values follow), then the sender's columns of
// the rows marked 1.
#include "analyzer/report/cube/row_exchange.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace latecomer::report {

RowList list_rows(const Severities& mine, std::size_t metrics,
                  std::span<const std::uint32_t> call_paths, parallel::Processes& processes) {
  assert(mine.call_paths() == call_paths.size());
  // One bit per metric and call path. The union over all processes is the set of rows.
  std::vector<std::uint64_t> present((metrics * call_paths.size() + 63) / 64);
  std::size_t bit = 0;
  for (std::uint32_t metric = 0; metric < metrics; ++metric) {
    for (const auto call_path : call_paths) {
      const auto values = mine.row(metric, call_path);
      const bool any = std::any_of(values.begin(), values.end(), [](auto v) { return v != 0; });
      present[bit / 64] |= std::uint64_t{any} << (bit % 64);
      ++bit;
    }
  }
  processes.bit_or(present);
  RowList list;
  bit = 0;
  for (std::uint32_t metric = 0; metric < metrics; ++metric) {
    for (std::uint32_t position = 0; position < call_paths.size(); ++position, ++bit) {
      if ((present[bit / 64] >> (bit % 64) & 1) == 0) continue;
      list.rows.push_back({metric, call_paths[position]});
      list.position.push_back(position);
    }
  }
  return list;
}

RowExchange::RowExchange(const Severities& mine, std::span<const std::uint32_t> my_columns,
                         std::size_t all_columns, parallel::Processes& processes)
    : mine_(mine), all_columns_(all_columns), processes_(processes) {
  assert(mine.columns() == my_columns.size());
  parallel::Packer pack;
  pack.put_all(my_columns);
  for (const auto& data : processes.all_gather(pack.take())) {
    columns_.push_back(parallel::Unpacker(data).get_all<std::uint32_t>());
  }
}

std::vector<std::int64_t> RowExchange::collect(const RowList& list,
                                               std::span<const RowRange> wanted) {
  std::vector<parallel::Bytes> outgoing(wanted.size());
  for (std::size_t p = 0; p < wanted.size() && mine_.columns() > 0; ++p) {
    auto& message = outgoing[p];
    message.assign(wanted[p].size(), std::byte{0});
    for (std::size_t i = 0; i < wanted[p].size(); ++i) {
      const Row& row = list.rows[wanted[p].begin + i];
      const auto values = std::as_bytes(mine_.row(row.metric, row.call_path));
      if (values.empty()) continue;
      message[i] = std::byte{1};
      message.insert(message.end(), values.begin(), values.end());
    }
  }
  const auto incoming = processes_.exchange(std::move(outgoing));

  const RowRange own = wanted[static_cast<std::size_t>(processes_.rank())];
  std::vector<std::int64_t> values(own.size() * all_columns_), part;
  for (std::size_t p = 0; p < incoming.size(); ++p) {
    const auto& message = incoming[p];
    const auto& columns = columns_[p];
    std::size_t position = own.size();
    for (std::size_t i = 0; i < own.size() && !message.empty(); ++i) {
      if (message[i] == std::byte{0}) continue;
      part.resize(columns.size());
      std::memcpy(part.data(), message.data() + position, columns.size() * sizeof(std::int64_t));
      position += columns.size() * sizeof(std::int64_t);
      const auto row = std::span(values).subspan(i * all_columns_, all_columns_);
      for (std::size_t c = 0; c < columns.size(); ++c) row[columns[c]] = part[c];
    }
  }
  return values;
}

}  // namespace latecomer::report
