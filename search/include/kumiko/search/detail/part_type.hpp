// What one process needs to do a part of another's search: its code by a name, its data as bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <stop_token>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include <kumiko/cluster/packing.hpp>
#include <kumiko/runtime/search_outside.hpp>
#include <kumiko/search/frame.hpp>
#include <kumiko/search/outside.hpp>

namespace kumiko::search {

// A part travels as the arguments of calls between ranks do.
using cluster::Packing;
using cluster::Reader;
using cluster::Writer;

namespace detail {

/// Where a part from elsewhere is done.
struct PartRun {
  Outside& outside;
  std::stop_token stop;
  unsigned divisions;
};

/// The code of a part, made before main() by whoever may give such a part away. Found by its type's
/// name in every process that runs the same program.
class PartType {
 public:
  /// Reads what is to be done, does it, and writes the workspace. \throws what these do
  using Run = void (*)(const PartRun& run, Reader& bytes, Frame& result);

  PartType(const char* name, Run code);
  PartType(const PartType&) = delete;
  PartType& operator=(const PartType&) = delete;

  const char* name() const noexcept { return name_; }
  std::uint64_t hash() const noexcept { return hash_; }
  void run(const PartRun& where, Reader& bytes, Frame& result) const {
    code_(where, bytes, result);
  }

 private:
  const char* const name_;
  const Run code_;
  const std::uint64_t hash_;
};

/// The result; nullptr if the part has not begun, since the search was stopped. Suspends.
/// \throws PartError
std::shared_ptr<const Frame> wait_for(Delivery& part);
/// Nobody wants the result any more.
void withdraw(const std::shared_ptr<Delivery>& part) noexcept;

/// \throws std::logic_error if the bytes of an object of this type hold an address on the caller's
/// stack, which means nothing elsewhere: what captures a variable by reference does. A hint: one in
/// an object that lies elsewhere is not noticed.
void refuse_addresses(std::span<const std::byte> object, const char* type);

/// The same, for what lies in its members, and not between them, where anything may be left. Where
/// the compiler cannot tell those apart, objects that have both are not looked at.
template <class Function>
void refuse_addresses_in(const Function& function) {
  if constexpr (std::is_empty_v<Function>) {
    return;
  } else if constexpr (std::has_unique_object_representations_v<Function>) {
    refuse_addresses(std::as_bytes(std::span(&function, 1)), typeid(Function).name());
  } else {
#if __has_builtin(__builtin_clear_padding)
    alignas(Function) std::byte copy[sizeof(Function)];
    std::memcpy(copy, &function, sizeof(Function));
    __builtin_clear_padding(std::launder(reinterpret_cast<Function*>(copy)));
    refuse_addresses(copy, typeid(Function).name());
#endif
  }
}

#if !__has_builtin(__builtin_clear_padding)
/// Which bytes of a T are padding: those that are not known at compile time of one that was made of
/// zeros.
template <class T>
struct PaddingOf {
  using Bytes = std::array<std::byte, sizeof(T)>;

  /// Whether the compiler can find it out: not for a T with pointers or unions, or of more than
  /// 1024 bytes.
  static constexpr bool kIsKnown = sizeof(T) <= 1024 && requires {
    typename std::bool_constant<(
        static_cast<void>(__builtin_bit_cast(Bytes, __builtin_bit_cast(T, Bytes()))), true)>;
  };
  template <std::size_t I>
  static constexpr bool kHasValue = requires {
    typename std::integral_constant<std::byte,
                                    __builtin_bit_cast(Bytes, __builtin_bit_cast(T, Bytes()))[I]>;
  };
  template <std::size_t... I>
  static constexpr std::array<bool, sizeof(T)> values(std::index_sequence<I...>) {
    return {kHasValue<I>...};
  }
};
#endif

/// Has equal objects equal bytes, where the compiler can do that.
template <class T>
void clear_padding([[maybe_unused]] T& object) noexcept {
  if constexpr (std::is_trivially_copyable_v<T> && !std::has_unique_object_representations_v<T>) {
#if __has_builtin(__builtin_clear_padding)
    __builtin_clear_padding(&object);
#else
    if constexpr (PaddingOf<T>::kIsKnown) {
      constexpr auto kHasValue = PaddingOf<T>::values(std::make_index_sequence<sizeof(T)>());
      auto* const bytes = reinterpret_cast<std::byte*>(&object);
      for (std::size_t i = 0; i < sizeof(T); ++i) {
        if (!kHasValue[i]) bytes[i] = std::byte{};
      }
    }
#endif
  }
}

/// How parts of a search leave the process: as bytes, of the functions and of the workspace.
struct SentAsBytes {
  using Outside = search::Outside;
  static constexpr bool kSends = true;

  /// A part whose work is `Work`, of a search of type At.
  template <class At, class Workspace, class Work>
  struct Code {
    static_assert(std::is_trivially_copyable_v<Work>,
                  "body, give, take and guard of a search that processes share travel by their "
                  "bytes: let them capture numbers and the like, and keep the rest in the "
                  "workspace");

    static void run(const PartRun& where, Reader& bytes, Frame& result) {
      alignas(Work) std::byte copy[sizeof(Work)];
      std::memcpy(copy, bytes.take(sizeof(Work), kAlignment<Work>), sizeof(Work));
      const Work& work = *std::launder(reinterpret_cast<const Work*>(copy));
      At search(Packing<Workspace>::unpack(bytes), where.outside, where.stop, where.divisions);
      work(search);
      Writer writer(result, kNoRank);
      Packing<Workspace>::pack(writer, *search);
    }
    static inline const PartType kType{typeid(Code).name(), &Code::run};
  };

  template <class At, class Workspace, class Work>
  static std::unique_ptr<runtime::SentPart> send(Outside* outside, bool in_advance,
                                                 runtime::SearchPart& giver, unsigned divisions,
                                                 Workspace& workspace, const Work& work) {
    const auto refuse = [](const auto& function) { refuse_addresses_in(function); };
    if constexpr (requires { work.for_each_function(refuse); }) {
      work.for_each_function(refuse);
    } else {
      refuse(work);
    }
    Frame bytes;
    Writer writer(bytes, kNoRank);
    alignas(Work) std::byte copy[sizeof(Work)];
    std::memcpy(copy, &work, sizeof(Work));
    clear_padding(*std::launder(reinterpret_cast<Work*>(copy)));
    writer.append(copy, sizeof(Work), kAlignment<Work>);
    clear_padding(workspace);
    Packing<Workspace>::pack(writer, workspace);
    auto part = std::make_unique<Part<Workspace>>(workspace);
    const Outside& to = in_advance ? outside->in_advance() : *outside;
    part->begin(to.give(giver, Code<At, Workspace, Work>::kType, divisions, std::move(bytes)));
    return part;
  }

 private:
  static constexpr int kNoRank = -1;
  template <class Work>
  static constexpr std::size_t kAlignment = alignof(Work) < 16 ? alignof(Work) : 16;

  template <class Workspace>
  class Part final : public runtime::SentPart {
   public:
    explicit Part(Workspace& workspace) noexcept : workspace_(workspace) {}
    ~Part() override { give_up(); }

    void begin(std::shared_ptr<Delivery> delivery) noexcept { delivery_ = std::move(delivery); }

    void wait() override {
      const auto result = wait_for(*delivery_);
      if (result == nullptr) return;
      Reader reader(*result);
      workspace_ = Packing<Workspace>::unpack(reader);
    }
    void give_up() noexcept override {
      if (delivery_ != nullptr) withdraw(delivery_);
    }

   private:
    std::shared_ptr<Delivery> delivery_;
    Workspace& workspace_;
  };
};

}  // namespace detail

}  // namespace kumiko::search
