// SPDX-License-Identifier: BSD-3-Clause
// Reads anchor.xml: the definitions of a report, and how its values are stored.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/report/container/tar_reader.hpp"
#include "analyzer/report/model/model.hpp"
#include "archive/result.hpp"

namespace latecomer::report {

// Storage of the values of a metric in the file.
struct StoredMetric {
  enum class Kind : std::uint8_t { kExclusive, kInclusive, kDerived };
  Kind kind = Kind::kExclusive;
  std::string member;   // members <member>.index and <member>.data
  std::string dtype;    // value type, e.g. DOUBLE
  std::string unit;     // unit as written in the file, e.g. sec
  bool hidden = false;  // a helper metric, or switched off

  // Values of minima and maxima are combined by taking the minimum or maximum instead of the sum.
  [[nodiscard]] bool is_minimum() const { return kind != Kind::kDerived && dtype == "MINDOUBLE"; }
  [[nodiscard]] bool is_maximum() const { return kind != Kind::kDerived && dtype == "MAXDOUBLE"; }

  // Derived metrics only: when the formula is evaluated.
  enum class Derivation : std::uint8_t {
    kExclusive,  // at each call path and location, from exclusive values; then summed
    kInclusive,  // likewise, but from inclusive values
    kAfter,      // at the place of the query, from the sums of its operands there
  };
  Derivation derivation = Derivation::kAfter;
  // Texts in CubePL, the language of CUBE; derived metrics only. They are the formula, code that
  // runs once before it, and replacements for plus, minus and the aggregation.
  std::string formula, init, plus, minus, aggregate;
};

// Content of anchor.xml.
struct Anchor {
  Definitions definitions;  // call paths in document order; location i is column i
  std::vector<StoredMetric> metrics;
  std::vector<std::uint64_t> call_path_ids;  // ids in the file, by call path; kNone: it has none
  std::vector<std::uint64_t> region_ids;     // ids in the file
  // Data that only formulas ask for; empty in reports without formulas.
  struct RegionNotes {
    std::string description, url;
  };
  struct CallSite {
    std::string file;
    std::int64_t line = -1;
  };
  std::vector<RegionNotes> region_notes;
  std::vector<CallSite> call_sites;
  std::string creator;
};

// Reads versions 3.0 to 4.x, also with machine/node/process/thread elements, gzip-compressed, and
// with the unquoted attributes that CUBE writes into derived metrics. `file` is for messages.
[[nodiscard]] Result<Anchor> read_anchor(MemberBytes bytes, const std::string& file);

}  // namespace latecomer::report
