// SPDX-License-Identifier: BSD-3-Clause
// A pool of threads of C++: a queue with a mutex and a condition. Thread 1 is slow.
#include <mpi.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

namespace {

std::mutex lock;
std::condition_variable filled, emptied;
std::queue<int> work;
int done = 0;

void compute(int milliseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  while (std::chrono::steady_clock::now() < end) {
  }
}

void serve() {
  while (true) {
    int milliseconds = 0;
    {
      std::unique_lock held(lock);
      while (work.empty()) filled.wait(held);  // waits
      milliseconds = work.front();
      work.pop();
    }
    if (milliseconds < 0) return;
    compute(milliseconds);
    const std::lock_guard held(lock);
    ++done;
    emptied.notify_one();
  }
}

void hand_out(int milliseconds) {
  {
    const std::lock_guard held(lock);
    work.push(milliseconds);
  }
  filled.notify_one();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<std::thread> pool;
  for (int i = 0; i < 2; ++i) pool.emplace_back(serve);
  for (int step = 0; step < 5; ++step) {
    compute(2);
    done = 0;
    hand_out(rank == 0 ? 20 : 2);
    hand_out(2);
    {
      std::unique_lock held(lock);
      while (done < 2) emptied.wait(held);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  for (std::size_t i = 0; i < pool.size(); ++i) hand_out(-1);
  for (std::thread& thread : pool) thread.join();
  if (rank == 0) std::puts("ok");
  MPI_Finalize();
}
