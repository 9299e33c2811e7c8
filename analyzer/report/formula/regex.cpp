// SPDX-License-Identifier: BSD-3-Clause
// Compiles a pattern by Thompson's construction. A match keeps the set of states in which the text
// read so far may be.
#include "analyzer/report/formula/regex.hpp"

#include <cctype>
#include <utility>

namespace latecomer::report::formula {
namespace {

constexpr std::size_t kMostStates = 10000;
constexpr std::size_t kLongest = std::size_t{1} << 16;  // bytes; what is longer has too many states
constexpr std::size_t kMostVisits = 100 * kMostStates;  // of pieces; many may have no state
constexpr int kDeepestGroup = 100;                      // nested groups
constexpr int kDeepestRepeats = 3;                      // a+*+
constexpr std::uint32_t kMostRepeats = 1000;

using Set = std::bitset<256>;
unsigned byte(char c) { return static_cast<unsigned char>(c); }
bool is_decimal(char c) { return c >= '0' && c <= '9'; }

template <typename Test>
Set all_that(Test test) {
  Set set;
  for (int c = 0; c < 128; ++c) set[static_cast<std::size_t>(c)] = test(c) != 0;
  return set;
}

Set word_characters() {
  return all_that([](int c) { return std::isalnum(c) != 0 || c == '_'; });
}

std::optional<Set> class_of(std::string_view name) {
  if (name == "alpha") return all_that([](int c) { return std::isalpha(c); });
  if (name == "digit") return all_that([](int c) { return std::isdigit(c); });
  if (name == "alnum") return all_that([](int c) { return std::isalnum(c); });
  if (name == "space") return all_that([](int c) { return std::isspace(c); });
  if (name == "upper") return all_that([](int c) { return std::isupper(c); });
  if (name == "lower") return all_that([](int c) { return std::islower(c); });
  if (name == "punct") return all_that([](int c) { return std::ispunct(c); });
  if (name == "xdigit") return all_that([](int c) { return std::isxdigit(c); });
  return std::nullopt;
}

// The characters for which the letter after a backslash stands.
Set escaped(char c) {
  Set set;
  switch (c) {
    case 'd':
    case 'D':
      set = all_that([](int d) { return std::isdigit(d); });
      break;
    case 'w':
    case 'W':
      set = word_characters();
      break;
    case 's':
    case 'S':
      set = all_that([](int d) { return std::isspace(d); });
      break;
    case 't':
      set[byte('\t')] = true;
      return set;
    case 'n':
      set[byte('\n')] = true;
      return set;
    default:
      set[byte(c)] = true;
      return set;
  }
  // \D, \W and \S are the opposites of \d, \w and \s.
  return std::isupper(c) != 0 ? ~set : set;
}

}  // namespace

// Builds states from the last piece of a pattern to the first, so the successor of each piece is
// known.
class RegexCompiler {
 public:
  explicit RegexCompiler(std::string_view pattern) : text_(pattern) {}

  std::optional<Regex> run() {
    if (text_.size() > kLongest) return std::nullopt;
    auto tree = alternatives(0);
    if (!tree || at_ != text_.size()) return std::nullopt;
    const auto accept = add({Regex::State::Kind::kAccept});
    out_.start_ = build(*tree, accept);
    if (too_large_) return std::nullopt;
    return std::move(out_);
  }

 private:
  // A part of the parsed pattern.
  struct Piece {
    enum class Kind : std::uint8_t { kSet, kBegin, kEnd, kAll, kAny, kRepeat } kind = Kind::kAll;
    std::uint32_t set = 0;
    std::uint32_t least = 0, most = 0;  // limits of kRepeat; most may be kNoLimit
    std::vector<Piece> parts = {};
  };
  static constexpr std::uint32_t kNoLimit = 0xffffffff;
  // The characters of a piece; `number` is their place in the result.
  struct NumberedSet {
    Set set;
    std::optional<std::uint32_t> number;
  };

  [[nodiscard]] bool more() const { return at_ < text_.size(); }
  bool take(char c) {
    if (!more() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::optional<Piece> alternatives(int depth) {
    if (depth > kDeepestGroup) return std::nullopt;
    Piece any{Piece::Kind::kAny};
    do {
      Piece all{Piece::Kind::kAll};
      while (more() && text_[at_] != '|' && text_[at_] != ')') {
        auto piece = repeated(depth);
        if (!piece) return std::nullopt;
        all.parts.push_back(std::move(*piece));
      }
      any.parts.push_back(std::move(all));
    } while (take('|'));
    return any;
  }

  std::optional<Piece> repeated(int depth) {
    auto piece = atom(depth);
    while (piece && more()) {
      std::uint32_t least = 0, most = kNoLimit;
      if (take('*')) {
      } else if (take('+')) {
        least = 1;
      } else if (take('?')) {
        most = 1;
      } else if (text_[at_] == '{' && at_ + 1 < text_.size() && is_decimal(text_[at_ + 1])) {
        ++at_;
        least = most = number();
        if (take(',')) most = more() && text_[at_] == '}' ? kNoLimit : number();
        const bool sane = least <= kMostRepeats && (most == kNoLimit || most <= kMostRepeats);
        if (!take('}') || !sane || least > most) return std::nullopt;
      } else {
        break;
      }
      if (depth_of(*piece) >= kDeepestRepeats) return std::nullopt;
      Piece repeat{Piece::Kind::kRepeat, 0, least, most, {}};
      repeat.parts.push_back(std::move(*piece));
      piece = std::move(repeat);
    }
    return piece;
  }

  // Number of repeats around repeats, as in a++++.
  static int depth_of(const Piece& piece) {
    int depth = 0;
    for (const auto* p = &piece; p->kind == Piece::Kind::kRepeat; p = &p->parts[0]) ++depth;
    return depth;
  }

  std::uint32_t number() {
    std::uint32_t value = 0;
    while (more() && is_decimal(text_[at_]) && value <= kMostRepeats) {
      value = value * 10 + static_cast<std::uint32_t>(text_[at_++] - '0');
    }
    return value;
  }

  Piece one_of(const Set& set) {
    sets_.push_back({set, std::nullopt});
    return {Piece::Kind::kSet, static_cast<std::uint32_t>(sets_.size() - 1), 0, 0, {}};
  }

  std::optional<Piece> atom(int depth) {
    const char c = text_[at_++];
    switch (c) {
      case '(': {
        if (text_.substr(at_).starts_with("?:")) at_ += 2;
        auto group = alternatives(depth + 1);
        if (!group || !take(')')) return std::nullopt;
        return group;
      }
      case '^':
        return Piece{Piece::Kind::kBegin};
      case '$':
        return Piece{Piece::Kind::kEnd};
      case '.':
        return one_of(~Set());
      case '[':
        return bracket();
      case '*':
      case '+':
      case '?':
        return std::nullopt;
      case '\\':
        if (!more()) return std::nullopt;
        return one_of(escaped(text_[at_++]));
      default: {
        Set set;
        set[byte(c)] = true;
        return one_of(set);
      }
    }
  }

  std::optional<Piece> bracket() {
    const bool inverted = take('^');
    Set set;
    // A ] at the first place stands for itself.
    for (bool first = true; more() && (first || text_[at_] != ']'); first = false) {
      if (text_.substr(at_).starts_with("[:")) {
        const auto end = text_.find(":]", at_);
        const auto named = end == std::string_view::npos
                               ? std::nullopt
                               : class_of(text_.substr(at_ + 2, end - at_ - 2));
        if (!named) return std::nullopt;
        set |= *named;
        at_ = end + 2;
        continue;
      }
      char low = text_[at_++];
      if (low == '\\' && more()) {
        low = text_[at_++];
        const auto characters = escaped(low);
        if (characters.count() != 1 || !characters[byte(low)]) {
          set |= characters;
          continue;
        }
      }
      char high = low;
      if (at_ + 1 < text_.size() && text_[at_] == '-' && text_[at_ + 1] != ']') {
        ++at_;
        high = text_[at_++];
        if (high == '\\' && more()) high = text_[at_++];
      }
      if (byte(low) > byte(high)) return std::nullopt;
      for (auto b = byte(low); b <= byte(high); ++b) set[b] = true;
    }
    if (!take(']')) return std::nullopt;
    return one_of(inverted ? ~set : set);
  }

  std::uint32_t add(Regex::State state) {
    if (out_.states_.size() >= kMostStates) {
      too_large_ = true;
      return 0;
    }
    out_.states_.push_back(state);
    return static_cast<std::uint32_t>(out_.states_.size() - 1);
  }

  // Returns the first state of `piece`; `next` is the state after it.
  std::uint32_t build(const Piece& piece, std::uint32_t next) {
    using Kind = Regex::State::Kind;
    too_large_ = too_large_ || ++visits_ > kMostVisits;
    if (too_large_) return next;
    switch (piece.kind) {
      case Piece::Kind::kSet:
        return add({Kind::kSet, next, 0, number_of(sets_[piece.set])});
      case Piece::Kind::kBegin:
        return add({Kind::kBegin, next});
      case Piece::Kind::kEnd:
        return add({Kind::kEnd, next});
      case Piece::Kind::kAll:
        for (auto part = piece.parts.rbegin(); part != piece.parts.rend(); ++part) {
          next = build(*part, next);
        }
        return next;
      case Piece::Kind::kAny: {
        auto first = build(piece.parts.back(), next);
        for (auto i = piece.parts.size() - 1; i-- > 0;) {
          first = add({Kind::kSplit, build(piece.parts[i], next), first});
        }
        return first;
      }
      case Piece::Kind::kRepeat: {
        // x* is a loop: split -> body -> split. x{2,4} is x x (x x?)?. States are built from the
        // end, so the `most - least` optional copies come first, then the `least` required ones.
        auto first = next;
        if (piece.most == kNoLimit) {
          first = add({Kind::kSplit, next, next});
          const auto body = build(piece.parts[0], first);
          if (!too_large_) out_.states_[first].other = body;
        } else {
          for (auto i = piece.least; i < piece.most && !too_large_; ++i) {
            first = add({Kind::kSplit, next, build(piece.parts[0], first)});
          }
        }
        for (std::uint32_t i = 0; i < piece.least && !too_large_; ++i) {
          const auto before = std::exchange(first, build(piece.parts[0], first));
          if (first == before) break;  // the piece is empty, so repeating it changes nothing
        }
        return first;
      }
    }
    return next;
  }

  // Number of a set in the result, which gets it when its first state is built.
  std::uint32_t number_of(NumberedSet& set) {
    if (!set.number) {
      set.number = static_cast<std::uint32_t>(out_.sets_.size());
      out_.sets_.push_back(set.set);
    }
    return *set.number;
  }

  std::string_view text_;
  std::size_t at_ = 0, visits_ = 0;
  std::vector<NumberedSet> sets_;
  Regex out_;
  bool too_large_ = false;
};

std::optional<Regex> Regex::compile(std::string_view pattern) {
  return RegexCompiler(pattern).run();
}

bool Regex::found_in(std::string_view text) const {
  std::vector<std::uint32_t> now, next, stack;
  std::vector<std::size_t> seen(states_.size(), 0);  // position + 1 at which a state was added
  // Adds a state and all that follow without reading a character. Returns true if the end is
  // reached.
  const auto add = [&](std::uint32_t first, std::size_t position,
                       std::vector<std::uint32_t>& to) -> bool {
    stack.assign(1, first);
    while (!stack.empty()) {
      const auto s = stack.back();
      stack.pop_back();
      if (seen[s] == position + 1) continue;
      seen[s] = position + 1;
      const auto& state = states_[s];
      switch (state.kind) {
        case State::Kind::kAccept:
          return true;
        case State::Kind::kSet:
          to.push_back(s);
          break;
        case State::Kind::kSplit:
          stack.push_back(state.other);
          stack.push_back(state.next);
          break;
        case State::Kind::kBegin:
          if (position == 0) stack.push_back(state.next);
          break;
        case State::Kind::kEnd:
          if (position == text.size()) stack.push_back(state.next);
          break;
      }
    }
    return false;
  };
  for (std::size_t position = 0;; ++position) {
    if (add(start_, position, now)) return true;  // a match may begin anywhere
    if (position == text.size()) return false;
    next.clear();
    for (const auto s : now) {
      if (!sets_[states_[s].set][byte(text[position])]) continue;
      if (add(states_[s].next, position + 1, next)) return true;
    }
    now.swap(next);
  }
}

}  // namespace latecomer::report::formula
