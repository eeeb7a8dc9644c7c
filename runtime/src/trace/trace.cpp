#include "trace/trace.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdio>
#include <ostream>
#include <string>
#include <string_view>

#include "core/aggregation.hpp"
#include "machine/ticks.hpp"

namespace kumiko::runtime::detail {

namespace {

// Hundreds of thousands of events are written: everything is appended to one string, which goes out
// in chunks, and times are whole nanoseconds.

constexpr std::size_t kChunk = std::size_t{64} * 1024;

/// The length of the character that `text` begins with, in UTF-8; 0 if it begins with none.
std::size_t utf8_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xc2 ? 0
                             : lead < 0xe0 ? 2
                             : lead < 0xf0 ? 3
                             : lead < 0xf5 ? 4
                                           : 0;
  if (length > text.size()) return 0;
  const std::string_view rest = text.substr(1, std::max<std::size_t>(length, 1) - 1);
  const bool whole = std::all_of(rest.begin(), rest.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U;
  });
  return whole ? length : 0;
}

/// A JSON string without its quotes, in which '?' stands for what is not UTF-8.
void append_escaped(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const char character = text[0];
    const std::size_t length = utf8_length(text);
    if (length != 1) {
      length == 0 ? out += '?' : out += text.substr(0, length);
      text.remove_prefix(std::max<std::size_t>(length, 1));
      continue;
    }
    text.remove_prefix(1);
    if (static_cast<unsigned char>(character) < 0x20) {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(character));
      out += code.data();
      continue;
    }
    if (character == '"' || character == '\\') out += '\\';
    out += character;
  }
}

void append_number(std::string& out, std::uint64_t number, int base = 10) {
  std::array<char, 24> digits;
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), number, base);
  out.append(digits.data(), result.ptr);
}

/// Appends a time in microseconds, the format's unit.
void append_time(std::string& out, std::uint64_t nanoseconds) {
  append_number(out, nanoseconds / 1000);
  const auto rest = static_cast<unsigned>(nanoseconds % 1000);
  const std::array<char, 4> digits = {'.', static_cast<char>('0' + rest / 100),
                                      static_cast<char>('0' + rest / 10 % 10),
                                      static_cast<char>('0' + rest % 10)};
  out.append(digits.data(), digits.size());
}

void append_name(std::string& out, const TraceRing::Record& record) {
  if (record.name[0] != '\0') {
    append_escaped(out, record.name.data());
    return;
  }
  const std::string_view file = record.where.file_name();
  const std::size_t slash = file.rfind('/');
  append_escaped(out, slash == std::string_view::npos ? file : file.substr(slash + 1));
  out += ':';
  append_number(out, record.where.line());
}

/// A group without a name has its number.
void append_group(std::string& out, std::int32_t number, const std::string& name) {
  out += R"(,"group":")";
  if (name.empty()) {
    out += '#';
    append_number(out, static_cast<std::uint64_t>(number));
  } else {
    append_escaped(out, name);
  }
  out += '"';
}

}  // namespace

void TraceRing::resize(std::size_t records) {
  records_.assign(std::bit_ceil(std::max<std::size_t>(records, 2)), Record{});
  end_ = 0;
}

void TraceRing::switched(const Descriptor* previous, const Descriptor* next,
                         bool previous_ended) noexcept {
  // A thread may have been named since it began to run, by itself.
  // Its beginning is the latest record: the others are made while no thread runs.
  if (previous != nullptr) at(end_ - 1).name = previous->name;
  Record record{};
  record.ticks = read_ticks();
  record.kind = next != nullptr ? Kind::kRun : Kind::kLoop;
  record.ended = previous_ended;
  if (next != nullptr) {
    record.thread = next;
    record.where = next->where;
    record.name = next->name;
    record.number = next->aggregation != nullptr ? next->aggregation->number : kNoGroup;
  }
  add(record);
}

void TraceRing::stole(int victim) noexcept { note(Kind::kSteal, victim, read_ticks()); }

void TraceRing::slept(std::uint64_t begin) noexcept {
  note(Kind::kPark, 0, begin);
  note(Kind::kWake, 0, read_ticks());
}

void TraceRing::note(Kind kind, int number, std::uint64_t ticks) noexcept {
  Record record{};
  record.ticks = ticks;
  record.kind = kind;
  record.number = number;
  add(record);
}

void TraceRing::add(const Record& added) noexcept { at(end_++) = added; }

TraceWriter::TraceWriter(std::uint64_t ticks, std::chrono::steady_clock::time_point time)
    : begin_(ticks) {
  using Nanoseconds = std::chrono::duration<double, std::nano>;
  const double passed = Nanoseconds(std::chrono::steady_clock::now() - time).count();
  nanoseconds_per_tick_ = passed / std::max(static_cast<double>(read_ticks() - ticks), 1.0);
}

std::uint64_t TraceWriter::nanoseconds(std::uint64_t ticks) const noexcept {
  // A worker may have gone to sleep before the trace began.
  return ticks < begin_ ? 0
                        : static_cast<std::uint64_t>(static_cast<double>(ticks - begin_) *
                                                     nanoseconds_per_tick_);
}

void TraceWriter::write(std::ostream& out, const std::vector<const TraceRing*>& workers,
                        const std::vector<std::string>& groups) const {
  out << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
      << R"({"name":"process_name","ph":"M","pid":1,"args":{"name":"kumiko"}})";
  std::size_t lost = 0;
  for (std::size_t index = 0; index < workers.size(); ++index) {
    out << ",\n"
        << R"({"name":"thread_name","ph":"M","pid":1,"tid":)" << index
        << R"(,"args":{"name":"worker )" << index << "\"}}";
    write_events(out, index, *workers[index], groups);
    lost += workers[index]->lost();
  }
  out << "\n],\n\"otherData\":{\"lost_records\":" << lost << "}}\n";
}

/// A slice reaches from the record that begins it to the next one that changes what the worker
/// does.
void TraceWriter::write_events(std::ostream& out, std::size_t worker, const TraceRing& ring,
                               const std::vector<std::string>& groups) const {
  using Kind = TraceRing::Kind;
  const std::string row = R"("pid":1,"tid":)" + std::to_string(worker) + R"(,"ts":)";
  std::string text;
  text.reserve(kChunk + 1024);
  const TraceRing::Record* open = nullptr;
  ring.for_each([&](const TraceRing::Record& record) {
    if (text.size() >= kChunk) {
      out << text;
      text.clear();
    }
    if (record.kind == Kind::kSteal) {
      text.append(",\n{\"name\":\"steal\",\"ph\":\"i\",").append(row);
      append_time(text, nanoseconds(record.ticks));
      text += R"(,"s":"t","args":{"from":)";
      append_number(text, static_cast<std::uint64_t>(record.number));
      text += "}}";
      return;
    }
    if (open != nullptr) {
      const bool parked = open->kind == Kind::kPark;
      const std::uint64_t begin = nanoseconds(open->ticks);
      text += ",\n{\"name\":\"";
      if (parked) {
        text += "parked";
      } else {
        append_name(text, *open);
      }
      text.append(R"(","ph":"X",)").append(row);
      append_time(text, begin);
      text += R"(,"dur":)";
      // The counters of two sockets may differ, and a worker may move.
      append_time(text, std::max(nanoseconds(record.ticks), begin) - begin);
      if (!parked) {
        text += R"(,"args":{"thread":"0x)";
        append_number(text, reinterpret_cast<std::uintptr_t>(open->thread), 16);
        text += '"';
        if (open->number != TraceRing::kNoGroup) {
          append_group(text, open->number, groups[static_cast<std::size_t>(open->number)]);
        }
        text += record.ended ? R"(,"then":"ended"})" : R"(,"then":"suspended"})";
      }
      text += '}';
    }
    open = record.kind == Kind::kRun || record.kind == Kind::kPark ? &record : nullptr;
  });
  out << text;
}

}  // namespace kumiko::runtime::detail
