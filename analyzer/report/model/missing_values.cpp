// SPDX-License-Identifier: BSD-3-Clause
// Finds the values that a report should have, but lacks.
#include "analyzer/report/model/missing_values.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

#include "analyzer/report/container/stored_rows.hpp"

namespace latecomer::report {
namespace {

// Describes the rows that a metric with both members lacks, e.g. "1.data has 3 of 4 rows"; empty:
// none, or the members cannot be understood.
std::string missing_rows(const TarReader& tar, const StoredMetric& stored, const Definitions& d) {
  const std::string data_member = stored.member + ".data";
  const auto type = value_type(stored.dtype);
  const auto index_bytes = tar.read(stored.member + ".index");
  if (!type || !index_bytes) return "";
  const auto index = read_index(*index_bytes, d.call_paths.size());
  if (!index) return "";
  const auto head = tar.read(data_member, RowSource::kHead);
  if (!head) return "";
  const auto data = tar.read(data_member, RowSource::bytes_for_table(*head, index->number));
  RowSource source;
  if (!data ||
      !source.open(*data, tar.size(data_member), index->number, type->size * d.locations.size())) {
    return "";
  }
  // CUBE's readers ignore rows of call paths that do not exist.
  const auto end = std::ranges::lower_bound(index->rows, d.call_paths.size());
  const auto rows = static_cast<std::size_t>(end - index->rows.begin());
  std::size_t there = 0;
  for (std::size_t k = 0; k < rows; ++k) there += source.has(k) ? 1U : 0U;
  if (there == rows) return "";
  return data_member + " has " + std::to_string(there) + " of " + std::to_string(rows) + " rows";
}

}  // namespace

std::string extras_text(const Definitions& definitions, std::span<const std::uint32_t> stored) {
  std::vector<std::string> names;
  for (const auto metric : stored) names.push_back(definitions.metrics[metric].name);
  if (definitions.extras) return text_of(*definitions.extras, names);
  if (!definitions.document) return "";
  auto document = *definitions.document;
  if (document.is_object()) document["stored_metrics"] = names;
  return document.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::vector<QualityNote> missing_values(const TarReader& tar, const Anchor& anchor,
                                        const Extras& extras) {
  const auto& d = anchor.definitions;
  const std::set<std::string> announced(extras.stored_metrics.begin(), extras.stored_metrics.end());
  QualityNote lost{"missing_values", 0, "", true, {}};
  QualityNote without{"metrics_without_values", 0, "", false, {}};
  const auto note = [](QualityNote& to, const std::string& what) {
    constexpr std::size_t kMost = 20;
    if (++to.count <= static_cast<std::int64_t>(kMost)) to.files.push_back(what);
  };
  for (std::size_t m = 0; m < anchor.metrics.size(); ++m) {
    const auto& stored = anchor.metrics[m];
    const auto& name = d.metrics[m].name;
    if (stored.kind == StoredMetric::Kind::kDerived) continue;
    const bool index = tar.has(stored.member + ".index"), data = tar.has(stored.member + ".data");
    if (index && data) {
      const auto what = missing_rows(tar, stored, d);
      if (!what.empty()) note(lost, name + ": " + what);
    } else if (index || data) {
      note(lost, name + ": no " + stored.member + (index ? ".data" : ".index"));
    } else if (announced.contains(name)) {
      note(lost, name + ": no " + stored.member + ".data");
    } else if (!d.document && !stored.hidden) {
      note(without, name);
    }
  }
  std::vector<QualityNote> notes;
  lost.text = std::string(lost.count == 1 ? "metric" : "metrics") +
              " with values missing in this file: what is missing counts as zero";
  without.text = std::string(without.count == 1 ? "metric" : "metrics") +
                 " without values in this file: zero everywhere, by the rules of CUBE";
  if (lost.count > 0) notes.push_back(std::move(lost));
  if (without.count > 0) notes.push_back(std::move(without));
  return notes;
}

}  // namespace latecomer::report
