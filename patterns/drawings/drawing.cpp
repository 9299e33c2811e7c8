// SPDX-License-Identifier: BSD-3-Clause
// Renders drawings as SVG and as text.
#include "patterns/drawings/drawing.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace latecomer::patterns {
namespace {

// Left margin, width of the picture, height of a lane, height of a bar.
constexpr int kLeft = 80, kWidth = 420, kLane = 34, kBar = 24;

struct Style {
  const char* name;
  const char* fill;
  const char* text;
};
constexpr std::array<Style, 4> kStyles = {{{"work", "#cfd8e3", "#1d2733"},
                                           {"call", "#4a78b0", "#ffffff"},
                                           {"wait", "url(#hatch)", "#1d2733"},
                                           {"cause", "#e8a33d", "#1d2733"}}};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

using Attributes = std::initializer_list<std::pair<const char*, std::string>>;

// "<name a="b"/>", or, with a text, "<name a="b">text</name>".
std::string element(const char* name, const Attributes& attributes, std::string_view text = {}) {
  std::string out = std::string("<") + name;
  for (const auto& [key, value] : attributes) out += std::string(" ") + key + "=\"" + value + "\"";
  if (text.empty()) return out + "/>\n";
  return out + ">" + escaped(text) + "</" + name + ">\n";
}

// Position of a time from 0 to 100.
int x_of(int time) { return kLeft + (kWidth - kLeft - 8) * time / 100; }

}  // namespace

std::string svg(const Drawing& drawing) {
  using std::to_string;
  const int top = drawing.marks.empty() ? 4 : 20;
  const auto y_of = [&](int lane) { return top + lane * kLane; };
  const int lanes = static_cast<int>(drawing.lanes.size()), height = y_of(lanes) + 18;
  std::string alternative = "Time line";
  for (const auto& bar : drawing.bars) {
    if (!bar.text.empty()) {
      alternative += ", " + drawing.lanes[static_cast<std::size_t>(bar.lane)] + ": " + bar.text;
    }
  }
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"drawing\" viewBox=\"0 0 " +
                    to_string(kWidth) + " " + to_string(height) + "\" width=\"" +
                    to_string(kWidth) +
                    "\" font-family=\"sans-serif\" font-size=\"12\" role=\"img\" aria-label=\"" +
                    escaped(alternative) + "\">\n";
  out +=
      "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate(45)\"><rect class=\"wait-back\" width=\"6\" height=\"6\" "
      "fill=\"#f3c4c2\"/><line class=\"wait-line\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"6\" "
      "stroke=\"#d9534f\" stroke-width=\"3\"/></pattern><marker id=\"tip\" viewBox=\"0 0 8 8\" "
      "refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path "
      "class=\"tip\" "
      "d=\"M0 0 L8 4 L0 8 Z\" fill=\"#777\"/></marker></defs>\n";
  for (int lane = 0; lane < lanes; ++lane) {
    out += element("text",
                   {{"class", "lane"},
                    {"x", to_string(kLeft - 8)},
                    {"y", to_string(y_of(lane) + 17)},
                    {"text-anchor", "end"},
                    {"fill", "#777"}},
                   drawing.lanes[static_cast<std::size_t>(lane)]);
  }
  for (const auto& bar : drawing.bars) {
    const auto& style = kStyles[static_cast<std::size_t>(bar.kind)];
    out += element("rect", {{"class", style.name},
                            {"x", to_string(x_of(bar.from))},
                            {"y", to_string(y_of(bar.lane) + 2)},
                            {"width", to_string(x_of(bar.to) - x_of(bar.from))},
                            {"height", to_string(kBar - 2)},
                            {"fill", style.fill}});
    if (bar.text.empty()) continue;
    out += element("text",
                   {{"class", std::string("on-") + style.name},
                    {"x", to_string((x_of(bar.from) + x_of(bar.to)) / 2)},
                    {"y", to_string(y_of(bar.lane) + 17)},
                    {"text-anchor", "middle"},
                    {"fill", style.text}},
                   bar.text);
  }
  for (const auto& mark : drawing.marks) {
    const auto x = to_string(x_of(mark.time));
    out += element("line", {{"class", "mark"},
                            {"x1", x},
                            {"y1", to_string(top - 6)},
                            {"x2", x},
                            {"y2", to_string(y_of(lanes) - 6)},
                            {"stroke", "#777"},
                            {"stroke-dasharray", "4 3"}});
    // The text goes to the side with more room: to the left of late marks.
    const bool left = mark.time > 50;
    out += element("text",
                   {{"class", "mark-text"},
                    {"x", to_string(x_of(mark.time) + (left ? -4 : 4))},
                    {"y", "12"},
                    {"text-anchor", left ? "end" : "start"},
                    {"fill", "#777"}},
                   mark.text);
  }
  for (const auto& arrow : drawing.arrows) {
    const bool down = arrow.to_lane > arrow.lane;
    out += element("line", {{"class", "arrow"},
                            {"x1", to_string(x_of(arrow.from))},
                            {"y1", to_string(y_of(arrow.lane) + (down ? kBar : 2))},
                            {"x2", to_string(x_of(arrow.to))},
                            {"y2", to_string(y_of(arrow.to_lane) + (down ? 2 : kBar))},
                            {"stroke", "#777"},
                            {"stroke-width", "1.5"},
                            {"marker-end", "url(#tip)"}});
  }
  out += element("text",
                 {{"class", "time"},
                  {"x", to_string(x_of(100))},
                  {"y", to_string(height - 4)},
                  {"text-anchor", "end"},
                  {"fill", "#777"}},
                 "time →");
  return out + "</svg>\n";
}

std::string plain_text(const Drawing& drawing) {
  constexpr std::size_t kColumns = 66;
  constexpr std::array<char, 4> kFill = {'-', '=', '~', '*'};
  constexpr std::array<const char*, 4> kMeaning = {"- computes", "= in the call", "~ lost time",
                                                   "* counts here"};
  const auto column = [](int time) { return static_cast<std::size_t>(time) * kColumns / 100; };
  std::size_t widest = 0;
  for (const auto& lane : drawing.lanes) widest = std::max(widest, lane.size());
  std::string out;
  std::array<bool, 4> used{};
  for (std::size_t lane = 0; lane < drawing.lanes.size(); ++lane) {
    std::string line(kColumns, ' ');
    for (const auto& bar : drawing.bars) {
      if (bar.lane != static_cast<int>(lane)) continue;
      const auto kind = static_cast<std::size_t>(bar.kind);
      const auto from = column(bar.from), size = column(bar.to) - from;
      used[kind] = true;
      std::fill_n(line.begin() + static_cast<std::ptrdiff_t>(from), size, kFill[kind]);
      if (bar.text.empty() || bar.text.size() > size) continue;
      line.replace(from + (size - bar.text.size()) / 2, bar.text.size(), bar.text);
    }
    out += drawing.lanes[lane] + std::string(widest + 2 - drawing.lanes[lane].size(), ' ') + line +
           "\n";
  }
  std::string legend(widest + 2, ' ');
  for (std::size_t kind = 0; kind < used.size(); ++kind) {
    if (used[kind]) legend += std::string(kMeaning[kind]) + "   ";
  }
  return out + legend.substr(0, legend.find_last_not_of(' ') + 1) + "\n";
}

}  // namespace latecomer::patterns
