// Reads an HDF5 file that may be damaged: checks what it says before there is memory for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kumiko/io/checkpoint_error.hpp>

#include "hdf5/hdf5_object.hpp"
#include "hdf5/seal.hpp"

namespace kumiko::io::hdf5 {

/// Which ways of storing a dataset are accepted.
enum class Stored {
  kPlain,  ///< whose bytes lie together
  kPacked  ///< in chunks that are shuffled and deflated, too
};

/// An open file. All members throw CheckpointError for what they do not accept, and Error for what
/// the library reports.
class Source {
 public:
  Source(const std::filesystem::path& file, Stored stored);

  const std::string& name() const { return name_; }
  /// The size of the file in bytes.
  std::uint64_t bytes() const { return bytes_; }

  [[noreturn]] void refuse(const std::string& why) const;
  /// The text for refuse() that an object is not as it should be.
  static std::string odd(const std::string& name);

  /// True if the file has an object, whose parents it has.
  bool has(const std::string& path) const;
  /// True if an object has an attribute; the object is the file's root unless another is named.
  bool has_attribute(const char* name, const char* object = "/") const;

  template <class Number>
  Number number(const std::string& object, const char* name) const {
    const Object attribute = open_attribute(object, name);
    Number value{};
    require(H5Aread(attribute.id(), memory_type(Number{}), &value));
    return value;
  }
  int integer(const std::string& object, const char* name) const {
    return to_int(number<std::int64_t>(object, name), name);
  }
  int to_int(std::int64_t value, const std::string& name) const;
  std::string attribute_text(const std::string& object, const std::string& name) const;

  /// Opens an attribute of one value.
  Object open_attribute(const std::string& object, const char* name) const;
  /// Opens a dataset whose bytes are in this file, where a seal covers them. Refuses one that
  /// points elsewhere.
  Object open_dataset(const std::string& path) const;
  /// How many values a dataset has, each of `size` bytes in memory. Refuses more than the file's
  /// bytes can hold.
  std::size_t count(const Object& dataset, const std::string& path, std::size_t size) const;
  static void read(const Object& dataset, hid_t type, void* into);
  /// Where a dataset of so many doubles lies in the file, if it does so in one piece and as this
  /// machine has them. Refuses one of another length.
  std::optional<std::uint64_t> place_of_doubles(const std::string& path, std::size_t length) const;

  /// Reads a dataset of one dimension.
  template <class Number>
  std::vector<Number> list(const std::string& path) const {
    const Object dataset = open_dataset(path);
    std::vector<Number> values(count(dataset, path, sizeof(Number)));
    read(dataset, memory_type(Number{}), values.data());
    return values;
  }
  /// Refuses a dataset of another length; reads nothing.
  template <class Number>
  void expect(const std::string& path, std::size_t length) const {
    expect(count(open_dataset(path), path, sizeof(Number)), path, length);
  }
  /// Reads a dataset as list() does, of a length that other datasets say, too.
  template <class Number>
  std::vector<Number> list(const std::string& path, std::size_t length) const {
    expect<Number>(path, length);
    return list<Number>(path);
  }

  /// Reads a dataset of one string.
  std::string text(const std::string& path) const;
  /// Reads a dataset of `number` strings of one length. Refuses another number of them.
  std::vector<std::string> texts(const std::string& path, std::size_t number) const;

 private:
  void expect(std::size_t found, const std::string& path, std::size_t length) const;
  /// The length of a string, as its type says. Refuses other types.
  std::size_t length_of(const Object& type, const std::string& name) const;

  std::string name_;
  std::uint64_t bytes_;
  Stored stored_;
  Object file_;
};

/// Checks every byte of a file against its seal, then calls read(Source). Throws CheckpointError,
/// in which `what` says what the file should be.
template <class Read>
auto read_sealed(const std::filesystem::path& file, std::string_view what, Stored stored,
                 Read read) {
  const auto unreadable = [&](const std::string& why) {
    return CheckpointError("'" + file.string() + "' cannot be read: " + why);
  };
  const QuietErrors quiet;
  try {
    check_seal(file, what);
    return read(Source(file, stored));
  } catch (const Error& error) {
    throw unreadable(error.what());
  } catch (const std::bad_alloc&) {
    throw unreadable("there is not enough memory");
  } catch (const std::filesystem::filesystem_error& error) {
    throw unreadable(error.code().message());
  }
}

}  // namespace kumiko::io::hdf5
