// SPDX-License-Identifier: BSD-3-Clause
// Writes anchor.xml. The reader of the CUBE library is a fixed grammar, not an XML parser. It
// depends on the order of elements and attributes, the double quotes and the line ends below.
#include "analyzer/report/cube/anchor_xml.hpp"

#include <string_view>

#include "analyzer/report/cube/xml_text.hpp"
#include "analyzer/report/model/tree_order.hpp"
#include "archive/version.hpp"

namespace latecomer::report {
namespace {

constexpr const char* kRootRegion = "all programs";
constexpr const char* kRootSystem = "metacomputer";

template <typename Nodes>
TreeOrder order_of(const Nodes& nodes) {
  std::vector<std::uint32_t> parents;
  parents.reserve(nodes.size());
  for (const auto& node : nodes) parents.push_back(node.parent);
  return TreeOrder(parents);
}

template <typename Nodes>
bool needs_root(const Nodes& nodes) {
  std::size_t roots = 0;
  for (const auto& node : nodes) roots += node.parent == kNone ? 1 : 0;
  return roots != 1;
}

class AnchorWriter {
 public:
  AnchorWriter(const Definitions& definitions, std::span<const std::string> units,
               const std::map<std::uint32_t, StoredMetric>& special)
      : d_(definitions), units_(units), special_(special) {}

  std::string write() {
    out_ += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\n<cube version=\"4.4\">\n";
    attribute("CubePL Version", "1.1");
    attribute("Cube Version", "4.8");
    attribute("Cube anchor.xml syntax version", "4.4");
    attribute("Creator", "Latecomer " LATECOMER_VERSION);
    attribute("CUBE_CT_AGGR", "SUM");
    out_ += "<doc>\n<mirrors>\n</mirrors>\n</doc>\n";
    metrics();
    program();
    system();
    out_ += "</cube>\n";
    return std::move(out_);
  }

 private:
  void attribute(std::string_view key, std::string_view value) {
    out_ += "<attr key=\"" + xml_text(key) + "\" value=\"" + xml_text(value) + "\"/>\n";
  }
  void element(std::string_view name, std::string_view text) {
    out_.append("<").append(name).append(">").append(xml_text(text));
    out_.append("</").append(name).append(">\n");
  }

  // Calls open(node) before and close() after the children of each node, depth first.
  template <typename Open, typename Close>
  static void walk(const TreeOrder& tree, Open open, Close close) {
    struct Step {
      std::uint32_t node;
      bool leaving;
    };
    std::vector<Step> stack;
    const auto push = [&](std::span<const std::uint32_t> nodes) {
      for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) stack.push_back({*it, false});
    };
    push(tree.roots());
    while (!stack.empty()) {
      const Step step = stack.back();
      if (step.leaving) {
        close();
        stack.pop_back();
        continue;
      }
      stack.back().leaving = true;
      open(step.node);
      push(tree.children(step.node));
    }
  }

  static const char* type_of(StoredMetric::Derivation derivation) {
    using Derivation = StoredMetric::Derivation;
    if (derivation == Derivation::kExclusive) return "PREDERIVED_EXCLUSIVE";
    return derivation == Derivation::kInclusive ? "PREDERIVED_INCLUSIVE" : "POSTDERIVED";
  }

  void formulas(const StoredMetric& metric) {
    element("cubepl", metric.formula);
    if (!metric.init.empty()) element("cubeplinit", metric.init);
    const auto in_place_of = [&](const char* what, const std::string& text) {
      if (text.empty()) return;
      out_ += std::string("<cubeplaggr cubeplaggrtype=\"") + what + "\">" + xml_text(text) +
              "</cubeplaggr>\n";
    };
    in_place_of("plus", metric.plus);
    in_place_of("minus", metric.minus);
    in_place_of("aggr", metric.aggregate);
  }

  void metrics() {
    // Metrics name their parents, which precede them.
    std::vector<std::uint32_t> parents;
    for (const auto& metric : d_.metrics) {
      std::uint32_t parent = kNone;
      for (std::uint32_t i = 0; i < parents.size() && parent == kNone; ++i) {
        if (d_.metrics[i].name == metric.parent) parent = i;
      }
      parents.push_back(parent);
    }
    out_ += "<metrics>\n";
    walk(
        TreeOrder(parents),
        [&](std::uint32_t id) {
          const auto& metric = d_.metrics[id];
          const bool seconds = metric.unit == patterns::Unit::kSeconds;
          const auto special = special_.find(id);
          const bool is_special = special != special_.end();
          const bool derived = is_special && special->second.kind == StoredMetric::Kind::kDerived;
          out_ += "<metric id=\"" + std::to_string(id) + "\" type=\"" +
                  (derived ? type_of(special->second.derivation) : "EXCLUSIVE") + "\">\n";
          element("disp_name", metric.display);
          element("uniq_name", metric.name);
          // Reports that are computed from others (with `units`) have only DOUBLE.
          element("dtype", is_special && !derived       ? special->second.dtype
                           : seconds || !units_.empty() ? "DOUBLE"
                                                        : "UINT64");
          element("uom", !units_.empty()                         ? units_[id]
                         : seconds                               ? "sec"
                         : metric.unit == patterns::Unit::kBytes ? "bytes"
                                                                 : "occ");
          element("url", "");
          element("descr", metric.description);
          if (derived) formulas(special->second);
        },
        [&] { out_ += "</metric>\n"; });
    out_ += "</metrics>\n";
  }

  void region(std::size_t id, const Region& region) {
    // CUBE writes -1 for an unknown line.
    const auto line = [](std::int64_t number) { return std::to_string(number <= 0 ? -1 : number); };
    out_ += "<region id=\"" + std::to_string(id) + "\" mod=\"" + xml_text(region.file) +
            "\" begin=\"" + line(region.begin) + "\" end=\"" + line(region.end) + "\">\n";
    element("name", region.name);
    element("mangled_name", region.mangled.empty() ? region.name : region.mangled);
    element("paradigm", region.paradigm.empty() ? "unknown" : region.paradigm);
    element("role", region.role.empty() ? "unknown" : region.role);
    element("url", "");
    element("descr", "");
    out_ += "</region>\n";
  }

  void cnode(std::size_t id, std::size_t region) {
    out_ +=
        "<cnode id=\"" + std::to_string(id) + "\" calleeId=\"" + std::to_string(region) + "\">\n";
  }

  void program() {
    const bool root = has_artificial_root(d_);
    out_ += "<program>\n";
    for (std::size_t i = 0; i < d_.regions.size(); ++i) region(i, d_.regions[i]);
    if (root) {
      region(d_.regions.size(), {kRootRegion, kRootRegion, "", "measurement", "artificial"});
      cnode(d_.call_paths.size(), d_.regions.size());
    }
    walk(
        order_of(d_.call_paths), [&](std::uint32_t id) { cnode(id, d_.call_paths[id].region); },
        [&] { out_ += "</cnode>\n"; });
    if (root) out_ += "</cnode>\n";
    out_ += "</program>\n";
  }

  void location(std::uint32_t id) {
    const auto& location = d_.locations[id];
    out_ += "<location Id=\"" + std::to_string(id) + "\">\n";
    element("name", location.name);
    out_ += "<rank>" + std::to_string(location.thread) + "</rank>\n<type>thread</type>\n";
    out_ += "</location>\n";
  }

  void system() {
    std::vector<std::vector<std::uint32_t>> processes(d_.system.size()),
        locations(d_.processes.size());
    for (std::uint32_t i = 0; i < d_.processes.size(); ++i) {
      processes[d_.processes[i].node].push_back(i);
    }
    for (std::uint32_t i = 0; i < d_.locations.size(); ++i) {
      locations[d_.locations[i].process].push_back(i);
    }
    // Nodes and location groups are numbered in the order of the file; ids of locations are
    // columns.
    std::size_t nodes = 0, groups = 0;
    const auto open = [&](const std::string& name, const std::string& class_name) {
      out_ += "<systemtreenode Id=\"" + std::to_string(nodes++) + "\">\n";
      element("name", name);
      element("class", class_name);
    };
    out_ += "<system>\n";
    const bool root = needs_root(d_.system);
    if (root) open(kRootSystem, kRootSystem);
    walk(
        order_of(d_.system),
        [&](std::uint32_t node) {
          open(d_.system[node].name, d_.system[node].class_name);
          for (const auto process : processes[node]) {
            if (locations[process].empty()) continue;
            out_ += "<locationgroup Id=\"" + std::to_string(groups++) + "\">\n";
            element("name", d_.processes[process].name);
            out_ += "<rank>" + std::to_string(d_.processes[process].rank) +
                    "</rank>\n<type>process</type>\n";
            for (const auto id : locations[process]) location(id);
            out_ += "</locationgroup>\n";
          }
        },
        [&] { out_ += "</systemtreenode>\n"; });
    if (root) out_ += "</systemtreenode>\n";
    out_ += "</system>\n";
  }

  const Definitions& d_;
  std::span<const std::string> units_;
  const std::map<std::uint32_t, StoredMetric>& special_;
  std::string out_;
};

}  // namespace

std::string anchor_xml(const Definitions& definitions, std::span<const std::string> units,
                       const std::map<std::uint32_t, StoredMetric>& special) {
  return AnchorWriter(definitions, units, special).write();
}

bool has_artificial_root(const Definitions& definitions) {
  return needs_root(definitions.call_paths);
}

std::vector<std::uint32_t> call_paths_in_row_order(const Definitions& definitions) {
  return order_of(definitions.call_paths).deep();
}

}  // namespace latecomer::report
