// SPDX-License-Identifier: BSD-3-Clause
// Builds CUBE files byte by byte.
#include "tests/report/cube_file.hpp"

#include <unistd.h>
#include <zlib.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "analyzer/report/container/tar_layout.hpp"

namespace latecomer::test {

TemporaryDirectory::TemporaryDirectory() {
  std::string name = std::filesystem::temp_directory_path() / "latecomer_test_XXXXXX";
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = name;
}
TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void write_bytes(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

std::string read_bytes(const std::filesystem::path& file) {
  std::ostringstream out;
  out << std::ifstream(file, std::ios::binary).rdbuf();
  return out.str();
}

void write_tar(const std::filesystem::path& file, std::vector<Member> members) {
  report::TarLayout layout;
  for (auto& member : members) {
    layout.add(member.name, report::never_full_blocks(std::move(member.content), '\n'));
  }
  std::string bytes(layout.file_size(), '\0');
  for (const auto& piece : layout.pieces()) {
    bytes.replace(piece.offset, piece.bytes.size(), piece.bytes);
  }
  write_bytes(file, bytes);
}

// Layout: marker, 1 in the byte order of the file, version, kind (1: sparse), number of rows, row
// numbers.
std::string sparse_index(const std::vector<std::uint32_t>& rows, bool big_endian) {
  return "CUBEX.INDEX" + bytes_of<std::uint32_t>({1}, big_endian) +
         bytes_of<std::uint16_t>({0}, big_endian) + '\1' +
         bytes_of<std::uint32_t>({static_cast<std::uint32_t>(rows.size())}, big_endian) +
         bytes_of(rows, big_endian);
}

// A dense index has kind 3 and no row numbers: the file has all rows in order.
std::string dense_index(bool big_endian) {
  return "CUBEX.INDEX" + bytes_of<std::uint32_t>({1}, big_endian) +
         bytes_of<std::uint16_t>({0}, big_endian) + '\3';
}

std::string plain_data(const std::string& rows) { return "CUBEX.DATA" + rows; }

// Layout: marker, number of streams, a table, the zlib streams. Each table entry has the offset of
// the uncompressed row, the offset of its stream, and the length of the stream.
std::string compressed_data(const std::string& rows, std::size_t row_size) {
  std::string table, streams;
  for (std::size_t start = 0; start < rows.size(); start += row_size) {
    uLongf length = compressBound(row_size);
    std::string stream(length, '\0');
    compress(reinterpret_cast<Bytef*>(stream.data()), &length,
             reinterpret_cast<const Bytef*>(rows.data() + start), row_size);
    table += bytes_of<std::uint64_t>({start, streams.size(), length});
    streams += stream.substr(0, length);
  }
  return "ZCUBEX.DATA" + bytes_of<std::uint64_t>({rows.size() / row_size}) + table + streams;
}

std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()), '\0');
  std::string in = text;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string metric_xml(int id, const std::string& type, const std::string& dtype,
                       const std::string& more) {
  const auto number = std::to_string(id);
  return "<metric id=\"" + number + "\"" + (type.empty() ? "" : " type=\"" + type + "\"") +
         ">\n<disp_name>M " + number + "</disp_name>\n<uniq_name>m" + number +
         "</uniq_name>\n<dtype>" + dtype + "</dtype>\n<uom>sec</uom>\n" + more + "</metric>\n";
}

std::string small_anchor(const std::string& metrics) {
  std::string locations;
  for (const char* rank : {"0", "1"}) {
    locations += std::string("<locationgroup Id=\"") + rank + "\"><name>MPI Rank " + rank +
                 "</name><rank>" + rank + "</rank><type>process</type>\n<location Id=\"" + rank +
                 "\"><name>Master thread</name><rank>0</rank><type>thread</type></location>\n"
                 "</locationgroup>\n";
  }
  return small_anchor(metrics,
                      "<systemtreenode Id=\"0\"><name>m</name><class>machine</class>\n"
                      "<systemtreenode Id=\"1\"><name>n</name><class>node</class>\n" +
                          locations + "</systemtreenode></systemtreenode>\n");
}

std::string small_anchor(const std::string& metrics, const std::string& system) {
  std::string regions;
  for (int r = 0; r < 7; ++r) {
    regions += "<region id=\"" + std::to_string(r) + "\" mod=\"a.c\" begin=\"1\" end=\"2\"><name>" +
               static_cast<char>('A' + r) + "</name></region>\n";
  }
  // The call tree is A(B(D(F),E),C(G)).
  const std::string cnodes =
      "<cnode id=\"0\" calleeId=\"0\">\n"
      "<cnode id=\"3\" calleeId=\"1\"><cnode id=\"6\" calleeId=\"3\"><cnode id=\"1\" "
      "calleeId=\"5\">"
      "</cnode></cnode><cnode id=\"2\" calleeId=\"4\"></cnode></cnode>\n"
      "<cnode id=\"4\" calleeId=\"2\"><cnode id=\"5\" calleeId=\"6\"></cnode></cnode>\n</cnode>\n";
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\n<cube version=\"4.4\">\n"
         "<attr key=\"Creator\" value=\"a test\"/>\n<metrics>\n" +
         metrics + "</metrics>\n<program>\n" + regions + cnodes + "</program>\n<system>\n" +
         system + "</system>\n</cube>\n";
}

}  // namespace latecomer::test
