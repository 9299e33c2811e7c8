// SPDX-License-Identifier: BSD-3-Clause
// Long texts are cut into rounds; nonblocking operations are waited for without keeping the core.
#include "tracer/exchange/mpi_group.hpp"

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <cstdint>

namespace latecomer::exchange {
namespace {

// Waits for a request, and gives the core away to the process that is waited for.
void wait_politely(MPI_Request& request) {
  int done = 0;
  for (unsigned polls = 0; done == 0; ++polls) {
    PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0 || polls < 100) continue;
    if (polls < 1000) {
      sched_yield();
    } else {
      const timespec pause{0, 50'000};
      nanosleep(&pause, nullptr);
    }
  }
}

int rank_in(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return size;
}

// The pieces of all texts in one round: their places in the texts and in the buffer.
struct Round {
  std::size_t offset = 0;  // in each text
  std::size_t share = 0;
  std::vector<int> counts;
  std::vector<int> places;
  std::size_t total = 0;
};

// The round at `offset`, as rank 0 needs it.
Round plan(const std::vector<std::uint64_t>& lengths, std::size_t offset, std::size_t share) {
  Round round{offset, share, {}, {}, 0};
  for (const std::uint64_t length : lengths) {
    const std::size_t count = std::min<std::size_t>(share, length - std::min(length, offset));
    round.counts.push_back(static_cast<int>(count));
    round.places.push_back(static_cast<int>(round.total));
    round.total += count;
  }
  return round;
}

std::uint64_t longest(const std::vector<std::uint64_t>& lengths) {
  return lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
}

int piece(std::size_t length, std::size_t offset, std::size_t share) {
  return static_cast<int>(std::min(share, length - std::min(length, offset)));
}

}  // namespace

MpiGroup::MpiGroup(MPI_Comm comm, std::size_t round_bytes)
    : Group(rank_in(comm), size_of(comm)), comm_(comm), round_bytes_(round_bytes) {}

void MpiGroup::gather(const void* mine, std::size_t bytes, void* all) {
  const int count = static_cast<int>(bytes);
  PMPI_Gather(mine, count, MPI_BYTE, all, count, MPI_BYTE, 0, comm_);
}

void MpiGroup::broadcast(void* data, std::size_t bytes, int root) {
  PMPI_Bcast(data, static_cast<int>(bytes), MPI_BYTE, root, comm_);
}

int MpiGroup::highest(int mine) {
  int found = mine;
  PMPI_Allreduce(&mine, &found, 1, MPI_INT, MPI_MAX, comm_);
  return found;
}

void MpiGroup::barrier() { PMPI_Barrier(comm_); }

template <typename T>
void MpiGroup::broadcast_politely(T* values, std::size_t count) {
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Ibcast(values, static_cast<int>(count * sizeof(T)), MPI_BYTE, 0, comm_, &request);
  wait_politely(request);
}

// Bytes of each text that travel in one round.
std::size_t MpiGroup::share() const {
  return std::max<std::size_t>(round_bytes_ / static_cast<std::size_t>(size()), 1);
}

// A single process has no partner to exchange with. (MPICH 4.0 also crashes when it waits for a
// request in a program of one process that uses sessions only.)
std::vector<std::string> MpiGroup::gather_texts(const std::string& mine) {
  if (size() == 1) return {mine};
  const std::uint64_t length = mine.size();
  std::vector<std::uint64_t> lengths(rank() == 0 ? static_cast<std::size_t>(size()) : 0);
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Igather(&length, 1, MPI_UINT64_T, lengths.data(), 1, MPI_UINT64_T, 0, comm_, &request);
  wait_politely(request);
  std::uint64_t most = longest(lengths);
  broadcast_politely(&most, 1);
  std::vector<std::string> all(lengths.size());
  for (std::size_t offset = 0; offset < most; offset += share()) {
    const Round round = plan(lengths, offset, share());
    std::string buffer(round.total, '\0');
    PMPI_Igatherv(mine.data() + std::min(mine.size(), offset), piece(mine.size(), offset, share()),
                  MPI_BYTE, buffer.data(), round.counts.data(), round.places.data(), MPI_BYTE, 0,
                  comm_, &request);
    wait_politely(request);
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].append(buffer, static_cast<std::size_t>(round.places[i]),
                    static_cast<std::size_t>(round.counts[i]));
    }
  }
  return all;
}

std::string MpiGroup::scatter_texts(const std::vector<std::string>& all) {
  if (size() == 1) return all.empty() ? std::string() : all.front();
  std::vector<std::uint64_t> lengths;
  for (const std::string& text : all) lengths.push_back(text.size());
  if (rank() != 0) lengths.clear();
  std::uint64_t length = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Iscatter(lengths.data(), 1, MPI_UINT64_T, &length, 1, MPI_UINT64_T, 0, comm_, &request);
  wait_politely(request);
  std::uint64_t most = longest(lengths);
  broadcast_politely(&most, 1);
  std::string mine(length, '\0');
  for (std::size_t offset = 0; offset < most; offset += share()) {
    const Round round = plan(lengths, offset, share());
    std::string buffer;
    buffer.reserve(round.total);
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      buffer.append(all[i], std::min(all[i].size(), offset),
                    static_cast<std::size_t>(round.counts[i]));
    }
    PMPI_Iscatterv(buffer.data(), round.counts.data(), round.places.data(), MPI_BYTE,
                   mine.data() + std::min(mine.size(), offset), piece(mine.size(), offset, share()),
                   MPI_BYTE, 0, comm_, &request);
    wait_politely(request);
  }
  return mine;
}

std::string MpiGroup::broadcast_text(std::string text) {
  if (size() == 1) return text;
  std::uint64_t length = text.size();
  broadcast_politely(&length, 1);
  text.resize(length);
  for (std::size_t offset = 0; offset < length; offset += round_bytes_) {
    broadcast_politely(text.data() + offset, std::min<std::size_t>(round_bytes_, length - offset));
  }
  return text;
}

}  // namespace latecomer::exchange
