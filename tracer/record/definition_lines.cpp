// SPDX-License-Identifier: BSD-3-Clause
// Formats definitions as lines. Fields are separated by tabs; tab, newline and backslash are
// escaped.
#include "tracer/record/definition_lines.hpp"

#include <array>
#include <charconv>
#include <cstdio>

namespace latecomer::record {
namespace {

// "keyword" \t field \t field ... \n
class Line {
 public:
  explicit Line(const char* keyword) : text_(keyword) {}

  Line& add(std::string_view field) {
    text_ += '\t';
    for (const char c : field) {
      switch (c) {
        case '\t':
          text_ += "\\t";
          break;
        case '\n':
          text_ += "\\n";
          break;
        case '\\':
          text_ += "\\\\";
          break;
        case '\0':
          break;
        default:
          text_ += c;
      }
    }
    return *this;
  }
  Line& add(std::int64_t number) { return add(std::string_view(std::to_string(number))); }
  Line& add(std::uint64_t number) { return add(std::string_view(std::to_string(number))); }
  Line& add(std::uint32_t number) { return add(std::uint64_t{number}); }
  Line& add(std::int32_t number) { return add(std::int64_t{number}); }
  // Written in hexadecimal: exact to the last bit and independent of the program's locale.
  Line& add(double number) {
    std::array<char, 40> buffer;
    const auto [end, error] =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::hex);
    return add("0x" + std::string(buffer.data(), end));
  }

  std::string end() { return std::move(text_) + '\n'; }

 private:
  std::string text_;
};

std::string joined(const std::vector<std::uint32_t>& ranks) {
  std::string text;
  for (const std::uint32_t rank : ranks) {
    if (!text.empty()) text += ',';
    text += std::to_string(rank);
  }
  return text;
}

}  // namespace

std::string to_line(const ProcessDefinition& d) {
  return Line("process").add(d.rank).add(d.size).add(d.thread_level).end();
}

std::string to_line(const NodeDefinition& d) {
  return Line("node").add(d.identity).add(d.host).end();
}

std::string to_line(const MetahostDefinition& d) {
  return Line("metahost").add(d.id).add(d.name).end();
}

std::string to_line(const ProgramDefinition& d) {
  Line line("program");
  line.add(d.path);
  for (const std::string& argument : d.arguments) line.add(argument);
  return line.end();
}

std::string to_line(const ClockDefinition& d) {
  return Line("clock")
      .add(d.timer)
      .add(d.base_ticks)
      .add(d.base_nanoseconds)
      .add(d.nanoseconds_per_tick)
      .add(d.leader)
      .add(std::string_view(d.emulation == nullptr ? "-" : sync::to_text(d.emulation->spec())))
      .end();
}

std::string to_line(const ThreadDefinition& d) {
  return Line("thread").add(d.number).add(d.name).end();
}

std::string to_line(const AffinityDefinition& d) {
  return Line("affinity").add(d.thread).add(d.cores).end();
}

std::string to_line(const LocationDefinition& d) {
  const auto kind = static_cast<std::uint32_t>(d.kind);
  return Line("location").add(d.number).add(kind).add(d.name).add(d.device).end();
}

std::string to_line(const RegionDefinition& d) {
  return Line("region")
      .add(d.id)
      .add(d.paradigm)
      .add(d.role)
      .add(d.name)
      .add(d.mangled)
      .add(d.file)
      .add(d.first_line)
      .add(d.last_line)
      .end();
}

std::string to_line(const ModuleDefinition& d) {
  return Line("module").add(d.id).add(d.path).add(d.build_id).end();
}

std::string to_line(const AddressDefinition& d) {
  return Line("address").add(d.region).add(d.module).add(d.offset).end();
}

std::string to_line(const ConstructDefinition& d) {
  Line line("construct");
  line.add(d.region).add(d.role).add(d.name).add(d.module).add(d.place);
  return line.add(d.paradigm).end();
}

std::string to_line(const FrameDefinition& d) {
  return Line("frame")
      .add(d.id)
      .add(d.parent)
      .add(d.module)
      .add(d.place)
      .add(d.function)
      .add(d.is_main ? 1U : 0U)
      .end();
}

std::string to_line(const FrameFunction& d) {
  return Line("framefunction")
      .add(d.frame)
      .add(d.instance)
      .add(d.name)
      .add(d.mangled)
      .add(d.file)
      .add(d.line)
      .add(d.place_file)
      .add(d.place_line)
      .end();
}

std::string to_line(const CommDefinition& d) {
  Line line("comm");
  line.add(d.id).add(d.kind).add(d.owner).add(d.number);
  line.add(d.parent ? std::to_string(*d.parent) : std::string("-"));
  std::string members = joined(d.members);
  if (!d.remote.empty()) members += '|' + joined(d.remote);
  return line.add(members).end();
}

std::string to_line(const CommName& d) { return Line("commname").add(d.id).add(d.name).end(); }

std::string to_line(const NeighborsDefinition& d) {
  return Line("neighbors").add(d.comm).add(joined(d.sources)).end();
}

std::string to_line(const WindowDefinition& d) {
  return Line("window").add(d.id).add(d.comm).add(d.number).end();
}

std::string to_line(const FileDefinition& d) { return Line("file").add(d.id).add(d.name).end(); }

std::string to_line(const FileHandleDefinition& d) {
  Line line("filehandle");
  line.add(d.id).add(d.file).add(d.comm).add(d.number).add(d.mode).add(d.creation).add(d.status);
  return line.end();
}

std::string to_line(const WindowName& d) { return Line("windowname").add(d.id).add(d.name).end(); }

std::string to_line(const GroupDefinition& d) {
  return Line("group").add(d.id).add(joined(d.members)).end();
}

std::string to_line(const sync::Measurement& d) {
  return Line("measured").add(std::string_view(sync::to_text(d))).end();
}

std::string to_line(const Property& d) { return Line("property").add(d.name).add(d.value).end(); }

std::string to_line(const LostDefinition& d) { return Line("lost").add(d.what).add(d.count).end(); }

std::string end_line() { return "end\n"; }

}  // namespace latecomer::record
