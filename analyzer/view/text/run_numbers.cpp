// SPDX-License-Identifier: BSD-3-Clause
// Table of the numbers of a whole run, and functions to find and print them.
#include "analyzer/view/text/run_numbers.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>

#include "analyzer/view/text/text.hpp"

namespace latecomer::view {
namespace {

using Ratios = report::Efficiency::Ratios;
using Ideal = report::Efficiency::Ideal;

std::optional<double> run_time(const report::Extras& extras) {
  const double duration = extras.run.duration;
  return duration > 0 ? std::optional(duration) : std::nullopt;
}

template <std::optional<double> Ratios::*kRatio>
std::optional<double> ratio(const report::Extras& extras) {
  if (!extras.results || !extras.results->efficiency) return {};
  return extras.results->efficiency->ratios.*kRatio;
}

template <std::optional<double> Ideal::*kRatio>
std::optional<double> ideal(const report::Extras& extras) {
  if (!extras.results || !extras.results->efficiency) return {};
  return extras.results->efficiency->ideal.*kRatio;
}

constexpr std::array<RunNumber, 7> kNumbers = {{
    {kWaiting, "Waiting", "sec",
     "The sum of all wait states over call paths and ranks: what the summary calls waiting.",
     nullptr},
    {"run_time", "Run time", "sec", "From the first event of the run to its last.", run_time},
    {"efficiency", "Parallel efficiency", "ratio",
     "Mean time outside MPI of all threads, divided by the run time without what MPI itself needed "
     "to start and to end: load balance x communication efficiency.",
     ratio<&Ratios::parallel>},
    {"load_balance", "Load balance", "ratio",
     "Mean time outside MPI, divided by that of the busiest thread.", ratio<&Ratios::load_balance>},
    {"communication_efficiency", "Communication efficiency", "ratio",
     "Time outside MPI of the busiest thread, divided by the run time: serialization x transfer.",
     ratio<&Ratios::communication>},
    {"serialization_efficiency", "Serialization efficiency", "ratio",
     "Time outside MPI of the busiest thread, divided by the run time on an ideal network. What is "
     "missing is lost to dependences between ranks.",
     ideal<&Ideal::serialization>},
    {"transfer_efficiency", "Transfer efficiency", "ratio",
     "Run time on an ideal network, divided by the run time. What is missing is lost to "
     "moving data, by messages or to files, and to calling MPI itself.",
     ideal<&Ideal::transfer>},
}};

bool same(const std::string& a, const std::string& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

const char* unit_word(const RunNumber& number) {
  return std::string(number.unit) == "sec" ? "seconds" : "ratio, shown in percent";
}

const char* where(const RunNumber& number) {
  return std::string(number.name) == kWaiting
             ? "the sum of metrics, for latecomer show --metric and latecomer check"
             : "a number of the whole run, without call paths and ranks, for latecomer show "
               "--metric and latecomer check";
}

}  // namespace

std::span<const RunNumber> run_numbers() { return kNumbers; }

const RunNumber* find_run_number(const std::string& name) {
  for (const auto& number : kNumbers) {
    if (same(name, number.name) || same(name, number.display)) return &number;
  }
  return nullptr;
}

std::optional<double> value_of_run(const RunNumber& number, const report::Extras& extras) {
  return number.value != nullptr ? number.value(extras) : std::nullopt;
}

Problem untold_by_watched(const std::string& report, const std::string& name) {
  return {report + " does not tell " + name +
              (name == kWaiting ? ": records were lost" : ": the run was only watched"),
          name == kWaiting ? "keep more records: scan --watch --watch-size 64M"
                           : "scan -t --watch records a trace, too, which tells it"};
}

std::string explain_text(const RunNumber& number) {
  return std::string(number.display) + "\n\n  name   " + number.name + "\n  unit   " +
         unit_word(number) + "\n  place  " + wrapped(where(number), "         ", 90).substr(9) +
         "\n" + wrapped(number.meaning, "", 80);
}

nlohmann::ordered_json explain_json(const RunNumber& number) {
  return {{"name", number.name},
          {"display_name", number.display},
          {"unit", std::string(number.unit) == "sec" ? "seconds" : number.unit},
          {"place", where(number)},
          {"description", number.meaning}};
}

std::string run_numbers_list() {
  Table table("lll");
  table.add({"number of the whole run", "name", "unit"});
  for (const auto& number : kNumbers) {
    table.add(
        {number.display, number.name, std::string(number.unit) == "sec" ? "seconds" : number.unit});
  }
  return table.text();
}

std::string run_number_text(const RunNumber& number, double value) {
  if (std::string(number.unit) == "sec") return duration_text(value);
  return fixed(100 * value, 1) + " %";
}

}  // namespace latecomer::view
