// SPDX-License-Identifier: BSD-3-Clause
// Writes the example reports into a directory, for the golden transcripts.
#include <mpi.h>

#include <cstdio>
#include <filesystem>
#include <numeric>
#include <string>

#include "analyzer/report/cube/write_cube.hpp"
#include "tests/report/formula_report.hpp"
#include "tests/view/example_reports.hpp"

using namespace latecomer;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int failed = argc == 2 ? 0 : 2;
  if (argc == 2) {
    parallel::Processes processes(MPI_COMM_WORLD);
    const std::filesystem::path directory = argv[1];
    std::filesystem::create_directories(directory / "latecomer_heat_4_trace");
    const auto write = [&](const test::ExampleReport& example, const char* name) {
      std::vector<std::uint32_t> columns(example.definitions.locations.size());
      std::iota(columns.begin(), columns.end(), 0U);
      const auto status = report::write_cube(example.definitions, example.severities, columns,
                                             processes, directory / name);
      if (status) return;
      std::fputs(status.problem().text().c_str(), stderr);
      failed = 1;
    };
    write(test::heat(), "latecomer_heat_4_trace/analysis.cubex");
    write(test::heat_changed(), "changed.cubex");
    write(test::heat_sampled(), "sampled.cubex");
    write(test::heat_sampled_changed(), "sampled_changed.cubex");
    write(test::coupled(), "coupled.cubex");
    write(test::quiet(), "quiet.cubex");
    write(test::threaded(), "threaded.cubex");
    for (const std::uint32_t ranks : {2, 4, 8, 16, 32}) {
      write(test::stencil(ranks), ("stencil_" + std::to_string(ranks) + ".cubex").c_str());
    }
    // This report stands for another tool's. Its formulas are an ordinary one, a ratio, a maximum,
    // a wrong one, and one that fails at D. It also has a stored maximum and minimum.
    const std::string formulas =
        test::derived_xml(2, "half_mpi", "PREDERIVED_EXCLUSIVE", "metric::mpi() / 2") +
        test::replaced(test::derived_xml(3, "mpi_share", "POSTDERIVED",
                                         "100 * metric::mpi() / metric::time()"),
                       "<uom>sec<", "<uom>%<") +
        test::derived_xml(
            4, "longest", "PREDERIVED_EXCLUSIVE", "metric::time(e)",
            test::fold_xml("plus", "max(arg1,arg2)") + test::fold_xml("aggr", "max(arg1,arg2)")) +
        test::derived_xml(5, "wrong", "POSTDERIVED", "metric::mpi() / metric::no_such()") +
        test::derived_xml(6, "fails_at_d", "POSTDERIVED",
                          "{ ${a} = metric::mpi() / metric::time(); "
                          "if (${calculation::callpath::id} == 6) { ${a} = "
                          "metric::call::time(77, i); }; return ${a}; }") +
        test::extrema_xml(7);
    const auto extrema = test::extrema_data(7);
    test::write_formula_report(directory / "formulas.cubex", formulas, {4.5, 5, 6.5, 7}, extrema);
    // Another version of the report, with all of E in MPI.
    test::write_formula_report(directory / "formulas_b.cubex", formulas, {9, 10, 6.5, 7}, extrema);
    // These reports look as if written to a full disk, or by a careless tool. The values of MPI
    // lack a row or their index, or the index is invalid.
    const auto members = test::formula_members("");
    auto less = members;
    less[2].content.resize(less[2].content.size() - 1);
    test::write_tar(directory / "short.cubex", less);
    less = members;
    less.erase(less.begin() + 3);
    test::write_tar(directory / "no_index.cubex", less);
    less = members;
    less[3].content = "CUBEX.IN";
    test::write_tar(directory / "damaged.cubex", less);
    less = members;
    less.erase(less.begin() + 2, less.begin() + 4);
    test::write_tar(directory / "no_mpi.cubex", less);
  }
  MPI_Finalize();
  return failed;
}
