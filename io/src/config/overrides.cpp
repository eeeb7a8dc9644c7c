#include "config/overrides.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <kumiko/io/config.hpp>

#include "text/message.hpp"

namespace kumiko::io {

namespace {

using detail::Setting;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

/// True if it is the number 0, which leaves the choice to the other key.
bool is_zero(const detail::OverrideText& number) {
  return number.text.find_first_not_of("0.") == std::string::npos;
}

}  // namespace

Setting read_override(const std::string& text) {
  const std::string where = "--set " + excerpt(text);
  const std::size_t equals = text.find('=');
  const std::string key(trimmed(std::string_view(text).substr(0, equals)));
  if (equals == std::string::npos || key.empty()) {
    throw ConfigError(where + ": not of the form KEY=VALUE; write it like --set amr.levels=2");
  }
  const std::string_view value = trimmed(std::string_view(text).substr(equals + 1));
  return {key, where, detail::OverrideText{std::string(value)}};
}

std::vector<std::string> replaced_overrides(const std::vector<Setting>& settings) {
  std::vector<std::string> lines;
  std::map<std::string_view, const Setting*> last;
  for (const Setting& setting : settings) {
    const auto* const given = std::get_if<detail::OverrideText>(&setting.value);
    if (given == nullptr) continue;
    const Setting*& earlier = last[setting.key];
    if (earlier != nullptr && std::get<detail::OverrideText>(earlier->value).text != given->text) {
      lines.push_back(fmt::format("{} replaces {}", setting.where, earlier->where));
    }
    earlier = &setting;
  }
  return lines;
}

void drop_other_step(std::vector<Setting>& settings) {
  const auto gives = [&](const char* key) {
    return std::ranges::any_of(settings, [&](const Setting& setting) {
      return setting.key == key && is_override(setting) &&
             !is_zero(std::get<detail::OverrideText>(setting.value));
    });
  };
  const auto replace = [&](const char* given, const char* other) {
    if (!gives(given) || gives(other)) return;
    std::erase_if(settings, [other](const Setting& setting) {
      return setting.key == other && !is_override(setting);
    });
  };
  replace(kSteps, kCfl);
  replace(kCfl, kSteps);
}

void drop_replaced(std::vector<Setting>& settings, std::string_view name_key,
                   std::string_view fallback) {
  std::string_view named = fallback;
  std::string_view wanted;
  for (const Setting& setting : settings) {
    if (setting.key != name_key) continue;
    if (const auto* value = std::get_if<amr::ParameterValue>(&setting.value)) {
      if (const auto* text = std::get_if<std::string>(value)) named = *text;
    } else if (const auto* text = std::get_if<detail::OverrideText>(&setting.value)) {
      wanted = text->text;
    }
  }
  if (wanted.empty() || wanted == named) return;
  const std::string_view prefix = name_key.substr(0, name_key.rfind('.') + 1);
  std::erase_if(settings, [&](const Setting& setting) {
    return !is_override(setting) && setting.key != name_key && setting.key.starts_with(prefix);
  });
}

}  // namespace kumiko::io
