// Contract: a finished run's folder is told from one in which any bit of any file has changed.
#include <array>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <kumiko/io/manifest.hpp>

#include "output_fixture.hpp"

namespace kumiko::io::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kSummaryText = "{\"case\": \"zalesak\", \"steps\": 2}\n";

class ManifestTest : public OutputTest {
 protected:
  void SetUp() override {
    OutputTest::SetUp();
    const OutputFolder output(run(), Earlier::kRefuse);
    write_text_file(output.file("diagnostics.csv"), "step,time\n0,0\n2,0.125\n");
    write_text_file(output.file("effective.toml"), "case.name = \"zalesak\"\n");
    write_text_file(output.file("manifest.json"), make_manifest(output, kSummaryText));
    write_text_file(output.file("summary.json"), kSummaryText);
  }

  std::filesystem::path run() const { return folder_ / "run"; }

  /// Names of the files that are not as they were written.
  std::vector<std::string> altered() const {
    std::vector<std::string> names;
    for (const AlteredFile& file : check_folder(run()).altered) names.push_back(file.name);
    return names;
  }

  std::string fault() const { return check_folder(run()).altered.at(0).what; }
};

TEST_F(ManifestTest, GivenTheFilesAsTheyWereWrittenThenAllAreWholeTheSummaryAmongThem) {
  const FolderCheck check = check_folder(run());
  EXPECT_THAT(check.altered, IsEmpty());
  EXPECT_THAT(check.unlisted, IsEmpty());
  EXPECT_THAT(check.whole, ElementsAre("diagnostics.csv", "effective.toml", "summary.json"));
}

TEST_F(ManifestTest, GivenAnyBitThatFlipsThenItsFileIsNamed) {
  for (const char* const name :
       {"summary.json", "diagnostics.csv", "effective.toml", "manifest.json"}) {
    const std::string whole = content(run() / name);
    for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
      std::string changed = whole;
      changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1U << bit % 8));
      put(run() / name, changed);
      ASSERT_THAT(altered(), ::testing::Contains(name)) << name << ", bit " << bit;
    }
    put(run() / name, whole);
    ASSERT_THAT(altered(), IsEmpty());
  }
}

TEST_F(ManifestTest, GivenAFileThatIsGoneOrCutOrNewThenThatIsSaid) {
  std::filesystem::remove(run() / "effective.toml");
  EXPECT_EQ(fault(), "is missing");
  put(run() / "effective.toml", "case");
  EXPECT_EQ(fault(), "has 4 bytes instead of 22");
  put(run() / "effective.toml", "case.name = \"zalesak\"\n");
  put(run() / "report.html");
  put(run() / "notes.txt");
  const FolderCheck check = check_folder(run());
  EXPECT_THAT(check.altered, IsEmpty());
  EXPECT_THAT(check.unlisted, ElementsAre("report.html"));
}

TEST_F(ManifestTest, GivenSomeNamesThenOnlyTheseAreCompared) {
  put(run() / "diagnostics.csv", "mine");
  constexpr std::array<std::string_view, 2> kSome = {"summary.json", "effective.toml"};
  const FolderCheck check = check_folder(run(), kSome);
  EXPECT_THAT(check.altered, IsEmpty());
  EXPECT_THAT(check.whole, ElementsAre("effective.toml", "summary.json"));
}

TEST_F(ManifestTest, GivenAManifestOfAnEarlierVersionThenItsFilesAreCompared) {
  auto old = nlohmann::ordered_json::parse(content(run() / "manifest.json"));
  old.erase("manifest_xxh3");
  old["files"].erase(2);  // the summary, which it did not know
  put(run() / "manifest.json", old.dump(2));
  EXPECT_THAT(altered(), IsEmpty());
  put(run() / "diagnostics.csv", "step,time\n0,0\n2,0.124\n");
  EXPECT_THAT(altered(), ElementsAre("diagnostics.csv"));
}

TEST_F(ManifestTest, GivenNamesThatLeadOutOfTheFolderThenNothingThereIsRead) {
  std::string text = content(run() / "manifest.json");
  text.replace(text.find("effective.toml"), 14, "../passwd.toml");
  put(run() / "manifest.json", text);
  EXPECT_THAT(altered(), ElementsAre("manifest.json"));
}

TEST_F(ManifestTest, GivenARunThatWentOnThenFilesThatItDidNotWriteKeepTheirHashes) {
  put(run() / "effective.toml", "case.name = \"zalesaK\"\n");
  put(run() / "diagnostics.csv", "step,time\n0,0\n4,0.25\n");
  put(run() / "load.csv");
  EarlierManifest earlier = earlier_manifest(run());
  earlier.written = {"diagnostics.csv"};
  const OutputFolder output(run(), Earlier::kContinue);
  const std::string text = make_manifest(output, kSummaryText, earlier);
  put(run() / "manifest.json", text);
  const FolderCheck check = check_folder(run());
  EXPECT_THAT(altered(), ElementsAre("effective.toml"));
  EXPECT_THAT(check.whole, ElementsAre("diagnostics.csv", "load.csv", "summary.json"));
}

TEST_F(ManifestTest, GivenLostFilesThenThoseOfTheEarlierManifestAreStillMissed) {
  std::filesystem::remove(run() / "diagnostics.csv");
  EarlierManifest earlier = earlier_manifest(run());
  earlier.lost = {"diagnostics.csv", "load.csv"};  // it has never listed the second one
  const OutputFolder output(run(), Earlier::kContinue);
  put(run() / "manifest.json", make_manifest(output, kSummaryText, earlier));
  EXPECT_THAT(altered(), ElementsAre("diagnostics.csv"));
}

TEST_F(ManifestTest, GivenAReportNextToARunThatWentOnThenItMayBeWrittenAgain) {
  put(run() / "report.html", "before");
  const OutputFolder output(run(), Earlier::kContinue);
  put(run() / "manifest.json", make_manifest(output, kSummaryText, earlier_manifest(run())));
  put(run() / "report.html", "after");
  const FolderCheck check = check_folder(run());
  EXPECT_THAT(check.altered, IsEmpty());
  EXPECT_THAT(check.unlisted, ElementsAre("report.html"));
}

TEST_F(ManifestTest, GivenAnEarlierManifestThatIsNoneThenAllFilesAreAsTheyAreNow) {
  const OutputFolder output(run(), Earlier::kContinue);
  for (const char* const text : {"", "[", "[1]", R"({"files": 1})", R"({"files": [1, {}]})"}) {
    put(run() / "manifest.json", make_manifest(output, kSummaryText, {text, {}}));
    EXPECT_THAT(altered(), IsEmpty()) << text;
  }
}

TEST_F(ManifestTest, GivenNoManifestThenThatIsRefused) {
  std::filesystem::remove(run() / "manifest.json");
  EXPECT_THAT(refusal_of<OutputError>([&] { check_folder(run()); }), HasSubstr("is missing"));
}

}  // namespace
}  // namespace kumiko::io::test
