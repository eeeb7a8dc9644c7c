// A file of comma-separated values that grows line by line.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <kumiko/io/earlier_table.hpp>
#include <kumiko/io/output_folder.hpp>

#include "files/part_file.hpp"

namespace kumiko::io {

/// A line of a file, from its fields.
template <class Text>
std::string csv_line(const std::vector<Text>& fields) {
  return fmt::format("{}\n", fmt::join(fields, ","));
}

/// Puts the fields of a line, which has no quotes, into a list.
template <class Text>
void split_csv_line(std::string_view line, std::vector<Text>& fields) {
  fields.clear();
  for (std::size_t comma = line.find(','); comma != line.npos; comma = line.find(',')) {
    fields.emplace_back(line.substr(0, comma));
    line.remove_prefix(comma + 1);
  }
  fields.emplace_back(line);
}

/// Throws OutputError: a file that a run is to continue is not one of its tables.
[[noreturn]] inline void refuse_columns(const std::filesystem::path& path) {
  throw OutputError(fmt::format(
      "cannot continue '{}': its columns are not those of this run; name another folder with "
      "--output",
      path.string()));
}

/// Writes lines, each of which is in the file when write() returns. Until finish() the file is
/// called `PATH.part`: a run that fails leaves its rows there, and no file if it has none.
class CsvFile {
 public:
  /// The line of this file that an earlier part's row becomes.
  using LineOf = std::function<std::string(const EarlierTable::Fields& row)>;

  /// Starts the file with its first line, and with rows that an earlier part of the run left. These
  /// may be from a part that is there already, which is not lost: the new one takes its place when
  /// it is on the disk. Throws OutputError.
  CsvFile(const std::filesystem::path& path, const std::string& header, const EarlierTable& earlier,
          const LineOf& line_of)
      : name_(path, earlier.empty() ? Abandoned::kRemove : Abandoned::kKeep),
        writer_(name_.part(), begin(name_.part(), header, earlier, line_of)) {
    if (earlier.empty()) writer_.write(header);
  }

  /// Writes a line. Throws OutputError when the system refuses it.
  void write(const std::string& line) {
    writer_.write(line);
    name_.keep();
  }

  /// Puts the lines on the disk and gives the file its name. The last call. Throws OutputError.
  void finish() {
    writer_.close();
    name_.publish();
  }

 private:
  static constexpr std::size_t kWrittenAtATime = std::size_t{1} << 16;

  static Existing begin(const std::filesystem::path& part, const std::string& header,
                        const EarlierTable& earlier, const LineOf& line_of) {
    if (earlier.empty()) return Existing::kTruncate;
    PartFile name(part);
    FileWriter writer(name.part());
    std::string lines = header;
    earlier.for_each([&](const EarlierTable::Fields& row) {
      lines += line_of(row);
      if (lines.size() < kWrittenAtATime) return;
      writer.write(lines);
      lines.clear();
    });
    writer.write(lines);
    writer.close();
    name.publish();
    return Existing::kAppend;
  }

  PartFile name_;
  FileWriter writer_;
};

}  // namespace kumiko::io
