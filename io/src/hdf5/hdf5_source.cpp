#include "hdf5/hdf5_source.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

namespace kumiko::io::hdf5 {

namespace {

Object open(const std::string& name) {
  const Object access = make_properties(H5P_FILE_ACCESS);
  // Nobody changes a file that has its name, and some file systems have no locks.
  require(H5Pset_file_locking(access.id(), false, true));
  return {H5Fopen(name.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose};
}

bool has_known_filters(const Object& properties) {
  const int filters = H5Pget_nfilters(properties.id());
  for (int at = 0; at < filters; ++at) {
    unsigned flags = 0;
    std::size_t values = 0;
    const H5Z_filter_t filter = H5Pget_filter2(properties.id(), static_cast<unsigned>(at), &flags,
                                               &values, nullptr, 0, nullptr, nullptr);
    if (filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_DEFLATE) return false;
  }
  return true;
}

std::string without_padding(const char* text, std::size_t size) {
  const std::string padded(text, size);
  return padded.substr(0, padded.find_last_not_of('\0') + 1);
}

}  // namespace

Source::Source(const std::filesystem::path& file, Stored stored)
    : name_(file.string()),
      bytes_(std::filesystem::file_size(file)),
      stored_(stored),
      file_(open(name_)) {}

void Source::refuse(const std::string& why) const {
  throw CheckpointError(fmt::format("'{}' {}", name_, why));
}

std::string Source::odd(const std::string& name) {
  return fmt::format("has data in '{}' that Kumiko does not write", name);
}

bool Source::has(const std::string& path) const {
  return H5Lexists(file_.id(), path.c_str(), H5P_DEFAULT) > 0;
}

bool Source::has_attribute(const char* name, const char* object) const {
  return H5Aexists_by_name(file_.id(), object, name, H5P_DEFAULT) > 0;
}

int Source::to_int(std::int64_t value, const std::string& name) const {
  if (!std::in_range<int>(value)) refuse(odd(name));
  return static_cast<int>(value);
}

std::string Source::attribute_text(const std::string& object, const std::string& name) const {
  const Object attribute = open_attribute(object, name.c_str());
  const Object type(H5Aget_type(attribute.id()), H5Tclose);
  std::string text(length_of(type, name), '\0');
  require(H5Aread(attribute.id(), type.id(), text.data()));
  return without_padding(text.data(), text.size());
}

Object Source::open_dataset(const std::string& path) const {
  for (std::size_t end = path.find('/', 1); true; end = path.find('/', end + 1)) {
    H5L_info_t link{};
    require(H5Lget_info(file_.id(), path.substr(0, end).c_str(), &link, H5P_DEFAULT));
    if (link.type != H5L_TYPE_HARD) refuse(odd(path));
    if (end == std::string::npos) break;
  }
  Object dataset(H5Dopen2(file_.id(), path.c_str(), H5P_DEFAULT), H5Dclose);
  const Object properties(H5Dget_create_plist(dataset.id()), H5Pclose);
  const H5D_layout_t layout = H5Pget_layout(properties.id());
  const bool packed = layout == H5D_CHUNKED && stored_ == Stored::kPacked;
  if ((layout != H5D_CONTIGUOUS && !packed) || !has_known_filters(properties) ||
      H5Pget_external_count(properties.id()) != 0) {
    refuse(odd(path));
  }
  return dataset;
}

std::size_t Source::count(const Object& dataset, const std::string& path, std::size_t size) const {
  constexpr std::uint64_t kMostDeflated = 1032;  // to 1, by the format of deflate
  const Object space(H5Dget_space(dataset.id()), H5Sclose);
  const hssize_t points = H5Sget_simple_extent_npoints(space.id());
  require(points);
  std::uint64_t most = bytes_;
  if (stored_ == Stored::kPacked) {
    most = std::min<std::uint64_t>(H5Dget_storage_size(dataset.id()), bytes_) * kMostDeflated;
  }
  if (static_cast<std::uint64_t>(points) > most / size) refuse(odd(path));
  return static_cast<std::size_t>(points);
}

void Source::read(const Object& dataset, hid_t type, void* into) {
  require(H5Dread(dataset.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, into));
}

std::optional<std::uint64_t> Source::place_of_doubles(const std::string& path,
                                                      std::size_t length) const {
  const Object dataset = open_dataset(path);
  expect(count(dataset, path, sizeof(double)), path, length);
  const Object type(H5Dget_type(dataset.id()), H5Tclose);
  const haddr_t place = H5Dget_offset(dataset.id());
  if (place == HADDR_UNDEF || H5Tequal(type.id(), H5T_NATIVE_DOUBLE) <= 0) return std::nullopt;
  if (place > bytes_ || length > (bytes_ - place) / sizeof(double)) refuse(odd(path));
  return place;
}

std::string Source::text(const std::string& path) const { return texts(path, 1).front(); }

void Source::expect(std::size_t found, const std::string& path, std::size_t length) const {
  if (found == length) return;
  refuse(fmt::format("holds {} values in '{}', not {}", found, path, length));
}

std::vector<std::string> Source::texts(const std::string& path, std::size_t number) const {
  const Object dataset = open_dataset(path);
  const Object type(H5Dget_type(dataset.id()), H5Tclose);
  const std::size_t length = length_of(type, path);
  expect(count(dataset, path, length), path, number);
  std::string all(number * length, '\0');
  read(dataset, type.id(), all.data());
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < number; ++at) {
    texts.push_back(without_padding(all.data() + at * length, length));
  }
  return texts;
}

Object Source::open_attribute(const std::string& object, const char* name) const {
  Object attribute(H5Aopen_by_name(file_.id(), object.c_str(), name, H5P_DEFAULT, H5P_DEFAULT),
                   H5Aclose);
  const Object space(H5Aget_space(attribute.id()), H5Sclose);
  if (H5Sget_simple_extent_npoints(space.id()) != 1) refuse(odd(name));
  return attribute;
}

std::size_t Source::length_of(const Object& type, const std::string& name) const {
  const std::size_t size = H5Tget_size(type.id());
  if (H5Tget_class(type.id()) != H5T_STRING || H5Tis_variable_str(type.id()) > 0 || size < 1 ||
      size > bytes_) {
    refuse(odd(name));
  }
  return size;
}

}  // namespace kumiko::io::hdf5
