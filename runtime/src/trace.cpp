#include "trace.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <ostream>
#include <string>
#include <string_view>

namespace kumiko::runtime::detail {

namespace {

/// A JSON string.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char character : text) {
    if (character == '"' || character == '\\') result += '\\';
    if (static_cast<unsigned char>(character) < 0x20) {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(character));
      result += code.data();
    } else {
      result += character;
    }
  }
  return result + '"';
}

std::string name_of(const TraceRing::Record& record) {
  if (record.name[0] != '\0') return record.name.data();
  const std::string_view file = record.where.file_name();
  const std::size_t slash = file.rfind('/');
  return std::string(slash == std::string_view::npos ? file : file.substr(slash + 1)) + ':' +
         std::to_string(record.where.line());
}

/// Up to the opening of "args".
void begin_event(std::ostream& out, std::size_t worker, const std::string& name, const char* phase,
                 double time) {
  out << ",\n{\"name\":" << quoted(name) << ",\"ph\":\"" << phase
      << "\",\"pid\":1,\"tid\":" << worker << ",\"ts\":" << time;
}

}  // namespace

void TraceRing::resize(std::size_t records) {
  records_.assign(std::bit_ceil(std::max<std::size_t>(records, 2)), Record{});
  end_.store(0, std::memory_order_relaxed);
}

void TraceRing::run(const Descriptor* thread, bool previous_ended) noexcept {
  Record record{};
  record.ticks = read_ticks();
  record.kind = thread != nullptr ? Kind::kRun : Kind::kLoop;
  record.ended = previous_ended;
  if (thread != nullptr) {
    record.thread = thread;
    record.where = thread->where;
    record.name = thread->name;
  }
  add(record);
}

void TraceRing::note(Kind kind, int number, std::uint64_t ticks) noexcept {
  Record record{};
  record.ticks = ticks;
  record.kind = kind;
  record.number = number;
  add(record);
}

void TraceRing::add(const Record& record) noexcept {
  const std::size_t end = end_.load(std::memory_order_relaxed);
  records_[end & (records_.size() - 1)] = record;
  // release: pairs with the acquire in for_each().
  end_.store(end + 1, std::memory_order_release);
}

TraceWriter::TraceWriter(std::uint64_t ticks, std::chrono::steady_clock::time_point time)
    : begin_(ticks) {
  using Microseconds = std::chrono::duration<double, std::micro>;
  const double passed = Microseconds(std::chrono::steady_clock::now() - time).count();
  ticks_per_microsecond_ = static_cast<double>(read_ticks() - ticks) / std::max(passed, 1.0);
}

double TraceWriter::microseconds(std::uint64_t ticks) const noexcept {
  // A worker may have gone to sleep before the trace began.
  return ticks < begin_ ? 0.0 : static_cast<double>(ticks - begin_) / ticks_per_microsecond_;
}

void TraceWriter::write(std::ostream& out, const std::vector<const TraceRing*>& workers) const {
  out.precision(3);
  out << std::fixed << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
      << R"({"name":"process_name","ph":"M","pid":1,"args":{"name":"kumiko"}})";
  for (std::size_t index = 0; index < workers.size(); ++index) {
    out << ",\n"
        << R"({"name":"thread_name","ph":"M","pid":1,"tid":)" << index
        << R"(,"args":{"name":"worker )" << index << "\"}}";
    write_worker(out, index, *workers[index]);
  }
  out << "\n]}\n";
}

/// A slice reaches from the record that begins it to the next one that changes what the worker
/// does.
void TraceWriter::write_worker(std::ostream& out, std::size_t index, const TraceRing& ring) const {
  using Kind = TraceRing::Kind;
  const TraceRing::Record* open = nullptr;
  ring.for_each([&](const TraceRing::Record& record) {
    const double now = microseconds(record.ticks);
    if (record.kind == Kind::kSteal) {
      begin_event(out, index, "steal", "i", now);
      out << ",\"s\":\"t\",\"args\":{\"from\":" << record.number << "}}";
      return;
    }
    if (open != nullptr) {
      const double begin = microseconds(open->ticks);
      const bool parked = open->kind == Kind::kPark;
      begin_event(out, index, parked ? "parked" : name_of(*open), "X", begin);
      out << ",\"dur\":" << now - begin;
      if (!parked) {
        out << ",\"args\":{\"thread\":\"" << open->thread << "\",\"then\":\""
            << (record.ended ? "ended" : "suspended") << "\"}";
      }
      out << '}';
    }
    open = record.kind == Kind::kRun || record.kind == Kind::kPark ? &record : nullptr;
  });
}

}  // namespace kumiko::runtime::detail
