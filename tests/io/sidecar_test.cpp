// Contract: what a run took stands beside its checkpoint and not in it; a sidecar that is missing
// or damaged is told as such, and costs nothing but what it says.
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <kumiko/io/checkpoint.hpp>
#include <kumiko/io/output_folder.hpp>

#include "older_layout.hpp"
#include "output_fixture.hpp"
#include "state_fixture.hpp"

namespace kumiko::io::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

class SidecarTest : public OutputTest {
 protected:
  void SetUp() override {
    OutputTest::SetUp();
    write_with(file(), checkpoint_, hierarchy_->geometry());
  }

  std::filesystem::path file() const { return folder_ / "checkpoint_000007.hdf"; }
  std::filesystem::path sidecar() const { return folder_ / "checkpoint_000007.run.json"; }

  /// Why the sidecar is refused, after `change` to what was written.
  std::string fault_after(const std::function<void(Json&)>& change) const {
    Json json = written_;
    change(json);
    put(sidecar(), json.dump());
    return fault();
  }
  std::string fault() const {
    Checkpoint read = read_checkpoint(file());
    const std::string what = refusal_of<SidecarError>([&] { read_sidecar(file(), read); });
    EXPECT_FALSE(read.sidecar);
    EXPECT_TRUE(read.run.counters.workers.empty());
    EXPECT_EQ(read.run.next_check, 0);
    EXPECT_EQ(read.run.counters.updates_per_level, checkpoint_.run.counters.updates_per_level);
    EXPECT_THAT(what, HasSubstr(sidecar().string()));
    return what;
  }

  std::unique_ptr<amr::Hierarchy> hierarchy_ = example_hierarchy();
  Checkpoint checkpoint_ = example_checkpoint(*hierarchy_);
  Json written_;
};

void expect_equal(const Sidecar& a, const Sidecar& b) {
  EXPECT_EQ(a.wall_s, b.wall_s);
  EXPECT_EQ(a.backend, b.backend);
  EXPECT_EQ(a.workers, b.workers);
  EXPECT_EQ(a.origin.host, b.origin.host);
  EXPECT_EQ(a.origin.cpu, b.origin.cpu);
  EXPECT_EQ(a.origin.date, b.origin.date);
  EXPECT_EQ(a.origin.version, b.origin.version);
  EXPECT_EQ(a.origin.compiler, b.origin.compiler);
  EXPECT_EQ(a.paths.configuration, b.paths.configuration);
  EXPECT_EQ(a.paths.folder, b.paths.folder);
  EXPECT_EQ(a.paths.case_file, b.paths.case_file);
  EXPECT_EQ(a.paths.solver_file, b.paths.solver_file);
  EXPECT_EQ(a.configuration.values(), b.configuration.values());
}

TEST_F(SidecarTest, GivenAnotherWayToTheSameStateThenTheFileIsTheSameAndTheSidecarIsNot) {
  const std::string first = content(file());
  const std::string beside = content(sidecar());
  amr::WorkCounters& counters = checkpoint_.run.counters;
  counters.workers = {{1, 2.0, 3.0, 4}};
  counters.sum_of_largest = 5;
  counters.sum_of_means = 6.0;
  counters.longest_waits.clear();
  checkpoint_.run.next_check = 9;
  checkpoint_.sidecar = Sidecar{.wall_s = 1.0, .backend = "serial", .workers = 1};
  write_with(file(), checkpoint_, hierarchy_->geometry());
  EXPECT_EQ(content(file()), first);
  EXPECT_NE(content(sidecar()), beside);
}

TEST_F(SidecarTest, GivenASidecarThenItIsReadBackAsItWas) {
  Checkpoint read = read_checkpoint(file());
  EXPECT_FALSE(read.sidecar);
  read_sidecar(file(), read);
  ASSERT_TRUE(read.sidecar);
  expect_equal(*read.sidecar, *checkpoint_.sidecar);
}

TEST_F(SidecarTest, GivenASidecarThatCannotBeWrittenThenItIsNamedAndTheCheckpointIsThere) {
  std::filesystem::remove(file());
  std::filesystem::remove(sidecar());
  std::filesystem::create_directory(sidecar());
  const std::string what =
      refusal_of<OutputError>([&] { write_with(file(), checkpoint_, hierarchy_->geometry()); });
  EXPECT_THAT(what, HasSubstr(sidecar().string()));
  verify_checkpoint(file());
  EXPECT_EQ(read_checkpoint(file()).run.step, checkpoint_.run.step);
}

TEST_F(SidecarTest, GivenTheSidecarOfAnotherRunAtTheSameStepThenItIsNotTaken) {
  const std::string other = content(sidecar());
  checkpoint_.attributes.configuration = "[grid]\nbase = [64, 32]\n[amr]\nthreshold = 0.5\n";
  write_with(file(), checkpoint_, hierarchy_->geometry());
  EXPECT_NE(content(sidecar()), other);
  put(sidecar(), other);
  EXPECT_THAT(fault(), HasSubstr("belongs to another file of this name"));
}

TEST_F(SidecarTest, GivenNoSidecarToWriteThenNoneIsThere) {
  std::filesystem::remove(sidecar());
  checkpoint_.sidecar.reset();
  write_with(file(), checkpoint_, hierarchy_->geometry());
  EXPECT_THAT(fault(), HasSubstr("' is missing"));
}

TEST_F(SidecarTest, GivenNamesThenThoseOfSidecarsAreOfARun) {
  EXPECT_EQ(sidecar_of(file()), sidecar());
  EXPECT_EQ(sidecar_of("a.b/mine.hdf"), "a.b/mine.run.json");
  EXPECT_EQ(sidecar_of("a.b/mine.hdf.damaged"), "a.b/mine.hdf.damaged.run.json");
  EXPECT_EQ(sidecar_of("a.b/mine"), "a.b/mine.run.json");
  EXPECT_TRUE(OutputFolder::owns("checkpoint_000007.run.json"));
  EXPECT_TRUE(OutputFolder::owns("state_000007.run.json.part"));
  EXPECT_FALSE(OutputFolder::owns("mine.run.json"));
}

TEST_F(SidecarTest, GivenDamageThenTheMessageNamesTheFileAndWhatIsWrong) {
  written_ = Json::parse(content(sidecar()));
  put(sidecar(), content(sidecar()).substr(0, 200));
  EXPECT_THAT(fault(), HasSubstr("is damaged: it is not a JSON object"));
  put(sidecar(), "");
  EXPECT_THAT(fault(), HasSubstr("is damaged"));
  put(sidecar(), std::string(5'000'000, ' '));
  EXPECT_THAT(fault(), HasSubstr("too large"));
  std::filesystem::remove(sidecar());
  std::filesystem::create_directory(sidecar());
  EXPECT_THAT(fault(), HasSubstr("is not an ordinary file"));
  std::filesystem::remove(sidecar());
  for (const auto& entry : written_.items()) {
    const std::string name = entry.key();
    EXPECT_THAT(fault_after([&](Json& json) { json.erase(name); }), HasSubstr(name));
    if (entry.value().is_string()) continue;
    EXPECT_THAT(fault_after([&](Json& json) { json[name] = "text"; }), HasSubstr("is damaged"));
  }
}

TEST_F(SidecarTest, GivenOneOfTheVersionWithoutASealThenItIsTakenByItsStep) {
  Json json = Json::parse(content(sidecar()));
  json["sidecar_version"] = 1;
  json.erase("seal");
  put(sidecar(), json.dump());
  Checkpoint read = read_checkpoint(file());
  read_sidecar(file(), read);
  EXPECT_TRUE(read.sidecar);
  json["step"] = 8;
  put(sidecar(), json.dump());
  EXPECT_THAT(fault(), HasSubstr("is of base step 8, not of 7"));
}

TEST_F(SidecarTest, GivenValuesThatCannotBeThenTheyAreRefused) {
  written_ = Json::parse(content(sidecar()));
  const auto set = [&](const char* pointer, const Json& value) {
    return fault_after([&](Json& json) { json.at(Json::json_pointer(pointer)) = value; });
  };
  EXPECT_THAT(set("/sidecar_version", 3), HasSubstr("has version 3, but this version of Kumiko"));
  EXPECT_THAT(set("/step", 8), HasSubstr("is of base step 8, not of 7"));
  EXPECT_THAT(set("/wall_s", nullptr), HasSubstr("is damaged"));
  EXPECT_THAT(set("/wall_s", -1.0), HasSubstr("'-1.0' is out of range"));
  EXPECT_THAT(set("/workers", 3000000000), HasSubstr("'3000000000' is out of range"));
  EXPECT_THAT(set("/load/0/updates", -1), HasSubstr("'-1' is not a count"));
  EXPECT_THAT(set("/load/0/updates", 1e300), HasSubstr("is not a count"));
  EXPECT_THAT(set("/load", Json(5000, written_["load"][0])), HasSubstr("a list of at most 4096"));
  EXPECT_THAT(set("/longest_waits/0/cause", "boredom"), HasSubstr("'boredom'"));
  EXPECT_THAT(set("/longest_waits/0/patch", Json{1}), HasSubstr("is damaged"));
  EXPECT_THAT(set("/keys/output.every", -2), HasSubstr("'output.every' is -2"));
  EXPECT_THAT(set("/keys/output.every", Json{1}), HasSubstr("must be an integer, not [1.0]"));
  EXPECT_THAT(set("/keys/output.every", std::numeric_limits<std::uint64_t>::max()),
              HasSubstr("'18446744073709551615' is out of range"));
  EXPECT_THAT(set("/keys/checkpoint.every", "soon"), HasSubstr("'checkpoint.every'"));
}

TEST_F(SidecarTest, GivenAnEarlierNameOfAKeyThenItsValueIsTaken) {
  Json json = Json::parse(content(sidecar()));
  json["keys"].erase("output.extras");
  json["keys"]["output.figures"] = true;
  put(sidecar(), json.dump());
  Checkpoint read = read_checkpoint(file());
  read_sidecar(file(), read);
  EXPECT_TRUE(read.sidecar->configuration.flag("output.extras"));
  EXPECT_FALSE(read.sidecar->configuration.contains("output.figures"));
}

TEST_F(SidecarTest, GivenKeysThatDetermineTheStateThenTheyAreNotTakenFromBesideIt) {
  written_ = Json::parse(content(sidecar()));
  for (const char* const name : {"amr.threshold", "case.name", "grid.base", "solver.departure"}) {
    EXPECT_THAT(fault_after([&](Json& json) { json["keys"][name] = 1; }),
                AllOf(HasSubstr(name), HasSubstr("is not a key of the run alone")));
  }
}

TEST_F(SidecarTest, GivenAFileOfLayout4ThenAllComponentsHaveItsScaleAndNothingIsTravelled) {
  make_older(file(), checkpoint_, {}, 4);
  const Checkpoint read = read_checkpoint(file());
  EXPECT_EQ(read.run.scales, (std::vector<amr::FieldScale>(2, {7.5, 7.5})));
  EXPECT_TRUE(read.attributes.initial_masses.empty()) << "the sum of two says nothing of either";
  for (const amr::SavedLevel& level : read.run.levels) {
    EXPECT_EQ(level.travelled, std::vector<double>(level.cfl.size(), 0.0));
  }
}

TEST_F(SidecarTest, GivenAFileOfLayout3ThenWhatItTookIsReadFromIt) {
  make_older(file(), checkpoint_, "all = \"keys\"\n");
  std::filesystem::remove(sidecar());
  const Checkpoint read = read_checkpoint(file());
  ASSERT_TRUE(read.sidecar);
  EXPECT_EQ(read.sidecar->wall_s, 12.25);
  EXPECT_EQ(read.sidecar->workers, 2);
  EXPECT_EQ(read.sidecar->origin.version, "0.1.0");
  EXPECT_EQ(read.attributes.configuration, "all = \"keys\"\n");
  EXPECT_EQ(read.run.next_check, checkpoint_.run.next_check);
  const amr::WorkCounters& counters = read.run.counters;
  ASSERT_EQ(counters.workers.size(), 2);
  EXPECT_EQ(counters.workers[1].steals, 4);
  EXPECT_EQ(counters.workers[1].busy_s, 0.75);
  EXPECT_EQ(counters.sum_of_largest, 21);
  EXPECT_EQ(counters.sum_of_means, 19.5);
  ASSERT_EQ(counters.longest_waits.size(), 1);
  EXPECT_EQ(counters.longest_waits[0].awaited, (amr::PatchId{0, 1, 1}));
  EXPECT_EQ(read.run.levels.at(2).values, checkpoint_.run.levels.at(2).values);
}

}  // namespace
}  // namespace kumiko::io::test
