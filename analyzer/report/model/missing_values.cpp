// SPDX-License-Identifier: BSD-3-Clause
// Finds the values that a report should have, but lacks.
#include "analyzer/report/model/missing_values.hpp"

#include <algorithm>
#include <cassert>
#include <set>
#include <string>
#include <string_view>

#include "analyzer/report/container/stored_rows.hpp"

namespace latecomer::report {
namespace {

constexpr const char* kStoredMetrics = "stored_metrics";

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

std::set<std::string> stored_metrics(const Definitions& d) {
  std::set<std::string> names;
  if (!d.extras.is_object() || !d.extras.contains(kStoredMetrics)) return names;
  const auto& list = d.extras[kStoredMetrics];
  if (!list.is_array()) return names;
  for (const auto& name : list) {
    if (name.is_string()) names.insert(name.get<std::string>());
  }
  return names;
}

// Returns `text` with the timelines in their places. No string contains a line end, so nothing
// except the null of that key at that depth can look like `place`.
std::string with_timelines(std::string_view text, std::span<const std::string> timelines) {
  const std::string key = "\n" + std::string(Definitions::kTimelineDepth, ' ') + "\"timeline\": ";
  const std::string place = key + "null";
  std::size_t size = text.size();
  for (const auto& timeline : timelines) size += timeline.size();
  std::string out;
  out.reserve(size);
  for (const auto& timeline : timelines) {
    const std::size_t at = text.find(place);
    assert(at != std::string_view::npos);
    out.append(text, 0, at).append(key).append(timeline);
    text.remove_prefix(at + place.size());
  }
  assert(text.find(place) == std::string_view::npos);
  return out.append(text);
}

}  // namespace

std::string extras_text(const Definitions& definitions, std::span<const std::uint32_t> stored) {
  auto extras = definitions.extras;
  if (extras.is_object()) {
    auto& names = extras[kStoredMetrics] = nlohmann::json::array();
    for (const auto metric : stored) names.push_back(definitions.metrics[metric].name);
  }
  auto text = extras.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  return definitions.timelines.empty() ? text : with_timelines(text, definitions.timelines);
}

std::vector<QualityNote> missing_values(const TarReader& tar, const Anchor& anchor) {
  const auto& d = anchor.definitions;
  const auto announced = stored_metrics(d);
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
    } else if (d.extras.is_null() && !stored.hidden) {
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
