// Contract: the files that are written while a run goes on hold the run as it stood when they were
// asked for; a checkpoint that fails ends the run only if nobody wants to be told.
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <kumiko/amr/diagnostics.hpp>
#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/state_writer.hpp>
#include <kumiko/plugin/registry.hpp>

#include "output_fixture.hpp"

namespace kumiko::io::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A Gaussian that turns, on two levels.
class StateWriterTest : public OutputTest {
 protected:
  static amr::SimulationOptions options() {
    amr::SimulationOptions options;
    options.points_x = options.points_y = 32;
    options.levels = 2;
    options.steps = 256;
    return options;
  }

  std::filesystem::path checkpoint_at(int step) const { return folder_ / checkpoint_name(step); }
  std::vector<std::int64_t> steps_there(std::string_view files = kCheckpointFiles) const {
    std::vector<std::int64_t> steps;
    for (const auto& [step, file] : OutputFolder::numbered(folder_, files)) {
      steps.push_back(step);
    }
    return steps;
  }
  void write_at_each_of(std::initializer_list<int> steps, StateWriter& writer,
                        const std::filesystem::path& folder) {
    for (const int step : steps) {
      run_.advance(step - run_.step());
      writer.write_checkpoint(folder / checkpoint_name(step), run_, {});
    }
    writer.settle();
  }

  std::unique_ptr<amr::Case> case_ = plugin::find_case("gaussian")->make({});
  std::unique_ptr<amr::Solver> solver_ = plugin::find_solver("semi_lagrangian_cubic")->make({});
  std::unique_ptr<amr::Backend> backend_ = amr::make_backend("serial", 0);
  amr::Simulation run_{*case_, *solver_, *backend_, options()};
};

TEST_F(StateWriterTest, GivenARunThatGoesOnThenTheFileHoldsItAsItStood) {
  for (const char* const name : {"serial", "threads"}) {
    const auto backend = amr::make_backend(name, name == std::string("serial") ? 1 : 2);
    amr::Simulation run(*case_, *solver_, *backend, options());
    StateWriter writer(*case_, *backend,
                       {.configuration = "mine = true\n", .sidecar = {.origin = {.host = "here"}}});
    run.advance(4);
    writer.write_checkpoint(checkpoint_at(4), run, {{{3.5, 4.5}}, 12.25});
    run.advance(4);
    writer.settle();
    EXPECT_EQ(writer.latest(), checkpoint_at(4));
    EXPECT_GT(writer.longest_s(), 0.0);

    Checkpoint read = read_checkpoint(checkpoint_at(4));
    read_sidecar(checkpoint_at(4), read);
    EXPECT_EQ(read.run.step, 4);
    EXPECT_EQ(read.attributes.configuration, "mine = true\n");
    EXPECT_THAT(read.attributes.component_names, ElementsAre("u"));
    EXPECT_EQ(read.attributes.initial_masses, (std::vector<ComponentMass>{{3.5, 4.5}}));
    EXPECT_EQ(read.sidecar->wall_s, 12.25);
    EXPECT_EQ(read.sidecar->backend, name);
    EXPECT_EQ(read.sidecar->workers, backend->workers());
    EXPECT_EQ(read.sidecar->origin.host, "here");
    amr::Simulation gone_on(*case_, *solver_, *backend_, options(), read.run);
    gone_on.advance(4);
    EXPECT_EQ(amr::state_hash(gone_on.hierarchy()), amr::state_hash(run.hierarchy()));
  }
}

TEST_F(StateWriterTest, GivenMoreCheckpointsThanAreToStayThenTheNewestStay) {
  put(checkpoint_at(9));  // of another run
  put(sidecar_of(checkpoint_at(9)));
  put(sidecar_of(checkpoint_at(0)));  // left by a run that was killed before its checkpoint came
  StateWriter writer(*case_, *backend_, {.keep = 2});
  write_at_each_of({1, 2, 3, 4}, writer, folder_);
  EXPECT_THAT(steps_there(), ElementsAre(3, 4, 9));
  EXPECT_THAT(steps_there(kCheckpointSidecars), ElementsAre(3, 4, 9));
}

TEST_F(StateWriterTest, GivenNamesWithoutAFolderThenOldCheckpointsGoToo) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_);
  StateWriter writer(*case_, *backend_, {.keep = 1});
  write_at_each_of({1, 2}, writer, "");
  std::filesystem::current_path(before);
  EXPECT_THAT(steps_there(), ElementsAre(2));
}

TEST_F(StateWriterTest, GivenACheckpointThatFailsThenTheCauseIsToldAndTheRunGoesOn) {
  std::vector<std::string> told;
  StateWriter writer(*case_, *backend_, {.on_failed_checkpoint = [&](const std::exception& cause) {
    told.emplace_back(cause.what());
  }});
  write_at_each_of({1}, writer, folder_);
  write_at_each_of({2, 3}, writer, folder_ / "gone");
  EXPECT_THAT(told, ElementsAre(HasSubstr(checkpoint_name(2)), HasSubstr(checkpoint_name(3))));
  EXPECT_EQ(writer.latest(), checkpoint_at(1));
}

TEST_F(StateWriterTest, GivenNobodyToTellThenACheckpointThatFailsThrows) {
  StateWriter writer(*case_, *backend_, {});
  writer.write_checkpoint(folder_ / "gone" / checkpoint_name(0), run_, {});
  EXPECT_THROW(writer.settle(), OutputError);
  EXPECT_NO_THROW(writer.settle());
  EXPECT_EQ(writer.latest(), std::nullopt);
}

TEST_F(StateWriterTest, GivenAStateThatFailsThenItThrowsWhoeverWantsToBeTold) {
  StateWriter writer(*case_, *backend_, {.on_failed_checkpoint = [](const std::exception&) {
    FAIL() << "it is not a checkpoint";
  }});
  writer.write_state(folder_ / "gone" / state_name(0), run_, {});
  EXPECT_THROW(writer.settle(), OutputError);
}

TEST_F(StateWriterTest, GivenExtrasThenStatesShowThemAndCheckpointsDoNot) {
  StateWriter writer(*case_, *backend_, {.extras = true});
  writer.write_state(folder_ / state_name(0), run_, {});
  writer.write_checkpoint(checkpoint_at(0), run_, {});
  writer.settle();
  EXPECT_THAT(read_checkpoint(folder_ / state_name(0)).attributes.component_names,
              ElementsAre("u", "level", "worker", "cost_s", "indicator"));
  EXPECT_THAT(read_checkpoint(checkpoint_at(0)).attributes.component_names, ElementsAre("u"));
}

TEST_F(StateWriterTest, GivenNoCheckpointToKeepThenItIsRefused) {
  EXPECT_THROW(StateWriter(*case_, *backend_, {.keep = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace kumiko::io::test
