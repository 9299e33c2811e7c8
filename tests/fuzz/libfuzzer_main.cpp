// SPDX-License-Identifier: BSD-3-Clause
// The functions that libFuzzer calls.   fuzz_TARGET --seeds DIRECTORY   writes the seeds and exits.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "tests/fuzz/target.hpp"

extern "C" {

std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

int LLVMFuzzerInitialize(int* count, char*** arguments) {
  if (*count != 3 || std::strcmp((*arguments)[1], "--seeds") != 0) return 0;
  const std::filesystem::path directory = (*arguments)[2];
  std::filesystem::create_directories(directory);
  int number = 0;
  for (const auto& seed : latecomer::fuzz::seeds()) {
    std::ofstream out(directory / ("seed" + std::to_string(number++)), std::ios::binary);
    out.write(reinterpret_cast<const char*>(seed.data()),
              static_cast<std::streamsize>(seed.size()));
  }
  std::exit(0);
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  latecomer::fuzz::run({data, size});
  return 0;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                    unsigned seed) {
  latecomer::fuzz::Random random(seed);
  if (random.one_in(3)) return LLVMFuzzerMutate(data, size, most);
  latecomer::fuzz::Bytes bytes(data, data + size);
  latecomer::fuzz::mutate(bytes, random);
  const std::size_t length = std::min(bytes.size(), most);
  std::copy_n(bytes.begin(), length, data);
  return length;
}
}
