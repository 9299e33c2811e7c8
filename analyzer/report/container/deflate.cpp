// SPDX-License-Identifier: BSD-3-Clause
// Compresses with zlib's stream interface: it takes data of any size, the one-call form counts in
// 32 bits.
#include "analyzer/report/container/deflate.hpp"

#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <new>

namespace latecomer::report {

std::vector<std::byte> deflate_bytes(std::span<const std::byte> data) {
  constexpr std::size_t kLargestStep = std::size_t{1} << 30;
  z_stream stream{};
  if (deflateInit(&stream, Z_BEST_COMPRESSION) != Z_OK) throw std::bad_alloc();
  std::vector<std::byte> out;
  std::size_t used = 0;
  int code = Z_OK;
  while (code == Z_OK) {
    if (stream.avail_in == 0) {
      const auto step = std::min(data.size(), kLargestStep);
      stream.next_in = reinterpret_cast<const Bytef*>(data.data());
      stream.avail_in = static_cast<uInt>(step);
      data = data.subspan(step);
    }
    if (used == out.size()) out.resize(std::max<std::size_t>(4096, 2 * used));
    const auto room = std::min(out.size() - used, kLargestStep);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + used);
    stream.avail_out = static_cast<uInt>(room);
    code = deflate(&stream, data.empty() ? Z_FINISH : Z_NO_FLUSH);
    used += room - stream.avail_out;
  }
  deflateEnd(&stream);
  out.resize(used);
  return out;
}

}  // namespace latecomer::report
