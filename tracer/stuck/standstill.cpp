// SPDX-License-Identifier: BSD-3-Clause
// Builds the graph of waiting ranks and puts into words what it shows.
#include "tracer/stuck/standstill.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>

#include "archive/rank_list.hpp"
#include "tracer/stuck/strong_components.hpp"

namespace latecomer::stuck {
namespace {

using Ranks = std::vector<std::uint32_t>;

bool waits(const ThreadState& thread) {
  return (thread.doing == Doing::kWaits || thread.doing == Doing::kPolls) && !thread.needs.empty();
}

bool fits(std::int64_t wanted, std::int64_t there) {
  return wanted == kAny || there == kAny || wanted == there;
}

// True if both needs are the two ends of one message.
bool meet(const Need& receive, std::uint32_t receiver, const Need& send, std::uint32_t sender) {
  return receive.kind == Need::Kind::kReceive && send.kind == Need::Kind::kSend &&
         fits(receive.peer, sender) && send.peer == receiver && receive.object == send.object &&
         fits(receive.tag, send.tag);
}

void add(Ranks& to, std::uint32_t rank) {
  if (std::ranges::find(to, rank) == to.end()) to.push_back(rank);
}

bool waits_for_requests(const ThreadState& thread) {
  return thread.needs.size() + thread.unlisted > 1 ||
         thread.call.find("ait") != std::string::npos ||
         thread.call.find("Test") != std::string::npos;
}

// "is in MPI_Recv from 1 (a.c:12)"
std::string where(const ThreadState& thread) {
  const std::string in = thread.doing == Doing::kPolls ? "polls with " : "is in ";
  return in + call_text(thread) + (thread.place.empty() ? "" : " (" + thread.place + ")");
}

std::string without_verb(const ThreadState& thread) {
  return call_text(thread) + (thread.place.empty() ? "" : " (" + thread.place + ")");
}

class Search {
 public:
  explicit Search(const std::vector<RankState>& ranks) : ranks_(ranks) {
    result_.waits_for.resize(ranks.size());
    result_.stuck.resize(ranks.size());
  }

  Standstill run() {
    build();
    find_locks();
    find_stuck();
    find_mismatches();
    find_lonely();
    find_circles();
    find_waits_for_gone();
    find_waits_for_others();
    return std::move(result_);
  }

 private:
  // What a thread still waits for: the ranks of each need that are not there yet.
  struct Edge {
    std::uint32_t rank = 0;
    const ThreadState* thread = nullptr;
    std::vector<Ranks> needs;  // of those that are not satisfied
    std::vector<bool> any_of_ranks;
    // Several requests, or both halves of a combined call: which of them are complete is not known.
    // So the thread is only taken for stuck if none of them can come.
    bool any_of_needs = false;
    bool can_go_on = false;  // something that it waits for is there, or is not known
  };

  [[nodiscard]] const RankState& at(std::uint32_t rank) const { return ranks_[rank]; }
  [[nodiscard]] bool there(std::uint32_t rank) const {
    return rank < ranks_.size() && at(rank).standing == Standing::kThere;
  }

  // True if the rank has come into the operation, or has left it.
  [[nodiscard]] bool arrived(std::uint32_t rank, const Need& need) const {
    if (rank >= ranks_.size()) return false;
    for (const ThreadState& thread : at(rank).threads) {
      if (!waits(thread)) continue;
      for (const Need& other : thread.needs) {
        if (other.kind != need.kind || other.object != need.object) continue;
        if (need.kind != Need::Kind::kCollective || other.instance >= need.instance) return true;
      }
    }
    if (need.kind != Need::Kind::kCollective || need.instance == 0) return false;
    for (const auto& [object, count] : at(rank).operations) {
      if (object == need.object) return count >= need.instance;
    }
    return false;
  }

  // True if another rank is at the other end of the message, so that only MPI has to work.
  [[nodiscard]] bool met(std::uint32_t rank, const Need& need) const {
    const auto meets = [&](std::uint32_t other) {
      if (other >= ranks_.size()) return false;
      for (const ThreadState& thread : at(other).threads) {
        if (!waits(thread)) continue;
        for (const Need& n : thread.needs) {
          if (need.kind == Need::Kind::kSend ? meet(n, other, need, rank)
                                             : meet(need, rank, n, other))
            return true;
        }
      }
      return false;
    };
    if (need.peer != kAny) return meets(static_cast<std::uint32_t>(need.peer));
    return std::ranges::any_of(need.members, meets);
  }

  void build() {
    for (const RankState& rank : ranks_) {
      if (rank.standing != Standing::kThere) continue;
      for (const ThreadState& thread : rank.threads) {
        if (!waits(thread)) continue;
        Edge edge{rank.rank,           &thread, {}, {}, thread.needs.size() + thread.unlisted > 1,
                  thread.unlisted != 0};
        for (const Need& need : thread.needs) {
          if (!add_need(edge, need) && edge.any_of_needs) edge.can_go_on = true;
        }
        if (edge.can_go_on && thread.one_is_enough) edge.needs.clear();
        for (const Ranks& need : edge.needs) {
          for (const auto other : need) add(result_.waits_for[rank.rank], other);
        }
        edges_.push_back(std::move(edge));
      }
      std::ranges::sort(result_.waits_for[rank.rank]);
    }
  }

  // False if the need is satisfied, or nothing is known of it.
  bool add_need(Edge& edge, const Need& need) {
    Ranks ranks;
    bool any = false;
    switch (need.kind) {
      case Need::Kind::kReceive:
      case Need::Kind::kProbe:
      case Need::Kind::kSend:
        if (met(edge.rank, need)) return false;
        any = need.peer == kAny;
        ranks = any ? need.members : Ranks{static_cast<std::uint32_t>(need.peer)};
        break;
      case Need::Kind::kRelease:
        ranks = need.members;
        break;
      case Need::Kind::kCollective:
      case Need::Kind::kGroup:
        for (const auto member : need.members) {
          if (!arrived(member, need)) ranks.push_back(member);
        }
        if (ranks.empty()) return false;
        break;
      default:
        return false;
    }
    if (ranks.empty() && !any) return false;
    edge.needs.push_back(std::move(ranks));
    edge.any_of_ranks.push_back(any);
    return true;
  }

  // A rank can go on if a thread of it that calls MPI can. A thread that waits can go on once what
  // it needs can come: then the ranks that it waits for can go on.
  void find_stuck() {
    std::vector<bool> can(ranks_.size());
    for (const RankState& rank : ranks_) {
      can[rank.rank] = rank.standing == Standing::kUnseen ||
                       (rank.standing == Standing::kThere && !rank.leaves &&
                        (rank.moved || rank.threads.empty() ||
                         std::ranges::any_of(rank.threads, [&](const ThreadState& t) {
                           return !waits(t) && !waits_for_locks_.contains({rank.rank, t.number});
                         })));
    }
    const auto rank_can = [&](std::uint32_t rank) { return rank >= can.size() || can[rank]; };
    const auto need_can = [&](const Ranks& need, bool any) {
      return any ? std::ranges::any_of(need, rank_can) : std::ranges::all_of(need, rank_can);
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (const Edge& edge : edges_) {
        if (can[edge.rank] || at(edge.rank).leaves) continue;
        std::size_t coming = 0;
        for (std::size_t i = 0; i < edge.needs.size(); ++i) {
          if (need_can(edge.needs[i], edge.any_of_ranks[i])) ++coming;
        }
        const bool goes_on = edge.can_go_on || edge.needs.empty() ||
                             (edge.any_of_needs ? coming != 0 : coming == edge.needs.size());
        changed |= goes_on;
        if (goes_on) can[edge.rank] = true;
      }
    }
    for (const RankState& rank : ranks_) {
      result_.stuck[rank.rank] =
          rank.standing == Standing::kThere && !rank.leaves && !can[rank.rank];
    }
  }

  // Threads that wait for locks of each other. A holder that may go on is worth a sentence, too.
  void find_locks() {
    for (const RankState& rank : ranks_) {
      if (rank.standing != Standing::kThere || rank.moved) continue;
      const LockWaits found = find_lock_waits(rank.lock_threads);
      for (const LockWaits::Sentence& sentence : found.sentences) {
        say(sentence.is_circle ? Finding::Kind::kCircle : Finding::Kind::kLock, {rank.rank},
            "rank " + std::to_string(rank.rank) + ": " + sentence.text);
      }
      for (const std::uint32_t thread : found.stuck) waits_for_locks_.insert({rank.rank, thread});
    }
  }

  void say(Finding::Kind kind, Ranks ranks, std::string text) {
    std::ranges::sort(ranks);
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    result_.findings.push_back({kind, std::move(ranks), std::move(text)});
  }

  // Different operations, or roots, as the same operation of a communicator.
  void find_mismatches() {
    struct Group {
      Ranks ranks;
      std::string text;
    };
    std::map<std::pair<std::string, std::uint64_t>, std::map<std::string, Group>> operations;
    std::map<std::pair<std::string, std::uint64_t>, std::string> names;
    for (const RankState& rank : ranks_) {
      if (rank.standing != Standing::kThere || rank.moved) continue;
      for (const ThreadState& thread : rank.threads) {
        if (!waits(thread)) continue;
        for (const Need& need : thread.needs) {
          if (need.kind != Need::Kind::kCollective || need.instance == 0) continue;
          std::string what = need.operation;
          if (need.root != kAny) what += " with root " + std::to_string(need.root);
          Group& group = operations[{need.object, need.instance}][what];
          add(group.ranks, rank.rank);
          group.text = "in " + what + (thread.place.empty() ? "" : " (" + thread.place + ")");
          names[{need.object, need.instance}] = need.name;
        }
      }
    }
    for (const auto& [operation, groups] : operations) {
      if (groups.size() < 2) continue;
      Ranks all;
      std::string text;
      for (const auto& [what, group] : groups) {
        all.insert(all.end(), group.ranks.begin(), group.ranks.end());
        text += (text.empty() ? "" : ", ") + ranks_text(group.ranks) +
                (group.ranks.size() == 1 ? " is " : " are ") + group.text;
      }
      say(Finding::Kind::kMismatch, all,
          "different calls as operation " + std::to_string(operation.second) + " of " +
              names[operation] + ": " + text);
    }
    find_wrong_tags();
  }

  // A receive and a send between the same two ranks that do not fit.
  void find_wrong_tags() {
    for (const Edge& edge : edges_) {
      if (!result_.stuck[edge.rank]) continue;
      for (const Need& need : edge.thread->needs) {
        if (need.kind != Need::Kind::kReceive || need.peer == kAny) continue;
        const auto sender = static_cast<std::uint32_t>(need.peer);
        if (!there(sender) || met(edge.rank, need)) continue;
        for (const ThreadState& thread : at(sender).threads) {
          if (!waits(thread)) continue;
          for (const Need& send : thread.needs) {
            if (send.kind != Need::Kind::kSend || send.peer != edge.rank) continue;
            const bool other_tag = !fits(need.tag, send.tag);
            say(Finding::Kind::kMismatch, {edge.rank, sender},
                "rank " + std::to_string(edge.rank) + " " + where(*edge.thread) + ", rank " +
                    std::to_string(sender) + " " + where(thread) + ": " +
                    (other_tag ? "the tags differ" : "the communicators differ"));
          }
        }
      }
    }
  }

  // Waits for itself.
  void find_lonely() {
    for (const Edge& edge : edges_) {
      if (!result_.stuck[edge.rank]) continue;
      for (std::size_t i = 0; i < edge.needs.size(); ++i) {
        const Ranks& need = edge.needs[i];
        if (need.size() == 1 && need.front() == edge.rank && at(edge.rank).threads.size() == 1) {
          say(Finding::Kind::kNobody, {edge.rank},
              "rank " + std::to_string(edge.rank) + " " + where(*edge.thread) +
                  ", which is itself: it waits for a message that only it could send or receive");
        } else if (need.empty()) {
          say(Finding::Kind::kNobody, {edge.rank},
              "rank " + std::to_string(edge.rank) + " " + where(*edge.thread) +
                  ", but there is no other rank in the communicator");
        }
      }
    }
  }

  [[nodiscard]] const ThreadState* waiting_thread(std::uint32_t rank) const {
    for (const ThreadState& thread : at(rank).threads) {
      if (waits(thread)) return &thread;
    }
    return nullptr;
  }

  // "rank 1 is in MPI_Recv from 0 (a.c:12), ranks 2, 3 are in MPI_Barrier (a.c:40)"
  [[nodiscard]] std::string calls_of(const Ranks& ranks) const {
    std::vector<std::pair<std::string, Ranks>> groups;
    for (const auto rank : ranks) {
      const ThreadState* thread = waiting_thread(rank);
      const std::string text = thread == nullptr ? "waits" : without_verb(*thread);
      auto found = std::ranges::find(groups, text, &std::pair<std::string, Ranks>::first);
      if (found == groups.end()) {
        groups.push_back({text, {rank}});
      } else {
        found->second.push_back(rank);
      }
    }
    constexpr std::size_t kShown = 6;
    std::string text;
    for (std::size_t i = 0; i < groups.size() && i < kShown; ++i) {
      const bool one = groups[i].second.size() == 1;
      text += (i == 0 ? "" : ", ") + ranks_text(groups[i].second) + ' ' +
              verb(waiting_thread(groups[i].second.front()), one) + groups[i].first;
    }
    if (groups.size() > kShown) text += ", ...";
    return text;
  }

  static std::string verb(const ThreadState* thread, bool one) {
    if (thread != nullptr && thread->doing == Doing::kPolls)
      return one ? "polls with " : "poll with ";
    return one ? "is in " : "are in ";
  }

  void find_circles() {
    for (const Ranks& component : strong_components(result_.waits_for, result_.stuck)) {
      if (component.size() < 2) continue;
      say(Finding::Kind::kCircle, component, circle_text(component));
    }
  }

  [[nodiscard]] std::string circle_text(const Ranks& ranks) const {
    std::set<std::string> calls;
    bool one_each = true;
    for (const auto rank : ranks) {
      const ThreadState* thread = waiting_thread(rank);
      if (thread == nullptr) continue;
      const Need::Kind kind = thread->needs.front().kind;
      const bool sends = kind == Need::Kind::kSend;
      one_each = one_each && thread->needs.size() == 1 && result_.waits_for[rank].size() == 1 &&
                 (sends || kind == Need::Kind::kReceive || kind == Need::Kind::kProbe);
      calls.insert((thread->doing == Doing::kPolls ? "poll with " : "are in ") + thread->call +
                   (waits_for_requests(*thread) ? sends ? " for a send" : " for a receive" : "") +
                   (sends ? " to " : " from ") + '\n' + thread->place);
    }
    const std::string list = ranks_text(ranks);
    std::string text = (ranks.size() == 2 ? "ranks " + std::to_string(ranks[0]) + " and " +
                                                std::to_string(ranks[1])
                                          : list) +
                       " wait for each other";
    if (!one_each || calls.size() != 1) return text + ": " + calls_of(ranks);
    // All are in the same call.
    const std::string& call = *calls.begin();
    const auto line = call.find('\n');
    const std::string place = line + 1 == call.size() ? "" : " (" + call.substr(line + 1) + ")";
    if (ranks.size() == 2) return text + ": both " + call.substr(0, line) + "the other" + place;
    text += " in a circle: ";
    constexpr std::size_t kShown = 8;
    std::uint32_t rank = ranks.front();
    for (std::size_t i = 0; i < ranks.size() && i < kShown; ++i) {
      const std::uint32_t next = result_.waits_for[rank].front();
      text += (i == 0 ? "" : ", ") + std::to_string(rank) + " for " + std::to_string(next);
      rank = next;
    }
    if (ranks.size() > kShown) text += ", ...";
    return text + "; all " + call.substr(0, call.rfind(' ', line - 2)) + place;
  }

  [[nodiscard]] static const char* gone_text(Standing standing) {
    switch (standing) {
      case Standing::kThere:
      case Standing::kFinished:
        return "has left (MPI_Finalize)";
      case Standing::kExited:
        return "has exited without MPI_Finalize";
      default:
        return "has died";
    }
  }
  [[nodiscard]] bool gone(std::uint32_t rank) const {
    return rank < ranks_.size() &&
           (at(rank).standing == Standing::kThere ? at(rank).leaves
                                                  : at(rank).standing != Standing::kUnseen);
  }

  void find_waits_for_gone() {
    // Ranks that wait for the same in the same call are one sentence.
    std::map<std::tuple<Ranks, std::string>, Ranks> sentences;
    for (const Edge& edge : edges_) {
      if (!result_.stuck[edge.rank]) continue;
      for (std::size_t i = 0; i < edge.needs.size(); ++i) {
        Ranks left;
        for (const auto other : edge.needs[i]) {
          if (gone(other)) left.push_back(other);
        }
        if (left.empty() || (edge.any_of_ranks[i] && left.size() < edge.needs[i].size())) continue;
        add(sentences[{left, without_verb(*edge.thread)}], edge.rank);
      }
    }
    for (const auto& [what, ranks] : sentences) {
      const auto& [left, call] = what;
      const bool several = left.size() > 1;
      const bool named =
          call.find(" from ") != std::string::npos || call.find(" to ") != std::string::npos;
      std::string text = ranks_text(ranks) + (ranks.size() == 1 ? " is in " : " are in ") + call;
      text += named && !several ? ", which " : ", but " + ranks_text(left) + " ";
      std::string how = gone_text(at(left.front()).standing);
      if (several && how.starts_with("has ")) how.replace(0, 4, "have ");
      Ranks all = ranks;
      all.insert(all.end(), left.begin(), left.end());
      say(Finding::Kind::kGone, all, text + how);
    }
  }

  // Ranks at the end of chains that are not stuck: they compute, or cannot be seen.
  void find_waits_for_others() {
    std::vector<Ranks> waiting(ranks_.size());  // for the rank, directly or not
    for (const RankState& rank : ranks_) {
      if (result_.stuck[rank.rank] || result_.waits_for[rank.rank].empty()) continue;
      std::set<std::uint32_t> seen{rank.rank};
      Ranks todo{rank.rank};
      while (!todo.empty()) {
        const std::uint32_t one = todo.back();
        todo.pop_back();
        for (const auto other : result_.waits_for[one]) {
          if (other >= ranks_.size() || !seen.insert(other).second) continue;
          if (result_.waits_for[other].empty()) waiting[other].push_back(rank.rank);
          todo.push_back(other);
        }
      }
    }
    for (const RankState& rank : ranks_) {
      const Ranks& others = waiting[rank.rank];
      if (others.empty() || gone(rank.rank)) continue;
      Ranks all = others;
      all.push_back(rank.rank);
      const std::string who = "rank " + std::to_string(rank.rank) + " ";
      const std::string rest = ", " + waiting_text(others) + " for it";
      if (rank.standing == Standing::kUnseen) {
        say(Finding::Kind::kUnseen, all, who + "cannot be seen from here" + rest);
      } else if (!rank.moved) {
        say(Finding::Kind::kComputing, all, who + doing_text(rank) + rest);
      }
    }
  }

  [[nodiscard]] std::string waiting_text(const Ranks& ranks) const {
    std::string list = ranks_text(ranks);
    constexpr std::size_t kLongest = 60;
    if (list.size() > kLongest) list = std::to_string(ranks.size()) + " ranks";
    list += ranks.size() == 1 ? " waits" : " wait";
    const ThreadState* first = waiting_thread(ranks.front());
    const auto same = [&](std::uint32_t rank) {
      const ThreadState* one = waiting_thread(rank);
      return one != nullptr && without_verb(*one) == without_verb(*first);
    };
    if (first != nullptr && std::ranges::all_of(ranks, same)) list += " in " + without_verb(*first);
    return list;
  }

  // "computes since 40 s, after MPI_Barrier (a.c:40)"
  [[nodiscard]] static std::string doing_text(const RankState& rank) {
    if (rank.threads.empty()) return "has recorded nothing yet";
    const ThreadState& thread = rank.threads.front();
    const std::string time = thread.knows_time ? " for " + duration_text(thread.seconds) : "";
    const std::string place = thread.place.empty() ? "" : " (" + thread.place + ")";
    switch (thread.doing) {
      case Doing::kWaits:
        return "is in " + thread.call + place + time;
      case Doing::kPolls:
        return "polls with " + thread.call + place + time;
      case Doing::kFile:
      case Doing::kThreads:
        return "is in " + thread.call + time;
      case Doing::kBegins:
        return "is in MPI_Init" + time;
      case Doing::kEnds:
        return "ends in MPI_Finalize" + time;
      default:
        return "is in no MPI call" + time +
               (thread.call.empty() ? "" : ", since " + thread.call + place);
    }
  }

  const std::vector<RankState>& ranks_;
  std::vector<Edge> edges_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> waits_for_locks_;  // rank, thread: for ever
  Standstill result_;
};

}  // namespace

bool Standstill::is_deadlock() const {
  return std::ranges::find(stuck, true) != stuck.end() ||
         std::ranges::any_of(findings, [](const Finding& f) {
           return f.kind == Finding::Kind::kMismatch || f.kind == Finding::Kind::kCircle;
         });
}

Standstill find_standstill(const std::vector<RankState>& ranks) { return Search(ranks).run(); }

std::string ranks_text(const std::vector<std::uint32_t>& ranks) {
  return rank_list({ranks.begin(), ranks.end()});
}

std::string call_text(const ThreadState& thread) {
  std::string text = thread.call;
  constexpr std::size_t kShown = 3;
  const bool of_requests = waits_for_requests(thread);
  for (std::size_t i = 0; i < thread.needs.size() && i < kShown; ++i) {
    const Need& need = thread.needs[i];
    std::string one;
    const std::string peer = need.peer == kAny ? "any rank" : std::to_string(need.peer);
    const std::string tag = need.tag == kAny ? "" : ", tag " + std::to_string(need.tag);
    switch (need.kind) {
      case Need::Kind::kReceive:
      case Need::Kind::kProbe:
        one = (of_requests ? "a receive from " : "from ") + peer + tag;
        break;
      case Need::Kind::kSend:
        one = (of_requests ? "a send to " : "to ") + peer + tag;
        break;
      case Need::Kind::kCollective:
        one = (of_requests ? need.operation + " on " : "on ") + need.name;
        if (need.root != kAny) one += ", root " + std::to_string(need.root);
        break;
      case Need::Kind::kGroup:
      case Need::Kind::kRelease:
        one = "on " + need.name;
        break;
      default:
        one = of_requests ? "a request" : "";
        break;
    }
    if (one.empty()) continue;
    text += i == 0 ? (of_requests ? " for " : " ") : "; ";
    text += one;
  }
  const std::size_t more =
      thread.needs.size() - std::min(thread.needs.size(), kShown) + thread.unlisted;
  if (more != 0) text += " and " + std::to_string(more) + " more";
  return text;
}

std::string duration_text(double seconds) {
  seconds = std::max(0.0, seconds);
  std::array<char, 64> text{};
  if (seconds < 120) {
    std::snprintf(text.data(), text.size(), "%.1f s", seconds);
  } else if (seconds < 7200) {
    const auto whole = static_cast<long long>(seconds);
    std::snprintf(text.data(), text.size(), "%lld min %lld s", whole / 60, whole % 60);
  } else {
    const auto minutes = static_cast<long long>(std::min(seconds, 1e15) / 60);
    std::snprintf(text.data(), text.size(), "%lld h %lld min", minutes / 60, minutes % 60);
  }
  return text.data();
}

}  // namespace latecomer::stuck
