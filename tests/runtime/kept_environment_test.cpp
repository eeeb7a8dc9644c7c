// Contract: changes to the thread's or the program's environment are undone and named; flags that
// arithmetic raises do not count.
#include <cfenv>
#include <clocale>
#include <csignal>
#include <locale>
#include <string>

#include <gtest/gtest.h>

#include <kumiko/runtime/kept_environment.hpp>

namespace kumiko::runtime {
namespace {

/// A quotient that is not exact, of numbers that the compiler does not know.
double third() {
  volatile double one = 1.0;
  volatile double three = 3.0;
  return one / three;
}

bool blocks(int signal) {
  sigset_t blocked;
  sigemptyset(&blocked);
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  return sigismember(&blocked, signal) == 1;
}

void block(int signal) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

TEST(KeptEnvironment, GivenNothingButArithmeticThenNothingHasChanged) {
  std::feclearexcept(FE_ALL_EXCEPT);
  KeptEnvironment environment;
  [[maybe_unused]] volatile double inexact = third();
  EXPECT_TRUE(std::fetestexcept(FE_INEXACT));
  EXPECT_EQ(environment.restore(), "");
}

TEST(KeptEnvironment, GivenAnotherRoundingThenItIsPutBack) {
  const double before = third();
  KeptEnvironment environment;
  std::fesetround(FE_UPWARD);
  ASSERT_NE(third(), before);
  EXPECT_EQ(environment.restore(), "the floating-point environment");
  EXPECT_EQ(third(), before);
  EXPECT_EQ(environment.restore(), "");
}

TEST(KeptEnvironment, GivenALocaleOfEitherLibraryThenItIsPutBack) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  KeptEnvironment environment;
  ASSERT_NE(std::setlocale(LC_NUMERIC, "C.UTF-8"), nullptr);
  EXPECT_EQ(environment.restore(), "the locale");
  EXPECT_EQ(std::setlocale(LC_ALL, nullptr), before);
  const std::locale classic;
  struct Commas : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
  };
  std::locale::global(std::locale(classic, new Commas));
  EXPECT_EQ(environment.restore(), "the locale");
  EXPECT_TRUE(std::locale() == classic);
}

TEST(KeptEnvironment, GivenAllThatChangesThenAllIsPutBackAndNamed) {
  ASSERT_FALSE(blocks(SIGUSR1));
  KeptEnvironment environment;
  std::fesetround(FE_TOWARDZERO);
  std::setlocale(LC_TIME, "C.UTF-8");
  block(SIGUSR1);
  EXPECT_EQ(environment.restore(),
            "the floating-point environment, the locale and the signal mask");
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  EXPECT_FALSE(blocks(SIGUSR1));
}

}  // namespace
}  // namespace kumiko::runtime
