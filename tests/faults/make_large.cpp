// SPDX-License-Identifier: BSD-3-Clause
// make_large CASE COUNT DIRECTORY: writes a small archive with many objects of one kind. Without
// arguments it prints the names of the cases.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <numeric>
#include <string>

#include "tests/support/trace_builder.hpp"

using namespace latecomer::test;

namespace {

TraceBuilder begin(int ranks) {
  TraceBuilder t(ranks);
  t.enter_all("main", at(1));
  return t;
}

void end(TraceBuilder& t, const std::string& directory, Time time) {
  t.leave_all(at(time));
  t.write(directory);
}

std::vector<int> all(int ranks) {
  std::vector<int> out(static_cast<std::size_t>(ranks));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

constexpr int kRanks = 1000;  // members of communicators

// Many ranks with only a call each.
void locations(int count, const std::string& directory) {
  TraceBuilder t = begin(count);
  end(t, directory, 2);
}

// Many communicators with the same processes.
void communicators(int count, const std::string& directory) {
  TraceBuilder t = begin(kRanks);
  t.model().copies_of_world = static_cast<std::uint32_t>(count);
  for (int r = 0; r < kRanks; ++r) t.collective(r, "MPI_Barrier", at(2), leave(3));
  end(t, directory, 4);
}

void intercommunicators(int count, const std::string& directory) {
  TraceBuilder t = begin(kRanks);
  for (int i = 0; i < count; ++i) (void)t.intercommunicator({0}, all(kRanks));
  end(t, directory, 2);
}

void windows(int count, const std::string& directory) {
  TraceBuilder t = begin(kRanks);
  for (int i = 0; i < count; ++i) (void)t.window();
  end(t, directory, 2);
}

void files(int count, const std::string& directory) {
  TraceBuilder t = begin(kRanks);
  for (int i = 0; i < count; ++i) (void)t.file();
  end(t, directory, 2);
}

// Each rank is on its own machine.
void metahosts(int count, const std::string& directory) {
  TraceBuilder t = begin(count);
  for (int r = 0; r < count; ++r) {
    t.metahost(static_cast<std::uint32_t>(r), "m" + std::to_string(r), {r});
  }
  for (int r = 0; r < count; ++r) t.collective(r, "MPI_Barrier", at(2), leave(3));
  end(t, directory, 4);
}

// A chain of nodes, the innermost one first.
void nodes(int count, const std::string& directory) {
  TraceBuilder t = begin(2);
  t.model().nested_nodes = static_cast<std::uint32_t>(count);
  end(t, directory, 2);
}

// Messages that were all received before the first one was sent; each violates the clock condition
// by more than the one before.
void received_before_sent(int count, const std::string& directory) {
  TraceBuilder t = begin(2);
  for (int i = 0; i < count; ++i) t.recv(1, at(2 + 1e-6 * i), from(0));
  for (int i = 0; i < count; ++i) t.send(0, at(5 + 3e-6 * i), to(1));
  end(t, directory, 9);
}

// The messages of received_before_sent, with sends between the receives whose room shrinks.
void sent_between(int count, const std::string& directory) {
  TraceBuilder t = begin(3);
  for (int i = 0; i < count; ++i) {
    t.recv(1, at(2 + 1e-6 * i), from(0)).send(1, at(2 + 1e-6 * i), to(2));
    t.send(0, at(5 + 3e-6 * i), to(1));
    t.recv(2, at(8 + 4e-6 * i), from(1));
  }
  end(t, directory, 9);
}

void sent_before_received(int count, const std::string& directory) {
  TraceBuilder t = begin(2);
  for (int i = 0; i < count; ++i) t.send(0, at(2 + 1e-6 * i), to(1));
  for (int i = 0; i < count; ++i) t.recv(1, at(5 + 1e-6 * i), from(0));
  end(t, directory, 9);
}

// Requests that are all open at once, then completed in the order of their start.
void open_requests(int count, const std::string& directory) {
  TraceBuilder t = begin(2);
  const auto id = [](int i) { return req(static_cast<std::uint64_t>(i) + 1); };
  for (int i = 0; i < count; ++i) t.irecv(1, at(2 + 1e-6 * i), from(0), id(i));
  for (int i = 0; i < count; ++i) t.isend(0, at(2 + 1e-6 * i), to(1), id(i));
  for (int i = 0; i < count; ++i) t.wait(1, at(5 + 1e-6 * i), id(i));
  for (int i = 0; i < count; ++i) t.wait(0, at(5 + 1e-6 * i), id(i));
  end(t, directory, 9);
}

// Nonblocking collective calls that are all open at once.
void open_collectives(int count, const std::string& directory) {
  TraceBuilder t = begin(2);
  const auto id = [](int i) { return req(static_cast<std::uint64_t>(i) + 1); };
  for (int r = 0; r < 2; ++r) {
    for (int i = 0; i < count; ++i) t.icollective(r, "MPI_Ibarrier", at(2 + 1e-6 * i), id(i));
    for (int i = 0; i < count; ++i) t.wait(r, at(5 + 1e-6 * i), id(i));
  }
  end(t, directory, 9);
}

// Accesses to windows with many members: each epoch names a group of all.
void epochs_of_all(int count, const std::string& directory) {
  TraceBuilder t = begin(kRanks);
  const Window window = t.window();
  const Group group = t.group(all(kRanks));
  for (int i = 0; i < count; ++i) {
    t.epoch(0, "MPI_Win_start", window, group, at(2 + 1e-5 * i));
    t.epoch(0, "MPI_Win_complete", window, group, at(2 + 1e-5 * i));
    t.epoch(1, "MPI_Win_post", window, group, at(2 + 1e-5 * i));
    t.epoch(1, "MPI_Win_wait", window, group, at(2 + 1e-5 * i));
  }
  end(t, directory, 9);
}

// Transfers and locks that are not completed before the end.
void open_transfers(int count, const std::string& directory) {
  TraceBuilder t = begin(2);
  const Window window = t.window();
  for (int i = 0; i < count; ++i) {
    t.lock(0, window, at(2 + 1e-6 * i), to(1));
    t.transfer(0, "MPI_Put", window, at(2 + 1e-6 * i), to(1));
  }
  for (int i = 0; i < count; ++i) t.unlock(0, window, at(5 + 1e-6 * i), to(1));
  end(t, directory, 9);
}

// Steps of a loop, with one message each.
void steps(int count, const std::string& directory) {
  TraceBuilder t = begin(2);
  for (int i = 0; i < count; ++i) {
    t.enter(0, "step", at(2 + 1e-4 * i)).enter(1, "step", at(2 + 1e-4 * i));
    t.send(0, at(2 + 1e-4 * i + 1e-5), to(1));
    t.recv(1, at(2 + 1e-4 * i), leave(2 + 1e-4 * i + 2e-5), from(0));
    t.leave(0, at(2 + 1e-4 * i + 3e-5)).leave(1, at(2 + 1e-4 * i + 3e-5));
  }
  end(t, directory, 100);
}

// Many threads of one process.
void threads(int count, const std::string& directory) {
  TraceBuilder t = begin(1);
  for (int i = 1; i < count; ++i) {
    const auto thread = thread_of(0, static_cast<std::uint32_t>(i));
    t.enter(thread, "worker", at(2)).leave(thread, at(3));
  }
  end(t, directory, 4);
}

// Each rank sends one message to each other one.
void all_to_all(int count, const std::string& directory) {
  TraceBuilder t = begin(count);
  for (int r = 0; r < count; ++r) {
    for (int i = 0; i < count; ++i)
      t.send(r, at(2 + 1e-6 * i), to(i), tag(static_cast<unsigned>(r)));
    for (int i = 0; i < count; ++i)
      t.recv(r, at(5 + 1e-6 * i), from(i), tag(static_cast<unsigned>(i)));
  }
  end(t, directory, 9);
}

// Collective calls that their last member ends before the others begin.
void ended_before_begun(int count, const std::string& directory) {
  TraceBuilder t = begin(3);
  for (int i = 0; i < count; ++i) {
    t.collective(0, "MPI_Barrier", at(2 + 1e-6 * i), leave(2 + 1e-6 * i));
    t.collective(1, "MPI_Barrier", at(5 + 1e-6 * i), leave(5 + 1e-6 * i));
    t.collective(2, "MPI_Barrier", at(8 + 1e-6 * i), leave(8 + 1e-6 * i));
  }
  end(t, directory, 20);
}

// A call path of `count` regions.
void depth(int count, const std::string& directory) {
  TraceBuilder t = begin(2);
  for (int i = 0; i < count; ++i) t.enter(1, "recursive", at(2));
  t.send(1, at(2), to(0));
  for (int i = 0; i < count; ++i) t.leave(1, at(3));
  t.recv(0, at(2), leave(4), from(1));
  end(t, directory, 4);
}

// MPI calls at every depth.
void depth_of_calls(int count, const std::string& directory) {
  TraceBuilder t = begin(2);
  for (int i = 0; i < count; ++i) {
    t.enter(1, "recursive", at(2 + 1e-6 * i));
    t.send(1, at(2 + 1e-6 * i), to(0));
  }
  for (int i = 0; i < count; ++i) t.leave(1, at(3));
  for (int i = 0; i < count; ++i) t.recv(0, at(1 + 3e-6 * i), from(1));
  end(t, directory, 9);
}

// Many regions, each with its own call path.
void regions(int count, const std::string& directory) {
  TraceBuilder t = begin(2);
  for (int i = 0; i < count; ++i) {
    t.enter(i % 2, "f" + std::to_string(i), at(2 + 1e-6 * i));
    t.leave(i % 2, at(2 + 1e-6 * i));
  }
  end(t, directory, 9);
}

const std::map<std::string, void (*)(int, const std::string&)> kCases = {
    {"locations", locations},
    {"communicators", communicators},
    {"intercommunicators", intercommunicators},
    {"windows", windows},
    {"files", files},
    {"metahosts", metahosts},
    {"nodes", nodes},
    {"received_before_sent", received_before_sent},
    {"sent_between", sent_between},
    {"sent_before_received", sent_before_received},
    {"open_requests", open_requests},
    {"open_collectives", open_collectives},
    {"epochs_of_all", epochs_of_all},
    {"open_transfers", open_transfers},
    {"steps", steps},
    {"threads", threads},
    {"all_to_all", all_to_all},
    {"ended_before_begun", ended_before_begun},
    {"depth", depth},
    {"depth_of_calls", depth_of_calls},
    {"regions", regions},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    for (const auto& [name, write] : kCases) std::puts(name.c_str());
    return 0;
  }
  const auto it = kCases.find(argv[1]);
  if (it == kCases.end()) {
    std::fprintf(stderr, "make_large: no such case: %s\n", argv[1]);
    return 2;
  }
  it->second(std::atoi(argv[2]), argv[3]);
}
