// SPDX-License-Identifier: BSD-3-Clause
// Keeps a state up to date by what has changed of it.
#include "tracer/watch/gather/view_client.hpp"

#include <algorithm>
#include <exception>

#include "archive/plain_file.hpp"
#include "tracer/watch/gather/gathering.hpp"

namespace latecomer::watch {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kAskPause{500};
constexpr milliseconds kRefusedPatience{2000};
constexpr std::uint64_t kLongestAddress = 1000;

}  // namespace

Result<std::unique_ptr<ViewClient>> ViewClient::open(const std::string& folder) {
  auto text = plain_content(folder + '/' + Gathering::kFront, kLongestAddress);
  if (!text) return std::unique_ptr<ViewClient>();
  while (!text->empty() && text->back() == '\n') text->pop_back();
  const std::string file = folder + '/' + Gathering::kKey;
  const auto key = read_run_key(file);
  if (!key) return key.problem();
  auto sockets = Sockets::make(*key);
  if (!sockets) return sockets.problem();
  constexpr int kMost = 4;  // states that wait here
  auto client = (*sockets)->connect(*text, "", kMost);
  if (!client) return client.problem();
  return std::unique_ptr<ViewClient>(
      new ViewClient(*text, file, std::move(*sockets), std::move(*client)));
}

ViewClient::ViewClient(std::string endpoint, std::string key, std::unique_ptr<Sockets> sockets,
                       std::unique_ptr<Client> client)
    : endpoint_(std::move(endpoint)),
      key_(std::move(key)),
      sockets_(std::move(sockets)),
      client_(std::move(client)) {}

void ViewClient::ask() {
  const auto now = Clock::now();
  if (now - asked_ < kAskPause) return;
  asked_ = now;
  static_cast<void>(client_->send(needs_all_ ? "Vfull" : "V"));
}

bool ViewClient::step(milliseconds time) {
  ask();
  sockets_->wait(time);
  bool is_new = false;
  while (const auto message = client_->receive()) {
    heard_ = Clock::now();
    is_new = take(*message) || is_new;
  }
  return is_new;
}

bool ViewClient::take(const std::string& bytes) try {
  const Json json = Json::parse(bytes.empty() ? bytes : bytes.substr(1), nullptr, false);
  if (!json.is_object()) return false;
  const auto number = json.value("number", std::int64_t{0});
  if (const auto state = json.find("state"); state != json.end() && state->is_object()) {
    state_ = *state;
  } else if (const auto patch = json.find("patch");
             patch != json.end() && !needs_all_ && number == number_ + 1) {
    state_ = state_.patch(*patch);
  } else {
    needs_all_ = true;
    return false;
  }
  needs_all_ = false;
  number_ = number;
  is_last_ = json.value("last", false);
  return true;
} catch (const std::exception&) {
  needs_all_ = true;
  return false;
}

std::optional<Problem> ViewClient::problem(milliseconds patience) {
  const bool is_refused = client_->state() == Client::State::kRefused;
  if (Clock::now() - heard_ < (is_refused ? std::min(patience, kRefusedPatience) : patience))
    return {};
  if (is_refused) {
    return Problem{"the agent at " + endpoint_ + " refuses the key in " + key_,
                   "the key is that of another run, or of none: use the experiment of the run"};
  }
  return Problem{
      "no agent answers at " + endpoint_ + " for " + std::to_string(patience.count() / 1000) + " s",
      "the run may have ended, or this host cannot reach that address"};
}

}  // namespace latecomer::watch
