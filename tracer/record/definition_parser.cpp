// SPDX-License-Identifier: BSD-3-Clause
// Parses the lines of a definition log into structures.
#include <charconv>

#include "tracer/record/definition_lines.hpp"

namespace latecomer::record {
namespace {

// Takes the fields of one line one by one. After any failure ok() is false.
class Fields {
 public:
  explicit Fields(std::string_view line) : rest_(line) {}

  // The next field, without its escapes.
  std::string text() {
    std::string value;
    if (ended_) ok_ = false;
    while (!ended_) {
      if (rest_.empty()) {
        ended_ = true;
        break;
      }
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '\t') break;
      if (c != '\\') {
        value += c;
      } else {
        value += escaped();
      }
    }
    return value;
  }

  template <typename Integer>
  Integer number() {
    return to_number<Integer>(text());
  }

  // Nanoseconds per tick, a C hex float: more than 0 and at most a second.
  double tick() {
    constexpr double kMost = 1e9;
    const std::string field = text();
    const bool is_hex = field.starts_with("0x");
    const char* const stop = field.data() + field.size();
    double value = 0;
    const auto [end, error] =
        std::from_chars(field.data() + (is_hex ? 2 : 0), stop, value, std::chars_format::hex);
    if (!is_hex || error != std::errc() || end != stop || !(value > 0 && value <= kMost))
      ok_ = false;
    return value;
  }

  // Numbers separated by commas.
  std::vector<std::uint32_t> ranks(std::string_view list) {
    std::vector<std::uint32_t> found;
    while (!list.empty()) {
      const auto comma = list.find(',');
      found.push_back(to_number<std::uint32_t>(list.substr(0, comma)));
      list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
    }
    return found;
  }

  template <typename Integer>
  Integer to_number(std::string_view field) {
    Integer value{};
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc() || end != field.data() + field.size()) ok_ = false;
    return value;
  }

  void fail() { ok_ = false; }

  [[nodiscard]] bool more() const { return !ended_; }
  [[nodiscard]] bool ok() const { return ok_; }

 private:
  char escaped() {
    const char c = rest_.empty() ? '\0' : rest_.front();
    if (!rest_.empty()) rest_.remove_prefix(1);
    if (c == 't') return '\t';
    if (c == 'n') return '\n';
    if (c != '\\') ok_ = false;
    return '\\';
  }

  std::string_view rest_;
  bool ended_ = false;
  bool ok_ = true;
};

CommDefinition comm(Fields& f) {
  CommDefinition d;
  d.id = f.number<std::uint32_t>();
  d.kind = f.text();
  d.owner = f.number<std::uint32_t>();
  d.number = f.number<std::uint32_t>();
  if (const std::string parent = f.text(); parent != "-") {
    d.parent = f.to_number<std::uint32_t>(parent);
  }
  const std::string members = f.text();
  const auto side = members.find('|');
  d.members = f.ranks(std::string_view(members).substr(0, side));
  if (side != std::string::npos) d.remote = f.ranks(std::string_view(members).substr(side + 1));
  return d;
}

std::shared_ptr<const sync::ClockModel> emulation(Fields& f) {
  const std::string text = f.text();
  if (text == "-") return nullptr;
  const auto spec = sync::parse_clock(text);
  if (!spec) f.fail();
  return spec ? std::make_shared<const sync::ClockModel>(*spec) : nullptr;
}

// Keeps the last count of each kind of loss.
void count(std::vector<LostDefinition>& losses, const LostDefinition& d) {
  for (LostDefinition& known : losses) {
    if (known.what == d.what) {
      known.count = d.count;
      return;
    }
  }
  losses.push_back(d);
}

// Parses one line; false: it is unknown or has a wrong field. The language evaluates the members of
// a braced initializer in their order, so the calls below take the fields in theirs.
bool parse_line(std::string_view line, Definitions& all) {
  using U32 = std::uint32_t;
  using I64 = std::int64_t;
  Fields f(line);
  const std::string keyword = f.text();
  const auto keep = [&f](auto& where, auto&& value) {
    if (f.ok()) where = value;
    return f.ok();
  };
  const auto append = [&f](auto& where, auto&& value) {
    if (f.ok()) where.push_back(value);
    return f.ok();
  };
  if (keyword == "process") {
    return keep(all.process,
                ProcessDefinition{f.number<U32>(), f.number<U32>(), f.number<std::int32_t>()});
  }
  if (keyword == "node") return keep(all.node, NodeDefinition{f.text(), f.text()});
  if (keyword == "metahost") {
    return keep(all.metahost, MetahostDefinition{f.number<I64>(), f.text()});
  }
  if (keyword == "program") {
    ProgramDefinition d{f.text(), {}};
    while (f.more()) d.arguments.push_back(f.text());
    return keep(all.program, d);
  }
  if (keyword == "clock") {
    return keep(all.clock, ClockDefinition{f.text(), f.number<std::uint64_t>(), f.number<I64>(),
                                           f.tick(), f.number<U32>(), emulation(f)});
  }
  if (keyword == "thread") return append(all.threads, ThreadDefinition{f.number<U32>(), f.text()});
  if (keyword == "affinity")
    return append(all.affinities, AffinityDefinition{f.number<U32>(), f.text()});
  if (keyword == "location") {
    LocationDefinition d{f.number<U32>(), static_cast<LocationKind>(f.number<U32>()), f.text(),
                         f.text()};
    if (d.kind >= LocationKind::kCount) f.fail();
    return append(all.locations, d);
  }
  if (keyword == "region") {
    return append(all.regions,
                  RegionDefinition{f.number<U32>(), f.text(), f.text(), f.text(), f.text(),
                                   f.text(), f.number<U32>(), f.number<U32>()});
  }
  if (keyword == "module") {
    return append(all.modules, ModuleDefinition{f.number<U32>(), f.text(), f.text()});
  }
  if (keyword == "address") {
    return append(all.addresses,
                  AddressDefinition{f.number<U32>(), f.number<U32>(), f.number<std::uint64_t>()});
  }
  if (keyword == "construct") {
    return append(all.constructs,
                  ConstructDefinition{f.number<U32>(), f.text(), f.text(), f.number<U32>(),
                                      f.number<std::uint64_t>(), f.text()});
  }
  if (keyword == "frame") {
    return append(all.frames, FrameDefinition{f.number<U32>(), f.number<U32>(), f.number<U32>(),
                                              f.number<std::uint64_t>(), f.number<std::uint64_t>(),
                                              f.number<U32>() != 0});
  }
  if (keyword == "framefunction") {
    return append(all.frame_functions,
                  FrameFunction{f.number<U32>(), f.number<U32>(), f.text(), f.text(), f.text(),
                                f.number<U32>(), f.text(), f.number<U32>()});
  }
  if (keyword == "comm") return append(all.comms, comm(f));
  if (keyword == "commname") return append(all.comm_names, CommName{f.number<U32>(), f.text()});
  if (keyword == "neighbors") {
    NeighborsDefinition d{f.number<U32>(), {}};
    d.sources = f.ranks(f.text());
    return append(all.neighbors, d);
  }
  if (keyword == "window") {
    return append(all.windows, WindowDefinition{f.number<U32>(), f.number<U32>(), f.number<U32>()});
  }
  if (keyword == "file") {
    return append(all.files, FileDefinition{f.number<U32>(), f.text()});
  }
  if (keyword == "filehandle") {
    return append(
        all.file_handles,
        FileHandleDefinition{f.number<U32>(), f.number<U32>(), f.number<U32>(), f.number<U32>(),
                             f.number<U32>(), f.number<U32>(), f.number<U32>()});
  }
  if (keyword == "windowname") {
    return append(all.window_names, WindowName{f.number<U32>(), f.text()});
  }
  if (keyword == "group") {
    GroupDefinition d{f.number<U32>(), {}};
    d.members = f.ranks(f.text());
    return append(all.groups, d);
  }
  if (keyword == "measured") {
    const auto found = sync::parse_measurement(f.text());
    return found.has_value() && append(all.measurements, *found);
  }
  if (keyword == "property") return append(all.properties, Property{f.text(), f.text()});
  if (keyword == "lost") {
    const LostDefinition d{f.text(), f.number<std::uint64_t>()};
    if (f.ok()) count(all.losses, d);
    return f.ok();
  }
  if (keyword == "end") return all.complete = true;
  return false;
}

}  // namespace

Definitions parse_definitions(std::string_view text) {
  Definitions all;
  text = text.substr(0, text.find('\0'));
  std::size_t number = 0;
  for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    const std::string_view line = text.substr(0, end);
    ++number;
    if (!parse_line(line, all)) all.bad_lines.push_back({number, std::string(line)});
    text.remove_prefix(end + 1);
  }
  return all;
}

}  // namespace latecomer::record
