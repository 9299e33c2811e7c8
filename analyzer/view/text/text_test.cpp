// SPDX-License-Identifier: BSD-3-Clause
// Formatting of widths, numbers, paragraphs, and call paths.
#include "analyzer/view/text/text.hpp"

#include <catch2/catch.hpp>

#include "analyzer/view/text/call_path_text.hpp"

using namespace latecomer::view;

TEST_CASE("columns are counted in characters, not bytes") {
  CHECK(width("J\xc3\xbclich") == 6);
  CHECK(pad_right("\xc3\xbc", 3) == "\xc3\xbc  ");
  CHECK(pad_left("\xc3\xbc", 3) == "  \xc3\xbc");
  CHECK(pad_left("long", 2) == "long");
  CHECK(cut("abcdef", 6) == "abcdef");
  CHECK(cut("abcdefg", 6) == "abc...");
  CHECK(cut("\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc", 4) == "\xc3\xbc...");
  CHECK(cut("abcdefg", 2) == "..");
}

TEST_CASE("numbers") {
  CHECK(with_commas(0) == "0");
  CHECK(with_commas(999) == "999");
  CHECK(with_commas(1000) == "1,000");
  CHECK(with_commas(1234567) == "1,234,567");
  CHECK(counted(1, "node") == "1 node");
  CHECK(counted(4096, "rank") == "4,096 ranks");
  CHECK(four_digits(12.3456) == "12.35");
  CHECK(four_digits(0.00123456) == "0.001235");
  CHECK(four_digits(1234.56) == "1235");
  CHECK(size_text(812) == "812 bytes");
  CHECK(size_text(45'612) == "45.61 kB");
  CHECK(size_text(10'200'000) == "10.20 MB");
  CHECK(four_digits(123456) == "123456");
  CHECK(four_digits(0) == "0.000");
  CHECK(four_digits(1e-30) == "0.000000000");
  CHECK(duration_text(12.3456) == "12.35 s");
  CHECK(duration_text(0.004) == "4.000 ms");
  CHECK(duration_text(5e-5) == "50.00 us");
  CHECK(duration_text(-7.5e-8) == "-75.00 ns");
  CHECK(duration_text(0) == "0 s");
  CHECK(percent(1, 3, 1) == "33.3");
  CHECK(percent(1, 0, 1) == "0.0");
}

TEST_CASE("paragraphs") {
  CHECK(wrapped("one two three", "  ", 9) == "  one two\n  three\n");
  CHECK(wrapped("about 32 %, in 4 s", "", 8) == "about\n32 %, in\n4 s\n");
  CHECK(wrapped("one 2 three", "", 5) == "one 2\nthree\n");
  CHECK(wrapped("first\nsecond\n", "", 80) == "first\n\nsecond\n");
  CHECK(wrapped("incomprehensible", "", 5) == "incomprehensible\n");
  CHECK(wrapped("", "", 80).empty());
  CHECK(wrapped("\n\na\n", "", 80) == "a\n");
}

TEST_CASE("tables: columns are as wide as their widest cell") {
  Table table("lr");
  table.add({"a", "1"});
  table.add({"bcd", "10"});
  table.add({"only"});
  CHECK(table.text(" ") == " a      1\n bcd   10\n only\n");
}

TEST_CASE("function names without arguments") {
  CHECK(short_name("main") == "main");
  CHECK(short_name("MPI_Recv") == "MPI_Recv");
  CHECK(short_name("void ns::f<int>(std::vector<int>&)") == "ns::f");
  CHECK(short_name("ns::C<std::map<int, int> >::get(int) const") == "ns::C::get");
  CHECK(short_name("operator<<(std::ostream&, int)") == "operator<<(std::ostream&, int)");
  CHECK(short_name("void (anonymous namespace)::f(int) const") == "f");
  CHECK(short_name("f(int)::{lambda()#1}::operator()") == "f(int)::{lambda()#1}::operator()");
  CHECK(short_name("!$omp parallel @a.c:10") == "!$omp parallel @a.c:10");
  CHECK(short_name("a>b") == "a>b");
  CHECK(short_name("a<b") == "a<b");
  CHECK(short_name("<module>") == "<module>");
  CHECK(short_name("main.<locals>.<lambda>") == "main.<locals>.<lambda>");
  CHECK(short_name("time step") == "time step");
  CHECK(short_name("").empty());
  // Functions without a name are in a file without symbols.
  CHECK(short_name("libfftw3_mpi.so.3.6.10+0x9dd0") == "libfftw3_mpi+0x9dd0");
  CHECK(short_name("program+0x31560") == "program+0x31560");
  CHECK(short_name("program+0x") == "program+0x");
}

TEST_CASE("long call paths lose their middle first") {
  const std::vector<std::string> path = {"main", "solve", "exchange", "MPI_Waitall"};
  CHECK(short_call_path(path, 80) == "main > solve > exchange > MPI_Waitall");
  CHECK(short_call_path(path, 36) == "main > ... > exchange > MPI_Waitall");
  CHECK(short_call_path(path, 30) == "... > exchange > MPI_Waitall");
  CHECK(short_call_path(path, 25) == "main > ... > MPI_Waitall");
  CHECK(short_call_path(path, 20) == "... > MPI_Waitall");
  CHECK(short_call_path(path, 8) == "MPI_W...");
  CHECK(short_call_path({"main", "x", "a_function_with_a_long_name", "MPI_Barrier"}, 40) ==
        "... > a_function_with_a... > MPI_Barrier");
  // The part after the class tells functions of one class apart; lambdas and operators are cut.
  const std::vector<std::string> scoped = {"main", "x", "app::Comm::forward(int)", "MPI_Send"};
  CHECK(short_call_path(scoped, 41) == "main > x > app::Comm::forward > MPI_Send");
  CHECK(short_call_path(scoped, 32) == "... > Comm::forward > MPI_Send");
  CHECK(short_call_path(scoped, 24) == "... > forward > MPI_Send");
  CHECK(short_call_path({"main", "f(int)::{lambda()#1}::operator()", "MPI_Send"}, 30) ==
        "... > f(int)::{l... > MPI_Send");
  // Functions without a name are told apart by their address.
  CHECK(short_call_path({"main", "x", "libfftw3_mpi.so.3+0x9dd0", "MPI_Send"}, 32) ==
        "... > libff...+0x9dd0 > MPI_Send");
  CHECK(short_call_path({"main", "x", "program+0x12345678abc", "MPI_Send"}, 30) ==
        "... > program+0x... > MPI_Send");
  CHECK(short_call_path({"main"}, 80) == "main");
  CHECK(short_call_path({"some_program"}, 8) == "some_...");
  CHECK(short_call_path({"main", "MPI_Recv"}, 80) == "main > MPI_Recv");
  CHECK(short_call_path({"main", "MPI_Recv"}, 14) == "... > MPI_Recv");
  CHECK(short_call_path({}, 80).empty());
}

TEST_CASE("direct recursion in call paths") {
  using Texts = std::vector<std::string>;
  const Texts three = {"main", "walk(int)", "walk(int)", "walk(int)", "step", "MPI_Send"};
  Texts thirty = three;
  thirty.insert(thirty.begin() + 1, 27, "walk(int)");
  CHECK(short_call_path(three, 80) == "main > walk (3x) > step > MPI_Send");
  CHECK(short_call_path({"f", "g", "f", "f"}, 80) == "f > g > f (2x)");
  CHECK(short_call_paths({three, thirty}, {80, 80}) ==
        Texts{"main > walk (3x) > step > MPI_Send", "main > walk (30x) > step > MPI_Send"});
  // Paths that differ in nothing else do not get longer than that.
  CHECK(short_call_paths({three, thirty}, {30, 30}) ==
        Texts{"... > walk (3x) > ... > MPI_Send", "... > walk (30x) > ... > MPI_Send"});
}

TEST_CASE("call paths of one table are told apart") {
  using Texts = std::vector<std::string>;
  // One wrapper sends both messages: two times "... > send > MPI_Send" would be useless.
  const Texts left = {"main", "step", "left", "put", "send", "MPI_Send"};
  const Texts right = {"main", "step", "right", "put", "send", "MPI_Send"};
  CHECK(short_call_paths({left, right}, {28, 28}) ==
        Texts{"... > left > ... > MPI_Send", "... > right > ... > MPI_Send"});
  // There is room for the difference; the same path is given twice; there is no room for a name,
  // which is shown nevertheless.
  CHECK(short_call_paths({left, right}, {80, 80}) ==
        Texts{"main > step > left > put > send > MPI_Send",
              "main > step > right > put > send > MPI_Send"});
  CHECK(short_call_paths({left, left}, {33, 33}) ==
        Texts{"main > ... > send > MPI_Send", "main > ... > send > MPI_Send"});
  CHECK(short_call_paths({left, right}, {26, 26}) ==
        Texts{"... > left > ... > MPI_Send", "... > right > ... > MPI_Send"});
  // Call paths of CoMD: names are cut, but not so far that they become equal.
  const Texts atoms = {"main", "timestep", "redistributeAtoms", "haloExchange", "MPI_Sendrecv"};
  const Texts force = {"main", "timestep", "computeForce", "haloExchange", "MPI_Sendrecv"};
  CHECK(
      short_call_paths({atoms, force}, {31, 31}) ==
      Texts{"... > redistrib... > ... > MPI_Sendrecv", "... > computeForce > ... > MPI_Sendrecv"});
  const Texts first = {"main", "exchange_boundary_x", "put", "MPI_Put"};
  const Texts second = {"main", "exchange_boundary_y", "put", "MPI_Put"};
  CHECK(short_call_paths({first, second}, {20, 20}) ==
        Texts{"... > exchange_boundary_x > ... > MPI_Put",
              "... > exchange_boundary_y > ... > MPI_Put"});
  // Three paths that differ at two places.
  const Texts other = {"main", "stop", "left", "put", "send", "MPI_Send"};
  CHECK(short_call_paths({left, right, other}, {26, 26, 26}) ==
        Texts{"... > step > ... > MPI_Send", "... > right > ... > MPI_Send",
              "... > stop > ... > MPI_Send"});
  // One path is the end of the other.
  CHECK(short_call_paths({{"f", "g", "h", "MPI_Send"}, {"main", "f", "g", "h", "MPI_Send"}},
                         {16, 16}) == Texts{"... > MPI_Send", "main > ... > MPI_Send"});
  // The functions are overloads or instances of one template.
  CHECK(short_call_paths(
            {{"main", "void put(int)", "MPI_Put"}, {"main", "void put(char)", "MPI_Put"}},
            {80, 80}) ==
        Texts{"main > void put(int) > MPI_Put", "main > void put(char) > MPI_Put"});
  CHECK(short_call_paths({{"main", "void put<int>(int)", "MPI_Put"},
                          {"main", "void put<std::vector<char> >(std::vector<char>)", "MPI_Put"}},
                         {80, 80}) ==
        Texts{"main > put<int> > MPI_Put", "main > put<std::vector<char> > > MPI_Put"});
  // Only the root differs.
  CHECK(short_call_paths({{"a", "x", "send", "MPI_Send"}, {"b", "x", "send", "MPI_Send"}},
                         {22, 22}) == Texts{"a > ... > MPI_Send", "b > ... > MPI_Send"});
}
