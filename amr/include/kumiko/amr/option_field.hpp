// Describes a member of an option struct once: its default, its allowed values and the reason for
// them, and its purpose. The engine's checks, the keys of a configuration and their reference are
// derived from the description.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <kumiko/amr/parameter.hpp>

namespace kumiko::amr {

/// An option has an invalid value. what() has the member's name in backticks, as all messages of
/// the engine do, so that a program can replace it by its own name.
struct OptionError : std::invalid_argument {
  /// \param must  the allowed values, and the reason
  /// \param in_region  for an option of a region, the region's index
  OptionError(std::string name, std::string text, std::string must,
              std::optional<std::size_t> in_region = std::nullopt);

  std::string option;
  std::string value;
  std::string wanted;
  std::optional<std::size_t> region;
};

/// The range of a number: from `least` to `most`.
struct Range {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  std::string why = {};          ///< the reason, as it follows the range in a message: "since ..."
  bool open = false;             ///< the bounds themselves are not allowed
  std::int64_t multiple_of = 1;  ///< integers only
};

/// The largest number of steps, regrids and other counts.
inline constexpr double kMostCount = 1e9;

/// What an option determines. Every option declares it, because files and restarts depend on it.
enum class Determines {
  kState,   ///< the bits of the field: a checkpoint holds it, and no restart may change it
  kCourse,  ///< the bits of the field from the step at which it is set: a checkpoint holds it, and
            ///< its lineage records the restart that changed it
  kRun      ///< no bit of the field: it is stored in a separate file, and a restart may change it
};

/// The description of an option, independent of its type.
struct OptionSpec {
  ParameterSpec spec;           ///< under the member's name, with its initial value
  Range range = {};             ///< of every element of a list
  std::size_t list_size = 0;    ///< of lists; 0 = any
  bool required = false;        ///< must be given; the default then only gives the type
  bool optional = false;        ///< may have no value; the default then only gives the type
  bool integer_serves = false;  ///< for texts: an integer is also allowed, as a number without unit
  Determines determines = Determines::kState;
};

/// The allowed numbers of an option as text, e.g. "16 to 65536, a multiple of 16"; empty if all are
/// allowed.
std::string range_text(const Range& range);

/// An element of a value that is out of its range, and the allowed values.
struct Refusal {
  ParameterValue element;
  std::string wanted;
};

/// The first element that is out of its range; numbers must be finite in any case.
std::optional<Refusal> refused(const Range& range, const ParameterValue& value);

/// One member of `Options`, or two that make a list.
template <class Options>
struct OptionField : OptionSpec {
  std::function<ParameterValue(const Options&)> get = {};
  /// The value must be of the default's type, and one of the choices. Throws std::invalid_argument,
  /// with the allowed values, for a text that the member cannot be read from.
  std::function<void(Options&, const ParameterValue&)> set = {};
};

/// Every described member of a struct, in the order of their reference.
template <class Options>
const std::vector<OptionField<Options>>& fields();

namespace detail {

inline constexpr std::size_t kBytesPerMebibyte = 1024 * 1024;

void require_in_range(const OptionSpec& option, const ParameterValue& value,
                      std::optional<std::size_t> region);

/// Enumerations are given by their names, which `names_of` returns in the order of their values. A
/// std::size_t counts bytes, and is described in MiB.
template <class T>
ParameterValue to_value(const T& member) {
  if constexpr (std::is_enum_v<T>) {
    return std::string(names_of(member)[static_cast<std::size_t>(member)]);
  } else if constexpr (std::is_same_v<T, std::size_t>) {
    return static_cast<std::int64_t>(member / kBytesPerMebibyte);
  } else if constexpr (std::is_same_v<T, int>) {
    return std::int64_t{member};
  } else {
    return member;
  }
}

template <class T>
void from_value(const ParameterValue& value, T& member) {
  if constexpr (std::is_enum_v<T>) {
    const auto names = names_of(member);
    const auto found = std::find(names.begin(), names.end(), std::get<std::string>(value));
    member = static_cast<T>(found - names.begin());
  } else if constexpr (std::is_same_v<T, std::size_t>) {
    member = static_cast<std::size_t>(std::get<std::int64_t>(value)) * kBytesPerMebibyte;
  } else if constexpr (std::is_same_v<T, int>) {
    member = static_cast<int>(std::get<std::int64_t>(value));
  } else {
    member = std::get<T>(value);
  }
}

template <class Options, class T>
Options owner_of(T Options::*);
template <class Options, class T>
T type_of(T Options::*);

}  // namespace detail

/// The description of a member. Its default is the member's initialiser.
template <auto Member>
auto field(std::string name, const Range& range, Determines determines, std::string help) {
  using Options = decltype(detail::owner_of(Member));
  using T = decltype(detail::type_of(Member));
  OptionField<Options> made;
  made.get = [](const Options& options) { return detail::to_value(options.*Member); };
  made.set = [](Options& options, const ParameterValue& value) {
    detail::from_value(value, options.*Member);
  };
  made.spec = {std::move(name), made.get({}), std::move(help)};
  if constexpr (std::is_enum_v<T>) {
    for (const auto choice : names_of(T{})) made.spec.choices.emplace_back(choice);
  }
  made.range = range;
  made.determines = determines;
  return made;
}

/// The description of two members that are given as a list.
template <auto First, auto Second>
auto pair_field(std::string name, const Range& range, Determines determines, std::string help) {
  using Options = decltype(detail::owner_of(First));
  using T = decltype(detail::type_of(First));
  using List = std::vector<std::conditional_t<std::is_same_v<T, int>, std::int64_t, double>>;
  OptionField<Options> made;
  made.get = [](const Options& options) { return List{options.*First, options.*Second}; };
  made.set = [](Options& options, const ParameterValue& value) {
    options.*First = static_cast<T>(std::get<List>(value).front());
    options.*Second = static_cast<T>(std::get<List>(value).back());
  };
  made.spec = {std::move(name), made.get({}), std::move(help)};
  made.range = range;
  made.list_size = 2;
  made.determines = determines;
  return made;
}

/// The same option, without a default.
template <class Options>
OptionField<Options> required(OptionField<Options> option) {
  option.required = true;
  return option;
}

/// The same option, which may be left out.
template <class Options>
OptionField<Options> optional(OptionField<Options> option) {
  option.optional = true;
  return option;
}

/// Throws OptionError for the first option that is out of its range.
template <class Options>
void check_ranges(const Options& options, std::optional<std::size_t> region = std::nullopt) {
  for (const OptionField<Options>& option : fields<Options>()) {
    detail::require_in_range(option, option.get(options), region);
  }
}

}  // namespace kumiko::amr
