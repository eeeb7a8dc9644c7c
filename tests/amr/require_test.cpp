// Contract: a check that fails prints the values that it refuses; what the program itself has done
// wrong is told with its place.
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include <kumiko/amr/require.hpp>

namespace kumiko::amr {
namespace {

TEST(Require, GivenWhatHoldsThenNothingHappens) {
  EXPECT_NO_THROW(require(true, "{} is not {}", 1, 2));
  EXPECT_NO_THROW(ensure(true, "{} is not {}", 1, 2));
}

TEST(Require, GivenWhatIsNotPossibleThenTheRequestIsRefusedWithItsValues) {
  try {
    require(false, "{} layers asked for; {:g} are possible", 9, 8.5);
    ADD_FAILURE() << "it was accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "9 layers asked for; 8.5 are possible");
  }
}

TEST(Ensure, GivenWhatTheProgramDidWrongThenFileAndLineStandBeforeTheValues) {
  const int line = __LINE__ + 2;
  try {
    ensure(false, "{} of {}", 3, std::string("four"));
    ADD_FAILURE() << "it was accepted";
  } catch (const std::logic_error& error) {
    const std::string end = "require_test.cpp:" + std::to_string(line) + ": 3 of four";
    const std::string message = error.what();
    ASSERT_GE(message.size(), end.size());
    EXPECT_EQ(message.substr(message.size() - end.size()), end);
  }
}

}  // namespace
}  // namespace kumiko::amr
