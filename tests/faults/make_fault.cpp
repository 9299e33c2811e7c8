// SPDX-License-Identifier: BSD-3-Clause
// make_fault CASE DIRECTORY: writes an archive whose events are wrong in one way. Without arguments
// it prints the names of the cases. faults_test.py damages the files of the case "good".
#include <cstdio>
#include <functional>
#include <map>
#include <string>

#include "tests/support/trace_builder.hpp"

using namespace latecomer::test;

namespace {

// 4 ranks: a late sender of 4 s from 0 to 1, then a barrier at which rank 3 comes last.
TraceBuilder begin() {
  TraceBuilder t(4);
  t.init({{0, 1}}).enter_all("main", at(1));
  t.send(0, at(5), to(1)).recv(1, at(1), leave(6), from(0));
  t.collective("MPI_Barrier", {{7, 10}, {7, 10}, {7, 10}, {9, 10}});
  return t;
}

TraceBuilder& end(TraceBuilder& t) { return t.leave_all(at(20)).finalize({{20, 21}}); }

using Fault = std::function<void(TraceBuilder&)>;

// Events between the barrier (10 s) and the end of main (20 s).
const std::map<std::string, Fault> kMiddle = {
    {"good", [](TraceBuilder&) {}},
    {"unmatched_send", [](TraceBuilder& t) { t.send(2, at(11), to(3)); }},
    {"unmatched_receive",
     [](TraceBuilder& t) { t.recv(2, at(11), from(3)).recv(2, at(12), from(1)); }},
    {"unmatched_collective",
     [](TraceBuilder& t) {
       const Comm sub = t.communicator({0, 2, 3});
       t.collective("MPI_Allreduce", {{11, 12}, absent, {11, 12}}, on(sub));
     }},
    {"shifted_collectives",  // rank 2 misses one of the world: its next ones meet those before
     [](TraceBuilder& t) {
       t.collective("MPI_Allreduce", {{11, 12}, {11, 12}, absent, {11, 12}});
     }},
    {"swapped_collectives",  // the same number on all ranks, but not the same operations
     [](TraceBuilder& t) {
       for (const int r : {0, 1, 2}) t.collective(r, "MPI_Barrier", at(11), leave(12));
       t.collective(3, "MPI_Allreduce", at(11), leave(12));
     }},
    {"collective_of_others",  // rank 0 is no member; the members are hosted by one of two processes
     [](TraceBuilder& t) {
       const Comm sub = t.communicator({2, 3});
       for (const int r : {0, 2, 3}) t.collective(r, "MPI_Allreduce", at(11), leave(12), on(sub));
     }},
    {"unknown_member",  // rank 7 does not exist, rank 1 is used instead
     [](TraceBuilder& t) {
       const Comm sub = t.communicator({0, 7});
       for (const int r : {0, 1}) t.collective(r, "MPI_Allreduce", at(11), leave(12), on(sub));
     }},
    {"leave_without_enter", [](TraceBuilder& t) { t.leave_all(at(11)).leave(2, "stray", at(12)); }},
    {"crossing_regions",
     [](TraceBuilder& t) {
       t.enter(1, "outer", at(11)).enter(1, "inner", at(12));
       t.leave(1, "outer", at(13)).leave(1, "inner", at(14));
     }},
    {"unknown_region",
     [](TraceBuilder& t) {
       t.raw(1, at(11), [](OTF2_EvtWriter* w, OTF2_TimeStamp time) {
         OTF2_EvtWriter_Enter(w, nullptr, time, 4711);
         OTF2_EvtWriter_Leave(w, nullptr, time, 4711);
       });
     }},
    {"unknown_communicator",
     [](TraceBuilder& t) { t.send(1, at(11), to(2), on(Comm{99})).recv(2, at(11), from(1)); }},
    {"unknown_peer", [](TraceBuilder& t) { t.send(1, at(11), to(77)); }},
    {"huge_numbers",  // ids and lengths at the end of their range
     [](TraceBuilder& t) {
       t.send(1, at(11), to(2), tag(0xffffffff), bytes(~std::uint64_t{0}));
       t.recv(2, at(11), leave(12), from(1), tag(0xffffffff), bytes(~std::uint64_t{0}));
       t.isend(1, at(13), to(2), req(~std::uint64_t{0} - 1));
       t.wait(1, at(14), req(~std::uint64_t{0} - 1)).recv(2, at(13), leave(14), from(1));
     }},
    {"records_outside_mpi",
     [](TraceBuilder& t) {
       t.raw(1, at(11), [](OTF2_EvtWriter* w, OTF2_TimeStamp time) {
         OTF2_EvtWriter_MpiSend(w, nullptr, time, 2, 0, 0, 8);
         OTF2_EvtWriter_MpiCollectiveEnd(w, nullptr, time, OTF2_COLLECTIVE_OP_BARRIER, 0,
                                         OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
       });
     }},
    {"completion_without_start",
     [](TraceBuilder& t) {
       t.send(0, at(11), to(1));
       t.enter(1, "MPI_Wait", at(11));
       t.raw(1, at(12), [](OTF2_EvtWriter* w, OTF2_TimeStamp time) {
         OTF2_EvtWriter_MpiIsendComplete(w, nullptr, time, 5);
         OTF2_EvtWriter_MpiRequestCancelled(w, nullptr, time, 6);
         OTF2_EvtWriter_MpiIrecv(w, nullptr, time, 0, 0, 0, 8, 7);
       });
       t.leave(1, at(12));
     }},
    {"start_without_completion",
     [](TraceBuilder& t) {
       t.irecv(1, at(11), from(0), req(1)).isend(0, at(11), to(1), req(2));
       t.recv(1, at(12), leave(13), from(0));
       t.icollective(2, "MPI_Ibarrier", at(11), req(3));
     }},
    {"end_without_begin",
     [](TraceBuilder& t) {
       for (const int r : {0, 1, 2, 3}) {
         t.enter(r, "MPI_Barrier", at(11));
         t.raw(r, at(12), [](OTF2_EvtWriter* w, OTF2_TimeStamp time) {
           OTF2_EvtWriter_MpiCollectiveEnd(w, nullptr, time, OTF2_COLLECTIVE_OP_BARRIER, 0,
                                           OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
         });
         t.leave(r, at(12));
       }
     }},
    {"unknown_records",
     [](TraceBuilder& t) { t.unknown_record(1, at(11)).unknown_record(1, at(12)); }},
    {"deep",  // a call path of 20,000 regions
     [](TraceBuilder& t) {
       for (int i = 0; i < 20000; ++i) t.enter(3, "recursive", at(11));
       for (int i = 0; i < 20000; ++i) t.leave(3, at(12));
     }},
    {"too_few_events", [](TraceBuilder& t) { t.announce_events(1, 1000); }},
    {"too_many_events", [](TraceBuilder& t) { t.announce_events(1, 3); }},
    {"accelerators",  // clocks get corrected; rank 1 made one, no rank made the other
     [](TraceBuilder& t) {
       t.send(0, at(15), to(1)).recv(1, at(11), leave(12), from(0));
       for (const Place who : {Place(1), Place(1, 5), Place(1, 6)}) {
         t.enter(who, "kernel", at(13)).leave(who, at(14));
       }
       for (auto& location : t.model().locations) {
         using Device = Location::Device;
         if (location.id == Place(1, 5).location()) location.device = Device::kOfProcess;
         if (location.id == Place(1, 6).location()) location.device = Device::kOfNobody;
       }
     }},
    {"reversed_message",
     [](TraceBuilder& t) { t.send(0, at(15), to(1)).recv(1, at(11), leave(12), from(0)); }},
};

bool write(const std::string& name, const std::string& directory) {
  TraceBuilder t = begin();
  if (name == "no_finalize") {
    t.leave_all(at(20));
  } else if (name == "open_regions") {  // as in a killed run: all events just stop
    t.enter(2, "solve", at(11)).enter(2, "MPI_Recv", at(12));
  } else if (name == "stuck") {  // rank 1 from 12 on, while the run goes on until 32
    t.enter(1, "solve", at(11)).enter(1, "MPI_Recv", at(12)).leave(2, "main", at(15));
    t.enter(0, "MPI_Abort", at(32)).enter(3, "MPI_Recv", at(31));
  } else {
    const auto it = kMiddle.find(name);
    if (it == kMiddle.end()) return false;
    it->second(t);
    if (name == "leave_without_enter") {
      t.finalize({{20, 21}});
    } else {
      end(t);
    }
  }
  t.write(directory);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    for (const auto& [name, fault] : kMiddle) std::puts(name.c_str());
    std::puts("no_finalize\nopen_regions\nstuck");
    return 0;
  }
  if (write(argv[1], argv[2])) return 0;
  std::fprintf(stderr, "make_fault: no such case: %s\n", argv[1]);
  return 2;
}
