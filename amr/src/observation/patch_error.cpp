#include "observation/patch_error.hpp"

#include <new>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include <kumiko/amr/finite_check.hpp>
#include <kumiko/amr/step_error.hpp>
#include <kumiko/cluster/errors.hpp>

namespace kumiko::amr {

namespace {

/// Its text names the place.
struct Placed {};

/// Not enough memory, in words.
class NoMemory : public std::bad_alloc {
 public:
  explicit NoMemory(std::string text) : text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

template <class Error>
class PlacedError : public Error, public Placed {
 public:
  explicit PlacedError(const std::string& text) : Error(text) {}
};

/// The exception that is being handled, nested in another one.
template <class Error>
std::exception_ptr nested_in(const std::string& text) {
  try {
    std::throw_with_nested(PlacedError<Error>(text));
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace

std::exception_ptr with_place(const std::exception_ptr& error, const std::string& place) {
  const auto text = [&](const char* what) { return fmt::format("{} ({})", what, place); };
  try {
    std::rethrow_exception(error);
  } catch (const Placed&) {
  } catch (const DeclarationError&) {
  } catch (const BrokenValueError&) {
  } catch (const cluster::RankLost&) {
  } catch (const std::bad_alloc& without) {
    const bool has_words = std::string_view(without.what()) != std::bad_alloc().what();
    return nested_in<NoMemory>(text(has_words ? without.what() : "not enough memory"));
  } catch (const std::invalid_argument& without) {
    return nested_in<std::invalid_argument>(text(without.what()));
  } catch (const std::exception& without) {
    return nested_in<std::runtime_error>(text(without.what()));
  } catch (...) {
    return nested_in<std::runtime_error>(text("an exception that is not a std::exception"));
  }
  return error;
}

}  // namespace kumiko::amr
