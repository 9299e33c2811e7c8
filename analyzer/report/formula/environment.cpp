// SPDX-License-Identifier: BSD-3-Clause
// Gives formulas access to the definitions of a report, which are not copied, and to variables.
#include "analyzer/report/formula/environment.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace latecomer::report::formula {
namespace {

// The columns of the tables. The order matters: Tables::size() and get() compare with the last
// column of each table.
enum class Column : std::uint8_t {
  kRegionName,
  kRegionMangled,
  kRegionParadigm,
  kRegionRole,
  kRegionFile,
  kRegionDescription,
  kRegionUrl,
  kRegionBegin,
  kRegionEnd,
  kCallPathRegion,
  kCallPathParent,
  kCallPathFile,
  kCallPathLine,
  kCallPathChildren,
  kLocationName,
  kLocationRank,
  kLocationType,
  kLocationOff,
  kGroupName,
  kGroupRank,
  kGroupType,
  kGroupOff,
  kNodeName,
  kNodeClass,
  kNodeDescription,
  kMetrics,
  kRegions,
  kCallPaths,
  kLocations,
  kGroups,
  kNodes,
};

const std::map<std::string, std::uint32_t>& columns() {
  // Never destroyed, so other static objects may use it until the end.
  static const auto* names = [] {
    auto* map = new std::map<std::string, std::uint32_t>;
    const auto add = [&](const char* name, Column column) {
      map->emplace(name, static_cast<std::uint32_t>(column));
    };
    add("cube::region::name", Column::kRegionName);
    add("cube::region::mangled::name", Column::kRegionMangled);
    add("cube::region::paradigm", Column::kRegionParadigm);
    add("cube::region::role", Column::kRegionRole);
    add("cube::region::mod", Column::kRegionFile);
    add("cube::region::description", Column::kRegionDescription);
    add("cube::region::url", Column::kRegionUrl);
    add("cube::region::begin::line", Column::kRegionBegin);
    add("cube::region::end::line", Column::kRegionEnd);
    add("cube::callpath::calleeid", Column::kCallPathRegion);
    add("cube::callpath::parent::id", Column::kCallPathParent);
    add("cube::callpath::mod", Column::kCallPathFile);
    add("cube::callpath::line", Column::kCallPathLine);
    add("cube::callpath::#children", Column::kCallPathChildren);
    add("cube::location::name", Column::kLocationName);
    add("cube::location::rank", Column::kLocationRank);
    add("cube::location::type", Column::kLocationType);
    add("cube::location::void", Column::kLocationOff);
    add("cube::locationgroup::name", Column::kGroupName);
    add("cube::locationgroup::rank", Column::kGroupRank);
    add("cube::locationgroup::type", Column::kGroupType);
    add("cube::locationgroup::void", Column::kGroupOff);
    add("cube::stn::name", Column::kNodeName);
    add("cube::stn::class", Column::kNodeClass);
    add("cube::stn::description", Column::kNodeDescription);
    add("cube::#metrics", Column::kMetrics);
    add("cube::#regions", Column::kRegions);
    add("cube::#callpaths", Column::kCallPaths);
    add("cube::#locations", Column::kLocations);
    add("cube::#locationgroups", Column::kGroups);
    add("cube::#stns", Column::kNodes);
    return map;
  }();
  return *names;
}

constexpr std::array<std::pair<const char*, Calculation>, 6> kCalculations = {
    {{"calculation::callpath::id", Calculation::kCallPath},
     {"calculation::callpath::state", Calculation::kCallPathState},
     {"calculation::region::id", Calculation::kRegion},
     {"calculation::metric::id", Calculation::kMetric},
     {"calculation::sysres::id", Calculation::kPlace},
     {"calculation::sysres::kind", Calculation::kPlaceKind}}};

// Index by id, in vectors: ids that are far from dense cannot be looked up.
std::vector<std::uint32_t> by_id(const std::vector<std::uint64_t>& ids) {
  std::vector<std::uint32_t> index;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= 4 * ids.size() + 1000) continue;
    if (ids[i] >= index.size()) index.resize(ids[i] + 1, kNone);
    index[ids[i]] = static_cast<std::uint32_t>(i);
  }
  return index;
}

std::uint32_t at(const std::vector<std::uint32_t>& index, double id) {
  // The comparison is negated so that NaN is refused, too.
  if (!(id >= 0) || id >= static_cast<double>(index.size())) return kNone;
  return index[static_cast<std::size_t>(id)];
}

double number(std::uint64_t id) { return static_cast<double>(id); }

}  // namespace

double number_of(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string text_of(double number) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

Value Variable::get(std::size_t index) const {
  if (!rows.empty()) {
    if (const auto row = rows.find(index); row != rows.end()) return row->second;
  }
  if (!texts.empty()) {
    if (const auto text = texts.find(index); text != texts.end()) return text->second;
  }
  return index < numbers.size() ? numbers[index] : 0.0;
}

// The room of texts and rows is counted in numbers: 16 for the entry in the map, plus their size.
std::ptrdiff_t Variable::set(std::size_t index, Value value) {
  const auto room_of = [](const auto& elements, std::size_t per_number) {
    return static_cast<std::ptrdiff_t>(16 + elements.size() / per_number);
  };
  defined = true;
  std::ptrdiff_t more = 0;
  if (index >= numbers.size()) {
    more = static_cast<std::ptrdiff_t>(index + 1 - numbers.size());
    numbers.resize(index + 1);
  }
  if (const auto text = texts.find(index); text != texts.end()) {
    more -= room_of(text->second, 8);
    texts.erase(text);
  }
  if (const auto row = rows.find(index); row != rows.end()) {
    more -= room_of(row->second, 1);
    rows.erase(row);
  }
  numbers[index] = value.kind == Value::Kind::kNumber ? value.number : 0;
  if (value.kind == Value::Kind::kText) {
    more += room_of(value.text, 8);
    texts[index] = std::move(value.text);
  } else if (value.kind == Value::Kind::kRow) {
    more += room_of(value.row, 1);
    rows[index] = std::move(value.row);
  }
  return more;
}

Tables::Tables(const Anchor& anchor)
    : anchor_(anchor),
      call_paths_(by_id(anchor.call_path_ids)),
      regions_(by_id(anchor.region_ids)),
      children_(anchor.definitions.call_paths.size()) {
  for (const auto& path : anchor.definitions.call_paths) {
    if (path.parent != kNone) ++children_[path.parent];
  }
}

std::uint32_t Tables::call_path(double id) const { return at(call_paths_, id); }
std::uint32_t Tables::region(double id) const { return at(regions_, id); }

const std::uint32_t* Tables::find(const std::string& name) {
  const auto found = columns().find(name);
  return found == columns().end() ? nullptr : &found->second;
}

std::size_t Tables::size(std::uint32_t table) const {
  const auto& d = anchor_.definitions;
  const auto column = static_cast<Column>(table);
  if (column <= Column::kRegionEnd) return regions_.size();
  if (column <= Column::kCallPathChildren) return call_paths_.size();
  if (column <= Column::kLocationOff) return d.locations.size();
  if (column <= Column::kGroupOff) return d.processes.size();
  if (column <= Column::kNodeDescription) return d.system.size();
  return 1;
}

Value Tables::get(std::uint32_t table, double id) const {
  const auto& d = anchor_.definitions;
  const auto column = static_cast<Column>(table);
  // Counts have no id.
  switch (column) {
    case Column::kMetrics:
      return number(d.metrics.size());
    case Column::kRegions:
      return number(d.regions.size());
    case Column::kCallPaths:
      return number(d.call_paths.size());
    case Column::kLocations:
      return number(d.locations.size());
    case Column::kGroups:
      return number(d.processes.size());
    case Column::kNodes:
      return number(d.system.size());
    default:
      break;
  }
  if (!(id >= 0) || id >= number(size(table))) return std::string();
  const auto i = static_cast<std::size_t>(id);
  if (column <= Column::kRegionEnd) {
    const auto r = regions_[i];
    if (r == kNone) return std::string();
    const auto& region = d.regions[r];
    switch (column) {
      case Column::kRegionName:
        return region.name;
      case Column::kRegionMangled:
        return region.mangled.empty() ? region.name : region.mangled;
      case Column::kRegionParadigm:
        return region.paradigm;
      case Column::kRegionRole:
        return region.role;
      case Column::kRegionFile:
        return region.file;
      case Column::kRegionDescription:
        return r < anchor_.region_notes.size() ? anchor_.region_notes[r].description : "";
      case Column::kRegionUrl:
        return r < anchor_.region_notes.size() ? anchor_.region_notes[r].url : "";
      case Column::kRegionBegin:
        return static_cast<double>(region.begin);
      default:
        return static_cast<double>(region.end);
    }
  }
  if (column <= Column::kCallPathChildren) {
    const auto c = call_paths_[i];
    if (c == kNone) return std::string();
    const auto& path = d.call_paths[c];
    switch (column) {
      case Column::kCallPathRegion:
        return number(anchor_.region_ids[path.region]);
      case Column::kCallPathParent:
        return path.parent == kNone ? -1.0 : number(anchor_.call_path_ids[path.parent]);
      case Column::kCallPathFile:
        return c < anchor_.call_sites.size() ? anchor_.call_sites[c].file : "";
      case Column::kCallPathLine:
        return c < anchor_.call_sites.size() ? static_cast<double>(anchor_.call_sites[c].line)
                                             : -1.0;
      default:
        return number(children_[c]);
    }
  }
  switch (column) {
    case Column::kLocationName:
      return d.locations[i].name;
    case Column::kLocationRank:
      return number(d.locations[i].thread);
    case Column::kLocationType:
      return std::string("thread");
    case Column::kGroupName:
      return d.processes[i].name;
    case Column::kGroupRank:
      return number(d.processes[i].rank);
    case Column::kGroupType:
      return std::string("process");
    case Column::kNodeName:
      return d.system[i].name;
    case Column::kNodeClass:
      return d.system[i].class_name;
    case Column::kNodeDescription:
      return std::string();
    default:
      return 0.0;  // kLocationOff, kGroupOff: nothing is switched off
  }
}

void Environment::declare(const Program& program) {
  for (const auto& name : program.globals) globals_.try_emplace(name);
}

// Resolves each name of a program: a table, a calculation, a global or a local variable.
std::vector<Binding> Environment::bind(const Program& program) {
  std::vector<Binding> bindings;
  for (std::uint32_t i = 0; i < program.names.size(); ++i) {
    const auto& name = program.names[i];
    const auto* calculation = std::find_if(kCalculations.begin(), kCalculations.end(),
                                           [&](const auto& known) { return name == known.first; });
    if (const auto* table = Tables::find(name)) {
      bindings.emplace_back(Table{*table});
    } else if (calculation != kCalculations.end()) {
      bindings.emplace_back(calculation->second);
    } else if (name.starts_with("calculation::")) {
      bindings.emplace_back(Nothing{});
    } else if (name.starts_with("cube::")) {
      throw Stop{"the variable " + name + " is not known"};
    } else if (const auto global = globals_.find(name);
               global != globals_.end() && !program.locals.contains(name)) {
      bindings.emplace_back(&global->second);
    } else {
      bindings.emplace_back(Local{i});
    }
  }
  return bindings;
}

void Environment::stop(std::uint32_t at) {
  // No step is left for the formulas that use this one, either.
  left_ = 0;
  throw Stop{"it takes too many steps", at, true};
}

}  // namespace latecomer::report::formula
