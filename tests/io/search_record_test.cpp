// Contract: the record of a search reads back as it was written; one that is damaged, of something
// else or that names a process which is not there is refused, naming the file, what is wrong and
// the remedy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <kumiko/io/run_folder.hpp>
#include <kumiko/io/search_record.hpp>

#include "output_fixture.hpp"

namespace kumiko::io::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kRecord = R"({
  "kind": "kumiko search", "version": 1, "title": "queens 9", "seconds": 1.5,
  "processes": [{"name": "root", "told": true, "host": "h", "pid": 1, "workers": 2, "begin_s": 0,
    "end_s": 2, "clock_within_s": null, "active_s": 1, "worked_s": 1, "asks": 1, "refusals": 0,
    "given": 1, "taken": 0, "again": 0, "late": 0, "bytes": 10, "left_out": 0},
    {"name": "1", "told": false}],
  "pairs": [{"process": 0, "other": 1, "given": 1, "used": 1, "again": 0, "given_bytes": 10,
    "result_bytes": 5, "taken": 0, "told": 0, "taken_bytes": 0, "told_bytes": 0, "taken_s": 0}],
  "searches": [{"process": 0, "begin_s": 0, "end_s": 1.5}],
  "parts": [{"giver": 0, "taker": 1, "divisions": 1, "bytes": 10, "result_bytes": 5,
    "given_s": 0.5, "back_s": 1, "became": "used"}]
})";

class SearchRecordFileTest : public OutputTest {
 protected:
  /// Why the record is refused with this in place of what a pointer leads to.
  std::string refusal(const char* pointer, const nlohmann::ordered_json& value) const {
    auto record = nlohmann::ordered_json::parse(kRecord);
    record.at(nlohmann::ordered_json::json_pointer(pointer)) = value;
    put(folder_ / kSearchFile, record.dump());
    return refusal_of<RunFolderError>([&] { read_search(folder_); });
  }
};

TEST_F(SearchRecordFileTest, GivenARecordThenItReadsBack) {
  EXPECT_FALSE(holds_search(folder_));
  put(folder_ / kSearchFile, kRecord);
  EXPECT_TRUE(holds_search(folder_));
  EXPECT_EQ(*read_search(folder_), nlohmann::ordered_json::parse(kRecord));
  put(folder_ / kSummaryFile, "{}");
  EXPECT_FALSE(holds_search(folder_)) << "that of a run";
}

TEST_F(SearchRecordFileTest, GivenWhatIsNotARecordThenItIsRefused) {
  for (const char* text : {"", "{", "[]", "{}", R"({"kind": "a run"})"}) {
    put(folder_ / kSearchFile, text);
    EXPECT_THAT(refusal_of<RunFolderError>([&] { read_search(folder_); }),
                AllOf(HasSubstr("search.json'"), HasSubstr("name another folder")))
        << text;
  }
  EXPECT_THAT(refusal("/version", 2), HasSubstr("another version"));
  EXPECT_THAT(refusal("/seconds", "1"), HasSubstr("'seconds' is not a number"));
  EXPECT_THAT(refusal("/parts", 0), HasSubstr("no list 'parts'"));
}

TEST_F(SearchRecordFileTest, GivenAValueThatCannotBeThenItIsNamed) {
  EXPECT_THAT(refusal("/processes/0/workers", "two"), HasSubstr("'workers' in 'processes'"));
  EXPECT_THAT(refusal("/processes/1", {{"name", "1"}}),
              HasSubstr("'told' in 'processes' is missing"));
  EXPECT_THAT(refusal("/processes/1/told", true), HasSubstr("'host' in 'processes' is missing"));
  EXPECT_THAT(refusal("/pairs/0/other", 2), HasSubstr("'other' in 'pairs' is wrong"));
  EXPECT_THAT(refusal("/searches/0/process", -1), HasSubstr("'process' in 'searches' is wrong"));
  EXPECT_THAT(refusal("/parts/0/given_s", "now"), HasSubstr("'given_s' in 'parts' is wrong"));
  EXPECT_THAT(refusal("/parts/0", 7), HasSubstr("'giver' in 'parts' is missing"));
}

}  // namespace
}  // namespace kumiko::io::test
