// SPDX-License-Identifier: BSD-3-Clause
// latecomer-watch: shows who makes whom wait while a program runs. Started by `latecomer watch` and
// by `scan --watch`.
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "archive/output/checked_output.hpp"
#include "archive/plain_file.hpp"
#include "archive/printable.hpp"
#include "archive/problem_text.hpp"
#include "tracer/watch/gather/followed_run.hpp"
#include "tracer/watch/gather/gather_options.hpp"
#include "tracer/watch/gather/view_client.hpp"
#include "tracer/watch/view/agent_report.hpp"
#include "tracer/watch/view/metrics_server.hpp"
#include "tracer/watch/view/open_metrics.hpp"
#include "tracer/watch/view/watch_json.hpp"
#include "tracer/watch/view/watch_text.hpp"

namespace {

using namespace latecomer;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr const char* kUsage =
    "usage: latecomer watch [options] EXPERIMENT\n"
    "\n"
    "Shows who makes whom wait, while the program that is recorded in EXPERIMENT runs. The run "
    "goes "
    "on\n"
    "undisturbed.\n"
    "\n"
    "  --interval S       show it every so many seconds (default: 1)\n"
    "  --for S            end so many seconds after the attachment (default: when the run ends)\n"
    "  --once             show it once\n"
    "  --json             one JSON object per line instead of text\n"
    "  --quiet            show nothing\n"
    "  --report FILE      write the state as JSON each time, and at the end\n"
    "  --metrics [ADDRESS:]PORT\n"
    "                     serve http://ADDRESS:PORT/metrics for Prometheus (address: 127.0.0.1)\n"
    "  --wait S           wait so many seconds for the run to begin (default: 0)\n"
    "  --schedule WHEN    idle: run only when a core has nothing else to do (the default); normal\n"
    "\n"
    "Exit status: 0; 2 wrong usage; 3 nothing can be watched, or the report cannot be written.\n";

// Agents that scan starts have these options, too:
//
//   --agent            tells agents on other hosts of the ranks of this one
//   --gather TEXT      how (gather_options.hpp)
//   --beside PID       ends if this process has ended before there were records
//   --remove DIR       removes the records of this host at the end
constexpr std::chrono::milliseconds kPause{50};    // between two looks at the records
constexpr std::chrono::seconds kLookPause{1};      // between two looks at /proc
constexpr std::chrono::seconds kPatience{2};       // for a note of scan
constexpr std::chrono::seconds kViewPatience{10};  // of a view, for an agent
constexpr double kLongest = 1e8;                   // seconds

struct Options {
  std::string directory, report, address = "127.0.0.1", remove;
  double interval = 1, duration = kLongest, wait = 0;
  bool once = false, json = false, quiet = false, idle = true, agent = false;
  pid_t beside = 0;
  watch::GatherOptions gather;
  std::optional<std::uint16_t> port;
};

volatile sig_atomic_t stopped = 0;

int fail(const Problem& problem) {
  std::fputs(problem_text(problem).c_str(), stderr);
  return static_cast<int>(problem.status);
}

bool read_seconds(std::string_view text, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0 &&
         value <= kLongest;
}

bool read_metrics(std::string_view text, Options& options) {
  const auto colon = text.rfind(':');
  if (colon != std::string_view::npos) {
    options.address = std::string(text.substr(0, colon));
    if (options.address.size() > 2 && options.address.front() == '[' &&
        options.address.back() == ']')
      options.address = options.address.substr(1, options.address.size() - 2);
    text.remove_prefix(colon + 1);
  }
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  options.port = port;
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

Problem wrong_use(const std::string& what) {
  return {what, "latecomer watch --help", Exit::kUsage};
}

// Sets the value of an option. Returns what is wrong with it; empty: nothing.
std::string read_value(std::string_view word, std::string_view value, Options& options) {
  const char* const seconds = "not a number of seconds";
  if (word == "--interval") {
    return read_seconds(value, options.interval) && options.interval >= 0.01
               ? ""
               : "not a number of seconds of at least 0.01";
  }
  if (word == "--for") return read_seconds(value, options.duration) ? "" : seconds;
  if (word == "--wait") return read_seconds(value, options.wait) ? "" : seconds;
  if (word == "--report") {
    options.report = value;
    return value.empty() ? "not the name of a file" : "";
  }
  if (word == "--remove") {
    options.remove = value;
    return value.empty() ? "not the name of a directory" : "";
  }
  if (word == "--beside") {
    const auto [end, error] =
        std::from_chars(value.data(), value.data() + value.size(), options.beside);
    return error == std::errc() && end == value.data() + value.size() && options.beside > 0
               ? ""
               : "not the number of a process";
  }
  if (word == "--gather") return watch::read_gather_options(value, options.gather);
  if (word == "--schedule") {
    options.idle = value == "idle";
    return options.idle || value == "normal" ? "" : "not one of idle, normal";
  }
  return read_metrics(value, options) ? "" : "not a port, or an address and a port";
}

Status read_options(int argc, char** argv, Options& options) {
  const std::map<std::string_view, bool*> flags = {{"--once", &options.once},
                                                   {"--json", &options.json},
                                                   {"--quiet", &options.quiet},
                                                   {"--agent", &options.agent}};
  const std::set<std::string_view> with_value = {"--interval", "--for",    "--wait",
                                                 "--report",   "--remove", "--schedule",
                                                 "--metrics",  "--gather", "--beside"};
  for (int i = 1; i < argc; ++i) {
    std::string_view word = argv[i];
    std::optional<std::string_view> joined;
    if (const auto equals = word.find('='); word.starts_with("--") && equals != word.npos) {
      joined = word.substr(equals + 1);
      word = word.substr(0, equals);
    }
    if (!word.starts_with("-")) {
      if (!options.directory.empty()) {
        return wrong_use("one experiment can be watched, but there are two: " + options.directory +
                         " and " + std::string(word));
      }
      options.directory = word;
    } else if (const auto flag = flags.find(word); flag != flags.end()) {
      if (joined) return wrong_use(std::string(word) + " has no value");
      *flag->second = true;
    } else if (!with_value.contains(word)) {
      return wrong_use(std::string(word) + ": there is no such option");
    } else if (!joined && i + 1 >= argc) {
      return wrong_use(std::string(word) + ": its value is missing");
    } else {
      const std::string_view value = joined ? *joined : argv[++i];
      const std::string wrong = read_value(word, value, options);
      if (!wrong.empty())
        return wrong_use(std::string(word) + ' ' + std::string(value) + ": " + wrong);
    }
  }
  if (options.directory.empty()) return wrong_use("the experiment is missing");
  return success();
}

// The file is complete, or what it was before.
Status write_json(const std::string& file, const nlohmann::ordered_json& json) {
  const std::string part = file + ".part";
  const int failed =
      write_plain(part, json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n');
  std::error_code error(failed, std::generic_category());
  if (!error) std::filesystem::rename(part, file, error);
  if (!error) return success();
  std::error_code ignored;
  std::filesystem::remove(part, ignored);
  return Problem{"cannot write " + file + ": " + error.message(),
                 "is there space, and may you write there?"};
}

Status write_report(const std::string& file, const watch::WatchReport& report) {
  return write_json(file, watch::json_of(report));
}

// A report replaces what has its name: no link, and no device.
Status check_report(const std::string& file) {
  std::error_code error;
  const auto type = std::filesystem::symlink_status(file, error).type();
  if (type == std::filesystem::file_type::not_found ||
      type == std::filesystem::file_type::regular || type == std::filesystem::file_type::none)
    return success();
  return Problem{"cannot write " + file + ": it is no regular file", "name another file"};
}

// A run may be short, and its records go with it. So the program opens them before it becomes idle.
void become_idle() {
  const sched_param parameters{};
  if (sched_setscheduler(0, SCHED_IDLE, &parameters) != 0)
    std::fputs("note: the kernel refuses the idle schedule; the usual one is used\n", stderr);
}

class Watching {
 public:
  explicit Watching(const Options& options) : options_(options) {}

  int run() {
    const auto begin = Clock::now();
    if (const Status writable = check_report(options_.report); !writable)
      return fail(writable.problem());
    if (options_.port) {
      if (const Status opened = open_server(); !opened) return fail(opened.problem());
    }
    for (;;) {
      if (!options_.agent && find_front()) {
        if (options_.idle) become_idle();
        return run_gathered();
      }
      auto opened = watch::RunFollower::open(options_.directory);
      if (opened) {
        run_ = std::move(*opened);
        break;
      }
      const bool is_alone = options_.beside != 0 && kill(options_.beside, 0) != 0;
      if (Seconds(Clock::now() - begin).count() >= options_.wait || stopped != 0 || is_alone)
        return fail(opened.problem());
      std::this_thread::sleep_for(kPause);
    }
    if (options_.idle) become_idle();
    if (options_.agent) begin_gathering();
    watch(Clock::now());
    if (front_ || refused_ ||
        (gathering_ && gathering_->is_needless() && gathering_->has_other_hosts()))
      return run_gathered();
    settle();
    // scan notes when the run ended, as soon as its processes are gone.
    const auto end = Clock::now();
    while (options_.quiet && run_->lacks_end() && Clock::now() - end < kPatience && stopped == 0)
      std::this_thread::sleep_for(kPause);
    const watch::WatchReport last = report_now();
    if (gathering_ && gathering_->is_tree()) return finish_gathering(last);
    show(last);
    if (!options_.report.empty()) {
      const Status written = write_report(options_.report, last);
      if (!written) return fail(written.problem());
    }
    const std::string nothing = run_->nothing_to_watch();
    if (nothing.empty()) return static_cast<int>(Exit::kOk);
    return fail(
        {"no rank of the run can be watched; " + nothing,
         "latecomer watch reads records of its own host, as the user who runs the program"});
  }

 private:
  [[nodiscard]] Status open_server() {
    auto server = watch::MetricsServer::open(options_.address, *options_.port);
    if (!server) return server.problem();
    server_ = std::move(*server);
    const bool is_v6 = options_.address.find(':') != std::string::npos;
    std::fprintf(stderr, "metrics: http://%s%s%s:%d/metrics\n", is_v6 ? "[" : "",
                 options_.address.c_str(), is_v6 ? "]" : "", server_->port());
    return success();
  }
  [[nodiscard]] std::string agents() const {
    return options_.directory + '/' + watch::Gathering::kFolder;
  }
  // True if the agents of several hosts gather what this view shows. A Problem is kept for later.
  [[nodiscard]] bool find_front() {
    if (front_ || refused_) return true;
    auto found = watch::ViewClient::open(agents());
    if (!found) {
      refused_ = found.problem();
      return true;
    }
    front_ = std::move(*found);
    return front_ != nullptr;
  }

  // If there are no other agents, ranks of other hosts are named as not watched.
  void begin_gathering() {
    std::error_code error;
    if (!std::filesystem::is_directory(agents(), error)) return;
    auto begun =
        watch::Gathering::begin(agents(), options_.gather, watch::followed_run(*run_), watcher_);
    if (!begun) return note(begun.problem().what);
    gathering_ = std::move(*begun);
    run_->expect_others();
  }
  static void note(const std::string& text) {
    std::fputs(("note: " + printable(text) + '\n').c_str(), stderr);
  }
  // Looks after other agents, and waits so long.
  void gather_for(std::chrono::milliseconds time) {
    const Status done = gathering_->step(time);
    for (const std::string& text : gathering_->notes()) note(text);
    if (done) return;
    note(done.problem().what);
    stop_gathering();
  }
  void stop_gathering() {
    gathering_.reset();
    run_->forget_others(watcher_);
  }
  void pass_time() {
    if (gathering_) {
      gather_for(kPause);
    } else if (!server_) {
      std::this_thread::sleep_for(kPause);
    }
    if (server_) server_->run_for(gathering_ ? std::chrono::milliseconds(0) : kPause);
  }
  // Waits until no other agent has operations to tell, after the end of the run here.
  void settle() {
    if (!gathering_) return;
    if (!gathering_->is_tree()) return stop_gathering();  // not all ranks were seen
    gathering_->end();
    while (gathering_ && !gathering_->is_settled() && stopped == 0) pass_time();
  }
  int finish_gathering(const watch::WatchReport& last) {
    gathering_->set_state(json_of(last, gathering_->dropped()), true);
    const auto end = Clock::now() + options_.gather.patience;
    while (gathering_ && !gathering_->is_done() && Clock::now() < end) {
      pass_time();
      if (stopped != 0 && Clock::now() > end - options_.gather.patience + kPatience) break;
    }
    if (!gathering_) return static_cast<int>(Exit::kBadInput);
    gathering_->say_goodbye();
    if (options_.report.empty()) return static_cast<int>(Exit::kOk);
    if (!gathering_->is_root()) return run_gathered();
    const Status written = write_json(options_.report, gathering_->state());
    return written ? static_cast<int>(Exit::kOk) : fail(written.problem());
  }

  void show_state(const watch::ViewClient::Json& state) {
    auto report = watch::report_of(state);
    if (!report) return;
    report->experiment = options_.directory;
    if (server_) server_->set(metrics_.text(*report));
    if (options_.quiet) return;
    if (options_.json) {
      std::cout << state.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
                << std::endl;
    } else {
      show_text(*report);
    }
  }
  // Shows, and writes, what the agents of all hosts know together.
  int run_gathered() {
    const auto begin = Clock::now();
    auto shown = begin - std::chrono::hours(1);
    bool is_new = false;
    for (;;) {
      if (!front_ && !find_front()) {
        pass_time();
        if (is_over(begin)) break;
        continue;
      }
      if (refused_) return fail(*refused_);
      is_new = front_->step(kPause) || is_new;
      if (server_) server_->run_for(std::chrono::milliseconds(0));
      const bool is_due = Seconds(Clock::now() - shown).count() >= options_.interval;
      const bool is_end = front_->is_last() || is_over(begin);
      if (is_new && (is_due || is_end)) {
        is_new = false;
        shown = Clock::now();
        show_state(front_->state());
        if (!options_.report.empty() && !is_end)
          static_cast<void>(write_json(options_.report, front_->state()));
        if (options_.once || !std::cout) break;
      }
      if (is_end) break;
      // The agents have ended with the run, and their last words were lost.
      const bool has_ended = front_->state().value("ended", false);
      if (const auto problem = front_->problem(
              std::min<std::chrono::milliseconds>(kViewPatience, options_.gather.patience))) {
        if (!options_.report.empty() && !front_->state().empty())
          static_cast<void>(write_json(options_.report, front_->state()));
        if (has_ended) break;
        return fail(*problem);
      }
    }
    if (options_.report.empty()) return static_cast<int>(Exit::kOk);
    if (!front_ || front_->state().empty())
      return fail({"nothing was heard of the run from the agents of its hosts", ""});
    const Status written = write_json(options_.report, front_->state());
    return written ? static_cast<int>(Exit::kOk) : fail(written.problem());
  }

  [[nodiscard]] bool is_over(Clock::time_point begin) const {
    return stopped != 0 || Seconds(Clock::now() - begin).count() >= options_.duration;
  }
  void read_what_is_there(Clock::time_point begin) {
    while (run_->poll(watcher_) && !is_over(begin)) {
    }
  }
  // Records are read once more after the look at the ranks: what they did before it is known then.
  watch::WatchReport report_now() {
    watch::Present present = look_at(*run_);
    if (!run_->ended()) {
      if (options_.once) run_->stop_at_now();
      static_cast<void>(run_->poll(watcher_));
      if (!run_->ended()) {
        watch::WaitingNow now = waiting_now(*run_, watcher_, std::move(present));
        const auto unfinished = unfinished_ranks(*run_, watcher_, now);
        return make_report(*run_, watcher_, std::move(now), unfinished);
      }
      present = look_at(*run_);  // now all that were killed are known
    }
    if (!last_) {
      // Messages that were sent are known until the watcher has finished.
      last_ = unfinished_ranks(*run_, watcher_, waiting_now(*run_, watcher_, std::move(present)));
      watcher_.finish();
    }
    return make_report(*run_, watcher_, {}, *last_);
  }
  void watch_once(Clock::time_point begin) {
    static_cast<void>(run_->poll(watcher_));
    static_cast<void>(run_->look_for_processes());
    run_->stop_at_now();
    read_what_is_there(begin);
    while (run_->look_for_processes() && !is_over(begin)) {
      std::this_thread::sleep_for(kPause);
      read_what_is_there(begin);
    }
    read_what_is_there(begin);
  }
  void watch(Clock::time_point begin) {
    if (options_.once) return watch_once(begin);
    auto shown = begin;
    auto looked = begin - kLookPause;  // at once, so that the first view knows who is gone
    for (;;) {
      while (run_->poll(watcher_) && !is_over(begin)) {
        if (Seconds(Clock::now() - shown).count() >= options_.interval) break;
      }
      const auto now = Clock::now();
      if (now - looked >= kLookPause) {
        static_cast<void>(run_->look_for_processes());
        looked = now;
        if (!options_.agent && find_front()) return;
      }
      if (gathering_ && gathering_->is_needless()) {
        if (gathering_->has_other_hosts()) return;  // it runs on other hosts only
        gathering_.reset();
      }
      const bool is_nothing = !gathering_ && !run_->nothing_to_watch().empty();
      if (is_over(begin) || run_->ended() || is_nothing) return;
      if (gathering_ && gathering_->wants_state())
        gathering_->set_state(json_of(report_now(), gathering_->dropped()), false);
      if (Seconds(now - shown).count() >= options_.interval) {
        shown = now;
        if (gathering_ && gathering_->is_tree()) {
          if (!options_.report.empty()) write_gathered();
        } else if (server_ || !options_.quiet || !options_.report.empty()) {
          const watch::WatchReport report = report_now();
          show(report);
          // Later ones may succeed; the last one says why it does not.
          if (!options_.report.empty()) static_cast<void>(write_report(options_.report, report));
        }
        if (!std::cout) return;  // nobody reads it any more
      }
      pass_time();
    }
  }
  void write_gathered() {
    if (gathering_->is_root()) {
      const auto state = gathering_->state();
      if (!state.empty()) static_cast<void>(write_json(options_.report, state));
    } else if (find_front() && front_) {
      if (front_->step(std::chrono::milliseconds(0)))
        static_cast<void>(write_json(options_.report, front_->state()));
    }
  }
  static nlohmann::ordered_json json_of(watch::WatchReport report, std::int64_t dropped) {
    report.records.not_told = dropped;
    return watch::json_of(report);
  }

  void show(watch::WatchReport report) {
    if (!server_ && options_.quiet) return;
    agent_.complete(report);
    if (server_) server_->set(metrics_.text(report));
    if (options_.quiet) return;
    if (options_.json) {
      std::cout << agent_.json(report).dump(-1, ' ', false,
                                            nlohmann::json::error_handler_t::replace)
                << std::endl;
      return;
    }
    show_text(report);
  }
  void show_text(const watch::WatchReport& report) {
    static constexpr const char* kHomeAndClear = "\x1b[H\x1b[J";
    const bool terminal = isatty(STDOUT_FILENO) != 0 && !options_.once;
    text_.screen = terminal ? screen() : watch::Screen{columns(), 0};
    std::cout << (terminal ? kHomeAndClear : "") << text_of(report, text_) << (terminal ? "" : "\n")
              << std::flush;
  }

  // The width that the user wants for text that is not drawn in place; 0: any.
  static std::size_t columns() {
    const char* text = std::getenv("COLUMNS");
    std::size_t value = 0;
    if (text != nullptr) std::from_chars(text, text + std::strlen(text), value);
    if (value == 0 && isatty(STDOUT_FILENO) != 0) value = screen().columns;
    return value;
  }

  // The size of the terminal now. The last row stays free, since the text ends with a line feed.
  static watch::Screen screen() {
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return {};
    return {size.ws_col, size.ws_row < 2 ? 0U : size.ws_row - 1U};
  }
  static watch::TextOptions text_options() {
    watch::TextOptions options;
    std::string_view language;
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
      const char* value = std::getenv(name);
      if (value != nullptr && *value != '\0') {
        language = value;
        break;
      }
    }
    options.blocks =
        language.find("UTF-8") != language.npos || language.find("utf8") != language.npos;
    return options;
  }

  const Options& options_;
  watch::TextOptions text_ = text_options();
  std::unique_ptr<watch::RunFollower> run_;
  watch::Watcher watcher_;
  std::optional<std::vector<watch::UnfinishedRank>> last_;  // at the end of the run
  std::unique_ptr<watch::Gathering> gathering_;             // of an agent
  std::unique_ptr<watch::ViewClient> front_;                // if agents of several hosts gather
  std::optional<Problem> refused_;                          // why they cannot be asked
  std::unique_ptr<watch::MetricsServer> server_;
  watch::OpenMetrics metrics_;
  watch::AgentReport agent_{options_.directory, options_.report};
};

}  // namespace

int main(int argc, char** argv) {
  hold_streams();
  Options options;
  if (argc == 2 && (std::string_view(argv[1]) == "--help" || std::string_view(argv[1]) == "-h")) {
    std::fputs(kUsage, stdout);
    return checked_output(static_cast<int>(Exit::kOk));
  }
  if (const Status read = read_options(argc, argv, options); !read) return fail(read.problem());
  if (const char* address = std::getenv("LATECOMER_WATCH_ADDRESS"); address != nullptr)
    options.gather.address = address;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    action.sa_handler = [](int) { stopped = 1; };
    sigaction(number, &action, nullptr);
  }
  signal(SIGPIPE, SIG_IGN);
  // Two files are open for each rank, at least.
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    static_cast<void>(setrlimit(RLIMIT_NOFILE, &files));
  }
  int status = 0;
  try {
    status = Watching(options).run();
  } catch (const std::exception& error) {
    status = fail({"cannot watch " + options.directory + ": " + error.what(), "", Exit::kBadInput});
  }
  std::error_code ignored;
  if (!options.remove.empty()) std::filesystem::remove_all(options.remove, ignored);
  return checked_output(status);
}
