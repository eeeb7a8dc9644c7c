// The form in which a part goes to another process: the name of its code, and its data as bytes.
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

// Parts are packed as arguments of calls between ranks are.
using cluster::Packing;
using cluster::Reader;
using cluster::Writer;

namespace detail {

/// The place at which a part of another process is done.
struct PartRun {
  Outside& outside;
  std::stop_token stop;
  unsigned divisions;
};

/// The code of a part. It is constructed before main() in each program that may give such a part
/// away, and is found by the name of its type in every process that runs the same program.
class PartType {
 public:
  /// Reads the work and the workspace, does the work, and writes the workspace. \throws the
  /// exceptions of these
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

/// The result; nullptr if the search was stopped before the part began. Suspends.
/// \throws PartError
std::shared_ptr<const Frame> wait_for(Delivery& part);
/// Nobody wants the result of the part any more.
void withdraw(const std::shared_ptr<Delivery>& part) noexcept;

/// \throws std::logic_error if the bytes of an object of this type have an address on the caller's
/// stack, which is meaningless in another process. A function that has captured a variable by
/// reference has one. Addresses of objects elsewhere are not noticed.
void refuse_addresses(std::span<const std::byte> object, const char* type);

/// Checks the members of a function object, and not its padding, which may have any bytes. If the
/// compiler cannot clear padding, objects with padding are not checked.
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
/// Finds the padding bytes of a T: those that are not known at compile time if all bytes of a T are
/// made zero.
template <class T>
struct PaddingOf {
  using Bytes = std::array<std::byte, sizeof(T)>;

  /// True if the compiler can find them: not for a T with pointers or unions, or of more than 1024
  /// bytes.
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

/// Clears padding, so that equal objects have equal bytes, if the compiler can do that.
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

/// Lets parts of a search leave the process, as the bytes of the functions and of the workspace.
struct SentAsBytes {
  using Outside = search::Outside;
  static constexpr bool kSends = true;

  /// The code of a part with work of type Work, in a search of type At.
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
    auto part = std::make_unique<PartInBytes<Workspace>>(workspace);
    const Outside& to = in_advance ? outside->in_advance() : *outside;
    part->begin(to.give(giver, Code<At, Workspace, Work>::kType, divisions, std::move(bytes)));
    return part;
  }

 private:
  static constexpr int kNoRank = -1;
  template <class Work>
  static constexpr std::size_t kAlignment = alignof(Work) < 16 ? alignof(Work) : 16;

  template <class Workspace>
  class PartInBytes final : public runtime::SentPart {
   public:
    explicit PartInBytes(Workspace& workspace) noexcept : workspace_(workspace) {}
    ~PartInBytes() override { give_up(); }

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
