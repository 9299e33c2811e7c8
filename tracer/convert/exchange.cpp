// SPDX-License-Identifier: BSD-3-Clause
// Nonblocking operations of MPI, waited for without keeping the core.
#include "tracer/convert/exchange.hpp"

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <cstdint>

namespace latecomer::convert {
namespace {

// With more processes than cores the one that is waited for needs the core.
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

int rank_of(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

std::size_t size_of(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return static_cast<std::size_t>(size);
}

template <typename T>
void broadcast(MPI_Comm comm, T* values, std::size_t count) {
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Ibcast(values, static_cast<int>(count * sizeof(T)), MPI_BYTE, 0, comm, &request);
  wait_politely(request);
}

// Pieces of all texts in one round: where they are in the texts and in the buffer.
struct Round {
  std::size_t offset = 0;  // in each text
  std::size_t share = 0;
  std::vector<int> counts;
  std::vector<int> places;
  std::size_t total = 0;
};

// What rank 0 needs of the round at `offset`.
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

std::size_t share_of(std::size_t processes, std::size_t round_bytes) {
  return std::max<std::size_t>(round_bytes / processes, 1);
}

std::uint64_t longest(const std::vector<std::uint64_t>& lengths) {
  return lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
}

int piece(std::size_t length, std::size_t offset, std::size_t share) {
  return static_cast<int>(std::min(share, length - std::min(length, offset)));
}

}  // namespace

// One process has nobody to exchange with. (MPICH 4.0 also crashes when it waits for anything in a
// program of one process that uses sessions only.)
std::vector<std::string> gather_texts(MPI_Comm comm, const std::string& mine,
                                      std::size_t round_bytes) {
  if (size_of(comm) == 1) return {mine};
  const bool root = rank_of(comm) == 0;
  const std::size_t processes = size_of(comm), share = share_of(processes, round_bytes);
  const std::uint64_t length = mine.size();
  std::vector<std::uint64_t> lengths(root ? processes : 0);
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Igather(&length, 1, MPI_UINT64_T, lengths.data(), 1, MPI_UINT64_T, 0, comm, &request);
  wait_politely(request);
  std::uint64_t most = longest(lengths);
  broadcast(comm, &most, 1);
  std::vector<std::string> all(lengths.size());
  for (std::size_t offset = 0; offset < most; offset += share) {
    const Round round = plan(lengths, offset, share);
    std::string buffer(round.total, '\0');
    PMPI_Igatherv(mine.data() + std::min(mine.size(), offset), piece(mine.size(), offset, share),
                  MPI_BYTE, buffer.data(), round.counts.data(), round.places.data(), MPI_BYTE, 0,
                  comm, &request);
    wait_politely(request);
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].append(buffer, static_cast<std::size_t>(round.places[i]),
                    static_cast<std::size_t>(round.counts[i]));
    }
  }
  return all;
}

std::string scatter_texts(MPI_Comm comm, const std::vector<std::string>& all,
                          std::size_t round_bytes) {
  if (size_of(comm) == 1) return all.empty() ? std::string() : all.front();
  const bool root = rank_of(comm) == 0;
  const std::size_t share = share_of(size_of(comm), round_bytes);
  std::vector<std::uint64_t> lengths;
  for (const std::string& text : all) lengths.push_back(text.size());
  if (!root) lengths.clear();
  std::uint64_t length = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Iscatter(lengths.data(), 1, MPI_UINT64_T, &length, 1, MPI_UINT64_T, 0, comm, &request);
  wait_politely(request);
  std::uint64_t most = longest(lengths);
  broadcast(comm, &most, 1);
  std::string mine(length, '\0');
  for (std::size_t offset = 0; offset < most; offset += share) {
    const Round round = plan(lengths, offset, share);
    std::string buffer;
    buffer.reserve(round.total);
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      buffer.append(all[i], std::min(all[i].size(), offset),
                    static_cast<std::size_t>(round.counts[i]));
    }
    PMPI_Iscatterv(buffer.data(), round.counts.data(), round.places.data(), MPI_BYTE,
                   mine.data() + std::min(mine.size(), offset), piece(mine.size(), offset, share),
                   MPI_BYTE, 0, comm, &request);
    wait_politely(request);
  }
  return mine;
}

std::string broadcast_text(MPI_Comm comm, std::string text, std::size_t round_bytes) {
  if (size_of(comm) == 1) return text;
  std::uint64_t length = text.size();
  broadcast(comm, &length, 1);
  text.resize(length);
  for (std::size_t offset = 0; offset < length; offset += round_bytes) {
    broadcast(comm, text.data() + offset, std::min(round_bytes, length - offset));
  }
  return text;
}

}  // namespace latecomer::convert
