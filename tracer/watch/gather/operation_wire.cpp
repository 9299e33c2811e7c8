// SPDX-License-Identifier: BSD-3-Clause
// One list of fields for both directions.
#include "tracer/watch/gather/operation_wire.hpp"

#include <type_traits>

namespace latecomer::watch {
namespace {

using Kind = RemoteOperation::Kind;

struct Writer {
  std::string& bytes;
  template <typename T>
  void operator()(const T& value) {
    auto rest = static_cast<std::uint64_t>(value);
    for (std::size_t i = 0; i < sizeof(T); ++i, rest >>= 8)
      bytes.push_back(static_cast<char>(rest & 0xff));
  }
};

struct Reader {
  std::string_view& bytes;
  bool ok = true;
  template <typename T>
  void operator()(T& value) {
    ok = ok && bytes.size() >= sizeof(T);
    if (!ok) return;
    std::uint64_t read = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      read |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << 8 * i;
    value = static_cast<T>(read);
    bytes.remove_prefix(sizeof(T));
  }
};

// Flags and small numbers of a collective operation.
constexpr std::uint8_t kAllPositive = 1, kSends = 2, kReceives = 4;

template <typename Fields, typename Named>
void visit(Fields&& field, Named& named) {
  auto& o = named.operation;
  if (o.kind == Kind::kEager) {
    field(o.link);
    field(o.bytes);
    return;
  }
  field(o.rank);
  if (o.kind == Kind::kLoss) {
    field(o.only_collectives);
    return;
  }
  field(named.comm_owner);
  field(named.comm_number);
  field(o.peer);
  field(o.number);
  if (o.kind != Kind::kCollective) field(o.tag);
  if (o.kind == Kind::kCancelled) return;
  field(o.time);
  if (o.kind == Kind::kSend) {
    field(o.mode);
    field(o.bytes);
  }
}

}  // namespace

void append(std::string& bytes, const NamedOperation& named) {
  Writer write{bytes};
  write(named.operation.kind);
  visit(write, named);
  if (named.operation.kind != Kind::kCollective) return;
  const RemoteOperation& o = named.operation;
  write(static_cast<std::uint8_t>((o.all_positive ? kAllPositive : 0) | (o.sends ? kSends : 0) |
                                  (o.receives ? kReceives : 0)));
  write(o.operation);
  write(named.path);
  write(o.end);
}

std::optional<NamedOperation> take_operation(std::string_view& bytes) {
  NamedOperation named;
  RemoteOperation& o = named.operation;
  Reader read{bytes};
  std::uint8_t kind = 0;
  read(kind);
  if (!read.ok || kind >= RemoteOperation::kKinds) return {};
  o.kind = static_cast<Kind>(kind);
  visit(read, named);
  if (o.kind == Kind::kCollective) {
    std::uint8_t flags = 0;
    read(flags);
    o.all_positive = (flags & kAllPositive) != 0;
    o.sends = (flags & kSends) != 0;
    o.receives = (flags & kReceives) != 0;
    read(o.operation);
    read(named.path);
    read(o.end);
  }
  if (!read.ok) return {};
  return named;
}

}  // namespace latecomer::watch
