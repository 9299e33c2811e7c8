// SPDX-License-Identifier: BSD-3-Clause
// Asks the root of the agents of a run for its state.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "archive/result.hpp"
#include "tracer/watch/gather/sockets.hpp"

namespace latecomer::watch {

class ViewClient {
 public:
  using Json = nlohmann::ordered_json;

  // `folder`: of the agents of the run. Nothing: the root has told no address there, so the run is
  // on one host, or has not begun. A Problem if the key cannot be used.
  [[nodiscard]] static Result<std::unique_ptr<ViewClient>> open(const std::string& folder);

  // Waits for messages at most so long. True: there is a new state.
  [[nodiscard]] bool step(std::chrono::milliseconds time);
  // The latest one; an empty object if there is none.
  [[nodiscard]] const Json& state() const { return state_; }
  // It is the last one: the run has ended.
  [[nodiscard]] bool is_last() const { return is_last_; }
  // Why there is no state, or no new one, since so long; nothing: there is.
  [[nodiscard]] std::optional<Problem> problem(std::chrono::milliseconds patience);

 private:
  using Clock = std::chrono::steady_clock;

  ViewClient(std::string endpoint, std::string key, std::unique_ptr<Sockets> sockets,
             std::unique_ptr<Client> client);
  void ask();
  [[nodiscard]] bool take(const std::string& bytes);

  std::string endpoint_, key_;
  std::unique_ptr<Sockets> sockets_;  // is ended last
  std::unique_ptr<Client> client_;
  Json state_ = Json::object();
  std::int64_t number_ = 0;
  bool is_last_ = false, needs_all_ = true;
  Clock::time_point asked_, heard_ = Clock::now();
};

}  // namespace latecomer::watch
