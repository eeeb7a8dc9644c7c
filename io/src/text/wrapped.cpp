#include <sstream>

#include <kumiko/io/wrapped.hpp>

namespace kumiko::io {

std::string wrapped(std::string_view text, std::size_t width, std::string_view between) {
  std::string lines;
  std::size_t column = 0;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word; column += word.size()) {
    if (column > 0 && column + 1 + word.size() > width) {
      lines += between;
      column = 0;
    } else if (column > 0) {
      lines += ' ';
      ++column;
    }
    lines += word;
  }
  return lines;
}

}  // namespace kumiko::io
