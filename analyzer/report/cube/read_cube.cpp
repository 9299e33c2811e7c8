// SPDX-License-Identifier: BSD-3-Clause
// Puts the members of a report together.
#include "analyzer/report/cube/read_cube.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analyzer/report/container/stored_rows.hpp"
#include "analyzer/report/extras/parse_json.hpp"
#include "analyzer/report/model/missing_values.hpp"
#include "archive/layout.hpp"

namespace latecomer::report {

Result<Report> Report::open(const std::filesystem::path& file) {
  auto tar = TarReader::open(file);
  if (!tar) return tar.problem();
  auto xml = tar->read("anchor.xml");
  if (!xml) return xml.problem();
  auto anchor = read_anchor(std::move(*xml), tar->file());
  if (!anchor) return anchor.problem();
  if (tar->has(layout::kReportExtras)) {
    const auto bytes = tar->read(layout::kReportExtras);
    if (!bytes) return bytes.problem();
    const auto* text = reinterpret_cast<const char*>(bytes->data());
    auto document = parse_json({text, bytes->size()});
    if (document.is_discarded()) {
      return damaged(tar->file(), std::string(layout::kReportExtras) + " is not JSON, or too deep");
    }
    // The arguments of the program stay as they are: text views print them in one line anyway.
    for (auto& [key, value] : document.items()) {
      if (key != "program") make_printable(value);
    }
    if (!document.is_null()) {
      anchor->definitions.document = std::make_shared<const nlohmann::json>(std::move(document));
    }
  }
  return Report(std::make_unique<Contents>(std::move(*tar), std::move(*anchor)));
}

Report::Contents::Contents(TarReader tar_reader, Anchor definitions)
    : tar(std::move(tar_reader)),
      anchor(std::move(definitions)),
      values(anchor.metrics.size() + 1),
      derived(anchor, [this](std::uint32_t metric) { return stored(metric); }),
      tried(anchor.metrics.size()) {
  if (anchor.definitions.document) extras = extras_from_json(*anchor.definitions.document);
  missing = report::missing_values(tar, anchor, extras);
  for (const auto& note : missing) {
    extras.partial = extras.partial || note.partial;
    extras.quality.push_back(note);
  }
  for (std::uint32_t m = 0; m < anchor.metrics.size(); ++m) {
    const auto& metric = anchor.metrics[m];
    if (metric.kind == StoredMetric::Kind::kDerived || value_type(metric.dtype)) continue;
    unread[m] = "its values are of type " + metric.dtype + ", which are not one number each";
  }
  const auto& call_paths = anchor.definitions.call_paths;
  for (std::uint32_t c = 0; c < call_paths.size(); ++c) {
    if (call_paths[c].parent == kNone) roots.push_back(c);
  }
  // Metrics may be switched off by a formula that runs once.
  const bool may_switch = std::ranges::any_of(anchor.metrics, [](const StoredMetric& metric) {
    return metric.init.find("metric::set") != std::string::npos;
  });
  if (!may_switch) return;
  derived.initialize();
  for (std::uint32_t m = 0; m < anchor.metrics.size(); ++m) {
    anchor.metrics[m].hidden = anchor.metrics[m].hidden || derived.switched_off(m);
  }
}

const nlohmann::json& Report::document() const {
  static const nlohmann::json kNone;
  const auto& document = definitions().document;
  return document ? *document : kNone;
}

Result<const MetricValues*> Report::Contents::stored(std::uint32_t metric) {
  auto& slot = values[metric];
  if (!slot) {
    auto read = read_values(tar, anchor, metric);
    if (!read) return read.problem();
    slot = std::make_unique<MetricValues>(std::move(*read));
  }
  return slot.get();
}

std::uint32_t Report::find(const std::string& metric) const {
  const auto& metrics = definitions().metrics;
  for (std::uint32_t m = 0; m < metrics.size(); ++m) {
    if (metrics[m].name == metric) return m;
  }
  return kNone;
}

Result<const MetricValues*> Report::values(std::uint32_t metric) {
  // Metrics without values share one empty object.
  if (metric == kNone || contents_->unread.contains(metric)) {
    auto& none = contents_->values.back();
    if (!none) none = std::make_unique<MetricValues>();
    return none.get();
  }
  if (stored(metric).kind == StoredMetric::Kind::kDerived) {
    return &contents_->derived.values(metric);
  }
  if (!adds_up(metric)) return values(kNone);
  return contents_->stored(metric);
}

formula::Aggregate Report::aggregate(std::vector<std::uint32_t> group_of_location,
                                     std::size_t groups, formula::PlaceKind kind) {
  return {contents_->derived, std::move(group_of_location), groups, kind};
}

double Report::total(std::uint32_t metric) const {
  // The aggregate is kept because totals are needed often.
  auto& whole = contents_->whole;
  if (!whole) {
    whole = std::make_unique<formula::Aggregate>(
        contents_->derived, std::vector<std::uint32_t>(definitions().locations.size(), 0), 1,
        formula::PlaceKind::kNode);
  }
  return whole->over(metric, contents_->roots).front();
}

bool Report::lost_values() const {
  return std::ranges::any_of(missing_values(), [](const auto& note) { return note.partial; });
}

const std::string& Report::why_no_values(std::uint32_t metric) const {
  const auto unread = contents_->unread.find(metric);
  if (unread != contents_->unread.end()) return unread->second;
  // Problems of a formula show only in an evaluation, which is tried once.
  auto& derived = contents_->derived;
  const bool derived_or_extremum =
      stored(metric).kind == StoredMetric::Kind::kDerived || !adds_up(metric);
  if (derived_or_extremum && !contents_->tried[metric]) {
    contents_->tried[metric] = true;
    if (adds_up(metric)) {
      static_cast<void>(derived.values(metric));
    } else {
      static_cast<void>(total(metric));
    }
  }
  return derived.problem(metric);
}

std::string Report::formula_gap(std::uint32_t metric) const {
  const auto& gap = contents_->derived.gap(metric);
  if (gap.empty()) return gap;
  return "metric " + definitions().metrics[metric].name +
         " has no value in some places, the first of them " + gap;
}

}  // namespace latecomer::report
