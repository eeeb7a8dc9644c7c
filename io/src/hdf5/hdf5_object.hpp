// HDF5 objects that close themselves, and the few ways in which the writers make them.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <hdf5.h>

namespace kumiko::io::hdf5 {

/// A call of the library failed; what() is the library's own innermost message.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Keeps the library from printing its error stack on this thread.
class QuietErrors {
 public:
  QuietErrors();
  ~QuietErrors();
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* client_ = nullptr;
};

/// Throws Error when a call reported failure, by a negative number.
void require(std::int64_t status);

/// Owns an identifier of the library together with the way to close it.
class Object {
 public:
  using Close = herr_t (*)(hid_t);

  /// Throws Error when the call that made the identifier failed.
  Object(hid_t id, Close close);
  ~Object() {
    if (id_ >= 0) close_(id_);
  }
  Object(Object&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Object& operator=(Object&&) = delete;

  hid_t id() const { return id_; }

 private:
  hid_t id_;
  Close close_;
};

Object make_group(const Object& parent, const std::string& name);
Object make_properties(hid_t kind);
/// Makes the properties that datasets are created with. Datasets keep no time of their own, so that
/// equal runs make equal files.
Object make_dataset_properties();
Object make_space(std::span<const hsize_t> extents);
/// Makes a compound type of integers of 32 bits each.
Object make_integers_type(std::span<const char* const> members);

/// Makes the type of strings of that many bytes, or 1 where that is 0, padded with zeros.
Object make_string_type(std::size_t length);

/// Sets an attribute of one value.
void set_attribute(const Object& object, const char* name, std::int32_t value);
void set_attribute(const Object& object, const char* name, std::int64_t value);
void set_attribute(const Object& object, const char* name, double value);
/// Sets a string of fixed length without a terminator, the only kind that VTK's reader takes.
void set_attribute(const Object& object, const char* name, std::string_view value);
/// Sets an attribute of one value of a compound type.
void set_attribute(const Object& object, const char* name, const Object& type, const void* value);
/// Sets an attribute that is a list of values.
void set_attribute(const Object& object, const char* name, std::span<const std::int64_t> values);
void set_attribute(const Object& object, const char* name, std::span<const double> values);

/// Writes a dataset of a type that is the same in the file and in memory.
void write_dataset(const Object& parent, const char* name, hid_t type, const Object& space,
                   const void* values, const Object& properties = make_dataset_properties());
void write_dataset(const Object& parent, const char* name, hid_t type,
                   std::span<const hsize_t> extents, const void* values);
/// Writes a dataset of one string.
void write_text(const Object& parent, const char* name, std::string_view text);

}  // namespace kumiko::io::hdf5
