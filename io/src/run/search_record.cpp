#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <kumiko/io/one_line.hpp>
#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/run_folder.hpp>
#include <kumiko/io/search_record.hpp>

#include "text/whole_file.hpp"

namespace kumiko::io {

namespace {

/// The type of the value of a key of the record.
enum class Holds { kText, kNumber, kFlag, kProcess };

struct RecordKey {
  std::string_view name;
  Holds holds;
  bool is_required = true;
};

constexpr std::array<RecordKey, 2> kOfEachProcess = {
    {{"name", Holds::kText}, {"told", Holds::kFlag}}};
constexpr std::array<RecordKey, 15> kOfTellingProcess = {{{"host", Holds::kText},
                                                          {"pid", Holds::kNumber},
                                                          {"workers", Holds::kNumber},
                                                          {"begin_s", Holds::kNumber},
                                                          {"end_s", Holds::kNumber},
                                                          {"active_s", Holds::kNumber},
                                                          {"worked_s", Holds::kNumber},
                                                          {"asks", Holds::kNumber},
                                                          {"refusals", Holds::kNumber},
                                                          {"given", Holds::kNumber},
                                                          {"taken", Holds::kNumber},
                                                          {"again", Holds::kNumber},
                                                          {"late", Holds::kNumber},
                                                          {"bytes", Holds::kNumber},
                                                          {"left_out", Holds::kNumber}}};
constexpr std::array<RecordKey, 12> kOfPair = {{{"process", Holds::kProcess},
                                                {"other", Holds::kProcess},
                                                {"given", Holds::kNumber},
                                                {"used", Holds::kNumber},
                                                {"again", Holds::kNumber},
                                                {"given_bytes", Holds::kNumber},
                                                {"result_bytes", Holds::kNumber},
                                                {"taken", Holds::kNumber},
                                                {"told", Holds::kNumber},
                                                {"taken_bytes", Holds::kNumber},
                                                {"told_bytes", Holds::kNumber},
                                                {"taken_s", Holds::kNumber}}};
constexpr std::array<RecordKey, 3> kOfSearch = {
    {{"process", Holds::kProcess}, {"begin_s", Holds::kNumber}, {"end_s", Holds::kNumber}}};
constexpr std::array<RecordKey, 11> kOfPart = {{{"giver", Holds::kProcess},
                                                {"taker", Holds::kProcess},
                                                {"divisions", Holds::kNumber},
                                                {"bytes", Holds::kNumber},
                                                {"result_bytes", Holds::kNumber},
                                                {"given_s", Holds::kNumber, false},
                                                {"back_s", Holds::kNumber, false},
                                                {"became", Holds::kText, false},
                                                {"begin_s", Holds::kNumber, false},
                                                {"end_s", Holds::kNumber, false},
                                                {"told", Holds::kFlag, false}}};

/// Finds what is not as the record's readers expect it.
class RecordCheck {
 public:
  using Json = nlohmann::ordered_json;

  RecordCheck(const std::filesystem::path& file, const Json& record)
      : file_(file), record_(record) {}

  void check() {
    if (!record_.is_object() || record_.value("kind", Json()) != "kumiko search") {
      fail("it is not the record of a search");
    }
    if (record_.value("version", Json()) != 1) fail("it is of another version of kumiko");
    if (!record_.value("title", Json()).is_string()) fail("'title' is not a text");
    if (!record_.value("seconds", Json()).is_number()) fail("'seconds' is not a number");
    check_all("processes", kOfEachProcess);
    for (const Json& process : record_.at("processes")) {
      if (process.at("told").get<bool>()) check_one("processes", process, kOfTellingProcess);
    }
    check_all("pairs", kOfPair);
    check_all("searches", kOfSearch);
    check_all("parts", kOfPart);
  }

 private:
  void check_all(std::string_view list, std::span<const RecordKey> keys) const {
    if (!record_.contains(list) || !record_.at(list).is_array()) {
      fail(fmt::format("it has no list '{}'", list));
    }
    for (const Json& each : record_.at(list)) check_one(list, each, keys);
  }

  void check_one(std::string_view list, const Json& each, std::span<const RecordKey> keys) const {
    for (const RecordKey& key : keys) {
      const bool is_there = each.is_object() && each.contains(key.name);
      if (is_there ? holds(each.at(key.name), key.holds) : !key.is_required) continue;
      fail(fmt::format("'{}' in '{}' is {}", key.name, list, is_there ? "wrong" : "missing"));
    }
  }

  bool holds(const Json& value, Holds what) const {
    switch (what) {
      case Holds::kText:
        return value.is_string();
      case Holds::kNumber:
        return value.is_number();
      case Holds::kFlag:
        return value.is_boolean();
      case Holds::kProcess:
        return value.is_number_unsigned() &&
               value.get<std::size_t>() < record_.at("processes").size();
    }
    return false;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw RunFolderError(fmt::format("'{}': {}; run the search again, or name another folder",
                                     one_line(file_.string()), what));
  }

  const std::filesystem::path& file_;
  const Json& record_;
};

}  // namespace

bool holds_search(const std::filesystem::path& folder) {
  std::error_code hidden;
  return std::filesystem::is_regular_file(folder / kSearchFile, hidden) &&
         !std::filesystem::exists(folder / kSummaryFile, hidden);
}

std::shared_ptr<const nlohmann::ordered_json> read_search(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kSearchFile;
  const auto fail = [&](std::string_view what) -> RunFolderError {
    return RunFolderError(fmt::format("'{}' {}; run the search again, or name another folder",
                                      one_line(file.string()), what));
  };
  auto record = std::make_shared<nlohmann::ordered_json>();
  try {
    *record = nlohmann::ordered_json::parse(read_whole_file(file));
  } catch (const std::system_error& error) {
    throw fail(why_not_read(error));
  } catch (const nlohmann::json::parse_error&) {
    throw fail("is damaged");
  }
  RecordCheck(file, *record).check();
  return record;
}

}  // namespace kumiko::io
