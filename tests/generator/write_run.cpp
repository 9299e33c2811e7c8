// SPDX-License-Identifier: BSD-3-Clause
// Writes one location after another, so that the memory does not grow with the number of ranks.
#include "tests/generator/write_run.hpp"

#include <stdexcept>

#include "sync/clock_model.hpp"
#include "tests/support/archive_writer.hpp"
#include "tests/support/trace_model.hpp"

namespace latecomer::test {
namespace {

struct Regions {
  explicit Regions(TraceModel& m)
      : main(m.region("main")),
        solver(m.region("solver")),
        step(m.region("step")),
        compute(m.region("compute")),
        kernel(m.region("kernel")),
        exchange(m.region("exchange")),
        shift(m.region("shift")),
        residual(m.region("residual")),
        checkpoint(m.region("checkpoint")),
        init(m.region("MPI_Init")),
        finalize(m.region("MPI_Finalize")),
        irecv(m.region("MPI_Irecv")),
        isend(m.region("MPI_Isend")),
        waitall(m.region("MPI_Waitall")),
        sendrecv(m.region("MPI_Sendrecv")),
        allreduce(m.region("MPI_Allreduce")),
        barrier(m.region("MPI_Barrier")) {}
  std::uint32_t main, solver, step, compute, kernel, exchange, shift, residual, checkpoint, init,
      finalize, irecv, isend, waitall, sendrecv, allreduce, barrier;
};

// The clocks of a run: those of a model for each node, or each with a fixed offset.
class Clocks {
 public:
  Clocks(const SyntheticRun& run, const TraceModel& model, const ClockOptions& options)
      : error_(options.measurement_error) {
    for (std::uint32_t r = 0; r < run.options().ranks; ++r) {
      const auto node = model.node_of.at(r);
      shifts_.push_back(options.models.empty()
                            ? 1'000'000'000 * std::int64_t{run.metahost(r)} + 1000 * std::int64_t{r}
                            : 0);
      nodes_.push_back(node);
      if (models_.size() > node) continue;
      const auto spec = sync::clock_of_node(options.models, model.nodes[node].name);
      if (!spec) throw std::invalid_argument(spec.problem().text());
      models_.emplace_back(spec->value_or(sync::ClockSpec{}));
    }
  }
  [[nodiscard]] std::int64_t local(std::uint32_t rank, std::int64_t t) const {
    return kBoot + models_[nodes_[rank]].local(t) + shifts_[rank];
  }
  // Result of a measurement at time t: it is wrong by at most the error, equally for a whole node.
  [[nodiscard]] std::int64_t offset(std::uint32_t rank, std::int64_t t) const {
    const auto node = static_cast<std::int64_t>(nodes_[rank]);
    const std::int64_t wrong =
        node == 0 || error_ == 0 ? 0 : (node * 7919 + t) % (2 * error_ + 1) - error_;
    return local(0, t) - local(rank, t) + wrong;
  }

 private:
  // Time that clocks show when the run begins, so that none shows a negative time.
  static constexpr std::int64_t kBoot = 1'000'000'000'000;

  std::int64_t error_;
  std::vector<std::int64_t> shifts_;
  std::vector<std::uint32_t> nodes_;  // per rank
  std::vector<sync::ClockModel> models_;
};

class RankWriter {
 public:
  RankWriter(OTF2_EvtWriter* out, const SyntheticRun& run, const Clocks& clocks,
             const Regions& regions, std::uint32_t rank)
      : out_(out), run_(run), clocks_(clocks), regions_(regions), rank_(rank) {}

  void write() {
    const std::int64_t start = run_.begin();
    enter(start, regions_.main);
    frame(regions_.init, start, run_.init_end(), OTF2_COLLECTIVE_OP_CREATE_HANDLE);
    enter(run_.init_end(), regions_.solver);
    for (std::uint32_t s = 0; s < run_.steps(); ++s) step(s);
    const std::int64_t end = run_.last_step_end(rank_);
    leave(end, regions_.solver);
    frame(regions_.finalize, end, run_.finalize_end(), OTF2_COLLECTIVE_OP_DESTROY_HANDLE);
    leave(run_.finalize_end(), regions_.main);
  }

 private:
  static constexpr std::int64_t kCall = SyntheticRun::kCall;

  [[nodiscard]] OTF2_TimeStamp local(std::int64_t t) const {
    return static_cast<OTF2_TimeStamp>(clocks_.local(rank_, t));
  }
  void enter(std::int64_t t, std::uint32_t region) {
    OTF2_EvtWriter_Enter(out_, nullptr, local(t), region);
  }
  void leave(std::int64_t t, std::uint32_t region) {
    OTF2_EvtWriter_Leave(out_, nullptr, local(t), region);
  }
  void collective(std::uint32_t region, std::int64_t begin, std::int64_t end,
                  OTF2_CollectiveOp operation, std::uint64_t bytes) {
    enter(begin, region);
    OTF2_EvtWriter_MpiCollectiveBegin(out_, nullptr, local(begin));
    OTF2_EvtWriter_MpiCollectiveEnd(out_, nullptr, local(end), operation, 0,
                                    OTF2_COLLECTIVE_ROOT_NONE, bytes, bytes);
    leave(end, region);
  }
  void frame(std::uint32_t region, std::int64_t begin, std::int64_t end,
             OTF2_CollectiveOp operation) {
    collective(region, begin, end, operation, 0);
  }
  // Requests 1 to k are the receives of the k directions, k + 1 to 2 k are the sends.
  void exchange(const SyntheticRun::Step& t) {
    enter(t.exchange, regions_.exchange);
    const auto& directions = run_.directions();
    const std::size_t k = directions.size();
    for (std::size_t i = 0; i < k; ++i) {
      const std::int64_t at = run_.post(t.exchange, i);
      enter(at, regions_.irecv);
      OTF2_EvtWriter_MpiIrecvRequest(out_, nullptr, local(at + kCall), i + 1);
      leave(at + kCall, regions_.irecv);
    }
    for (std::size_t i = 0; i < k; ++i) {
      const std::int64_t at = run_.post(t.exchange, k + i);
      enter(at, regions_.isend);
      OTF2_EvtWriter_MpiIsend(out_, nullptr, local(at), run_.neighbour(rank_, directions[i]), 0,
                              directions[i], SyntheticRun::kHaloBytes, k + i + 1);
      leave(at + kCall, regions_.isend);
    }
    enter(t.waitall, regions_.waitall);
    for (std::size_t i = 0; i < k; ++i) {
      OTF2_EvtWriter_MpiIrecv(out_, nullptr, local(t.waitall_end),
                              run_.neighbour(rank_, directions[i] ^ 1), 0, directions[i],
                              SyntheticRun::kHaloBytes, i + 1);
    }
    for (std::size_t i = 0; i < k; ++i) {
      OTF2_EvtWriter_MpiIsendComplete(out_, nullptr, local(t.waitall_end), k + i + 1);
    }
    leave(t.waitall_end, regions_.waitall);
    leave(t.waitall_end + kCall, regions_.exchange);
  }
  void shift(const SyntheticRun::Step& t) {
    const std::uint32_t n = run_.options().ranks;
    enter(t.shift - kCall, regions_.shift);
    enter(t.shift, regions_.sendrecv);
    OTF2_EvtWriter_MpiSend(out_, nullptr, local(t.shift), (rank_ + 1) % n, 0, 99,
                           SyntheticRun::kShiftBytes);
    OTF2_EvtWriter_MpiRecv(out_, nullptr, local(t.shift_end), (rank_ + n - 1) % n, 0, 99,
                           SyntheticRun::kShiftBytes);
    leave(t.shift_end, regions_.sendrecv);
    leave(t.shift_end + kCall, regions_.shift);
  }
  void step(std::uint32_t number) {
    const auto t = run_.step(rank_, number);
    enter(t.begin, regions_.step);
    enter(t.begin + kCall, regions_.compute);
    enter(t.begin + 2 * kCall, regions_.kernel);
    leave(t.compute_end - kCall, regions_.kernel);
    leave(t.compute_end, regions_.compute);
    if (run_.has_halo()) exchange(t);
    if (run_.has_shift()) shift(t);
    if (run_.has_allreduce(number)) {
      enter(t.allreduce - kCall, regions_.residual);
      collective(regions_.allreduce, t.allreduce, t.allreduce_end, OTF2_COLLECTIVE_OP_ALLREDUCE,
                 SyntheticRun::kReduceBytes * run_.options().ranks);
      leave(t.allreduce_end + kCall, regions_.residual);
    }
    if (run_.has_barrier(number)) {
      enter(t.barrier - kCall, regions_.checkpoint);
      collective(regions_.barrier, t.barrier, t.barrier_end, OTF2_COLLECTIVE_OP_BARRIER, 0);
      leave(t.barrier_end + kCall, regions_.checkpoint);
    }
    leave(t.end, regions_.step);
  }

  OTF2_EvtWriter* out_;
  const SyntheticRun& run_;
  const Clocks& clocks_;
  const Regions& regions_;
  std::uint32_t rank_;
};

// Fills nodes in the order of ranks; a new metahost begins with a new node.
void place_ranks(const SyntheticRun& run, TraceModel& model) {
  const auto& options = run.options();
  model.metahosts.clear();
  model.nodes.clear();
  std::uint32_t on_node = 0;
  for (std::uint32_t r = 0; r < options.ranks; ++r) {
    const std::uint32_t metahost = run.metahost(r);
    const bool new_metahost = metahost == model.metahosts.size();
    if (new_metahost) model.metahosts.push_back({metahost, "site" + std::to_string(metahost)});
    if (new_metahost || on_node == options.ranks_per_node) {
      model.nodes.push_back({"node" + std::to_string(model.nodes.size()), metahost});
      on_node = 0;
    }
    ++on_node;
    model.node_of[r] = static_cast<std::uint32_t>(model.nodes.size() - 1);
  }
}

}  // namespace

Totals write_run(const SyntheticRun& run, const std::filesystem::path& directory,
                 const ClockOptions& clock_options) {
  Totals totals = run.totals();
  TraceModel model(run.options().ranks, "synthetic");
  place_ranks(run, model);
  const Clocks clocks(run, model, clock_options);
  const Regions regions(model);
  ArchiveWriter archive(directory);
  for (auto& location : model.locations) {
    location.events = archive.write_events(location.id, [&](OTF2_EvtWriter* out) {
      RankWriter(out, run, clocks, regions, location.rank).write();
    });
    totals.events += location.events;
    for (const std::int64_t t : {run.begin(), run.finalize_end()}) {
      location.offsets.push_back({static_cast<std::uint64_t>(clocks.local(location.rank, t)),
                                  clocks.offset(location.rank, t)});
    }
  }
  model.epoch = static_cast<std::uint64_t>(clocks.local(0, run.begin()));
  model.length = static_cast<std::uint64_t>(run.finalize_end() - run.begin());
  model.creator = "latecomer-generate";
  archive.finish(model);
  return totals;
}

}  // namespace latecomer::test
