// SPDX-License-Identifier: BSD-3-Clause
// The members of a report put together.
#include "analyzer/report/read_cube.hpp"

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
    auto& extras = anchor->definitions.extras;
    extras = nlohmann::json::parse(text, text + bytes->size(), nullptr, false);
    if (extras.is_discarded()) {
      return damaged(tar->file(), std::string(layout::kReportExtras) + " is not JSON");
    }
  }
  Report report(std::move(*tar), std::move(*anchor));
  report.values_.resize(report.definitions().metrics.size() + 1);
  return report;
}

std::uint32_t Report::find(const std::string& metric) const {
  const auto& metrics = definitions().metrics;
  for (std::uint32_t m = 0; m < metrics.size(); ++m) {
    if (metrics[m].name == metric) return m;
  }
  return kNone;
}

Result<const MetricValues*> Report::values(std::uint32_t metric) {
  auto& slot = metric == kNone ? values_.back() : values_[metric];
  if (!slot && metric == kNone) slot = std::make_unique<MetricValues>();
  if (!slot) {
    auto read = read_values(tar_, anchor_, metric);
    if (!read) return read.problem();
    slot = std::make_unique<MetricValues>(std::move(*read));
  }
  return slot.get();
}

}  // namespace latecomer::report
