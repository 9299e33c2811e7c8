// SPDX-License-Identifier: BSD-3-Clause
// Writes sentences about values that a report, or a formula in it, lacks.
#include "analyzer/view/summary/report_notes.hpp"

namespace latecomer::view {

std::string sentence(const report::QualityNote& note) {
  std::string list;
  for (std::size_t i = 0; i < note.files.size(); ++i) {
    list += (list.empty() ? "" : ", ") + report::file_text(note, i);
  }
  if (!list.empty() && static_cast<std::size_t>(note.count) > note.files.size()) list += ", ...";
  return std::to_string(note.count) + " " + note.text + (list.empty() ? "" : " (" + list + ")");
}

std::vector<std::string> report_notes(const report::Report& report) {
  std::vector<std::string> notes;
  for (const auto& note : report.missing_values()) notes.push_back(sentence(note));
  for (std::uint32_t m = 0; m < report.definitions().metrics.size(); ++m) {
    if (auto gap = report.formula_gap(m); !gap.empty()) notes.push_back(std::move(gap));
  }
  return notes;
}

}  // namespace latecomer::view
