// SPDX-License-Identifier: BSD-3-Clause
// Names of settings in files. Programs with a runtime inside are in tests/endtoend/processors_test.
#include "tracer/session/job/openmp_runtime.hpp"

#include <catch2/catch.hpp>
#include <fstream>

#include "tests/support/temporary_directory.hpp"

using namespace latecomer;

namespace {

// In parts, so that this program has no such names itself.
const std::string kSpin = std::string("GOMP_") + "SPINCOUNT",
                  kPolicy = std::string("OMP_WAIT_") + "POLICY",
                  kBlockTime = std::string("KMP_") + "BLOCKTIME",
                  kAffinity = std::string("KMP_") + "AFFINITY";

bool has(const std::string& bytes, std::size_t begin = 0) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.file("program");
  std::ofstream(path, std::ios::binary) << bytes;
  return session::has_runtime_settings(path, begin, bytes.size() - begin);
}

}  // namespace

TEST_CASE("OpenMP: a runtime is where the names of two of its settings are") {
  const std::string zero(1, '\0');
  CHECK(has(zero + kSpin + zero + kPolicy + zero));
  CHECK(has(kBlockTime + zero + kAffinity));
  CHECK_FALSE(has(kSpin + zero + kAffinity));
  CHECK_FALSE(has(kSpin));
  CHECK_FALSE(has(""));
  CHECK_FALSE(session::has_runtime_settings("/nowhere/program", 0, 100));
}

TEST_CASE("OpenMP: names lie anywhere in a long file") {
  const std::size_t million = std::size_t{1} << 20;
  for (const std::size_t before : {million - 200, million - 70, million - 5, 3 * million + 17}) {
    INFO(before);
    std::string bytes(4 * million, 'x');
    bytes.replace(before, kSpin.size(), kSpin);
    bytes.replace(bytes.size() - kPolicy.size(), kPolicy.size(), kPolicy);
    CHECK(has(bytes));
    CHECK(has(bytes, before));
    CHECK_FALSE(has(bytes, before + 1));
  }
}

TEST_CASE("OpenMP: this program has no runtime") {
  const session::OpenMpRuntimes found = session::openmp_runtimes();
  CHECK_FALSE(found.is_library);
  CHECK(found.inside.empty());
}
