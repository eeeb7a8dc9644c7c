// Contract: the accesses that the models argue about are those of the code, in the same order. A
// fence that is missing from the code goes unnoticed on most machines and in every model, which is
// a copy made by hand; here it does not.
//
// Each entry names a function of the code and the accesses in it as they stand in its text. Where
// one fails, change the model of that function first and see that its properties hold, then the
// entry.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include <gtest/gtest.h>

namespace kumiko::runtime::model {
namespace {

std::string read(const std::filesystem::path& file) {
  std::ifstream stream(file);
  EXPECT_TRUE(stream.is_open()) << file;
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return std::regex_replace(text, std::regex("//[^\n]*"), "");
}

/// The body of the function that begins so; empty if there is none, or several.
std::string body_of(const std::string& text, const std::string& signature) {
  const std::size_t begin = text.find(signature);
  if (begin == std::string::npos || text.find(signature, begin + 1) != std::string::npos) return {};
  std::size_t at = text.find('{', begin);
  const std::size_t first = at;
  for (int depth = 0; at < text.size(); ++at) {
    if (text[at] == '{') ++depth;
    if (text[at] == '}' && --depth == 0) break;
  }
  return text.substr(first, at - first);
}

/// Accesses of atomic variables with their orders, fences, locks and futex calls, in the order of
/// the text.
std::string accesses_of(const std::string& body) {
  static const std::regex kAccess(
      R"((\w+)\s*\.\s*(load|store|exchange|fetch_\w+|compare_exchange_\w+)\s*\()"
      R"(|memory_order_(\w+)|barrier_\.(light|heavy)|(lock_guard)|FUTEX_(WAIT|WAKE))");
  std::string accesses;
  const auto add = [&accesses](const std::string& text) {
    accesses += (accesses.empty() ? "" : " | ") + text;
  };
  for (auto match = std::sregex_iterator(body.begin(), body.end(), kAccess);
       match != std::sregex_iterator(); ++match) {
    const std::smatch& found = *match;
    if (found[1].matched) add(found[1].str() + "." + found[2].str());
    if (found[3].matched) accesses += " " + found[3].str();
    for (const std::size_t word : {4U, 6U}) {
      if (found[word].matched) add(found[word].str());
    }
    if (found[5].matched) add("guard");
  }
  return accesses;
}

struct Mirrored {
  const char* name;
  const char* file;
  const char* signature;
  const char* accesses;
};

std::ostream& operator<<(std::ostream& out, const Mirrored& function) {
  return out << function.name;
}

class Mirror : public testing::TestWithParam<Mirrored> {};

TEST_P(Mirror, GivenAFunctionOfTheCodeWhenItsTextIsReadThenItsAccessesAreTheModels) {
  const std::string text = read(std::filesystem::path(KUMIKO_RUNTIME) / GetParam().file);
  const std::string body = body_of(text, GetParam().signature);
  ASSERT_FALSE(body.empty()) << GetParam().file << " has no function, or several, that begin with '"
                             << GetParam().signature << "'";
  EXPECT_EQ(accesses_of(body), GetParam().accesses);
}

constexpr const char* kIdle = "src/core/idle.hpp";
constexpr const char* kIdleSource = "src/core/idle.cpp";

INSTANTIATE_TEST_SUITE_P(
    Of, Mirror,
    testing::Values(Mirrored{"IdleWorkAppeared", kIdle, "void work_appeared() noexcept",
                             "light | state_.load relaxed"},
                    Mirrored{"IdleBeginSearch", kIdle, "void begin_search() noexcept",
                             "state_.fetch_add relaxed"},
                    Mirrored{"IdleEndSearch", kIdle, "void end_search() noexcept",
                             "state_.fetch_sub seq_cst"},
                    Mirrored{"IdleAnnounce", kIdleSource, "void Idle::announce(",
                             "guard | state_.fetch_add seq_cst | heavy"},
                    Mirrored{"IdleRetract", kIdleSource, "bool Idle::retract(",
                             "guard | state_.fetch_sub seq_cst"},
                    Mirrored{"IdleWakeOne", kIdleSource, "void Idle::wake_one()",
                             "guard | state_.load relaxed | state_.fetch_sub seq_cst"}),
    [](const auto& function) { return std::string(function.param.name); });

}  // namespace
}  // namespace kumiko::runtime::model
