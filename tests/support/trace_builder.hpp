// SPDX-License-Identifier: BSD-3-Clause
// Synthetic traces for tests: a script of calls with explicit times becomes an OTF2 archive.
#pragma once

#include <otf2/otf2.h>

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/trace_model.hpp"
#include "tests/support/trace_words.hpp"

namespace latecomer::test {

// A synthetic trace. Example: the send of rank 0 enters at 5, the receive of rank 1 enters at 1 and
// leaves at 6.
//
//   auto t = TraceBuilder(2).send(0, at(5), to(1)).recv(1, at(1), leave(6), from(0));
//   t.write(directory);
//
// Calls of one rank (or thread) are given in the order of time; going back throws std::logic_error.
// A call without leave() takes no time. Each call writes the records that tracers write: the send
// record has the time of the enter, the receive record and completions have the time of the leave.
// Ranks in to(), from() and root() are ranks of the communicator. Only the order of time is
// checked: unmatched messages, missing participants and unbalanced regions are written as they are.
class TraceBuilder {
 public:
  explicit TraceBuilder(int ranks, std::uint64_t ticks_per_second = 1'000'000'000);

  // Places of the ranks. By default all are on one node of one machine.
  TraceBuilder& metahost(std::uint32_t id, const std::string& name, const std::vector<int>& ranks);
  TraceBuilder& node(const std::string& name, const std::vector<int>& ranks);

  [[nodiscard]] Comm communicator(const std::vector<int>& ranks, const std::string& name = "");
  [[nodiscard]] Comm intercommunicator(const std::vector<int>& ranks,
                                       const std::vector<int>& remote,
                                       const std::string& name = "");
  [[nodiscard]] Comm self_communicator(const std::string& name = "");

  TraceBuilder& clock_offset(Place who, Time local, Ticks offset, double deviation = 0);
  TraceBuilder& property(const std::string& name, const std::string& value);
  TraceBuilder& program(const std::string& name);
  // Sets the number of events that traces.def states, instead of the true one.
  TraceBuilder& announce_events(Place who, std::uint64_t events);
  [[nodiscard]] TraceModel& model() { return model_; }  // for all other definitions

  // User regions.
  TraceBuilder& enter(Place who, std::string_view region, at time);
  TraceBuilder& leave(Place who, at time);                           // the region entered last
  TraceBuilder& leave(Place who, std::string_view region, at time);  // this one, entered or not
  TraceBuilder& enter_all(std::string_view region, at time);
  TraceBuilder& leave_all(at time);
  TraceBuilder& program_begin(Place who, at time);
  TraceBuilder& program_end(Place who, at time);
  // A call of a user or MPI function that has no records of its own, such as MPI_Probe.
  template <typename... W>
  TraceBuilder& call(Place who, std::string_view region, W... words) {
    return add_call(who, region, spec(words...));
  }

  // MPI_Init and MPI_Finalize of all ranks: one span per rank, or one for all.
  TraceBuilder& init(std::initializer_list<Span> spans);
  TraceBuilder& finalize(std::initializer_list<Span> spans);

  // Point-to-point messages. Words: at, leave, to, from, tag, on, bytes, req, as, stamp.
  template <typename... W>
  TraceBuilder& send(Place who, W... words) {
    return add_send(who, spec(words...));
  }
  template <typename... W>
  TraceBuilder& recv(Place who, W... words) {
    return add_recv(who, spec(words...));
  }
  template <typename... W>
  TraceBuilder& sendrecv(Place who, W... words) {
    return add_sendrecv(who, spec(words...));
  }
  template <typename... W>
  TraceBuilder& isend(Place who, W... words) {
    return add_isend(who, spec(words...));
  }
  // The source that from() names is that of the completed message, even for MPI_ANY_SOURCE.
  template <typename... W>
  TraceBuilder& irecv(Place who, W... words) {
    return add_irecv(who, spec(words...));
  }
  // Persistent requests: the *_init call takes the message's words, start() begins the message.
  template <typename... W>
  TraceBuilder& send_init(Place who, W... words) {
    return add_persistent(who, "MPI_Send_init", Kind::kSend, spec(words...));
  }
  template <typename... W>
  TraceBuilder& recv_init(Place who, W... words) {
    return add_persistent(who, "MPI_Recv_init", Kind::kReceive, spec(words...));
  }
  template <typename... W>
  TraceBuilder& start(Place who, W... words) {
    return add_start(who, spec(words...));
  }
  // Completions. Their req() words are the completed requests in array order. A test without any is
  // unsuccessful.
  template <typename... W>
  TraceBuilder& wait(Place who, W... words) {
    return add_completion(who, "MPI_Wait", spec(words...));
  }
  template <typename... W>
  TraceBuilder& waitall(Place who, W... words) {
    return add_completion(who, "MPI_Waitall", spec(words...));
  }
  template <typename... W>
  TraceBuilder& waitany(Place who, W... words) {
    return add_completion(who, "MPI_Waitany", spec(words...));
  }
  template <typename... W>
  TraceBuilder& waitsome(Place who, W... words) {
    return add_completion(who, "MPI_Waitsome", spec(words...));
  }
  template <typename... W>
  TraceBuilder& test(Place who, W... words) {
    return add_completion(who, "MPI_Test", spec(words...));
  }
  template <typename... W>
  TraceBuilder& testall(Place who, W... words) {
    return add_completion(who, "MPI_Testall", spec(words...));
  }
  // Cancels a request; its completion will say so.
  template <typename... W>
  TraceBuilder& cancel(Place who, W... words) {
    return add_cancel(who, spec(words...));
  }
  // Hands requests to another thread of the process, which completes them.
  template <typename... W>
  TraceBuilder& hand_on(Place from, Place to, W... words) {
    for (const auto id : spec(words...).requests) {
      stream(to).requests.insert(stream(from).requests.extract(id));
    }
    return *this;
  }
  template <typename... W>
  TraceBuilder& request_free(Place who, W... words) {
    return add_call(who, "MPI_Request_free", spec(words...));
  }

  // A collective call of all members: one span per rank of the communicator, `absent` for a rank
  // that never comes. Words: on, root, bytes, sent, received.
  //   t.collective("MPI_Barrier", {{3, 10}, {9, 10}, {4, 10}});
  template <typename... W>
  TraceBuilder& collective(std::string_view function, std::initializer_list<Span> spans,
                           W... words) {
    return add_collectives(function, spans, spec(words...));
  }
  // The part of one process in a collective call.
  template <typename... W>
  TraceBuilder& collective(Place who, std::string_view function, W... words) {
    return add_collective(who, function, spec(words...));
  }
  // A nonblocking collective; wait() completes its req().
  template <typename... W>
  TraceBuilder& icollective(Place who, std::string_view function, W... words) {
    return add_icollective(who, function, spec(words...));
  }
  // Neighbors that `who` gets data from in neighborhood operations on `comm`, as ranks of `comm`.
  TraceBuilder& neighbors(Place who, Comm comm, const std::vector<int>& sources);
  // MPI_Comm_dup or a similar call: `made` is created on all members of on(parent). The spans are
  // those of the parent's ranks.
  template <typename... W>
  TraceBuilder& make_communicator(std::string_view function, Comm made,
                                  std::initializer_list<Span> spans, W... words) {
    return add_make_communicator(function, made, spans, spec(words...));
  }

  // One-sided communication. Fences have the mark of our tracer only with
  // property("LATECOMER::VERSION").
  [[nodiscard]] Window window(Comm comm = world);
  [[nodiscard]] Group group(const std::vector<int>& ranks);
  // MPI_Win_create, MPI_Win_free or MPI_Win_fence of all members: one span per rank of the
  // communicator.
  template <typename... W>
  TraceBuilder& window_call(std::string_view function, Window window,
                            std::initializer_list<Span> spans, W... words) {
    return add_window_calls(function, window, spans, spec(words...));
  }
  // MPI_Put, MPI_Get, MPI_Accumulate, ... Words: to, bytes.
  template <typename... W>
  TraceBuilder& transfer(Place who, std::string_view function, Window window, W... words) {
    return add_transfer(who, function, window, spec(words...));
  }
  // MPI_Win_post, MPI_Win_start, MPI_Win_complete, MPI_Win_wait, MPI_Win_test.
  template <typename... W>
  TraceBuilder& epoch(Place who, std::string_view function, Window window, Group group,
                      W... words) {
    return add_epoch(who, function, window, group, spec(words...));
  }
  // MPI_Win_lock and MPI_Win_unlock; without to() the calls that lock and unlock all.
  template <typename... W>
  TraceBuilder& lock(Place who, Window window, W... words) {
    return add_lock(who, window, true, spec(words...));
  }
  template <typename... W>
  TraceBuilder& unlock(Place who, Window window, W... words) {
    return add_lock(who, window, false, spec(words...));
  }
  // MPI_Win_flush, which completes the last transfer.
  template <typename... W>
  TraceBuilder& window_flush(Place who, Window window, W... words) {
    return add_window_flush(who, window, spec(words...));
  }

  // MPI-IO.
  [[nodiscard]] File file(Comm comm = world);
  // MPI_File_open, MPI_File_close, MPI_File_write_all, MPI_File_read_all_begin, ... of all members:
  // one span per rank of the communicator. Each writes the records that tracers write.
  TraceBuilder& file_call(std::string_view function, File file, std::initializer_list<Span> spans);

  // Records of tracers that belong to no call.
  TraceBuilder& flush(Place who, at time, Time stop);
  TraceBuilder& recording(Place who, at time, bool on);
  // A record of a type that no OTF2 library knows.
  TraceBuilder& unknown_record(Place who, at time);
  // Any record: write(writer, time stamp) calls OTF2_EvtWriter_...
  using Write = std::function<void(OTF2_EvtWriter*, OTF2_TimeStamp)>;
  TraceBuilder& raw(Place who, at time, Write write);

  // Writes the archive. The directory may exist but must be empty. write() may be called again for
  // another directory.
  void write(const std::filesystem::path& directory) const;

 private:
  enum class Kind { kSend, kReceive, kCollective };
  struct Request {
    Kind kind = Kind::kSend;
    bool persistent = false, cancelled = false;
    Call call;
    std::uint8_t operation = 0;
    std::uint64_t sent = 0, received = 0;
    CollectiveNote note;
  };
  struct Event {
    Ticks time = 0;
    Write write;
  };
  // Script of one location.
  struct Stream {
    std::vector<Event> events;
    std::vector<std::uint32_t> open;  // user regions
    std::map<std::uint64_t, Request> requests;
    bool unknown_records = false;
  };

  template <typename... W>
  static Call spec(W... words) {
    Call call;
    (words.set(call), ...);
    return call;
  }

  Stream& stream(Place who);
  [[nodiscard]] Ticks tick(Time time) const { return time.in(model_.ticks_per_second); }
  void put(Place who, Ticks time, Write write);
  void put_send(Place who, Ticks time, const Call& call);
  void put_receive(Place who, Ticks time, const Call& call);
  void put_isend(Place who, Ticks time, const Call& call, std::uint64_t request);
  void put_irecv_request(Place who, Ticks time, std::uint64_t request);
  void put_completion(Place who, Ticks time, std::uint64_t id);
  // The region around a call: the records that `inside` puts lie between its enter and its leave.
  TraceBuilder& add_region(Place who, std::string_view region, const Call& call,
                           const std::function<void(Ticks enter, Ticks leave)>& inside);

  TraceBuilder& add_call(Place who, std::string_view region, const Call& call);
  TraceBuilder& add_send(Place who, const Call& call);
  TraceBuilder& add_recv(Place who, const Call& call);
  TraceBuilder& add_sendrecv(Place who, const Call& call);
  TraceBuilder& add_isend(Place who, const Call& call);
  TraceBuilder& add_irecv(Place who, const Call& call);
  TraceBuilder& add_persistent(Place who, std::string_view region, Kind kind, const Call& call);
  TraceBuilder& add_start(Place who, const Call& call);
  TraceBuilder& add_completion(Place who, std::string_view region, const Call& call);
  TraceBuilder& add_cancel(Place who, const Call& call);
  TraceBuilder& add_collectives(std::string_view function, std::initializer_list<Span> spans,
                                const Call& call);
  TraceBuilder& add_collective(Place who, std::string_view function, const Call& call);
  TraceBuilder& add_icollective(Place who, std::string_view function, const Call& call);
  TraceBuilder& add_make_communicator(std::string_view function, Comm made,
                                      std::initializer_list<Span> spans, const Call& call);
  TraceBuilder& add_window_calls(std::string_view function, Window window,
                                 std::initializer_list<Span> spans, const Call& call);
  TraceBuilder& add_transfer(Place who, std::string_view function, Window window, const Call& call);
  TraceBuilder& add_epoch(Place who, std::string_view function, Window window, Group group,
                          const Call& call);
  TraceBuilder& add_window_flush(Place who, Window window, const Call& call);
  TraceBuilder& add_lock(Place who, Window window, bool request, const Call& call);
  TraceBuilder& add_frame(std::string_view function, bool create, const std::vector<Span>& spans);
  // Sets the sent and received bytes of a process in a collective.
  void set_bytes(Place who, std::uint8_t operation, Request& request) const;

  TraceModel model_;
  std::map<std::uint64_t, Stream> streams_;  // by location id
  std::map<std::uint64_t, std::uint64_t> announced_;
};

}  // namespace latecomer::test
