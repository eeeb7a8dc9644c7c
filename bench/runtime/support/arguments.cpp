#include "arguments.hpp"

#include <charconv>
#include <stdexcept>
#include <string_view>

namespace kumiko::bench {

namespace {

template <class Number>
Number parse(const std::string& name, const std::string& value) {
  Number number{};
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc{} || stop != end) {
    throw std::invalid_argument("'" + name + "=" + value + "' is not a number");
  }
  return number;
}

}  // namespace

Arguments::Arguments(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) {
      throw std::invalid_argument("'" + word + "' is not of the form name=value");
    }
    given_[word.substr(0, equals)] = word.substr(equals + 1);
  }
}

long Arguments::integer(const std::string& name, long fallback) {
  return parse<long>(name, text(name, std::to_string(fallback)));
}

double Arguments::real(const std::string& name, double fallback) {
  return parse<double>(name, text(name, std::to_string(fallback)));
}

std::string Arguments::text(const std::string& name, const std::string& fallback) {
  const auto found = given_.find(name);
  return asked_[name] = found != given_.end() ? found->second : fallback;
}

void Arguments::reject_unknown() const {
  for (const auto& [name, value] : given_) {
    if (!asked_.contains(name)) throw std::invalid_argument("unknown argument '" + name + "'");
  }
}

}  // namespace kumiko::bench
