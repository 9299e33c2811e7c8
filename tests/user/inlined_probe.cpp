// SPDX-License-Identifier: BSD-3-Clause
// Functions that the compiler inlines into others, and places in them.
namespace {

const void* here();

[[gnu::always_inline]] inline const void* inner(int which) {  // line 7
  const void* const place = here();
  asm volatile("nop" ::"r"(which));  // keeps the copies apart
  return place;
}

[[gnu::always_inline]] inline const void* middle(int which) {  // line 13
  const void* const place = inner(which);
  asm volatile("nop; nop" ::"r"(which));
  return place;
}

}  // namespace

// Return address of here(): 0 in the function itself, 1 and 2 in two copies of inner(), 3 in
// inner() inside middle().
extern "C" const void* inlined_place(int which);
const void* inlined_place(int which) {  // line 24
  const void* place = nullptr;
  if (which == 0) {
    place = here();
    asm volatile("nop; nop; nop");
  } else if (which == 1) {
    place = inner(17);
    asm volatile("nop; nop; nop; nop");
  } else if (which == 2) {
    place = inner(18);
    asm volatile("nop; nop; nop; nop; nop");
  } else {
    place = middle(19);
  }
  return place;
}

namespace {
[[gnu::noinline]] const void* here() {
  asm volatile("");
  return __builtin_return_address(0);
}
}  // namespace
