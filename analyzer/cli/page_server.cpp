// SPDX-License-Identifier: BSD-3-Clause
// The page and its values are below the secret part of the address.
#include "analyzer/cli/page_server.hpp"

#include <array>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <fstream>

namespace latecomer::cli {
namespace {

// A random part of the address. Other users of this machine can connect, but do not know it.
std::string secret() {
  std::array<unsigned char, 12> bytes{};
  std::ifstream("/dev/urandom", std::ios::binary)
      .read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  std::string text;
  for (const auto byte : bytes) {
    std::array<char, 3> two{};
    std::snprintf(two.data(), two.size(), "%02x", byte);
    text += two.data();
  }
  return text;
}

}  // namespace

PageServer::PageServer(const view::ServedPage& served)
    : served_(served), base_("/" + secret() + "/") {}

http::Answer PageServer::answer(std::string_view path) const {
  if (!path.starts_with(base_)) return {};
  path.remove_prefix(base_.size());
  if (path.empty()) return {http::kOk, "text/html; charset=utf-8", served_.page, nullptr};
  constexpr std::string_view kValues = "values-";
  if (!path.starts_with(kValues)) return {};
  path.remove_prefix(kValues.size());
  std::uint32_t index = 0;
  const auto end = path.data() + path.size();
  const auto read = std::from_chars(path.data(), end, index);
  const bool known = read.ec == std::errc() && read.ptr == end && index < served_.values.size();
  if (!known || served_.values[index].empty()) return {};
  return {http::kOk, "application/octet-stream", served_.values[index], nullptr};
}

Result<std::unique_ptr<PageServer>> PageServer::open(std::uint16_t port,
                                                     const view::ServedPage& served) {
  auto made = std::make_unique<PageServer>(served);
  const auto site = [page = made.get()](std::string_view path) { return page->answer(path); };
  // A page is large and the network may be slow.
  constexpr http::Limits kLimits{.connections = 256, .answer = std::chrono::seconds(0)};
  auto server = http::BoundedServer::open(kHost, port, site, kLimits);
  if (!server) return server.problem();
  made->server_ = std::move(*server);
  made->server_->end_at(std::array{SIGINT, SIGTERM, SIGHUP});
  return made;
}

}  // namespace latecomer::cli
