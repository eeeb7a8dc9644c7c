#include <cstddef>
#include <initializer_list>
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
    for (const Json& each : list("processes")) {
      check("processes", each, Holds::kText, {"name"});
      check("processes", each, Holds::kFlag, {"told"});
      if (!each.at("told").get<bool>()) continue;
      check("processes", each, Holds::kText, {"host"});
      check("processes", each, Holds::kNumber,
            {"pid", "workers", "begin_s", "end_s", "active_s", "worked_s", "asks", "refusals",
             "given", "taken", "again", "late", "bytes", "left_out"});
    }
    for (const Json& each : list("pairs")) {
      check("pairs", each, Holds::kProcess, {"process", "other"});
      check("pairs", each, Holds::kNumber,
            {"given", "used", "again", "given_bytes", "result_bytes", "taken", "told",
             "taken_bytes", "told_bytes", "taken_s"});
    }
    for (const Json& each : list("searches")) {
      check("searches", each, Holds::kProcess, {"process"});
      check("searches", each, Holds::kNumber, {"begin_s", "end_s"});
    }
    for (const Json& each : list("parts")) {
      check("parts", each, Holds::kProcess, {"giver", "taker"});
      check("parts", each, Holds::kNumber, {"divisions", "bytes", "result_bytes"});
      check("parts", each, Holds::kNumber, {"given_s", "back_s", "begin_s", "end_s"}, false);
      check("parts", each, Holds::kText, {"became"}, false);
      check("parts", each, Holds::kFlag, {"told"}, false);
    }
  }

 private:
  const Json& list(std::string_view name) const {
    if (!record_.contains(name) || !record_.at(name).is_array()) {
      fail(fmt::format("it has no list '{}'", name));
    }
    return record_.at(name);
  }

  void check(std::string_view of, const Json& each, Holds what,
             std::initializer_list<const char*> keys, bool is_required = true) const {
    for (const char* const key : keys) {
      const bool is_there = each.is_object() && each.contains(key);
      if (is_there ? holds(each.at(key), what) : !is_required) continue;
      fail(fmt::format("'{}' in '{}' is {}", key, of, is_there ? "wrong" : "missing"));
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
