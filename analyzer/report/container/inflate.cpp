// SPDX-License-Identifier: BSD-3-Clause
// Decompresses with zlib's stream interface. The output grows with the data, never by a size that
// the data claims.
#include "analyzer/report/container/inflate.hpp"

#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>

namespace latecomer::report {

std::optional<std::vector<std::byte>> inflate_bytes(std::span<const std::byte> data,
                                                    std::size_t limit) {
  // Arguments of inflateInit2: a window of 15 bits, and 32 for "detect zlib or gzip".
  constexpr int kZlibOrGzip = 15 + 32;
  constexpr std::size_t kLargestStep = std::size_t{1} << 30;  // zlib counts in 32 bits
  z_stream stream{};
  if (inflateInit2(&stream, kZlibOrGzip) != Z_OK) return std::nullopt;
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
    // One byte more than allowed reveals data that is too long.
    if (used == out.size()) out.resize(std::min(std::max<std::size_t>(4096, 2 * used), limit + 1));
    const auto room = std::min(out.size() - used, kLargestStep);
    if (room == 0) break;
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + used);
    stream.avail_out = static_cast<uInt>(room);
    code = inflate(&stream, Z_NO_FLUSH);
    used += room - stream.avail_out;
  }
  inflateEnd(&stream);
  if (code != Z_STREAM_END || used > limit) return std::nullopt;
  out.resize(used);
  return out;
}

}  // namespace latecomer::report
