// SPDX-License-Identifier: BSD-3-Clause
// Prints a summary: head, shares, wait states, metahosts, notes, next command.
#include "analyzer/view/summary/show.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>

#include "analyzer/view/summary/thread_text.hpp"
#include "analyzer/view/summary/wait_table.hpp"
#include "analyzer/view/text/call_path_text.hpp"
#include "analyzer/view/text/text.hpp"
#include "analyzer/view/words/computation_text.hpp"
#include "analyzer/view/words/efficiency_text.hpp"
#include "archive/layout.hpp"
#include "archive/printable.hpp"
#include "archive/rank_list.hpp"
#include "archive/shell_word.hpp"

namespace latecomer::view {
namespace {

constexpr std::size_t kMostLines = 20, kBarWidth = 40;

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::string head(const Summary& s) {
  std::string size = counted(s.ranks, "rank");
  if (s.locations != s.ranks) size += " (" + counted(s.locations, "thread") + ")";
  size += ", " + counted(s.nodes, "node");
  if (s.metahosts.size() > 1) size += ", " + counted(s.metahosts.size(), "metahost");
  if (s.duration > 0) size += ", run time " + duration_text(s.duration);
  if (s.partial) size += " (partial result)";
  if (!s.summed_ranks.empty()) {
    // The only column of such a report is not a rank.
    std::string ranks;
    for (std::size_t i = 0; i < s.summed_ranks.size(); ++i) {
      ranks += (i == 0 ? "" : ", ") + std::to_string(s.summed_ranks[i]);
    }
    size = "sums over all ranks (" + cut(ranks, 30) + ")";
    if (s.duration > 0) size += ", run time " + duration_text(s.duration);
    if (s.partial) size += " (partial result)";
  }
  if (!s.operation.empty()) size += " (made by latecomer " + cut(s.operation, 10) + ")";
  const std::size_t left = text_width() - std::min<std::size_t>(width(size) + 2, text_width() - 10);
  const auto line = cut(s.command, left) + ": " + size;
  return width(line) <= text_width() ? line + "\n" : wrapped(line, "  ", text_width()).substr(2);
}

std::string shares(const Summary& s) {
  if (!s.knows_time) return "  This report tells no times: it has no metric named time.\n";
  const int decimals = decimals_for(s.time);
  Table table("lrrl");
  const auto row = [&](const std::string& name, double seconds) {
    const double part = s.time > 0 ? std::clamp(seconds / s.time, 0.0, 1.0) : 0;
    const auto bar = static_cast<std::size_t>(std::lround(part * kBarWidth));
    table.add({name, fixed(seconds, decimals) + " s", percent(seconds, s.time, 1) + " %",
               std::string(bar, '#')});
  };
  row(s.knows_computation ? "computation" : "outside MPI", s.computation);
  row("MPI", s.mpi);
  if (s.knows_waits) row(s.waits_at_least ? "  waiting, at least" : "  waiting", s.waiting);
  if (!s.knows_waits && s.only_watched) table.add({"  waiting", "not known", "", ""});
  const double least = 0.0005 * s.time;  // shares that round to 0.0 % are not worth a line
  if (s.init_finalize > least) row("  init, finalize", s.init_finalize);
  if (s.overhead > least) row("measurement", s.overhead);
  if (s.unrecorded > least) row("not recorded", s.unrecorded);
  const double rest = s.time - s.computation - s.mpi - s.overhead - s.unrecorded;
  if (rest > least) row(s.knows_computation ? "threads" : "other", rest);
  if (rest > least && s.thread_waiting > least) row("  waiting", s.thread_waiting);
  return table.text("  ");
}

// The wait states in at most `lines` lines below the heading.
std::string wait_states(const Summary& s, std::size_t lines) {
  constexpr std::size_t kMost = 5;
  if (!s.knows_waits && s.only_watched)
    return "How long ranks waited is not known: records were lost.\n";
  if (!s.knows_waits && !s.thread_waits.empty()) return "This report has no wait states of MPI.\n";
  if (!s.knows_waits) return "This report has no wait states: it was not made from a trace.\n";
  if (s.knows_time && !(s.time > 0)) {
    return "Nothing is known of waiting: the trace has no events.\n";
  }
  if (s.wait_states.empty() && s.partial && s.only_watched)
    return "No wait states in the part of the run that was seen.\n";
  if (s.wait_states.empty() && s.partial)
    return "No wait states in the part of the trace that is there.\n";
  if (s.wait_states.empty()) return "No wait states: no process waited for another one.\n";
  const std::string all =
      ": latecomer show --metric waiting --by metric " + argument_for(s.file) + "\n";
  if (is_negligible(s, s.wait_states.front().seconds)) {
    return "No wait state of 0.1 % of the time or more; waiting is " + duration_text(s.waiting) +
           " in all" + all;
  }
  const auto drawn =
      draw(s, {"Largest wait states", "ranks waiting most", s.wait_states}, lines, kMost);
  if (drawn.left_out == 0) return drawn.text;
  return drawn.text + "  and " + counted(drawn.left_out, "smaller one") + all;
}

// ": recording was off", or nothing.
std::string reasons(const Summary& s) {
  std::string text;
  for (const auto& reason : s.unknown_cause_reasons) text += (text.empty() ? ": " : ", ") + reason;
  return text;
}

// "why:    computed longer 71 %, was blocked in usleep (heat.c:12) 20 %, in MPI itself 9 %", unless
// the cause says it.
std::string delay_reasons(const Summary& s) {
  constexpr double kNearlyAll = 0.9, kWorthNaming = 0.05;
  double all = 0;
  for (const auto& reason : s.delay_reasons) all += reason.seconds;
  std::string text;
  std::size_t count = 0;
  for (const auto& reason : s.delay_reasons) {
    if (reason.seconds < kWorthNaming * all) continue;
    std::string name = reason.name;
    name[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(name[0])));
    text += (count++ == 0 ? "" : ", ") + name + reason.place + " " +
            percent(reason.seconds, all, 0) + " %";
  }
  if (count == 0 || (count == 1 && s.causes.front().seconds > kNearlyAll * s.waiting)) return "";
  const std::string head = "why:    ";
  return wrapped(text, std::string(width(head), ' '), text_width()).replace(0, head.size(), head);
}

// "cause:  main > work (ranks 3: 80%, 0: 20%) made others wait 4.2 s, 61% of all waiting"
std::string largest_cause(const Summary& s) {
  if (!s.knows_causes || s.wait_states.empty()) return "";
  if (is_negligible(s, s.wait_states.front().seconds)) return "";
  constexpr std::size_t kRanks = 3;
  if (s.causes.empty() && !(s.unknown_cause > 0)) return "";
  const std::string head = "cause:  ";
  const std::string indent(width(head), ' ');
  const std::string unknown = percent(s.unknown_cause, s.waiting, 0) + "%";
  const std::string why = reasons(s);
  const auto in_lines = [&](const std::string& text) {
    return wrapped(text, indent, text_width()).replace(0, indent.size(), head);
  };
  if (s.causes.empty()) return in_lines("not known for " + unknown + " of the waiting" + why);
  const auto& cause = s.causes.front();
  std::size_t shown = std::min<std::size_t>(1, cause.ranks.size());
  while (shown < std::min(cause.ranks.size(), kRanks) &&
         cause.ranks[shown].seconds >= 0.005 * cause.seconds) {
    ++shown;
  }
  // Some are too small to be named, or there are too many.
  const bool others = cause.ranks.size() > shown;
  std::string ranks = shown > 1 || (others && cause.ranks[0].seconds < 0.995 * cause.seconds)
                          ? " (ranks "
                          : " (rank ";
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [rank, seconds] = cause.ranks[i];
    ranks += (i == 0 ? "" : ", ") + std::to_string(rank);
    if (ranks.starts_with(" (ranks")) ranks += ": " + percent(seconds, cause.seconds, 0) + "%";
  }
  ranks += ")";
  if (shown == 0) ranks.clear();  // values are sums over ranks
  if (!cause.spread.empty()) ranks = " (" + cause.spread + ")";
  std::string rest = ranks + " made others wait " +
                     fixed(cause.seconds, decimals_for(cause.seconds)) + " s, " +
                     percent(cause.seconds, s.waiting, 0) + "% of all waiting";
  const auto path = without_program(s, cause.call_path);
  const std::string whole = short_call_path(path, SIZE_MAX);
  if (cause.seconds < 0.05 * s.waiting) {
    return in_lines("many small ones, the largest: " + short_call_path(path, 60) + rest +
                    (s.lacks_causes() ? "; not known for " + unknown + why : "")) +
           delay_reasons(s);
  }
  std::string how = wrapped(cause.how, indent, text_width());
  if (s.lacks_causes()) {
    how += wrapped("not known for " + unknown + " of the waiting" + why, indent, text_width());
  }
  how += delay_reasons(s);
  if (width(head) + width(whole) + width(rest) <= text_width()) {
    return head + whole + rest + "\n" + how;
  }
  const std::size_t left = text_width() - std::min(text_width() - 20, width(head));
  if (width(indent) + width(rest) - 1 > text_width()) {
    std::string text = wrapped(short_call_path(path, left) + rest, indent, text_width());
    return text.replace(0, indent.size(), head) + how;
  }
  // The whole path gets a line of its own.
  return head + short_call_path(path, left) + "\n" + indent + rest.substr(1) + "\n" + how;
}

// "gain:   main > work in balance: 338.0 ms -> 183.0 ms (-46 %), predicted", or with a tenth less
// time if that brings more. Nothing if it is less than a 20th of the run, which its uncertainty may
// be.
std::string largest_gain(const Summary& s) {
  if (s.gains.empty() || !(s.replayed > 0)) return "";
  const auto& gain = s.gains.front();
  const double after = std::min(gain.balanced, gain.faster);
  if (s.replayed - after < 0.05 * s.replayed) return "";
  const std::string head = "gain:   ";
  const std::string rest =
      std::string(gain.balanced <= gain.faster ? " in balance: " : " in 10 % less time: ") +
      duration_text(s.replayed) + " -> " + duration_text(after) + " (-" +
      percent(s.replayed - after, s.replayed, 0) + " %), predicted";
  const auto path = without_program(s, gain.call_path);
  const std::size_t left = text_width() - std::min(text_width() - 20, width(head) + width(rest));
  return head + short_call_path(path, left) + rest + "\n";
}

// Turns "X <- Y", as in the metric tree, into "X waits for Y".
std::string in_words(const std::string& pair) {
  const auto arrow = pair.find(" <- ");
  if (arrow == std::string::npos) return pair;
  return pair.substr(0, arrow) + " waits for " + pair.substr(arrow + 4);
}

std::string metahosts(const Summary& s, std::size_t lines) {
  if (s.metahosts.size() < 2) return "";
  if (s.metahost_pairs.empty()) return "No waiting between metahosts.\n";
  Table table("lrrl");
  table.add({"Who waits for whom", "seconds", "% time", "wait state"});
  const int decimals = decimals_for(s.metahost_pairs.front().seconds);
  for (std::size_t i = 0; i < s.metahost_pairs.size() && i + 1 < lines; ++i) {
    const auto& pair = s.metahost_pairs[i];
    table.add({"  " + cut(in_words(pair.pair), 50), fixed(pair.seconds, decimals),
               percent(pair.seconds, s.time, 1), pair.wait_state});
  }
  return table.text();
}

// "rank 1 was in MPI_Recv since 1.200 s (main > exchange > MPI_Recv)"
std::string in_words(const Summary& s, const report::Ending& ending) {
  using enum report::Ending::State;
  const bool several = ending.ranks.size() > 1;
  std::string ranks = rank_list(ending.ranks);
  if (width(ranks) > 40)
    ranks = counted(ending.ranks.size(), "rank") + " from " + std::to_string(ending.ranks.front());
  const std::string when = duration_text(ending.since);
  const std::string since = several ? ", the first since " + when : " since " + when;
  const std::string after = several ? ", the first after " + when : " after " + when;
  const std::string verb = several ? " were " : " was ";
  switch (ending.state) {
    case kAborted:
      return ranks + " called MPI_Abort" + after;
    case kExited:
      return ranks + " exited without MPI_Finalize" + after;
    case kOutside:
      return ranks + verb + "outside MPI" + since;
    case kUnknown:
      return ranks + " left no records";
    case kNotStored:
      return "the records of " + ranks + " could not be stored any longer" + after;
    case kInCall:
      break;
  }
  const auto path = without_program(s, ending.call_path);
  std::string text = ranks + verb + "in " + (path.empty() ? "an MPI call" : path.back()) + since;
  if (path.size() > 1) text += " (" + short_call_path(path, 60) + ")";
  return text;
}

// The state at the end of the run of processes that did not reach MPI_Finalize.
std::string endings(const Summary& s) {
  constexpr std::size_t kMost = 6;
  std::string text;
  const bool all = s.endings.size() <= kMost;
  for (std::size_t i = 0; i < s.endings.size() && (all || i + 1 < kMost); ++i) {
    text += cut("  " + in_words(s, s.endings[i]), text_width()) + "\n";
  }
  if (!all) {
    text += "  " + counted(s.endings.size() - kMost + 1, "more place") +
            ", see latecomer show --json\n";
  }
  if (text.empty()) return "";
  const bool went_on = std::ranges::all_of(
      s.endings, [](const auto& e) { return e.state == report::Ending::State::kNotStored; });
  return (went_on ? "Where recording ended, not the run\n"
                  : "Where the run ended without MPI_Finalize\n") +
         text + "\n";
}

std::string count_of(const report::QualityNote& note) {
  return with_commas(static_cast<std::uint64_t>(std::max<std::int64_t>(note.count, 0)));
}

// The text of the note with its files, as far as they fit.
std::string text_of(const report::QualityNote& note) {
  constexpr std::size_t kMost = 4;
  if (note.files.empty()) return note.text;
  std::string files;
  for (std::size_t i = 0; i < note.files.size() && i < kMost; ++i) {
    files += (i == 0 ? "" : ", ") + report::file_text(note, i);
  }
  if (note.files.size() > kMost) files += ", ...";
  return note.text + " (" + files + ")";
}

// The notes in `lines` lines; all of them if the result is partial.
std::string notes(const Summary& s, std::size_t lines) {
  const bool all = s.partial || s.quality.size() <= lines;
  const std::size_t shown = all ? s.quality.size() : lines - 1;
  std::size_t digits = 0;
  for (std::size_t i = 0; i < shown; ++i) digits = std::max(digits, width(count_of(s.quality[i])));
  const std::string indent = "note:  " + std::string(digits + 1, ' ');
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    std::string lines_of_note =
        wrapped(text_of(s.quality[i]), std::string(width(indent), ' '), text_width());
    lines_of_note.replace(0, width(indent),
                          "note:  " + pad_left(count_of(s.quality[i]), digits) + " ");
    text += lines_of_note;
  }
  if (!all) {
    text += indent + counted(s.quality.size() - shown, "more kind") +
            " of notes, see latecomer show --json\n";
  }
  return text;
}

// "partial: 2 processes that never reached MPI_Finalize; 1 message without a recorded receive"
std::string partial(const Summary& s) {
  if (!s.partial) return "";
  std::string why = why_partial(s);
  if (why.ends_with("; and more")) why += ", see the notes";
  std::string text = wrapped(why, "         ", text_width());
  return text.replace(0, 9, "partial: ");
}

// "clocks: 2, compared with each other; too early: 48 as measured, 9 after messages, 0 after clc"
std::string clocks(const Summary& s) {
  if (!s.clocks || s.clocks->count < 2) return "";
  std::string text = "clocks: " + with_commas(s.clocks->count);
  std::string steps;
  std::uint64_t all = 0;
  for (const auto& step : s.clocks->steps) {
    const std::uint64_t sum = step.violations.all();
    all += sum;
    steps += (steps.empty() ? "" : ", ") + with_commas(sum) +
             (step.name == "linear" ? " as measured"
              : step.name == "none" ? " without offsets"
                                    : " after " + step.name);
  }
  text += all == 0 ? "; no message came too early by them" : "; too early: " + steps;
  return text + "\n";
}

}  // namespace

std::string next_command(const Summary& s) {
  const Summary::WaitState* largest = nullptr;
  for (const auto* states : {&s.wait_states, &s.thread_waits}) {
    if (states->empty() || is_negligible(s, states->front().seconds)) continue;
    if (largest == nullptr || states->front().seconds > largest->seconds) {
      largest = &states->front();
    }
  }
  if (largest != nullptr) return "latecomer explain " + largest->metric;
  if (s.sampled && s.sampled->samples > 0) {
    return "latecomer show --computation " + argument_for(s.file);
  }
  return s.mpi > 0 ? "latecomer explain mpi" : "latecomer explain time";
}

std::string show_text(const Summary& s) {
  if (s.difference) return difference_text(s);
  const std::string end = clocks(s) + "report: " + printable(s.file) + "\nnext:   latecomer html " +
                          argument_for(s.file) + "; " + next_command(s) + "\n";
  const std::string before =
      head(s) + shares(s) + (s.efficiency ? efficiency_text(*s.efficiency) : "") + "\n";
  // 5 wait states and 3 notes usually fit, or 3 wait states, 2 metahost pairs and 3 notes.
  std::size_t note_lines = std::min<std::size_t>(s.quality.size(), 3), pair_lines = 3;
  std::size_t functions = 5;
  const auto threads = thread_waits(s);
  // Computation that was sampled, and threads that waited, may have some lines more.
  // The threads' part has a blank line before it, and a row above.
  const std::size_t most =
      kMostLines + (s.sampled ? 6 : 0) + (threads.empty() ? 0 : lines_of(threads) + 2);
  auto pairs = metahosts(s, pair_lines);
  const auto computation = [&] {
    const auto lines = s.sampled ? computation_summary(*s.sampled, s.time, functions) : "";
    return lines.empty() ? "" : lines + "\n";
  };
  std::string text = before + computation();
  const auto cause = largest_cause(s) + largest_gain(s) + (threads.empty() ? "" : "\n" + threads);
  const auto others_of = [&] {
    return lines_of(text) + lines_of(cause) + lines_of(pairs) + (pairs.empty() ? 0 : 1) + 1 +
           note_lines + lines_of(end);
  };
  // The heading and one row of wait states are always shown, so all else may have to shrink.
  while (s.sampled && others_of() + 5 > most && functions > 3) {
    --functions;
    text = before + computation();
  }
  while (others_of() + 3 > most && note_lines > 1) --note_lines;
  while (others_of() + 3 > most && pair_lines > 2) pairs = metahosts(s, --pair_lines);
  const std::size_t others = others_of();
  text += wait_states(s, std::max(most, others + 3) - others - 1) + cause + "\n";
  text += endings(s);
  if (!pairs.empty()) text += pairs + "\n";
  text += notes(s, note_lines) + partial(s);
  return text + end;
}

}  // namespace latecomer::view
