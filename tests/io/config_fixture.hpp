// A schema with solver and case parameters of every type, and the refusal of a configuration.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/io/config.hpp>

namespace kumiko::io::test {

inline Schema schema() {
  using Integers = std::vector<std::int64_t>;
  Schema schema;
  schema.add("solver", {{.name = "departure",
                         .default_value = std::string("first_order"),
                         .help = "departure scheme",
                         .choices = {"first_order", "second_order", "exact"}},
                        {"limit", true, "whether to limit"},
                        {"weight", 0.5, "a weight", -1.0}});
  schema.add("case", {{"title", std::string("disk"), "a title"},
                      {"shape", Integers{1, 2, 3}, "any number of integers"},
                      {"inner.radius", 0.15, "a radius"}});
  return schema;
}

inline Config load(const std::string& toml, const std::vector<std::string>& overrides = {}) {
  return parse_config(toml, "run.toml", overrides).check(schema());
}

/// The message that refuses a configuration; fails the test when nothing is refused, or when the
/// message is not one line.
inline std::string refusal(const std::string& toml,
                           const std::vector<std::string>& overrides = {}) {
  try {
    load(toml, overrides);
  } catch (const ConfigError& error) {
    std::string message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }
  ADD_FAILURE() << "accepted: " << toml;
  return {};
}

/// The shortest configuration, as a single line, to which tests append theirs.
inline const std::string kMinimal = "case.name = 'zalesak'\n";

}  // namespace kumiko::io::test
