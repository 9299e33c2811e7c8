// SPDX-License-Identifier: BSD-3-Clause
// Has nothing: its headers are compiled once for all tests (tests/CMakeLists.txt).
