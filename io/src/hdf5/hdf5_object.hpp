// HDF5 objects that close themselves, and the few ways in which the writers make them.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <hdf5.h>

namespace kumiko::io::hdf5 {

/// A call of the library failed; what() is the library's own innermost message.
struct Error : std::runtime_error {
  using runtime_error::runtime_error;
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
/// Makes those of datasets in chunks of so many values, which are shuffled and deflated.
Object make_packed_properties(hsize_t chunk);
Object make_space(std::initializer_list<hsize_t> extents);
Object make_scalar_space();
/// Makes a compound type of integers of 32 bits each.
Object make_integers_type(std::span<const char* const> members);

/// Makes the type of strings of that many bytes, or 1 where that is 0, padded with zeros.
Object make_string_type(std::size_t length);

/// How numbers of a type are stored in memory. Files have none of other types.
inline hid_t memory_type(double) { return H5T_NATIVE_DOUBLE; }
inline hid_t memory_type(std::uint8_t) { return H5T_NATIVE_UINT8; }
inline hid_t memory_type(std::int32_t) { return H5T_NATIVE_INT32; }
inline hid_t memory_type(std::uint32_t) { return H5T_NATIVE_UINT32; }
inline hid_t memory_type(std::int64_t) { return H5T_NATIVE_INT64; }
inline hid_t memory_type(std::uint64_t) { return H5T_NATIVE_UINT64; }
hid_t memory_type(auto) = delete;

/// Sets an attribute of a type that is the same in the file and in memory.
void set_attribute(const Object& object, const char* name, hid_t type, const Object& space,
                   const void* values);
/// Sets a string of fixed length without a terminator, the only kind that VTK's reader takes.
void set_attribute(const Object& object, const char* name, std::string_view value);
/// Sets an attribute of one value of a compound type.
void set_attribute(const Object& object, const char* name, const Object& type, const void* value);
/// Sets an attribute of one number.
template <class Number>
requires std::is_arithmetic_v<Number>
void set_attribute(const Object& object, const char* name, Number value) {
  set_attribute(object, name, memory_type(Number{}), make_scalar_space(), &value);
}
/// Sets an attribute that is a list of numbers.
template <class Number, std::size_t Count>
void set_attribute(const Object& object, const char* name,
                   const std::array<Number, Count>& values) {
  set_attribute(object, name, memory_type(Number{}), make_space({Count}), values.data());
}

/// Makes a dataset without values.
Object make_dataset(const Object& parent, const std::string& name, hid_t type, const Object& space,
                    const Object& properties);
/// Writes a dataset of a type that is the same in the file and in memory.
void write_dataset(const Object& parent, const char* name, hid_t type, const Object& space,
                   const void* values, const Object& properties = make_dataset_properties());
/// Writes a dataset of one dimension.
template <class Number>
void write_list(const Object& parent, const char* name, const std::vector<Number>& values,
                const Object& properties = make_dataset_properties()) {
  write_dataset(parent, name, memory_type(Number{}), make_space({values.size()}), values.data(),
                properties);
}
/// Writes a dataset of one string.
void write_text(const Object& parent, const char* name, std::string_view text);

}  // namespace kumiko::io::hdf5
