// SPDX-License-Identifier: BSD-3-Clause
// Judges conditions. A difference fails if it exceeds both the bound and the differences that runs
// have by chance.
#include "analyzer/view/check/verdict.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "analyzer/report/cube/xml_text.hpp"
#include "analyzer/view/metrics/metric_table.hpp"
#include "analyzer/view/text/explain.hpp"
#include "analyzer/view/text/run_numbers.hpp"
#include "analyzer/view/text/text.hpp"
#include "archive/printable.hpp"
#include "archive/shell_word.hpp"
#include "patterns/metrics.hpp"

namespace latecomer::view {
namespace {

using State = Verdict::State;

// "waiting", or one of the wait states that it is the sum of.
bool is_wait(const std::string& name) {
  const auto names = patterns::wait_state_names();
  return name == kWaiting || std::ranges::find(names, name) != names.end();
}

// All metrics of the run and of the baseline, and all that Latecomer knows: a report contains no
// metric without waiting.
std::vector<patterns::Metric> known_metrics(const RunValues& run,
                                            const std::optional<Baseline>& baseline) {
  const std::array<patterns::Metahost, 2> metahosts = {{{0, "0"}, {1, "1"}}};
  std::vector<patterns::Metric> known;
  const auto add = [&](const std::string& name, const std::string& display,
                       const std::string& parent) {
    if (std::any_of(known.begin(), known.end(), [&](const auto& m) { return m.name == name; })) {
      return;
    }
    patterns::Metric metric;
    metric.name = name;
    metric.display = display;
    metric.parent = parent;
    known.push_back(std::move(metric));
  };
  for (const auto& metric : patterns::computed_metrics(metahosts)) {
    add(metric.name, metric.display, metric.parent);
  }
  for (const auto& number : run_numbers()) add(number.name, number.display, "");
  for (const auto& [name, value] : run.metrics) add(name, value.display, "");
  if (baseline) {
    for (const auto& [name, spread] : baseline->metrics) add(name, name, "");
  }
  return known;
}

std::string unit_words(const std::string& unit) {
  if (unit == "sec") return "seconds";
  return unit == "occ" ? "a number" : unit;
}

class Judge {
 public:
  Judge(const RunValues& run, const std::optional<Baseline>& baseline)
      : run_(run), baseline_(baseline), known_(known_metrics(run, baseline)) {}

  // `must_hold`: the condition is a budget.
  [[nodiscard]] Result<Verdict> operator()(const Condition& condition, bool must_hold) const {
    const auto found = find_metric(known_, condition.metric);
    if (!found) return found.problem();
    Verdict verdict;
    verdict.condition = condition.text;
    verdict.is_change = condition.change;
    verdict.metric = found->name;
    verdict.display = found->display;
    verdict.unit = found->unit == patterns::Unit::kBytes ? "bytes" : "sec";
    if (const auto value = run_.metrics.find(found->name); value != run_.metrics.end()) {
      verdict.value = value->second.total;
      verdict.unit = value->second.unit;
    } else if (std::ranges::find(run_.tells, found->name) == run_.tells.end() &&
               (find_run_number(found->name) != nullptr || !run_.has_all)) {
      if (!run_.tells.empty()) return untold_by_watched(run_.source, found->name);
      return Problem{run_.source + " does not tell " + found->name,
                     run_.has_all ? "check something else: latecomer show --metric " + found->name +
                                        " tells whether a report has it"
                                  : "it is of another tool, or a part of a report: latecomer show "
                                    "--by metric " +
                                        shell_word(run_.source) + " shows what it has"};
    }
    verdict.at_least = run_.waits_at_least && is_wait(found->name);
    // The bound is from + condition.bound * scale.
    double scale = 1, from = 0;
    if (baseline_) {
      const auto spread = baseline_->metrics.find(found->name);
      if (spread == baseline_->metrics.end() && find_run_number(found->name) != nullptr) {
        return Problem{"the baseline " + baseline_->source + " does not tell " + found->name,
                       "make it again: latecomer check --write-baseline NEW.json REPORT..."};
      }
      verdict.before = spread == baseline_->metrics.end() ? 0 : spread->second.mean;
      verdict.noise = baseline_->noise(found->name);
      if (spread != baseline_->metrics.end()) verdict.unit = spread->second.unit;
    }
    // The unit of the bound must be that of the metric.
    if (!condition.unit.empty() && condition.unit != verdict.unit) {
      return Problem{
          "'" + condition.text + "': " + verdict.metric + " is " + unit_words(verdict.unit),
          "give the bound in that unit", Exit::kUsage};
    }
    const bool of_time = verdict.unit == "sec", of_bytes = verdict.unit == "bytes";
    // A bare number would be ambiguous for times and bytes.
    if (condition.unit.empty() && !condition.percent && (of_time || of_bytes)) {
      return Problem{"'" + condition.text + "' has no unit, and " + verdict.metric + " is " +
                         unit_words(verdict.unit),
                     of_time ? "say it: '" + condition.text + "s', ms, us, min, or % of the time"
                             : "say it: '" + condition.text + "B', kB, MB, GB",
                     Exit::kUsage};
    }
    if (condition.change) {
      if (!baseline_) {
        return Problem{"'" + condition.text + "' is about a change, and there is no baseline",
                       "--baseline FILE names one; a bound without sign needs none", Exit::kUsage};
      }
      from = *verdict.before;
      if (condition.percent) scale = from / 100;
    } else if (condition.percent && verdict.unit == "ratio") {
      scale = 0.01;
    } else if (condition.percent) {
      const auto time = run_.metrics.find("time");
      if (time == run_.metrics.end() || verdict.unit != "sec") {
        return Problem{"'" + condition.text + "': only times can be a percentage of the time",
                       "give a bound with another unit, or a change: '>+5%'", Exit::kUsage};
      }
      scale = time->second.total / 100;
      if (scale > 0) verdict.percent = verdict.value / scale;
    }
    const double bound = from + condition.bound * scale;
    const bool holds = condition.above ? verdict.value > bound : verdict.value < bound;
    const bool within_noise = condition.change && std::abs(verdict.value - from) <= verdict.noise;
    // Undecidable: both the bound and the difference are smaller than the noise.
    const bool below_noise =
        condition.change && std::abs(condition.bound * scale) < verdict.noise && within_noise;
    const bool unknown_noise = condition.change && baseline_->runs < 2;
    // It can only become larger by the missing part.
    const bool is_sure = !verdict.at_least || verdict.value > bound;
    if (!is_sure) {
      verdict.state = State::kNotKnown;
    } else if (holds != must_hold && !below_noise) {
      verdict.state = State::kFailed;
    } else if (below_noise || unknown_noise) {
      verdict.state = State::kUndecided;
      if (below_noise) verdict.decidable = decidable(condition, verdict);
    }
    return verdict;
  }

 private:
  // The smallest bound beyond the noise, rounded up, in the notation of the condition.
  static std::string decidable(const Condition& condition, const Verdict& verdict) {
    const std::string start =
        condition.metric + (condition.above ? ">" : "<") + (condition.bound < 0 ? "-" : "+");
    if (condition.percent && verdict.before != 0) {
      const double percents = 100 * verdict.noise / std::abs(*verdict.before);
      const int decimals = percents < 1 ? 2 : percents < 10 ? 1 : 0;
      const double step = std::pow(10, -decimals);
      return start + fixed(std::ceil(percents / step) * step, decimals) + "%";
    }
    if (verdict.unit == "sec") {
      const double step = std::pow(10, std::floor(std::log10(verdict.noise)) - 1);
      auto text = duration_text(std::ceil(verdict.noise / step) * step);
      std::erase(text, ' ');
      return start + text;
    }
    if (verdict.unit == "ratio") {
      constexpr double kStep = 1e-4;
      return start + fixed(std::ceil(verdict.noise / kStep) * kStep, 4);
    }
    return start + fixed(std::ceil(verdict.noise), 0) + (verdict.unit == "bytes" ? "B" : "");
  }

  const RunValues& run_;
  const std::optional<Baseline>& baseline_;
  std::vector<patterns::Metric> known_;
};

const char* word(State state, bool strict) {
  switch (state) {
    case State::kOk:
      return "ok";
    case State::kUndecided:
      return strict ? "**failed** (undecided)" : "undecided";
    case State::kFailed:
      return "**failed**";
    case State::kNotKnown:
      return "**not known**";
  }
  return "";
}

// "0.2400 s", "1,200", "12 bytes"
std::string value_of(double value, const std::string& unit) {
  if (unit == "sec") return duration_text(value);
  if (unit == "ratio") return fixed(100 * value, 1) + " %";
  const auto text = value_text(value, unit, value);
  return unit_text(unit).empty() ? text : text + " " + unit;
}

std::string now_of(const Verdict& verdict) {
  return (verdict.at_least ? "at least " : "") + value_of(verdict.value, verdict.unit) +
         (verdict.percent ? " = " + fixed(*verdict.percent, 1) + " % of the time" : "");
}

// "+12.5 %", "new" or "none"; empty without a baseline.
std::string change_of(const Verdict& verdict) {
  if (!verdict.before) return "";
  const double change = verdict.value - *verdict.before;
  if (change == 0) return "none";
  if (*verdict.before == 0) return "new";
  const double relative = 100 * change / std::abs(*verdict.before);
  return (change > 0 ? "+" : "") + fixed(relative, 1) + " %";
}

// "± 12.00 ms" or "unknown"; empty without a baseline.
std::string noise_of(const Judgement& judgement, const Verdict& verdict) {
  if (!verdict.before) return "";
  return judgement.runs < 2 ? "unknown" : "± " + value_of(verdict.noise, verdict.unit);
}

// Escapes text from a report for Markdown, so that it cannot add headings, links, HTML or table
// cells.
std::string plain(const std::string& name) {
  std::string text;
  for (const char c : printable(name)) {
    if (std::string_view("`*[]<>#|&\\~").find(c) != std::string_view::npos) text += '\\';
    text += c;
  }
  return text;
}

// Escapes the character that would end a table cell.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) {
    text.insert(at, "\\");
  }
  return text;
}

// The run, and the baseline that it is compared with.
std::string subject(const Judgement& judgement) {
  std::string text = plain(judgement.source) + " (" +
                     (judgement.program.empty() ? "" : plain(judgement.program) + ", ") +
                     counted(judgement.ranks, "rank") + ")";
  if (!judgement.baseline.empty()) {
    text += " against " + plain(judgement.baseline) + " (" + counted(judgement.runs, "run") + ")";
  }
  return text;
}

// The result of a condition in words, for JUnit.
std::string sentence(const Judgement& judgement, const Verdict& verdict) {
  std::string text = verdict.display + " is " + now_of(verdict);
  if (verdict.before) {
    text += ", was " + value_of(*verdict.before, verdict.unit) + " (" + change_of(verdict) +
            ", noise " + noise_of(judgement, verdict) + ")";
  }
  return text;
}

}  // namespace

std::size_t Judgement::failed() const {
  const auto count = std::count_if(verdicts.begin(), verdicts.end(), [](const auto& verdict) {
    return verdict.state == State::kFailed || verdict.state == State::kNotKnown;
  });
  return static_cast<std::size_t>(count) + (partial ? 1 : 0) + (strict ? undecided() : 0);
}

std::size_t Judgement::undecided() const {
  const auto count = std::count_if(verdicts.begin(), verdicts.end(), [](const auto& verdict) {
    return verdict.state == State::kUndecided;
  });
  return static_cast<std::size_t>(count);
}

bool Judgement::failed_against_baseline() const {
  return std::ranges::any_of(verdicts, [&](const Verdict& verdict) {
    return verdict.is_change &&
           (verdict.state == State::kFailed || (strict && verdict.state == State::kUndecided));
  });
}

Result<Judgement> judge(const RunValues& run, const std::optional<Baseline>& baseline,
                        const std::vector<Condition>& fail, const std::vector<Condition>& budgets) {
  Judgement judgement;
  judgement.source = run.source;
  judgement.program = run.program;
  judgement.ranks = run.ranks;
  judgement.partial = run.partial;
  judgement.notes = run.notes;
  if (baseline) {
    judgement.baseline = baseline->source;
    judgement.runs = baseline->runs;
    if (baseline->program != run.program) judgement.other_program = baseline->program;
    if (baseline->ranks != run.ranks) {
      return Problem{"the baseline " + baseline->source + " has " +
                         counted(baseline->ranks, "rank") + ", " + run.source + " " +
                         std::to_string(run.ranks) + ": they cannot be compared",
                     "make one baseline for each number of ranks"};
    }
  }
  const Judge judge_one(run, baseline);
  for (const bool must_hold : {false, true}) {
    for (const auto& condition : must_hold ? budgets : fail) {
      auto verdict = judge_one(condition, must_hold);
      if (!verdict) return verdict.problem();
      verdict->condition = (must_hold ? "must be: " : "must not be: ") + condition.text;
      judgement.verdicts.push_back(std::move(*verdict));
    }
  }
  return judgement;
}

std::string markdown(const Judgement& judgement) {
  const std::size_t all = judgement.verdicts.size() + (judgement.partial ? 1 : 0);
  const std::size_t failed = judgement.failed();
  std::string text = "### latecomer check: ";
  const std::string of_all = " of " + std::to_string(all);
  const auto undecided = judgement.undecided();
  if (failed == 0 && undecided == all) {
    text += "undecided";
  } else {
    text += failed == 0 ? "ok" : std::to_string(failed) + of_all + " failed";
    if (undecided > 0) {
      text += ", " + std::to_string(undecided) +
              (judgement.strict ? " of them undecided (--strict)" : of_all + " undecided");
    }
  }
  text += "\n\n" + subject(judgement) + "\n\n";
  const bool compares = !judgement.baseline.empty();
  text += compares ? "| | metric | condition | baseline | now | change | noise |\n"
                     "|---|---|---|---:|---:|---:|---:|\n"
                   : "| | metric | condition | now |\n|---|---|---|---:|\n";
  for (const auto& verdict : judgement.verdicts) {
    text += std::string("| ") + word(verdict.state, judgement.strict) + " | " +
            plain(verdict.display) + " | `" + cell(verdict.condition) + "` | ";
    if (compares) text += value_of(*verdict.before, verdict.unit) + " | ";
    text += now_of(verdict) + " |";
    if (compares) text += " " + change_of(verdict) + " | " + noise_of(judgement, verdict) + " |";
    text += "\n";
  }
  if (judgement.partial) {
    text += compares ? "| **failed** | complete result | `must be complete` | | partial | | |\n"
                     : "| **failed** | complete result | `must be complete` | partial |\n";
  }
  for (const auto& verdict : judgement.verdicts) {
    if (verdict.decidable.empty()) continue;
    text += "\nUndecided: " + plain(verdict.display) + " differs by chance by " +
            value_of(verdict.noise, verdict.unit) + ", more than the bound of `" +
            cell(verdict.condition) + "`. The smallest bound that this baseline can decide: `" +
            cell(verdict.decidable) + "`.\n";
  }
  if (undecided > 0 && judgement.runs > 1) {
    text +=
        "\nA baseline of more runs (`scan -R N`), or a quieter machine, decides smaller ones.\n";
  }
  // Programs are renamed: this is no reason to fail, but to look.
  if (!judgement.other_program.empty()) {
    text += "\nThe baseline is of another program: " + plain(judgement.other_program) + ".\n";
  }
  if (compares && judgement.runs < 2) {
    text +=
        "\nThe baseline is one run: how much runs differ by chance is not known. What is within a "
        "bound may be so by chance, and is undecided; what is beyond one has failed, if by chance "
        "or not. `scan -R N` makes a baseline of more runs.\n";
  }
  if (!judgement.notes.empty()) text += "\nQuality of the data:\n\n";
  for (const auto& note : judgement.notes) text += "- " + plain(note) + "\n";
  return text;
}

std::string junit(const Judgement& judgement) {
  const std::string suite =
      "latecomer check" + (judgement.program.empty() ? "" : " " + printable(judgement.program));
  const std::size_t all = judgement.verdicts.size() + (judgement.partial ? 1 : 0);
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"" +
      report::xml_text(suite) + "\" tests=\"" + std::to_string(all) + "\" failures=\"" +
      std::to_string(judgement.failed()) + "\" errors=\"0\" skipped=\"" +
      std::to_string(judgement.strict ? 0 : judgement.undecided()) + "\">\n";
  const auto add = [&](const std::string& name, const std::string& message, State state) {
    const auto said = report::xml_text(message);
    text += "<testcase classname=\"" + report::xml_text(suite) + "\" name=\"" +
            report::xml_text(name) + "\">";
    if (state == State::kOk) {
      text += "<system-out>" + said + "</system-out>";
    } else if (state == State::kUndecided && !judgement.strict) {
      text += "<skipped message=\"" + said + "\"/>";
    } else {
      text += "<failure message=\"" + said + "\"/>";
    }
    text += "</testcase>\n";
  };
  for (const auto& verdict : judgement.verdicts) {
    std::string said = sentence(judgement, verdict);
    if (verdict.state == State::kUndecided) {
      said += verdict.decidable.empty()
                  ? "; undecided: the baseline is one run, noise is not known"
                  : "; undecided: the smallest bound that this baseline can decide is " +
                        verdict.decidable;
    }
    add(verdict.condition, said, verdict.state);
  }
  if (judgement.partial) add("must be complete", "the result is partial", State::kFailed);
  return text + "</testsuite>\n</testsuites>\n";
}

std::string junit(const Problem& problem, const std::string& source) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"latecomer "
         "check\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\">\n<testcase "
         "classname=\"latecomer check\" name=\"" +
         report::xml_text(source) + "\"><error message=\"" + report::xml_text(problem.what) +
         "\">" + report::xml_text(problem.text()) +
         "</error></testcase>\n</testsuite>\n</testsuites>\n";
}

}  // namespace latecomer::view
