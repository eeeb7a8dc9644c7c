// Takes random bytes for each described record in turn, packed and as JSON, and finds no crash and
// no read beyond them. What is believed is written again as the same bytes, or as the same JSON.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

#include <kumiko/cluster/packing.hpp>

#include "checkpoint/sidecar_file.hpp"
#include "checkpoint/write_request.hpp"
#include "core/exchange_message.hpp"
#include "link/launcher.hpp"
#include "record/exchange_log.hpp"
#include "run/rank_record.hpp"
#include "watch/process.hpp"

namespace kumiko {
namespace {

using Json = nlohmann::ordered_json;

void require(bool holds) {
  if (!holds) __builtin_trap();
}

/// Bytes of gaps are zeros, whatever a stranger has put there.
template <class Record>
void take_for_packed(std::span<const std::byte> bytes) {
  // Of just that size, so that AddressSanitizer sees what is read beyond them.
  const cluster::Frame copy(bytes.begin(), bytes.end());
  try {
    const cluster::Frame again = cluster::packed(cluster::unpacked<Record>(copy));
    require(again.size() == copy.size());
    require(cluster::packed(cluster::unpacked<Record>(again)) == again);
  } catch (const std::out_of_range&) {  // what is refused
  }
}

template <class Read>
void take_for_message(std::span<const std::byte> bytes, Read read) {
  const cluster::Frame copy(bytes.begin(), bytes.end());
  try {
    read(copy);
  } catch (const std::invalid_argument&) {  // what is refused
  }
}

template <class Record>
void take_for_json(std::span<const std::byte> bytes) {
  const Json json =
      Json::parse(reinterpret_cast<const char*>(bytes.data()),
                  reinterpret_cast<const char*>(bytes.data()) + bytes.size(), nullptr, false);
  try {
    const Json again = json.get<Record>();
    require(Json(again.get<Record>()) == again);
  } catch (const nlohmann::json::exception&) {  // what is refused
  } catch (const std::runtime_error&) {         // likewise
  }
}

void take(unsigned which, std::span<const std::byte> bytes) {
  switch (which % 8) {
    case 0:
      return take_for_packed<cluster::detail::Process>(bytes);
    case 1:
      return take_for_packed<cluster::detail::Place>(bytes);
    case 2:
      return take_for_packed<io::WriteRequest>(bytes);
    case 3:
      return take_for_packed<io::WriteAnswer>(bytes);
    case 4:
      return take_for_message(bytes, [](const auto& all) { search::detail::decode(all); });
    case 5:
      return take_for_message(bytes, [](const auto& all) { search::detail::decode_log(all); });
    case 6:
      return take_for_json<io::SidecarFile>(bytes);
    default:
      return take_for_json<io::RankSummary>(bytes);
  }
}

}  // namespace
}  // namespace kumiko

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 0) kumiko::take(data[0], std::as_bytes(std::span(data + 1, size - 1)));
  return 0;
}

/// Begins with a record as it is written.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  using namespace kumiko;
  if (seed % 4 != 0 && size > 1) return LLVMFuzzerMutate(data, size, most);
  const unsigned which = seed / 4 % 8;
  search::detail::ProcessLog log;
  log.others = {{}, {1, 2}};
  log.sums.resize(2);
  log.parts.resize(1);
  const cluster::Frame packed[] = {
      cluster::packed(cluster::detail::Process{"host", 1, 2, 3}),
      cluster::packed(cluster::detail::Place{"host", {0, 1}, 2, true}),
      cluster::packed(io::WriteRequest{"file", 1, 2, {3, 4}}),
      cluster::packed(io::WriteAnswer{true, 0, {1, 2}}),
      search::detail::encode({.part = search::detail::PartName{1, 2}, .way = {1, 2}}),
      cluster::packed(log)};
  const std::string json =
      Json(which == 6 ? Json(io::SidecarFile{}) : Json(io::RankSummary{})).dump();
  const auto text = std::as_bytes(std::span(json));
  const auto written = which < 6 ? std::span<const std::byte>(packed[which]) : text;
  if (written.size() + 1 > most) return LLVMFuzzerMutate(data, size, most);
  data[0] = static_cast<std::uint8_t>(which);
  std::transform(written.begin(), written.end(), data + 1,
                 [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
  return 1 + LLVMFuzzerMutate(data + 1, written.size(), most - 1);
}
