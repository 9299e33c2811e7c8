// SPDX-License-Identifier: BSD-3-Clause
// Prints changes: first the distribution of the time of all ranks, then single changes, then
// counts.
#include "analyzer/view/difference/changes_table.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analyzer/view/metrics/metric_table.hpp"
#include "analyzer/view/text/call_path_text.hpp"
#include "analyzer/view/text/text.hpp"
#include "archive/printable.hpp"

namespace latecomer::view {
namespace {

constexpr double kWorthALine = 0.0005;  // part of the time of all ranks

std::string with_sign(double value, const std::string& unit, double largest) {
  return (value > 0 ? "+" : "") + value_text(value, unit, largest);
}

// "A: analysis.cubex (./heat 200, 4 ranks, run time 12.50 s)"
std::string head(const char* letter, const Summary& s) {
  std::string text = std::string(letter) + ": " + printable(s.file);
  std::string rest = ", " + counted(s.ranks, "rank");
  if (s.duration > 0) rest += ", run time " + duration_text(s.duration);
  if (s.partial) rest += " (partial result)";
  return text + " (" + cut(s.command, 50) + rest + ")\n";
}

// "gone?" if the report is partial: the value may be missing although the run had it.
std::string relative_in(const Changes& c, const BeforeAfter& pair) {
  const std::string text = relative(pair.before, pair.after);
  const bool doubtful = (text == "gone" && c.after.partial) || (text == "new" && c.before.partial);
  return doubtful ? text + "?" : text;
}

// Relative change of seconds in a table whose largest value is `largest`. If the first value is
// next to nothing, a large factor says nothing and is not shown.
std::string relative_to(const Changes& c, const BeforeAfter& pair, double largest) {
  constexpr double kNothing = 0.0005, kManyTimes = 10;
  const double base = std::abs(pair.before);
  const bool from_nothing =
      base > 0 && base < kNothing * largest && std::abs(pair.change()) > kManyTimes * base;
  return from_nothing ? "-" : relative_in(c, pair);
}

std::string partial_note(const char* letter, const Summary& s, const char* doubt) {
  if (!s.partial) return "";
  return std::string("note: ") + letter + " is partial (" + why_partial(s) + "): " + doubt + "\n";
}

void add_pair(const Changes& c, Table& table, const std::string& name, const BeforeAfter& pair,
              const std::string& unit, double largest) {
  table.add({name, value_text(pair.before, unit, largest), value_text(pair.after, unit, largest),
             with_sign(pair.change(), unit, largest), relative_in(c, pair)});
}

// Run time, and sums over all ranks.
std::string shares(const Changes& c) {
  const auto& a = c.before;
  const auto& b = c.after;
  const double largest = std::max({a.time, b.time, a.duration, b.duration});
  Table table("lrrrr");
  table.add({"Seconds", "A", "B", "change", "%"});
  if (a.duration > 0 && b.duration > 0) {
    add_pair(c, table, "  run time", {a.duration, b.duration}, "sec", largest);
  }
  if (a.knows_time && b.knows_time) {
    add_pair(c, table, "  all ranks", {a.time, b.time}, "sec", largest);
    const bool known = a.knows_computation && b.knows_computation;
    add_pair(c, table, known ? "    computation" : "    outside MPI",
             {a.computation, b.computation}, "sec", largest);
    if (c.computation) {
      for (const auto& [name, display, seconds] : c.computation->not_computing) {
        if (std::max(seconds.before, seconds.after) < kWorthALine * largest) continue;
        table.add({std::string("      ") + display, value_text(seconds.before, "sec", largest),
                   value_text(seconds.after, "sec", largest),
                   with_sign(seconds.change(), "sec", largest), relative_to(c, seconds, largest)});
      }
    }
    add_pair(c, table, "    MPI", {a.mpi, b.mpi}, "sec", largest);
    if (a.knows_waits || b.knows_waits) {
      add_pair(c, table, "      waiting", {a.waiting, b.waiting}, "sec", largest);
    }
    if (a.init_finalize > 0 || b.init_finalize > 0) {
      add_pair(c, table, "      init, finalize", {a.init_finalize, b.init_finalize}, "sec",
               largest);
    }
    if (a.unrecorded > 0 || b.unrecorded > 0) {
      add_pair(c, table, "    not recorded", {a.unrecorded, b.unrecorded}, "sec", largest);
    }
  }
  return table.rows() > 1 ? table.text() + "\n" : "";
}

// "0: 90%, 3: 10%": shares of the ranks in the change, counting those that changed in its
// direction.
std::string ranks_of(const Changes::Change& change, std::size_t most) {
  const bool grew = change.value.change() > 0;
  double whole = 0;
  for (const auto& [rank, value] : change.ranks) whole += (value > 0) == grew ? value : 0;
  std::string text;
  std::size_t shown = 0;
  for (const auto& [rank, value] : change.ranks) {
    if ((value > 0) != grew) continue;
    if (shown == most || std::abs(value) < 0.005 * std::abs(whole)) break;
    text += (shown++ == 0 ? "" : ", ") + std::to_string(rank) + ": " +
            percent(std::abs(value), std::abs(whole), 0) + "%";
  }
  return text;
}

std::string largest_changes(const Changes& c, std::size_t top, const Colours& colours) {
  if (c.changes.empty()) {
    const bool others = std::ranges::any_of(
        c.ratios, [](const auto& ratio) { return ratio.total.differs() || !ratio.places.empty(); });
    return others ? "" : "No value differs.\n";
  }
  // Changes of less than 0.05 % of the largest one, or of the time of all ranks, are not worth a
  // line.
  const auto& first = c.changes.front();
  const double time = first.unit == "sec" ? std::max(c.before.time, c.after.time) : 0;
  const double least = kWorthALine * std::max(std::abs(first.value.change()), time);
  std::vector<const Changes::Change*> listed = {&first};
  for (std::size_t i = 1; i < c.changes.size(); ++i) {
    const auto& change = c.changes[i];
    // Changes in other units cannot be compared with the first one, so all of them are listed.
    const double weight = std::max(std::abs(change.value.change()), std::abs(change.caused));
    if (change.unit != first.unit || weight >= least) listed.push_back(&change);
  }
  const std::size_t shown = std::min(top, listed.size());
  double largest = 0, largest_caused = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& change = *listed[i];
    if (change.unit != first.unit) continue;
    largest = std::max({largest, std::abs(change.value.before), std::abs(change.value.after)});
    largest_caused = std::max(largest_caused, std::abs(change.caused));
  }
  const bool causes = largest_caused > 0.0005 * largest;
  const bool ranks =
      std::any_of(listed.begin(), listed.begin() + static_cast<std::ptrdiff_t>(shown),
                  [](const auto* change) { return !change->ranks.empty(); });
  const std::string program = c.before.program;
  const auto table_of = [&](std::size_t columns, std::size_t ranks_shown) {
    Table table(std::string("llrrrr") + (causes ? "r" : "") + (ranks ? "l" : ""));
    std::vector<std::string> heading = {
        "Largest changes", "call path (by itself)", "A", "B", "change", "%"};
    if (causes) heading.emplace_back("caused");
    if (ranks) heading.emplace_back("ranks");
    table.add(std::move(heading));
    std::vector<std::vector<std::string>> paths;
    for (std::size_t i = 0; i < shown; ++i) {
      auto& names = paths.emplace_back(listed[i]->call_path);
      if (names.size() > 1 && names.front() == program) names.erase(names.begin());
    }
    const auto texts = short_call_paths(paths, std::vector<std::size_t>(shown, columns));
    for (std::size_t i = 0; i < shown; ++i) {
      const auto& change = *listed[i];
      const auto& pair = change.value;
      const bool seconds = change.unit == "sec";
      const double scale =
          seconds ? largest : std::max(std::abs(pair.before), std::abs(pair.after));
      std::vector<std::string> row = {
          "  " + cut(change.display, 24),
          texts[i],
          value_text(pair.before, change.unit, scale),
          value_text(pair.after, change.unit, scale),
          with_sign(pair.change(), change.unit, scale),
          seconds ? relative_to(c, pair, largest) : relative_in(c, pair)};
      if (causes) {
        const bool worth = std::abs(change.caused) > 0.0005 * largest;
        row.push_back(worth ? with_sign(change.caused, "sec", largest) : "");
      }
      if (ranks) row.push_back(ranks_of(change, ranks_shown));
      table.add(std::move(row));
    }
    return table.text();
  };
  // The call path gets the columns that the others leave; if these are too few, fewer ranks are
  // shown.
  constexpr std::size_t kWidest = 70, kLeast = 30;
  std::string text;
  for (std::size_t ranks_shown = 3; ranks_shown > 0; --ranks_shown) {
    for (std::size_t columns = kWidest; columns >= kLeast; --columns) {
      text = table_of(columns, ranks_shown);
      if (widest_line(text) <= text_width()) break;
    }
    if (widest_line(text) <= text_width()) break;
  }
  const auto first_line = text.find('\n');
  text = colours.paint(text.substr(0, first_line), Tone::kHeading) + text.substr(first_line);
  if (shown < c.changes.size()) {
    text += "  and " + counted(c.changes.size() - shown, "smaller one") +
            (shown < listed.size() ? ", see --top\n" : ", see --json\n");
  }
  if (causes) text += "caused: waiting of others that this call path caused, more (+) or less\n";
  return text;
}

// The call path whose delay costs changed most, with its reason in each run.
std::string largest_cause(const Changes& c) {
  if (c.causes.empty()) return "";
  const auto& cause = c.causes.front();
  const double change = cause.seconds.change();
  // Without samples there is hardly anything to say.
  const auto says_why = [](const std::string& how) {
    return !how.empty() && !how.starts_with("by time");
  };
  if ((!says_why(cause.how_before) && !says_why(cause.how_after)) ||
      std::abs(change) < kWorthALine * std::max(c.before.time, c.after.time)) {
    return "";
  }
  auto names = cause.call_path;
  if (names.size() > 1 && names.front() == c.before.program) names.erase(names.begin());
  std::string text = "cause:  " + short_call_path(names, 50) + " made others wait " +
                     duration_text(std::abs(change)) + (change > 0 ? " longer\n" : " less\n");
  const auto add = [&](const char* runs, const std::string& how) {
    if (how.empty()) return;
    const std::string indent =
        std::string(8, ' ') + std::string(std::string_view(runs).size(), ' ');
    text += std::string(8, ' ') + runs + wrapped(how, indent, text_width()).substr(indent.size());
  };
  if (cause.how_before == cause.how_after) {
    add("A, B: ", cause.how_after);
  } else {
    add("A: ", cause.how_before);
    add("B: ", cause.how_after);
  }
  return text;
}

// Metrics that cannot be summed: the values of the whole reports, then those at single call paths.
std::string ratios(const Changes& c, std::size_t top) {
  struct Line {
    const RatioChange* ratio;
    const RatioChange::Place* place;
    double weight;
  };
  std::vector<Line> lines;
  Table table("llrrrr");
  table.add({"Ratios and the like", "call path (with what it calls)", "A", "B", "change", "%"});
  const auto add = [&](const RatioChange& ratio, const std::string& where,
                       const BeforeAfter& both) {
    const double largest = std::fmax(std::abs(both.before), std::abs(both.after));
    table.add({"  " + cut(ratio.display, 24), where, value_text(both.before, ratio.unit, largest),
               value_text(both.after, ratio.unit, largest),
               with_sign(both.change(), ratio.unit, largest), relative_in(c, both)});
  };
  for (const auto& ratio : c.ratios) {
    if (ratio.places.empty() && !ratio.total.differs()) continue;
    add(ratio, "(all)", ratio.total);
    double scale = std::fmax(std::abs(ratio.total.before), std::abs(ratio.total.after));
    for (const auto& place : ratio.places) {
      scale =
          std::fmax(scale, std::fmax(std::abs(place.value.before), std::abs(place.value.after)));
    }
    for (const auto& place : ratio.places) {
      // The only root has the same value as the whole report.
      const auto same = [](double a, double b) {
        return a == b || (std::isnan(a) && std::isnan(b));
      };
      const bool is_all = place.call_path.size() == 1 &&
                          same(place.value.before, ratio.total.before) &&
                          same(place.value.after, ratio.total.after);
      if (!place.value.differs() || is_all) continue;
      const double change = std::abs(place.value.change());
      lines.push_back({&ratio, &place, std::isnan(change) ? -1 : change / scale});
    }
  }
  if (table.rows() == 1) return "";
  std::ranges::stable_sort(lines, [](const auto& a, const auto& b) { return a.weight > b.weight; });
  const std::size_t shown = std::min(top, lines.size());
  std::vector<std::vector<std::string>> paths;
  for (std::size_t i = 0; i < shown; ++i) {
    auto& names = paths.emplace_back(lines[i].place->call_path);
    if (names.size() > 1 && names.front() == c.before.program) names.erase(names.begin());
  }
  const auto texts = short_call_paths(paths, std::vector<std::size_t>(shown, 40));
  for (std::size_t i = 0; i < shown; ++i) {
    add(*lines[i].ratio, texts[i], lines[i].place->value);
  }
  std::string text = table.text();
  if (shown < lines.size()) {
    text += "  and " + counted(lines.size() - shown, "smaller one") + ", see --top\n";
  }
  return text;
}

// Totals of root metrics that are not times.
std::string counts(const Changes& c) {
  Table table("lrrrr");
  table.add({"Counts", "A", "B", "change", "%"});
  for (const auto& total : c.totals) {
    if (!total.parent.empty() || total.unit == "sec" || total.value.change() == 0) continue;
    add_pair(c, table, "  " + cut(total.display, 40), total.value, total.unit,
             std::max(std::abs(total.value.before), std::abs(total.value.after)));
  }
  return table.rows() > 1 ? "\n" + table.text() : "";
}

}  // namespace

std::string relative(double before, double after) {
  if (before == after || (std::isnan(before) && std::isnan(after))) return "0.0";
  if (std::isnan(after) || (after == 0 && !std::isnan(before))) return "gone";
  if (std::isnan(before) || before == 0) return "new";
  const double change = 100 * (after - before) / std::abs(before);
  if (std::abs(change) >= 100000) return "x " + four_digits(after / before);
  return (change > 0 ? "+" : "") + fixed(change, 1);
}

std::string changes_text(const Changes& c, std::size_t top, const Colours& colours) {
  std::string text = head("A", c.before) + head("B", c.after) + "\n" + shares(c) +
                     largest_changes(c, top, colours) + largest_cause(c);
  if (c.computation) {
    const double least = kWorthALine * std::max(c.before.time, c.after.time);
    text += "\n" + functions_text(*c.computation, least, top);
  }
  if (c.own_values) text += counts(c);
  if (const auto table = ratios(c, top); !table.empty()) {
    text += (text.ends_with("\n\n") ? "" : "\n") + table;
  }
  text += partial_note("A", c.before,
                       "where B has more or something new, the data of A may be missing");
  text += partial_note("B", c.after,
                       "where B has less or nothing, its data may be missing, not the time");
  for (const auto& note : c.notes) text += "note: " + printable(note) + "\n";
  return text;
}

nlohmann::ordered_json changes_json(const Changes& c) {
  using Json = nlohmann::ordered_json;
  const auto input = [](const Summary& s) {
    return Json{{"report", s.file},
                {"program", {{"name", s.program}, {"arguments", s.arguments}}},
                {"ranks", s.ranks},
                {"duration", s.duration > 0 ? Json(s.duration) : Json(nullptr)},
                {"partial", s.partial}};
  };
  Json changes = Json::array(), totals = Json::array(), ratios = Json::array();
  for (const auto& change : c.changes) {
    Json ranks = Json::array();
    for (const auto& [rank, value] : change.ranks) {
      ranks.push_back({{"rank", rank}, {"change", value}});
    }
    changes.push_back({{"metric", change.metric},
                       {"display_name", change.display},
                       {"unit", change.unit},
                       {"call_path", change.call_path},
                       {"before", change.value.before},
                       {"after", change.value.after},
                       {"change", change.value.change()},
                       {"caused_waiting", change.caused},
                       {"ranks", ranks}});
  }
  for (const auto& total : c.totals) {
    totals.push_back({{"metric", total.metric},
                      {"unit", total.unit},
                      {"before", total.value.before},
                      {"after", total.value.after},
                      {"change", total.value.change()}});
  }
  // NaN becomes null.
  const auto both = [](const BeforeAfter& values) {
    return Json{{"before", values.before}, {"after", values.after}, {"change", values.change()}};
  };
  for (const auto& ratio : c.ratios) {
    Json one = {{"metric", ratio.metric}, {"display_name", ratio.display}, {"unit", ratio.unit}};
    one.update(both(ratio.total));
    auto& places = one["call_paths"] = Json::array();
    for (const auto& place : ratio.places) {
      Json at = {{"call_path", place.call_path}};
      at.update(both(place.value));
      at["own"] = both(place.own);
      places.push_back(std::move(at));
    }
    ratios.push_back(std::move(one));
  }
  Json json = {{"schema_version", 1},     {"before", input(c.before)},
               {"after", input(c.after)}, {"without_parts", c.own_values},
               {"changes", changes},      {"totals", totals}};
  if (!c.causes.empty()) {
    auto& causes = json["causes"] = Json::array();
    for (const auto& cause : c.causes) {
      Json one = {{"call_path", cause.call_path}};
      one.update(both(cause.seconds));
      one["how"] = {{"before", cause.how_before}, {"after", cause.how_after}};
      causes.push_back(std::move(one));
    }
  }
  if (c.computation) json["computation"] = computation_changes_json(*c.computation);
  if (!c.ratios.empty()) json["ratios"] = ratios;
  json["notes"] = c.notes;
  return json;
}

}  // namespace latecomer::view
