// SPDX-License-Identifier: BSD-3-Clause
// The analyzer's processes: a thin typed layer over MPI. Waiting never burns the core.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "analyzer/memory/large_pages.hpp"

namespace latecomer::parallel {

// resize() leaves new elements uninitialized; use assign() for zeros.
using Bytes = memory::Vector<std::byte>;

// All analysis processes. Every function is collective over all of them unless it says otherwise.
// MT: called by one thread.
class Processes {
 public:
  explicit Processes(MPI_Comm comm);
  ~Processes();
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] MPI_Comm comm() const { return comm_; }

  // Sends outgoing[p] to process p and returns what each process sent here, in rank order. Any
  // size; large data are sent in rounds of bounded length.
  [[nodiscard]] std::vector<Bytes> exchange(std::vector<Bytes> outgoing);
  [[nodiscard]] std::vector<Bytes> gather(const Bytes& mine, int root);  // empty except on root
  [[nodiscard]] std::vector<Bytes> all_gather(const Bytes& mine);
  void broadcast(Bytes& data, int root);
  [[nodiscard]] std::int64_t sum(std::int64_t value);
  [[nodiscard]] std::int64_t max(std::int64_t value);
  [[nodiscard]] std::int64_t min(std::int64_t value);
  // The process with the smallest value; ties go to the lowest rank.
  [[nodiscard]] int least(std::int64_t value);
  void sum(std::span<std::int64_t> values);      // element by element, in place
  void bit_or(std::span<std::uint64_t> values);  // element by element, in place
  void barrier();

 private:
  void wait(std::span<MPI_Request> requests);

  MPI_Comm comm_;
  int rank_ = 0, size_ = 1;
};

// A flat buffer for trivially copyable values and strings, for messages between processes.
class Packer {
 public:
  template <typename T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    append(&value, sizeof(T));
  }
  template <typename T>
  void put_all(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    put<std::uint64_t>(values.size());
    append(values.data(), values.size_bytes());
  }
  void reserve(std::size_t more) { data_.reserve(data_.size() + more); }
  void put_text(const std::string& text) { put_all(std::span<const char>(text)); }
  [[nodiscard]] Bytes take() { return std::move(data_); }
  [[nodiscard]] std::size_t size() const { return data_.size(); }

 private:
  void append(const void* values, std::size_t bytes) {
    const std::size_t at = data_.size();
    data_.resize(at + bytes);
    if (bytes > 0) std::memcpy(data_.data() + at, values, bytes);
  }
  Bytes data_;
};

// Takes the buffers for Processes::exchange(), one for each process.
[[nodiscard]] inline std::vector<Bytes> take_all(std::vector<Packer>& packs) {
  std::vector<Bytes> out;
  out.reserve(packs.size());
  for (Packer& pack : packs) out.push_back(pack.take());
  return out;
}

// Reads what a Packer wrote, in the same order.
class Unpacker {
 public:
  explicit Unpacker(std::span<const std::byte> data) : data_(data) {}
  template <typename T>
  [[nodiscard]] T get() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    copy(&value, sizeof(T));
    return value;
  }
  template <typename T>
  [[nodiscard]] std::vector<T> get_all() {
    std::vector<T> values;
    get_all(values);
    return values;
  }
  // Reads into an existing vector and reuses its memory.
  template <typename V>
  void get_all(V& values) {
    values.clear();
    append_all(values);
  }
  // Appends to an existing vector.
  template <typename V>
  void append_all(V& values) {
    const std::size_t before = values.size();
    const auto more = get<std::uint64_t>();
    values.resize(before + more);
    copy(values.data() + before, more * sizeof(typename V::value_type));
  }
  [[nodiscard]] std::string get_text() {
    auto chars = get_all<char>();
    return {chars.begin(), chars.end()};
  }
  [[nodiscard]] bool done() const { return position_ == data_.size(); }

 private:
  void copy(void* to, std::size_t bytes);
  std::span<const std::byte> data_;
  std::size_t position_ = 0;
};

}  // namespace latecomer::parallel
