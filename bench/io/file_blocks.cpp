#include "file_blocks.hpp"

#include <algorithm>
#include <cerrno>
#include <stdexcept>

#include <fcntl.h>
#include <unistd.h>

#include "process.hpp"
#include "support/json_line.hpp"

namespace kumiko::bench::io {

namespace {

std::size_t positive(Arguments& arguments, const char* name, long fallback) {
  const long value = arguments.integer(name, fallback);
  if (value < 1 || value > 4096) {
    throw std::invalid_argument(std::string(name) + " must be from 1 to 4096");
  }
  return static_cast<std::size_t>(value);
}

int open_unnamed(const std::string& folder) {
  std::string path = folder + "/kumiko-io-XXXXXX";
  const int descriptor = mkostemp(path.data(), O_CLOEXEC);
  if (descriptor < 0) throw_errno("no file can be made in '" + folder + "'");
  unlink(path.c_str());
  return descriptor;
}

}  // namespace

FilePlan::FilePlan(Arguments& arguments)
    : folder(arguments.text("folder", ".")),
      writers(positive(arguments, "writers", 256)),
      rounds(positive(arguments, "rounds", 4)) {}

BlockFile::BlockFile(const FilePlan& plan)
    : plan_(plan),
      blocks_(plan.writers * FilePlan::kBlock),
      descriptor_(open_unnamed(plan.folder)) {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const std::size_t writer = i / FilePlan::kBlock;
    blocks_[i] = static_cast<std::byte>((writer * 31 + i) % 251);
  }
}

BlockFile::~BlockFile() { close(descriptor_); }

std::span<const std::byte> BlockFile::block(std::size_t writer) const noexcept {
  return std::span(blocks_).subspan(writer * FilePlan::kBlock, FilePlan::kBlock);
}

void BlockFile::check() const {
  std::vector<std::byte> found(FilePlan::kBlock);
  for (std::size_t round = 0; round < plan_.rounds; ++round) {
    for (std::size_t writer = 0; writer < plan_.writers; ++writer) {
      const ssize_t bytes =
          pread(descriptor_, found.data(), found.size(), plan_.offset(writer, round));
      if (bytes != static_cast<ssize_t>(found.size()) ||
          !std::ranges::equal(found, block(writer))) {
        throw std::runtime_error("the file does not hold what was written");
      }
    }
  }
}

void measure_writes(const FilePlan& plan, const BlockFile& file, const std::function<void()>& write,
                    const std::function<void()>& sync) {
  const CpuSeconds cpu = cpu_seconds();
  const double begin = wall_seconds();
  write();
  const double written = wall_seconds();
  const CpuSeconds cpu_written = cpu_seconds();
  sync();
  const double synced = wall_seconds();
  file.check();
  JsonLine()
      .add("bytes", plan.bytes())
      .add("seconds", written - begin)
      .add("sync_seconds", synced - written)
      .add("bytes_per_second", static_cast<double>(plan.bytes()) / (written - begin))
      .add("cpu_seconds", cpu_written.user + cpu_written.system - cpu.user - cpu.system)
      .print();
}

}  // namespace kumiko::bench::io
