// SPDX-License-Identifier: BSD-3-Clause
// A vector whose records are stored in fewer bytes than they have.
#pragma once

#include <cstddef>
#include <cstdint>

#include "analyzer/memory/prefetch.hpp"
#include "analyzer/memory/segmented_vector.hpp"

namespace latecomer::trace {

// Differences and sums of times wrap around, since a trace may contain any times.
inline std::int64_t difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
inline std::int64_t advanced(std::int64_t time, std::int64_t by) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(time) +
                                   static_cast<std::uint64_t>(by));
}

// Packing has a type Packed, and
//   static bool pack(const Record&, Packed&)           false: it does not fit
//   static Record unpack(const Packed&)
//   static Packed odd(std::uint32_t)                   stands for a record that does not fit
//   static std::uint32_t odd_number(const Packed&)     its number in the second list
//   static bool is_odd(const Packed&)
// Records that do not fit are kept whole in a second list, so nothing is lost. Elements are values:
// readers get a copy, and change() writes one.
template <typename Record, typename Packing>
class PackedVector {
  using Packed = typename Packing::Packed;

 public:
  class Iterator {
   public:
    using difference_type = std::ptrdiff_t;
    using value_type = Record;
    Iterator() = default;
    Iterator(const PackedVector* owner, typename SegmentedVector<Packed>::ConstIterator at)
        : owner_(owner), at_(at) {}
    Record operator*() const { return owner_->unpack(*at_); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) {
      Iterator old = *this;
      ++*this;
      return old;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    const PackedVector* owner_ = nullptr;
    typename SegmentedVector<Packed>::ConstIterator at_;
  };

  void push_back(const Record& record) {
    Packed packed;
    if (!Packing::pack(record, packed)) [[unlikely]]
      packed = keep(record);
    packed_.push_back(packed);
  }
  // Appends a record that is known to fit.
  void push_packed(const Packed& packed) { packed_.push_back(packed); }
  [[nodiscard]] Record operator[](std::size_t i) const { return unpack(packed_[i]); }
  // Calls f(record), which may modify the record.
  template <typename F>
  void change(std::size_t i, F&& f) {
    Packed& packed = packed_[i];
    Record record = unpack(packed);
    f(record);
    put(record, packed);
  }
  // A faster variant for small changes: quick(packed) may make them in place. False: the result
  // does not fit, and nothing was changed.
  template <typename Quick, typename F>
  void change(std::size_t i, Quick&& quick, F&& f) {
    Packed& packed = i + 1 == packed_.size() ? packed_.back() : packed_[i];
    if (Packing::is_odd(packed) || !quick(packed)) [[unlikely]]
      change_whole(packed, f);
  }
  template <typename F>
  void change_all(F&& f) {
    for (std::size_t i = 0; i < size(); ++i) change(i, f);
  }
  template <typename Quick, typename F>
  void change_all(Quick&& quick, F&& f) {
    for (Packed& packed : packed_) {
      if (Packing::is_odd(packed) || !quick(packed)) [[unlikely]]
        change_whole(packed, f);
    }
  }
  // Calls f(record) for each until it returns false; true if it never did. Usual records take a
  // separate path from those that are kept whole, so that members that f does not use are not
  // unpacked.
  template <typename F>
  bool all_of(F&& f) const {
    return packed_.all_of([&](const Packed& packed) {
      if (Packing::is_odd(packed)) [[unlikely]]
        return pass_on(f, odd_[Packing::odd_number(packed)]);
      return f(Packing::unpack(packed));
    });
  }
  // Calls f(record) for each.
  template <typename F>
  void for_each(F&& f) const {
    all_of([&](const Record& record) {
      f(record);
      return true;
    });
  }
  // The i-th record will be read soon.
  LATECOMER_PREFETCHES void prefetch(std::size_t i) const { memory::prefetch_whole(&packed_[i]); }
  [[nodiscard]] std::size_t size() const { return packed_.size(); }
  [[nodiscard]] bool empty() const { return packed_.empty(); }
  [[nodiscard]] Iterator begin() const { return {this, packed_.begin()}; }
  [[nodiscard]] Iterator end() const { return {this, packed_.end()}; }

 private:
  [[nodiscard]] Record unpack(const Packed& packed) const {
    if (Packing::is_odd(packed)) [[unlikely]]
      return odd_[Packing::odd_number(packed)];
    return Packing::unpack(packed);
  }
  template <typename F>
  [[gnu::noinline]] static bool pass_on(F& f, const Record& record) {
    return f(record);
  }
  template <typename F>
  [[gnu::noinline]] void change_whole(Packed& packed, F f) {
    Record record = unpack(packed);
    f(record);
    put(record, packed);
  }
  // Replaces a record.
  void put(const Record& record, Packed& packed) {
    if (Packing::is_odd(packed)) [[unlikely]] {
      odd_[Packing::odd_number(packed)] = record;
    } else if (!Packing::pack(record, packed)) [[unlikely]] {
      packed = keep(record);
    }
  }
  [[gnu::noinline]] Packed keep(Record record) {
    odd_.push_back(record);
    return Packing::odd(static_cast<std::uint32_t>(odd_.size() - 1));
  }

  SegmentedVector<Packed> packed_;
  SegmentedVector<Record> odd_;  // in some traces most records are here
};

}  // namespace latecomer::trace
