// SPDX-License-Identifier: BSD-3-Clause
// Messages between the agents and views of a run, over ZeroMQ with CURVE.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "archive/result.hpp"
#include "tracer/watch/gather/run_key.hpp"

namespace latecomer::watch {

// All sends return at once. False: the message was not taken, since the other side is not there, or
// does not read. Messages on one connection come whole and in their order, and at most `most` wait
// on each side. MT: one thread.
class Client {
 public:
  virtual ~Client() = default;
  [[nodiscard]] virtual bool send(const std::string& message) = 0;
  [[nodiscard]] virtual std::optional<std::string> receive() = 0;
  enum class State : std::uint8_t { kNobody, kRefused, kConnected };
  // kRefused: somebody answers, but does not have the key of the run.
  [[nodiscard]] virtual State state() = 0;
};

class Server {
 public:
  virtual ~Server() = default;
  [[nodiscard]] virtual const std::string& endpoint() const = 0;
  [[nodiscard]] virtual bool send(const std::string& peer, const std::string& message) = 0;
  // Peer and message. Clients that name themselves have that name.
  [[nodiscard]] virtual std::optional<std::pair<std::string, std::string>> receive() = 0;
};

// Clients and servers end before it does, and wait() is not called in between.
class Sockets {
 public:
  static constexpr int kMost = 64;

  [[nodiscard]] static Result<std::unique_ptr<Sockets>> make(const RunKey& key);
  virtual ~Sockets() = default;
  // Listens at an address of this host, on a port that is free.
  [[nodiscard]] virtual Result<std::unique_ptr<Server>> serve(const std::string& address,
                                                              int most = kMost) = 0;
  // `name`: empty for any. `server_key`: public key that the server must have; empty: that of the
  // run.
  [[nodiscard]] virtual Result<std::unique_ptr<Client>> connect(
      const std::string& endpoint, const std::string& name, int most = kMost,
      const std::string& server_key = {}) = 0;
  // Waits until a message has come, at most for so long, and answers who wants to connect.
  virtual void wait(std::chrono::milliseconds time) = 0;
  // Addresses of those that were refused since the last call: they do not have the key.
  [[nodiscard]] virtual std::vector<std::string> refused() = 0;
};

}  // namespace latecomer::watch
