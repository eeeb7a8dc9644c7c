#include "config/listed_name.hpp"

#include <kumiko/io/read_number.hpp>

namespace kumiko::io {

std::optional<ListedName> listed_name(std::string_view name) {
  const std::size_t open = name.find('[');
  if (open == std::string_view::npos || open == 0) return std::nullopt;
  // A bracket within quotes belongs to a name.
  if (name.substr(0, open).find('"') != std::string_view::npos) return std::nullopt;
  const std::size_t close = name.find(']', open);
  if (close == std::string_view::npos) return std::nullopt;
  ListedName listed;
  const auto index = read_number<std::size_t>(name.substr(open + 1, close - open - 1));
  if (!index) return std::nullopt;
  listed.index = *index;
  // One name for each entry.
  if (name[open + 1] == '0' && close > open + 2) return std::nullopt;
  const std::string_view rest = name.substr(close + 1);
  if (!rest.empty() && (rest.front() != '.' || rest.size() == 1)) return std::nullopt;
  listed.table = name.substr(0, open);
  if (!rest.empty()) listed.key = rest.substr(1);
  return listed;
}

std::string declared_name(std::string_view name) {
  const std::optional<ListedName> listed = listed_name(name);
  return listed ? listed->declared() : std::string(name);
}

}  // namespace kumiko::io
