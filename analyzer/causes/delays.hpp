// SPDX-License-Identifier: BSD-3-Clause
// Delays: the time that one location spent longer than another before the other waited for it.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "analyzer/causes/call_path_times.hpp"
#include "analyzer/causes/excess_parts.hpp"
#include "analyzer/causes/point_times.hpp"
#include "analyzer/causes/sync_points.hpp"
#include "analyzer/causes/time_parts.hpp"
#include "analyzer/memory/prefetch.hpp"
#include "analyzer/trace/events/core/call_tree.hpp"

namespace latecomer::causes {

// Time that the cause spent longer in a call path than the waiter.
struct Excess {
  std::uint32_t call_path = 0;         // in the global call tree
  std::uint32_t parts = trace::kNone;  // index of its ExcessParts; kNone: nothing is known of them
  Ticks time = 0;
};

// The explanation of a wait: all that its cause did longer since both were last in step, and what
// the cause itself waited in that time. Source: Boehme et al., "Identifying the root causes of wait
// states in large-scale parallel applications" (ACM TOPC 3(2), 2016).
//
//   since the last step   compute   pack   waits
//   cause                 7         2      1
//   waiter                4         3      0       excess: 3 in compute; waits: 1; sum: 4
struct Delay {
  Ticks excess = 0;                   // sum over call paths
  Ticks waits = 0;                    // sum of the waits of the cause
  std::uint32_t first = 0, last = 0;  // range of points of the cause in which it waited
  std::uint32_t excesses_begin = 0, excesses_end = 0;
  [[nodiscard]] Ticks sum() const { return excess + waits; }
};

// The delays of SyncPoints::waits(), computed in batches from the last wait back. Wait number i is
// the i-th from the end.
class Delays {
 public:
  // `told` are the samples and counters of the hosted locations; null on all processes: there are
  // none in the trace.
  Delays(const SyncPoints& points, const std::vector<CallPathTimes>& times,
         const trace::GlobalCallTree& tree, const std::vector<TimeParts>* told);

  // Number of batches for so many waits.
  [[nodiscard]] static std::size_t batches(std::size_t waits) {
    return (waits + kBatch - 1) / kBatch;
  }
  // A batch takes three steps, with one exchange between processes after each of the first two.
  // ask() appends the questions for each process to what is sent to it anyway. It may ask nothing
  // on this process while others still ask.
  void ask(std::vector<parallel::Packer>& to, int rank);
  // answer() answers all questions that are left in `questions`.
  void answer(parallel::Unpacker& questions, parallel::Packer& to);
  // compare_all() evaluates the answers. They belong to the batch before the one that was asked for
  // last, so that one round of all three steps needs only one exchange.
  void compare_all(std::span<parallel::Unpacker> answers, int rank);
  [[nodiscard]] std::size_t found() const { return found_; }
  // The waits of the batch that was found last; valid until the next batch is asked for.
  [[nodiscard]] std::span<const Wait> last_batch() const { return compared_.waits; }
  // The delay of wait `i`, which must have been found and not forgotten.
  [[nodiscard]] const Delay& of(std::size_t i) const { return batch_of(i).delays[i % kBatch]; }
  // Calls f(excess, parts, places) for each call path; the parts are null if nothing is known of
  // them.
  template <typename F>
  void for_each_excess(std::size_t i, F&& f) const {
    const Batch& batch = batch_of(i);
    const Delay& delay = batch.delays[i % kBatch];
    for (auto e = delay.excesses_begin; e < delay.excesses_end; ++e) {
      const Excess& excess = batch.excesses[e];
      if (excess.parts == trace::kNone) {
        f(excess, nullptr, std::span<const ExcessPlace>());
        continue;
      }
      const auto [parts, first, last] = batch.parts[excess.parts];
      f(excess, &parts, std::span<const ExcessPlace>(batch.places).subspan(first, last - first));
    }
  }
  // Frees the batches that lie entirely before wait `i`.
  void forget(std::size_t i) {
    for (; first_batch_ < i / kBatch; ++first_batch_) batches_.pop_front();
  }

 private:
  // "What did you do between this point and the call that made us wait?". A key of kBeginning
  // stands for the moment at which both began, instead of a point. Then `partner` is the waiter.
  struct Question {
    std::uint32_t location = 0, call = 0;  // location and call of the cause
    std::uint32_t partner = 0, key = 0;    // partner and key of the point, seen from the cause
    Ticks event = 0;
    Ticks begin = 0;                                   // beginning of a wait without a point
    SyncPoint::Role role = SyncPoint::Role::kMeeting;  // role of the cause at the point
    WaitKind kind = WaitKind::kLateSender;
    friend bool operator==(const Question&, const Question&) = default;
  };
  // The answer; the times of the cause per call path follow it.
  struct Answer {
    Ticks waits = 0;                     // sum of the waits of the cause
    std::uint32_t point = trace::kNone;  // point of the cause; kNone: not found
    std::uint32_t first = 0, last = 0;   // range of its points in which it waited
  };
  // The cause's part at a call path.
  struct Told {
    std::uint32_t call_path = 0;
    std::uint32_t places = 0;  // end of its places in the list of all
    TimePart part;
  };
  // These follow the times if anything is told at all.
  struct AllTold {
    std::vector<Told> parts;
    std::vector<ToldPlace> places;
    void clear() {
      parts.clear();
      places.clear();
    }
  };
  // Location and time of a span that was collected.
  struct Collected {
    std::uint32_t location = 0;
    Ticks from = 0, to = 0;
  };
  // A question, shared by successive waits.
  struct Asked {
    Question question;
    std::uint32_t waits = 0;  // how many successive waits share the question
  };
  // A batch that was asked for and not yet compared.
  struct Open {
    memory::Vector<Wait> waits;
    std::vector<std::uint32_t> order;  // order in which the waits are compared
    std::vector<Asked> questions;
  };
  struct Batch;
  void make_point_times();
  void find_told(AllTold& told) const;
  void explain(Batch& batch, const Delay& delay, const AllTold& of_cause);
  void add_places(Batch& batch, std::span<const ToldPlace> of_cause, std::uint32_t node) const;
  [[nodiscard]] Place in_all(Place place) const {
    place.at = tree_.from_local[place.at];
    return place;
  }
  void put_in_order_of_causes(Open& batch);
  [[nodiscard]] Answer look_up(const Question& question);
  void collect_own(const Wait& wait);
  [[nodiscard]] Question question_of(const Wait& wait) const;
  [[nodiscard]] std::uint32_t first_from(std::uint32_t location, std::uint32_t call);
  [[nodiscard]] static std::uint32_t find_point(Points points, std::uint32_t last,
                                                const Question& question);
  [[nodiscard]] Span span_of(std::uint32_t location, Points points, std::uint32_t from,
                             std::uint32_t last, Ticks to) const;
  void cut(Span& span, std::uint32_t location, const SyncPoint& from) const;
  [[nodiscard]] Span span_since(std::uint32_t location, Ticks from, std::uint32_t last,
                                Ticks to) const;
  [[nodiscard]] Ticks beginning_of(WaitKind kind, std::uint32_t location, std::uint32_t partner,
                                   Ticks idle) const;
  bool collect(std::uint32_t location, Points points, std::uint32_t from, Span span, NodeTimes& to);
  void read(std::uint32_t location, std::uint32_t from, const Span& span, NodeTimes& to) const;
  LATECOMER_PREFETCHES void prefetch(const Open& batch, std::size_t o) const;

  const SyncPoints& points_;
  const std::vector<CallPathTimes>& times_;
  const trace::GlobalCallTree& tree_;
  const std::vector<TimeParts>* const told_;
  std::vector<std::uint32_t> local_;    // node of the process's call tree by node of the global one
  std::vector<std::uint32_t> told_at_;  // scratch space, by node of the global call tree
  static constexpr std::size_t kBatch = 1 << 12;  // waits per batch; two batches fit into the cache
  // Results of one batch of waits.
  struct Batch {
    memory::Vector<Delay> delays;
    memory::Vector<Excess> excesses;
    struct Parts {
      ExcessParts parts;
      std::uint32_t first_place = 0, last_place = 0;  // range of its places
    };
    memory::Vector<Parts> parts;  // of some excesses
    memory::Vector<ExcessPlace> places;
  };
  [[nodiscard]] const Batch& batch_of(std::size_t i) const {
    return batches_[i / kBatch - first_batch_];
  }
  std::deque<Batch> batches_;
  Open asked_, compared_;              // the last batch, and the one before
  std::vector<std::uint32_t> places_;  // scratch space for sorting
  std::size_t first_batch_ = 0, found_ = 0;
  bool reads_timelines_ = false;          // timelines are read for each span
  std::vector<PointTimes> point_times_;   // per hosted location
  NodeTimes cause_, waiter_;              // times of the spans that were collected last
  Collected of_cause_, of_waiter_;        // and these spans
  std::vector<std::uint32_t> last_from_;  // last result of first_from(), per location
};

}  // namespace latecomer::causes
