// SPDX-License-Identifier: BSD-3-Clause
// Reads anchor.xml. It is strict about everything that values depend on (ids, nesting) and lenient
// about the rest. There is no recursion, because a file may nest elements to any depth.
#include "analyzer/report/model/anchor_reader.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <pugixml.hpp>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "analyzer/report/container/inflate.hpp"
#include "archive/printable.hpp"

namespace latecomer::report {
namespace {

using pugi::xml_node;

// Limits of the decompressed size. The XML of 65,536 ranks is 20 to 30 times as large as its
// compressed bytes. A file that grows a thousandfold only wants to fill the memory.
constexpr std::size_t kLargestAnchor = std::size_t{4} << 30;
constexpr std::size_t kSmallAnchor = std::size_t{64} << 20;
constexpr std::size_t kMostByCompressed = 100;
// Limit of the depth of a metric: views print a metric together with all its ancestors.
constexpr std::size_t kMostMetricLevels = 100;

// Puts quotes around unquoted attributes, as in <cubepl rowwise=false> and <cubeplaggr
// cubeplaggrtype=plus>.
std::string with_quotes(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 64);
  for (;;) {
    const auto tag = text.find("<cubepl");
    const auto end = tag == std::string_view::npos ? tag : text.find('>', tag);
    if (end == std::string_view::npos) return out.append(text);
    out.append(text.substr(0, tag));
    bool in_word = false;  // inside an unquoted value
    for (auto i = tag; i <= end; ++i) {
      const char c = text[i];
      if (in_word && (c == ' ' || c == '>')) {
        out += '"';
        in_word = false;
      }
      out += c;
      if (c == '=' && text[i + 1] != '"' && text[i + 1] != '\'' && !in_word) {
        out += '"';
        in_word = true;
      }
    }
    text.remove_prefix(end + 1);
  }
}

std::string text_of(xml_node node, const char* child) {
  std::string text = node.child_value(child);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return printable(text);
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> id_of(xml_node node) {
  const auto lower = node.attribute("id");
  return number(lower ? lower.value() : node.attribute("Id").value());
}

std::uint32_t rank_of(xml_node node) {
  return static_cast<std::uint32_t>(number(node.child_value("rank")).value_or(0));
}

// Calls add(element, index of the parent) -> index for all elements called `name` that are nested
// below `top`, in document order. Stops when add() returns nothing.
template <typename Add>
bool each_nested(xml_node top, const char* name, Add add) {
  struct Step {
    xml_node node;
    std::uint32_t parent;
  };
  std::vector<Step> stack;
  const auto push = [&](xml_node parent, std::uint32_t index) {
    for (auto node = parent.last_child(); node; node = node.previous_sibling()) {
      if (std::string_view(node.name()) == name) stack.push_back({node, index});
    }
  };
  push(top, kNone);
  while (!stack.empty()) {
    const Step step = stack.back();
    stack.pop_back();
    const std::optional<std::uint32_t> index = add(step.node, step.parent);
    if (!index) return false;
    push(step.node, *index);
  }
  return true;
}

patterns::Unit unit_of(std::string_view text) {
  if (text == "sec") return patterns::Unit::kSeconds;
  if (text == "bytes") return patterns::Unit::kBytes;
  return patterns::Unit::kOccurrences;
}

StoredMetric::Kind kind_of(std::string_view type) {
  using Kind = StoredMetric::Kind;
  if (type == "INCLUSIVE" || type == "SIMPLE") return Kind::kInclusive;
  const bool derived = type == "POSTDERIVED" || type == "DERIVED" ||
                       type == "PREDERIVED_EXCLUSIVE" || type == "PREDERIVED_INCLUSIVE";
  return derived ? Kind::kDerived : Kind::kExclusive;
}

StoredMetric::Derivation derivation_of(std::string_view type) {
  using Derivation = StoredMetric::Derivation;
  if (type == "PREDERIVED_EXCLUSIVE") return Derivation::kExclusive;
  return type == "PREDERIVED_INCLUSIVE" ? Derivation::kInclusive : Derivation::kAfter;
}

void read_formulas(xml_node node, StoredMetric& stored) {
  stored.derivation = derivation_of(node.attribute("type").value());
  stored.formula = node.child_value("cubepl");
  stored.init = node.child_value("cubeplinit");
  for (const auto part : node.children("cubeplaggr")) {
    const std::string_view type = part.attribute("cubeplaggrtype").value();
    if (type == "plus") stored.plus = part.child_value();
    if (type == "minus") stored.minus = part.child_value();
    if (type == "aggr") stored.aggregate = part.child_value();
  }
}

class AnchorReader {
 public:
  AnchorReader(xml_node cube, std::string file) : cube_(cube), file_(std::move(file)) {}

  Result<Anchor> read() {
    for (const auto attribute : cube_.children("attr")) {
      if (std::string_view(attribute.attribute("key").value()) == "Creator") {
        anchor_.creator = printable(attribute.attribute("value").value());
      }
    }
    for (const char* part : {"metrics", "program", "system"}) {
      if (!cube_.child(part)) return damaged(file_, std::string("anchor.xml has no ") + part);
    }
    if (!metrics()) {
      return damaged(file_, "a metric of anchor.xml has no number of its own, or is in more than " +
                                std::to_string(kMostMetricLevels) + " others");
    }
    if (!program()) return damaged(file_, "a region or call path of anchor.xml is not defined");
    if (!system()) return damaged(file_, "the locations of anchor.xml are not numbered 0 to n-1");
    return std::move(anchor_);
  }

 private:
  bool metrics() {
    auto& d = anchor_.definitions;
    return each_nested(cube_.child("metrics"), "metric",
                       [&](xml_node node, std::uint32_t parent) -> std::optional<std::uint32_t> {
                         const auto index = static_cast<std::uint32_t>(d.metrics.size());
                         // Metrics without an id are numbered in document order.
                         const bool numbered = node.attribute("id") || node.attribute("Id");
                         const auto id = numbered ? id_of(node) : index;
                         const auto level = parent == kNone ? 0 : levels_[parent] + 1;
                         if (!id || level > kMostMetricLevels) return std::nullopt;
                         levels_.push_back(level);
                         // A metric is hidden if it is a helper, or switched off, or below one that
                         // is.
                         const std::string_view viztype = node.attribute("viztype").value();
                         const bool ghost = viztype == "GHOST" || viztype == "ghost";
                         const bool off = std::string_view(node.child_value("val")) == "VOID" ||
                                          (parent != kNone && anchor_.metrics[parent].hidden);
                         patterns::Metric metric;
                         metric.name = text_of(node, "uniq_name");
                         metric.display = text_of(node, "disp_name");
                         if (metric.name.empty()) metric.name = metric.display;
                         make_unique(metric.name);
                         if (metric.display.empty()) metric.display = metric.name;
                         if (parent != kNone) metric.parent = d.metrics[parent].name;
                         metric.description = text_of(node, "descr");
                         StoredMetric stored;
                         stored.unit = text_of(node, "uom");
                         metric.unit = unit_of(stored.unit);
                         stored.kind = kind_of(node.attribute("type").value());
                         stored.member = (ghost ? "ghost_" : "") + std::to_string(*id);
                         stored.dtype = text_of(node, "dtype");
                         stored.hidden = ghost || off;
                         if (stored.kind == StoredMetric::Kind::kDerived) {
                           read_formulas(node, stored);
                           has_formulas_ = true;
                         }
                         // Each metric reads its values from members of its own.
                         const bool stored_values = stored.kind != StoredMetric::Kind::kDerived;
                         if (stored_values && !members_.insert(stored.member).second) {
                           return std::nullopt;
                         }
                         d.metrics.push_back(std::move(metric));
                         anchor_.metrics.push_back(std::move(stored));
                         return index;
                       });
  }

  // Makes a name unique by appending a number: metrics are identified, and find their parents, by
  // name.
  void make_unique(std::string& name) {
    if (name.empty()) name = "unnamed";
    if (names_.insert(name).second) return;
    std::uint32_t& number = doubles_[name];
    const std::string plain = name;
    do {
      name = plain + "_" + std::to_string(++number + 1);
    } while (!names_.insert(name).second);
  }

  bool program() {
    auto& d = anchor_.definitions;
    std::unordered_map<std::uint64_t, std::uint32_t> regions;
    for (const auto node : cube_.child("program").children("region")) {
      const auto id = id_of(node);
      if (!id || !regions.emplace(*id, d.regions.size()).second) return false;
      Region region;
      region.name = text_of(node, "name");
      region.mangled = text_of(node, "mangled_name");
      region.file = printable(node.attribute("mod").value());
      region.paradigm = text_of(node, "paradigm");
      region.role = text_of(node, "role");
      region.begin = node.attribute("begin").as_llong(-1);
      region.end = node.attribute("end").as_llong(-1);
      d.regions.push_back(std::move(region));
      anchor_.region_ids.push_back(*id);
      if (has_formulas_) {
        anchor_.region_notes.push_back({text_of(node, "descr"), text_of(node, "url")});
      }
    }
    return each_nested(cube_.child("program"), "cnode",
                       [&](xml_node node, std::uint32_t parent) -> std::optional<std::uint32_t> {
                         const auto callee = number(node.attribute("calleeId").value());
                         const auto region = callee ? regions.find(*callee) : regions.end();
                         if (region == regions.end()) return std::nullopt;
                         anchor_.call_path_ids.push_back(id_of(node).value_or(kNone));
                         d.call_paths.push_back({parent, region->second});
                         if (has_formulas_) {
                           anchor_.call_sites.push_back({node.attribute("mod").value(),
                                                         node.attribute("line").as_llong(-1)});
                         }
                         return static_cast<std::uint32_t>(d.call_paths.size() - 1);
                       });
  }

  // Names of elements in both syntaxes: systemtreenode/locationgroup/location and
  // machine/node/process/thread.
  static bool is_node(std::string_view name) {
    return name == "systemtreenode" || name == "machine" || name == "node";
  }
  static bool is_process(std::string_view name) {
    return name == "locationgroup" || name == "process";
  }
  static bool is_location(std::string_view name) { return name == "location" || name == "thread"; }

  bool system() {
    struct Step {
      xml_node node;
      std::uint32_t parent;
    };
    auto& d = anchor_.definitions;
    std::vector<std::optional<Location>> columns;
    std::vector<Step> stack;
    const auto push = [&](xml_node parent, std::uint32_t index) {
      for (auto node = parent.last_child(); node; node = node.previous_sibling()) {
        if (is_node(node.name())) stack.push_back({node, index});
      }
    };
    push(cube_.child("system"), kNone);
    while (!stack.empty()) {
      const auto [node, parent] = stack.back();
      stack.pop_back();
      const auto index = static_cast<std::uint32_t>(d.system.size());
      const std::string_view tag = node.name();
      d.system.push_back({text_of(node, "name"),
                          tag == "systemtreenode" ? text_of(node, "class") : std::string(tag),
                          parent});
      for (const auto group : node.children()) {
        if (is_process(group.name()) && !process(group, index, columns)) return false;
      }
      push(node, index);
    }
    for (auto& column : columns) {
      if (!column) return false;
      d.locations.push_back(std::move(*column));
    }
    return true;
  }

  bool process(xml_node group, std::uint32_t node, std::vector<std::optional<Location>>& columns) {
    auto& d = anchor_.definitions;
    const auto index = static_cast<std::uint32_t>(d.processes.size());
    Process process{text_of(group, "name"), rank_of(group), node};
    if (process.name.empty()) process.name = "Process " + std::to_string(process.rank);
    d.processes.push_back(std::move(process));
    for (const auto child : group.children()) {
      if (!is_location(child.name())) continue;
      // Ids are numbers of columns, so they are smaller than the number of locations.
      const auto id = id_of(child);
      if (!id || *id >= locations_in_document()) return false;
      if (*id >= columns.size()) columns.resize(*id + 1);
      if (columns[*id]) return false;
      Location location{text_of(child, "name"), rank_of(child), index};
      if (location.name.empty()) location.name = "Thread " + std::to_string(location.thread);
      columns[*id] = std::move(location);
    }
    return true;
  }

  // Limits the ids, so that a damaged one cannot ask for a huge table. Counted once.
  std::size_t locations_in_document() {
    if (location_count_) return *location_count_;
    std::size_t count = 0;
    const auto top = cube_.child("system");
    for (auto node = top.first_child(); node && node != top;) {
      count += is_location(node.name()) ? 1 : 0;
      if (node.first_child()) {
        node = node.first_child();
        continue;
      }
      while (node != top && !node.next_sibling()) node = node.parent();
      if (node != top) node = node.next_sibling();
    }
    location_count_ = count;
    return count;
  }

  xml_node cube_;
  std::string file_;
  Anchor anchor_;
  bool has_formulas_ = false;
  std::unordered_set<std::string> names_;    // unique names of metrics
  std::unordered_set<std::string> members_;  // of metrics with values
  std::vector<std::size_t> levels_;          // depth of each metric: number of its ancestors
  std::unordered_map<std::string, std::uint32_t> doubles_;
  std::optional<std::size_t> location_count_;
};

}  // namespace

Result<Anchor> read_anchor(MemberBytes bytes, const std::string& file) {
  const bool compressed =
      bytes.size() > 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
  if (compressed) {
    const auto most =
        std::min(std::max(kSmallAnchor, kMostByCompressed * bytes.size()), kLargestAnchor);
    auto plain = inflate_bytes(bytes, most);
    if (!plain) {
      return damaged(file, "anchor.xml cannot be decompressed, or not to " +
                               std::to_string(most >> 20) + " MiB or less");
    }
    bytes = std::move(*plain);
  }
  std::string text = with_quotes({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  // Some files have bytes after the root element that are not XML.
  const auto end = text.rfind("</cube>");
  if (end != std::string::npos) text.resize(end + 7);
  pugi::xml_document document;
  const auto parsed = document.load_buffer_inplace(text.data(), text.size());
  if (!parsed) {
    return damaged(file, "anchor.xml is not well-formed at byte " + std::to_string(parsed.offset) +
                             ": " + parsed.description());
  }
  const auto cube = document.child("cube");
  if (!cube) return damaged(file, "anchor.xml has no element cube");
  return AnchorReader(cube, file).read();
}

}  // namespace latecomer::report
