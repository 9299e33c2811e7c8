// SPDX-License-Identifier: BSD-3-Clause
// Metahosts one after the other, since two of them may share a file system that rank 0 does not
// see.
#include "tracer/session/agreement/parts.hpp"

#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "tracer/session/agreement/collective_status.hpp"
#include "tracer/session/agreement/introduction.hpp"

namespace latecomer::session {
namespace {

namespace fs = std::filesystem;

// The result of the first process of a metahost, which it broadcasts.
struct Outcome {
  BoundedText<4096> path;  // of the directory that it made; empty: none
  BoundedText<4600> problem;
  BoundedText<400> hint;
};

struct Made {
  std::string path;
  int maker = 0;
};

std::uint64_t random_number() {
  std::uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) == sizeof number) return number;
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_nsec) << 32 ^ static_cast<std::uint64_t>(getpid());
}

// A network file system may show what another node has made only after a while.
constexpr int kPolls = 20;
constexpr timespec kPause{0, 50'000'000};

constexpr const char* kHint =
    "all nodes of a metahost must see the place that LATECOMER_EXPERIMENT_DIRECTORY (`scan -e "
    "DIRECTORY`) names; what has a file system of its own must be a metahost of its own "
    "(LATECOMER_METAHOST_ID, LATECOMER_METAHOST_NAME)";

class Search {
 public:
  Search(exchange::Group& group, std::span<const Place> where, std::span<const std::string> names,
         const DirectoryWish& wish)
      : group_(group), rank_(group.rank()), where_(where), names_(names), wish_(wish) {
    for (int r = 0; r < static_cast<int>(where.size()); ++r) {
      if (metahost(r) == static_cast<int>(masters_.size())) masters_.push_back(r);
    }
  }

  Result<Part> run() {
    choose_name();
    std::uint64_t token = random_number();
    group_.broadcast(&token, sizeof token, 0);
    part_.token = token;
    for (const int master : masters_) {
      Outcome outcome;
      if (rank_ == master) outcome = join_or_make();
      group_.broadcast(&outcome, sizeof outcome, master);
      take(master, outcome);
      if (master == 0 && made_.empty()) {
        return Problem{outcome.problem.str(), outcome.hint.str(), Exit::kUsage};
      }
    }
    const int found = look(kPolls);
    Status status = judge(found);
    status = agree_with_root(group_, status);
    if (!status) {
      if (!mine_.empty()) discard(mine_);
      return status.problem();
    }
    if (!mine_.empty()) remove_mark(mine_, part_.token, rank_);  // everybody has looked
    part_.parts = static_cast<int>(made_.size());
    return part_;
  }

 private:
  [[nodiscard]] int metahost(int rank) const {
    return where_[static_cast<std::size_t>(rank)].metahost;
  }
  [[nodiscard]] bool is_master() const {
    return masters_[static_cast<std::size_t>(metahost(rank_))] == rank_;
  }

  // Chooses one last part of the path for all, with a number that is free on all metahosts.
  void choose_name() {
    struct {
      BoundedText<4096> path;
      bool given = false;
    } first;
    first.given = !wish_.name.empty();
    own_ = absolute_name(first.given ? wish_.name : wish_.otherwise);
    first.path = BoundedText<4096>(own_);
    group_.broadcast(&first, sizeof first, 0);
    const fs::path theirs = first.path.str();
    own_ = wish_.name.empty() && first.given
               ? theirs.string()
               : (fs::path(own_).parent_path() / theirs.filename()).string();
    int number = 0;
    if (masters_.size() > 1) {
      for (int highest = 0;; number = highest) {
        const int mine = is_master() ? free_number(own_, wish_.rules, number) : number;
        highest = group_.highest(mine);
        if (highest == number) break;
      }
    }
    own_ = with_number(own_, number);
  }

  // Place in made_ of a directory that this process sees, else -1. Sets part_.
  int look(int polls) {
    for (int poll = 0; poll < polls; ++poll) {
      if (poll != 0) nanosleep(&kPause, nullptr);
      for (std::size_t i = 0; i < made_.size(); ++i) {
        // One directory may have different paths on different nodes.
        for (const std::string& path : {made_[i].path, own_}) {
          if (!sees_mark(path, part_.token, made_[i].maker)) continue;
          part_.directory = path;
          part_.maker = made_[i].maker;
          return static_cast<int>(i);
        }
      }
    }
    return -1;
  }

  Outcome join_or_make() {
    Outcome outcome;
    // An experiment of that name may be the common directory, seen late, which must not be
    // replaced.
    if (look(holds_experiment(own_) && !made_.empty() ? kPolls : 1) >= 0) return outcome;
    // No program before this one has made that directory, if it is seen only now.
    Rules rules = wish_.rules;
    if (!made_.empty()) rules.run.clear();
    const Result<std::string> made = make_experiment_directory(own_, rules);
    if (look(1) >= 0) return outcome;
    if (!made) {
      outcome.problem = BoundedText<4600>(made.problem().what);
      outcome.hint = BoundedText<400>(made.problem().next);
    } else if (!leave_mark(made.value(), part_.token, rank_)) {
      outcome.problem = BoundedText<4600>("cannot write to experiment directory " + made.value() +
                                          ": " + std::strerror(errno));
      outcome.hint = BoundedText<400>(kHint);
      discard(made.value());
    } else {
      mine_ = made.value();
      outcome.path = BoundedText<4096>(made.value());
    }
    return outcome;
  }

  void take(int master, const Outcome& outcome) {
    if (!outcome.path.str().empty()) made_.push_back({outcome.path.str(), master});
    problems_.push_back({outcome.problem.str(), outcome.hint.str()});
  }

  // On rank 0: a Problem if somebody sees no directory.
  Status judge(int found) {
    const auto size = where_.size();
    std::vector<int> all(rank_ == 0 ? size : 0);
    group_.gather(&found, sizeof found, all.data());
    std::vector<std::vector<int>> without(masters_.size());
    for (int r = 0; r < static_cast<int>(all.size()); ++r) {
      if (all[static_cast<std::size_t>(r)] < 0) {
        without[static_cast<std::size_t>(metahost(r))].push_back(r);
      }
    }
    std::string text, hint;
    for (std::size_t m = 0; m < without.size(); ++m) {
      if (without[m].empty()) continue;
      text += text.empty() ? "no experiment directory on " : "; none on ";
      if (!names_[m].empty()) text += "metahost " + names_[m] + " (";
      text += rank_list(without[m]) + (names_[m].empty() ? "" : ")");
      text += ": " + why(m);
      if (hint.empty()) hint = problems_[m].next;
    }
    if (text.empty()) return success();
    return Problem{text, hint.empty() ? kHint : hint, Exit::kUsage};
  }

  [[nodiscard]] std::string why(std::size_t m) const {
    if (!problems_[m].what.empty()) return problems_[m].what;
    const auto own = std::find_if(made_.begin(), made_.end(),
                                  [&](const Made& made) { return made.maker == masters_[m]; });
    const Made& expected = own == made_.end() ? made_.front() : *own;
    return expected.path + ", made by rank " + std::to_string(expected.maker) +
           ", cannot be seen there";
  }

  exchange::Group& group_;
  const int rank_;
  std::span<const Place> where_;
  std::span<const std::string> names_;
  const DirectoryWish& wish_;
  std::vector<int> masters_;  // first rank of each metahost
  std::string own_;           // where this process would make it
  std::string mine_;          // what it has made
  std::vector<Made> made_;
  std::vector<Problem> problems_;  // per metahost
  Part part_;
};

}  // namespace

Result<Part> agree_on_directory(exchange::Group& group, std::span<const Place> where,
                                std::span<const std::string> names, const DirectoryWish& wish) {
  return Search(group, where, names, wish).run();
}

}  // namespace latecomer::session
