// SPDX-License-Identifier: BSD-3-Clause
// The text is kept until the last client has it.
#include "tracer/watch/view/metrics_server.hpp"

#include "tracer/watch/view/open_metrics.hpp"

namespace latecomer::watch {

http::Answer MetricsServer::answer(std::string_view target) const {
  if (target != "/metrics") return {.body = "the metrics are at /metrics\n"};
  return {http::kOk, OpenMetrics::kType, *text_, text_};
}

Result<std::unique_ptr<MetricsServer>> MetricsServer::open(const std::string& address,
                                                           std::uint16_t port) {
  auto made = std::make_unique<MetricsServer>();
  const auto site = [metrics = made.get()](std::string_view target) {
    return metrics->answer(target);
  };
  auto server = http::BoundedServer::open(address, port, site, {});
  if (!server) return server.problem();
  made->server_ = std::move(*server);
  return made;
}

}  // namespace latecomer::watch
