// SPDX-License-Identifier: BSD-3-Clause
// Reads anchor.xml: the definitions of a report, and how its values are stored.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/report/model.hpp"
#include "analyzer/report/tar_reader.hpp"
#include "archive/result.hpp"

namespace latecomer::report {

// How a metric's values lie in the file.
struct StoredMetric {
  enum class Kind : std::uint8_t { kExclusive, kInclusive, kDerived };
  Kind kind = Kind::kExclusive;
  std::string member;   // members <member>.index and <member>.data
  std::string dtype;    // value type, e.g. DOUBLE
  std::string unit;     // as the file says, e.g. sec
  bool hidden = false;  // a helper metric, or switched off

  // Values that were stored as minima or maxima are put together by taking these.
  [[nodiscard]] bool is_minimum() const { return kind != Kind::kDerived && dtype == "MINDOUBLE"; }
  [[nodiscard]] bool is_maximum() const { return kind != Kind::kDerived && dtype == "MAXDOUBLE"; }

  // Of a derived metric: when its formula is evaluated, and the texts in CUBE's language.
  enum class Derivation : std::uint8_t {
    kExclusive,  // at each call path and location, from exclusive values; then summed up
    kInclusive,  // the same from inclusive values
    kAfter,      // where it is looked at, from what its operands have there in sum
  };
  Derivation derivation = Derivation::kAfter;
  std::string formula, init, plus, minus, aggregate;
};

struct Anchor {
  Definitions definitions;  // call paths in document order; location i is column i
  std::vector<StoredMetric> metrics;
  std::vector<std::uint64_t> call_path_ids;  // ids in the file, by call path; kNone: it has none
  std::vector<std::uint64_t> region_ids;     // ids in the file
  // What only formulas ask for; empty in reports without.
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

// Versions 3.0 to 4.x, also with machine/node/process/thread elements, gzip-compressed, and with
// the unquoted attributes that CUBE writes into derived metrics. `file` is for messages.
[[nodiscard]] Result<Anchor> read_anchor(MemberBytes bytes, const std::string& file);

}  // namespace latecomer::report
