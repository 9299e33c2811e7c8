// SPDX-License-Identifier: BSD-3-Clause
// Shows clocks: each has one row in the table, one object in JSON, one line in the drawing.
#include "analyzer/view/summary/clocks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "analyzer/view/text/text.hpp"

namespace latecomer::view {
namespace {

// "0-3,8": ranges of ranks.
std::string ranks_text(const std::vector<std::uint32_t>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (!text.empty()) text += ",";
    text += std::to_string(ranks[i]);
    if (last > i) text += "-" + std::to_string(ranks[last]);
    i = last + 1;
  }
  return cut(text, 20);
}

std::string ppm(double drift) {
  char text[40];
  std::snprintf(text, sizeof text, "%+.3f ppm", drift * 1e6);
  return text;
}

double largest_error(const ClockInfo::Clock& clock) {
  double largest = 0;
  for (const auto& p : clock.points) largest = std::max(largest, p.error);
  return largest;
}

// A coordinate of the picture.
std::string number(double value) { return fixed(value, 2); }

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  }
  return out;
}

// Colours that can be distinguished with any kind of colour vision (Okabe and Ito).
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                    "#e69f00", "#56b4e9", "#000000"};

}  // namespace

double ClockInfo::Clock::drift() const {
  if (points.size() < 2 || points.back().at <= points.front().at) return 0;
  return (points.back().offset - points.front().offset) / (points.back().at - points.front().at);
}

std::string clocks_text(const ClockInfo& info) {
  std::string text = info.program + ": " + counted(info.clocks.size(), "clock");
  if (info.scheme.empty()) {
    text += "; the archive does not say how they were measured\n";
  } else if (info.clocks.size() > 1) {
    text += ", measured " + counted(info.moments, "time") + ", scheme " + info.scheme + "\n";
  } else {
    text += "\n";
  }
  Table table("lllrrrr");
  table.add({"ranks", "node", "metahost", "first offset", "last offset", "drift", "error at most"});
  for (const auto& c : info.clocks) {
    std::vector<std::string> row = {ranks_text(c.ranks), cut(c.node, 20), cut(c.metahost, 20)};
    if (c.points.empty()) {
      row.push_back(c.leader == 0 ? "reference" : "not measured");
    } else {
      row.push_back(duration_text(c.points.front().offset));
      row.push_back(duration_text(c.points.back().offset));
      row.push_back(c.points.size() > 1 ? ppm(c.drift()) : "unknown");
      const bool known = c.points.front().error >= 0;
      row.push_back(known ? duration_text(largest_error(c)) : "unknown");
    }
    row.resize(7);
    table.add(row);
  }
  text += "\n" + table.text();
  if (!info.latencies.empty()) text += "\nshortest latency measured\n";
  for (const auto& l : info.latencies) {
    text += l.a == l.b ? "  inside " + l.a : "  between " + l.a + " and " + l.b;
    text += ": " + duration_text(l.minimum) + "\n";
  }
  return text;
}

nlohmann::ordered_json clocks_json(const ClockInfo& info) {
  using Json = nlohmann::ordered_json;
  Json clocks = Json::array();
  for (const auto& c : info.clocks) {
    Json points = Json::array();
    for (const auto& p : c.points) {
      points.push_back({{"at", p.at}, {"offset", p.offset}});
      if (p.error >= 0) points.back()["error"] = p.error;
    }
    clocks.push_back({{"leader", c.leader},
                      {"ranks", c.ranks},
                      {"node", c.node},
                      {"metahost", c.metahost},
                      {"drift", c.drift()},
                      {"points", points}});
  }
  Json latencies = Json::array();
  for (const auto& l : info.latencies) {
    latencies.push_back({{"between", Json::array({l.a, l.b})}, {"minimum", l.minimum}});
  }
  return {{"schema_version", 1},     {"program", info.program}, {"scheme", info.scheme},
          {"moments", info.moments}, {"clocks", clocks},        {"latencies", latencies}};
}

Result<std::string> clocks_svg(const ClockInfo& info) {
  if (std::ranges::none_of(info.clocks, [](const auto& c) { return c.points.size() > 1; })) {
    const bool one = info.clocks.size() == 1;
    return Problem{std::string(one ? "there is only one clock" : "no clock was measured twice") +
                       ": there is no change of offsets to draw",
                   "latecomer clocks without --svg shows what is known"};
  }
  constexpr double kWidth = 720, kHeight = 360, kLeft = 90, kRight = 170, kTop = 40, kBottom = 50;
  // The range of the drawing: changes of offsets with their error bars.
  double end = 0, low = 0, high = 0;
  for (const auto& c : info.clocks) {
    for (const auto& p : c.points) {
      const double change = p.offset - c.points.front().offset;
      end = std::max(end, p.at);
      const double error = std::max(0.0, p.error);
      low = std::min(low, change - error);
      high = std::max(high, change + error);
    }
  }
  if (end <= 0) end = 1;
  if (high <= low) high = low + 1e-9;
  const auto x = [&](double t) { return kLeft + (kWidth - kLeft - kRight) * t / end; };
  const auto y = [&](double v) {
    return kTop + (kHeight - kTop - kBottom) * (high - v) / (high - low);
  };
  const auto line = [&](double x1, double y1, double x2, double y2, const std::string& style) {
    return "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) +
           "\" y2=\"" + number(y2) + "\" style=\"" + style + "\"/>\n";
  };
  const auto label = [&](double at_x, double at_y, const char* anchor, const std::string& text) {
    return "<text x=\"" + number(at_x) + "\" y=\"" + number(at_y) + "\" text-anchor=\"" + anchor +
           "\">" + escaped(text) + "</text>\n";
  };
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(kWidth) +
                    " " + number(kHeight) +
                    "\" font-family=\"sans-serif\" font-size=\"12\">\n"
                    "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" +
                    label(kLeft, 20, "start",
                          info.program + ": change of clock offsets since the first measurement");
  svg += line(kLeft, kTop, kLeft, kHeight - kBottom, "stroke:#444");
  svg += line(kLeft, y(0), kWidth - kRight, y(0), "stroke:#bbb");
  for (const double v : {low, 0.0, high}) {
    svg += label(kLeft - 6, y(v) + 4, "end", duration_text(v));
  }
  for (const double t : {0.0, end / 2, end}) {
    svg += label(x(t), kHeight - kBottom + 18, "middle", duration_text(t));
  }
  svg += label((kLeft + kWidth - kRight) / 2, kHeight - 12, "middle", "time of the clock");
  // A line per clock, with error bars and an entry in the legend, as long as there is room.
  std::size_t number_of_line = 0;
  for (const auto& c : info.clocks) {
    if (c.points.empty()) continue;
    const std::string colour = kColours[number_of_line % std::size(kColours)];
    std::string path;
    for (const auto& p : c.points) {
      const double change = p.offset - c.points.front().offset;
      path += (path.empty() ? "M" : " L") + number(x(p.at)) + " " + number(y(change));
      const double error = std::max(0.0, p.error);
      svg += line(x(p.at), y(change - error), x(p.at), y(change + error), "stroke:" + colour);
    }
    svg += "<path d=\"" + path + "\" style=\"fill:none;stroke:" + colour + ";stroke-width:2\"/>\n";
    const double row = kTop + 16 * static_cast<double>(number_of_line);
    if (row < kHeight - kBottom) {
      svg += line(kWidth - kRight + 10, row, kWidth - kRight + 30, row,
                  "stroke-width:2;stroke:" + colour);
      svg += label(kWidth - kRight + 36, row + 4, "start", cut(c.node + ", " + ppm(c.drift()), 24));
    }
    ++number_of_line;
  }
  return svg + "</svg>\n";
}

}  // namespace latecomer::view
