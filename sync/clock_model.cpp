// SPDX-License-Identifier: BSD-3-Clause
// Pieces of constant rate; decimal numbers are read without floating point.
#include "sync/clock_model.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "archive/hash.hpp"

namespace latecomer::sync {
namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kOne = 1'000'000'000'000;  // a rate of 1
constexpr std::int64_t kMaxRate = kOne / 10;
constexpr Nanoseconds kLongestInterval = 1'000'000'000'000'000;

// time * rate / 1e12, rounded down.
Nanoseconds share(Nanoseconds time, std::int64_t rate) {
  const Wide product = Wide{time} * rate;
  const Wide quotient = product / kOne;
  return static_cast<Nanoseconds>(product % kOne < 0 ? quotient - 1 : quotient);
}

// A pseudo-random number for each index (the finalizer of splitmix64).
std::uint64_t scrambled(std::uint64_t x) {
  x += kGoldenRatio;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

std::int64_t change_of_rate(const ClockSpec& spec, int index) {
  if (spec.wander == 0) return 0;
  const auto range = 2 * static_cast<std::uint64_t>(spec.wander) + 1;
  const std::uint64_t number = scrambled(scrambled(spec.seed) + static_cast<std::uint64_t>(index));
  return static_cast<std::int64_t>(number % range) - spec.wander;
}

using Unit = std::pair<std::string_view, std::int64_t>;
constexpr std::array<Unit, 5> kTimes = {
    {{"ns", 1}, {"us", 1000}, {"ms", 1'000'000}, {"s", 1'000'000'000}, {"", 0}}};
constexpr std::array<Unit, 2> kRates = {{{"ppb", 1000}, {"ppm", 1'000'000}}};

// Parses a text such as "-1.5ms" as a multiple of the smallest unit; a finer value is refused.
template <std::size_t N>
std::optional<std::int64_t> quantity(std::string_view text, const std::array<Unit, N>& units) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  std::int64_t scale = 0;
  for (const auto& [name, value] : units) {
    if (name == text.substr(end)) scale = value;
  }
  std::string_view digits = text.substr(0, end);
  const std::size_t point = digits.find('.');
  const std::string_view fraction =
      point == std::string_view::npos ? std::string_view() : digits.substr(point + 1);
  digits = digits.substr(0, point);
  std::int64_t value = 0;
  const auto whole = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (whole.ec != std::errc() || whole.ptr != digits.data() + digits.size()) return {};
  if (text == "0") return 0;
  if (scale == 0 || value > std::numeric_limits<std::int64_t>::max() / 4 / scale) return {};
  value *= scale;
  for (const char c : fraction) {
    if (c < '0' || c > '9' || scale % 10 != 0) return {};
    scale /= 10;
    value += (c - '0') * scale;
  }
  return negative ? -value : value;
}

bool parse_field(std::string_view name, std::string_view value, ClockSpec& spec) {
  const auto keep = [](std::int64_t& where, const std::optional<std::int64_t>& what) {
    if (what) where = *what;
    return what.has_value();
  };
  if (name == "offset") return keep(spec.offset, quantity(value, kTimes));
  if (name == "drift") {
    return keep(spec.drift, quantity(value, kRates)) && std::abs(spec.drift) <= kMaxRate;
  }
  if (name == "wander") {
    const std::size_t slash = std::min(value.find('/'), value.size());
    return slash < value.size() && keep(spec.wander, quantity(value.substr(0, slash), kRates)) &&
           keep(spec.interval, quantity(value.substr(slash + 1), kTimes)) && spec.wander >= 0 &&
           spec.wander <= kMaxRate && spec.interval > 0 && spec.interval <= kLongestInterval;
  }
  if (name == "seed") {
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), spec.seed);
    return error == std::errc() && end == value.data() + value.size();
  }
  if (name == "jump") {
    const std::size_t at = std::min(value.find('@'), value.size());
    ClockSpec::Jump jump;
    if (at == value.size() || !keep(jump.size, quantity(value.substr(0, at), kTimes)) ||
        !keep(jump.at, quantity(value.substr(at + 1), kTimes)) || jump.at <= 0) {
      return false;
    }
    spec.jumps.push_back(jump);
    return true;
  }
  return false;
}

// Removes the next word of a text and returns it.
std::string_view next_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r"), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(" \t\r"));
  text.remove_prefix(word.size());
  return word;
}

}  // namespace

Result<ClockSpec> parse_clock(std::string_view text) {
  ClockSpec spec;
  for (std::string_view word = next_word(text); !word.empty(); word = next_word(text)) {
    const std::size_t equals = std::min(word.find('='), word.size());
    if (equals == word.size() ||
        !parse_field(word.substr(0, equals), word.substr(equals + 1), spec)) {
      return Problem{"clock model: '" + std::string(word) + "' is not understood",
                     "fields are offset=1.5ms drift=20ppm wander=5ppb/1s seed=1 jump=5us@10s"};
    }
  }
  std::ranges::stable_sort(spec.jumps, {}, &ClockSpec::Jump::at);
  return spec;
}

std::string to_text(const ClockSpec& spec) {
  // Rates have no unit below ppb, so they get three decimals.
  const auto rate = [](std::int64_t value) {
    const std::string decimals = std::to_string(1000 + std::abs(value) % 1000).substr(1);
    return (value < 0 ? "-" : "") + std::to_string(std::abs(value) / 1000) + '.' + decimals + "ppb";
  };
  const auto time = [](Nanoseconds value) { return std::to_string(value) + "ns"; };
  std::string text = "offset=" + time(spec.offset) + " drift=" + rate(spec.drift);
  if (spec.interval > 0) {
    text += " wander=" + rate(spec.wander) + '/' + time(spec.interval);
    text += " seed=" + std::to_string(spec.seed);
  }
  for (const auto& jump : spec.jumps) text += " jump=" + time(jump.size) + '@' + time(jump.at);
  return text;
}

Result<std::optional<ClockSpec>> clock_of_node(std::string_view file, std::string_view node) {
  std::optional<ClockSpec> found;
  bool by_name = false;
  for (int number = 1; !file.empty(); ++number) {
    std::string_view line = file.substr(0, file.find('\n'));
    file.remove_prefix(std::min(line.size() + 1, file.size()));
    line = line.substr(0, line.find('#'));
    const std::string_view name = next_word(line);
    if (name.empty()) continue;
    Result<ClockSpec> spec = parse_clock(line);
    if (!spec) {
      Problem problem = spec.problem();
      problem.what = "line " + std::to_string(number) + ": " + problem.what;
      return problem;
    }
    if (by_name || (name != node && name != "*")) continue;
    by_name = name == node;
    found = std::move(*spec);
  }
  return found;
}

ClockModel::ClockModel(const ClockSpec& spec) : spec_(spec) {
  pieces_.push_back({0, spec.offset, spec.drift});
  auto jump = spec_.jumps.begin();
  const int changes = spec.interval > 0 ? kPieces : 0;
  // Merges changes of the rate and jumps in the order of time.
  for (int change = 1; change <= changes || jump != spec_.jumps.end();) {
    const Piece& last = pieces_.back();
    const bool jumps =
        jump != spec_.jumps.end() && (change > changes || jump->at <= change * spec.interval);
    Piece next{jumps ? jump->at : change * spec.interval, 0, last.rate};
    next.value = shown(last, next.from);
    if (jumps) {
      next.value += (jump++)->size;
    } else {
      next.rate = std::clamp(last.rate + change_of_rate(spec, change++), -kMaxRate, kMaxRate);
    }
    pieces_.push_back(next);
  }
  // Negative jumps make the clock show values twice. `reached` increases nevertheless, so that
  // true_time() can search for the first piece that shows a value.
  for (std::size_t i = 0; i + 1 < pieces_.size(); ++i) {
    const Nanoseconds before =
        i == 0 ? std::numeric_limits<Nanoseconds>::min() : pieces_[i - 1].reached;
    pieces_[i].reached = std::max(before, shown(pieces_[i], pieces_[i + 1].from - 1));
  }
  pieces_.back().reached = std::numeric_limits<Nanoseconds>::max();
}

Nanoseconds ClockModel::shown(const Piece& piece, Nanoseconds true_time) {
  const Nanoseconds since = true_time - piece.from;
  return piece.value + since + share(since, piece.rate);
}

Nanoseconds ClockModel::local(Nanoseconds true_time) const {
  const auto next = std::partition_point(pieces_.begin() + 1, pieces_.end(),
                                         [=](const Piece& p) { return p.from <= true_time; });
  return shown(*std::prev(next), true_time);
}

Nanoseconds ClockModel::true_time(Nanoseconds local) const {
  const auto piece = std::partition_point(pieces_.begin(), pieces_.end(),
                                          [=](const Piece& p) { return p.reached < local; });
  // Division comes close to the time; single steps find it exactly.
  const Wide since = Wide{local - piece->value} * kOne / (kOne + piece->rate);
  Nanoseconds t = piece->from + static_cast<Nanoseconds>(since) - 2;
  while (shown(*piece, t) < local) ++t;
  const bool first = piece == pieces_.begin();
  return first ? t : std::max(t, piece->from);
}

}  // namespace latecomer::sync
