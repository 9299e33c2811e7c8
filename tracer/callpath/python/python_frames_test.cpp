// SPDX-License-Identifier: BSD-3-Clause
// Frames of all known versions in made-up memory, and memory that has none.
#include "tracer/callpath/python/python_frames.hpp"

#include <sys/mman.h>

#include <catch2/catch.hpp>

#include "tests/callpath/python_image.hpp"

using namespace latecomer;
using test::PythonImage;

namespace {

std::vector<python::Frame> frames(const python::Layout& layout, const PythonImage& image,
                                  std::size_t most = 16) {
  std::vector<python::Frame> found(most);
  found.resize(python::read_frames(layout, image.thread, found));
  return found;
}

}  // namespace

TEST_CASE("Python frames: functions, the loops that run them, and where they are") {
  for (const python::Layout& layout : test::known_layouts()) {
    CAPTURE(layout.minor);
    PythonImage image(layout);
    CHECK(frames(layout, image).empty());
    CHECK(python::fits(layout, image.thread, image.types.code));

    const auto module = image.code("<module>", "a.py", 1, {});
    const auto work = image.code("work", "a.py", 5, {});
    const auto key = image.code("key", "a.py", 9, {});
    const auto first = image.call(module, 20);
    const auto second = image.call(work, 4, false);  // from 3.11 on in the loop of its caller
    const auto third = image.call(key, 0);
    const std::vector<python::Frame> expected = {
        {key, 0, third}, {work, 4, second}, {module, 20, first}};
    CHECK(frames(layout, image) == expected);
    CHECK(python::fits(layout, image.thread, image.types.code));
    const bool own_loops = layout.chain == python::Chain::kLoops;
    CHECK((first != second) == own_loops);
    CHECK((first == 0) == (layout.chain == python::Chain::kFrames));
    // Recursion deeper than there is room for: the innermost ones.
    CHECK(frames(layout, image, 2).size() == 2);
    CHECK(frames(layout, image, 2)[1].code == work);
  }
}

TEST_CASE("Python frames: a function that has just been called has not begun") {
  for (const python::Layout& layout : test::known_layouts()) {
    PythonImage image(layout);
    image.call(image.code("f", "a.py", 1, {}), -2);
    CHECK(frames(layout, image)[0].offset == -2);
  }
}

TEST_CASE("Python frames: memory that does not fit the layout is noticed, and not read") {
  void* const none = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(none != MAP_FAILED);
  const auto nowhere = reinterpret_cast<std::uintptr_t>(none);
  for (const python::Layout& layout : test::known_layouts()) {
    CAPTURE(layout.minor);
    const auto fits_with = [&](auto&& damage) {
      PythonImage image(layout);
      const auto code = image.code("f", "a.py", 1, {});
      image.call(code, 0);
      damage(image, code);
      return python::fits(layout, image.thread, image.types.code);
    };
    CHECK(fits_with([](auto&, auto) {}));
    CHECK_FALSE(fits_with([&](auto& image, auto) { image.thread = nowhere; }));
    CHECK_FALSE(fits_with([&](auto& image, auto) {
      PythonImage::set(image.thread + layout.thread_id, std::uint64_t{7});
    }));
    for (const std::uintptr_t value : {nowhere, std::uintptr_t{8}, ~std::uintptr_t{0}}) {
      CHECK_FALSE(fits_with(
          [&](auto& image, auto) { PythonImage::set(image.frame + layout.frame_code, value); }));
      CHECK_FALSE(fits_with([&](auto& image, auto) {
        PythonImage::set(image.frame + layout.frame_previous, value);
      }));
      if (layout.thread_loop == 0) continue;
      CHECK_FALSE(fits_with(
          [&](auto& image, auto) { PythonImage::set(image.thread + layout.thread_loop, value); }));
    }
    CHECK_FALSE(fits_with([&](auto& image, auto code) {
      PythonImage::set(code + layout.object_type, image.types.text);
    }));
  }
  munmap(none, 4096);
}
