#include "hdf5/hdf5_object.hpp"

#include <algorithm>

namespace kumiko::io::hdf5 {

namespace {

/// Tells the library, before its first use, not to close objects as the program ends. Every object
/// here closes itself; what the library could not make for want of memory, it would try to close
/// again and again, and print that.
const bool kEndsWithoutTheLibrary = H5dont_atexit() >= 0;

/// Keeps the description of the first error that it is given, which is the innermost.
herr_t take_description(unsigned /*depth*/, const H5E_error2_t* entry, void* text) {
  auto& cause = *static_cast<std::string*>(text);
  if (cause.empty() && entry->desc != nullptr) cause = entry->desc;
  return 0;
}

std::string innermost_message() {
  std::string cause;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_description, &cause);
  return cause.empty() ? "the HDF5 library gives no cause" : cause;
}

/// An empty string still has one byte in the file.
const char* string_bytes(std::string_view text) { return text.empty() ? "" : text.data(); }

}  // namespace

QuietErrors::QuietErrors() {
  H5Eget_auto2(H5E_DEFAULT, &print_, &client_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

QuietErrors::~QuietErrors() { H5Eset_auto2(H5E_DEFAULT, print_, client_); }

void require(std::int64_t status) {
  if (status < 0) throw Error(innermost_message());
}

Object::Object(hid_t id, Close close) : id_(id), close_(close) {
  if (id < 0) throw Error(innermost_message());
}

Object make_group(const Object& parent, const std::string& name) {
  return {H5Gcreate2(parent.id(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose};
}

Object make_properties(hid_t kind) { return {H5Pcreate(kind), H5Pclose}; }

Object make_dataset_properties() {
  Object properties = make_properties(H5P_DATASET_CREATE);
  require(H5Pset_obj_track_times(properties.id(), false));
  return properties;
}

Object make_packed_properties(hsize_t chunk) {
  constexpr unsigned kFast = 1;
  Object properties = make_dataset_properties();
  require(H5Pset_chunk(properties.id(), 1, &chunk));
  require(H5Pset_shuffle(properties.id()));
  require(H5Pset_deflate(properties.id(), kFast));
  return properties;
}

Object make_space(std::initializer_list<hsize_t> extents) {
  return {H5Screate_simple(static_cast<int>(extents.size()), std::data(extents), nullptr),
          H5Sclose};
}

Object make_scalar_space() { return {H5Screate(H5S_SCALAR), H5Sclose}; }

Object make_integers_type(std::span<const char* const> members) {
  constexpr std::size_t kBytes = sizeof(std::int32_t);
  Object type(H5Tcreate(H5T_COMPOUND, members.size() * kBytes), H5Tclose);
  for (std::size_t at = 0; at < members.size(); ++at) {
    require(H5Tinsert(type.id(), members[at], at * kBytes, H5T_NATIVE_INT32));
  }
  return type;
}

Object make_string_type(std::size_t length) {
  Object type(H5Tcopy(H5T_C_S1), H5Tclose);
  require(H5Tset_size(type.id(), std::max<std::size_t>(length, 1)));  // HDF5 has no empty strings
  require(H5Tset_strpad(type.id(), H5T_STR_NULLPAD));
  return type;
}

void set_attribute(const Object& object, const char* name, hid_t type, const Object& space,
                   const void* values) {
  const Object attribute(H5Acreate2(object.id(), name, type, space.id(), H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  require(H5Awrite(attribute.id(), type, values));
}

void set_attribute(const Object& object, const char* name, std::string_view value) {
  set_attribute(object, name, make_string_type(value.size()), string_bytes(value));
}

void set_attribute(const Object& object, const char* name, const Object& type, const void* value) {
  set_attribute(object, name, type.id(), make_scalar_space(), value);
}

Object make_dataset(const Object& parent, const std::string& name, hid_t type, const Object& space,
                    const Object& properties) {
  return {H5Dcreate2(parent.id(), name.c_str(), type, space.id(), H5P_DEFAULT, properties.id(),
                     H5P_DEFAULT),
          H5Dclose};
}

void write_dataset(const Object& parent, const char* name, hid_t type, const Object& space,
                   const void* values, const Object& properties) {
  const Object dataset = make_dataset(parent, name, type, space, properties);
  require(H5Dwrite(dataset.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
}

void write_text(const Object& parent, const char* name, std::string_view text) {
  const Object type = make_string_type(text.size());
  write_dataset(parent, name, type.id(), make_scalar_space(), string_bytes(text));
}

}  // namespace kumiko::io::hdf5
