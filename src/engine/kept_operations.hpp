// SPDX-License-Identifier: BSD-3-Clause
// Operations that are over, and may come again: with the same arguments, or with other buffers and sizes.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "call/edges.hpp"
#include "engine/binding.hpp"
#include "engine/expected_sizes.hpp"
#include "engine/explain.hpp"
#include "engine/operation.hpp"
#include "mpi/count_array.hpp"
#include "mpi/datatype.hpp"
#include "mpi/operator.hpp"

namespace ortho::engine {

/// Lists the arguments of a call to `Self`, which has number() and type().  Nothing is read that counts for
/// nothing: the datatype of no elements, arrays for no blocks.
template <class Self>
class ArgumentList {
public:
    /// A buffer with one size for all blocks.
    void blocks(const void* buffer, const BlockSlots& slots, MPI_Count count, MPI_Datatype type)
    {
        if (slots.number == 0) return;
        address(buffer);
        self().number(count);
        type_of(count > 0, type);
    }
    /// Sizes of their own.
    void blocks(const void* buffer, const BlockSlots& slots, const mpi::CountArray& counts,
                const mpi::CountArray& displacements, MPI_Datatype type)
    {
        if (slots.number == 0) return;
        if (counts == nullptr || displacements == nullptr) return self().refuse();
        address(buffer);
        type_of(all_pairs(slots, counts, displacements), type);
    }
    /// Types of their own, too.
    void blocks(const void* buffer, const BlockSlots& slots, const mpi::CountArray& counts,
                const mpi::CountArray& displacements, const MPI_Datatype types[])
    {
        if (slots.number == 0) return;
        if (counts == nullptr || displacements == nullptr || types == nullptr) return self().refuse();
        address(buffer);
        visit(counts, displacements, [&](const auto& count, const auto& displacement) {
            for (std::size_t i = 0; i < slots.number; ++i) {
                if (slots.is_gap(i)) continue;
                self().number(count[i]);
                if (count[i] == 0) continue;
                self().number(displacement[i]);
                self().type(types[i]);
            }
        });
    }
    void root(int root) { self().number(root); }
    /// Another operator may have the handle of one that is gone: what plans depend on is compared, too.
    void op(MPI_Op op)
    {
        self().number(static_cast<std::int64_t>(mpi::handle_number(op)));
        self().number(mpi::commutes(op) ? 1 : 0);
    }

private:
    /// use(counts, displacements), as the arrays that they are.
    template <class Use>
    static void visit(const mpi::CountArray& counts, const mpi::CountArray& displacements, Use use)
    {
        counts.visit([&](const auto& count) {
            displacements.visit([&](const auto& displacement) { use(count, displacement); });
        });
    }
    /// As the arrays that they are, without a function to be called: every call of a program comes by here.
    bool all_pairs(const BlockSlots& slots, const mpi::CountArray& counts,
                   const mpi::CountArray& displacements)
    {
        using Wide = mpi::CountArray::Wide;
        const std::size_t n = slots.number;
        if (slots.partners != nullptr) [[unlikely]]
            return pairs_between_gaps(slots, counts, displacements);
        if (!counts.is_wide() && !displacements.is_wide()) [[likely]]
            return self().pairs(n, counts.ints(), displacements.ints());
        if (!counts.is_wide()) return self().pairs(n, counts.ints(), Wide{displacements.data()});
        if (!displacements.is_wide()) return self().pairs(n, Wide{counts.data()}, displacements.ints());
        return self().pairs(n, Wide{counts.data()}, Wide{displacements.data()});
    }
    bool pairs_between_gaps(const BlockSlots& slots, const mpi::CountArray& counts,
                            const mpi::CountArray& displacements)
    {
        bool any = false;
        for (std::size_t i = 0; i < slots.number; ++i) {
            if (slots.is_gap(i)) continue;
            self().number(counts[i]);
            if (counts[i] != 0) self().number(displacements[i]);
            any = any || counts[i] != 0;
        }
        return any;
    }
    void address(const void* buffer)
    {
        self().number(static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(buffer)));
    }
    void type_of(bool counts, MPI_Datatype type)
    {
        if (counts)
            self().type(type);
        else
            self().number(type == MPI_DATATYPE_NULL ? 1 : 0);
    }
    Self& self() { return static_cast<Self&>(*this); }
};

/// Writes a call's arguments down as numbers: equal numbers mean equal calls.  Handles of derived datatypes
/// may be another type's next time; what tells those apart is their identity.
class ArgumentWriter : public ArgumentList<ArgumentWriter> {
public:
    ArgumentWriter() { words_.reserve(usual); }
    /// Over what was written there before; all datatypes are predefined.
    explicit ArgumentWriter(std::vector<std::uint64_t> words) : words_(std::move(words)), all_are_named_(true)
    {
        words_.clear();
    }

    void number(std::int64_t value) { words_.push_back(static_cast<std::uint64_t>(value)); }
    void type(MPI_Datatype type)
    {
        words_.push_back(mpi::handle_number(type));
        words_.push_back(all_are_named_ || mpi::is_named(type) ? 0 : mpi::identity(type));
    }
    /// Sizes, and where those blocks lie that have any bytes; are there any?
    template <class Counts, class Displacements>
    bool pairs(std::size_t n, const Counts& counts, const Displacements& displacements)
    {
        std::uint64_t any = 0;
        words_.resize(words_.size() + 2 * n);
        std::uint64_t* next = words_.data() + words_.size() - 2 * n;
        for (std::size_t i = 0; i < n; ++i) {
            const auto count = static_cast<std::uint64_t>(std::int64_t{counts[i]});
            *next++ = count;
            *next++ = count != 0 ? static_cast<std::uint64_t>(std::int64_t{displacements[i]}) : 0;
            any |= count;
        }
        return any != 0;
    }
    void refuse() { is_refused_ = true; }

    /// Nothing if the arguments are wrong.
    std::vector<std::uint64_t> take()
    {
        return is_refused_ ? std::vector<std::uint64_t>() : std::move(words_);
    }

private:
    static constexpr std::size_t usual = 8; // of a call with one size for all blocks

    std::vector<std::uint64_t> words_;
    bool all_are_named_ = false;
    bool is_refused_ = false;
};

/// Compares a call's arguments with those of an earlier one.
class ArgumentReader : public ArgumentList<ArgumentReader> {
public:
    explicit ArgumentReader(const std::vector<std::uint64_t>& words)
        : next_(words.data()),
          end_(next_ + words.size())
    {}

    [[gnu::always_inline]] void number(std::int64_t value)
    {
        same_ = same_ && next_ != end_ && *next_++ == static_cast<std::uint64_t>(value);
    }
    [[gnu::always_inline]] void type(MPI_Datatype type)
    {
        number(static_cast<std::int64_t>(mpi::handle_number(type)));
        if (!same_) return;
        // A predefined type's handle is no other's.
        const std::uint64_t identity = *next_++;
        same_ = identity == 0 || identity == mpi::identity(type);
    }
    /// A call that is equal is the usual case: looks at all of them, and then whether any was different.
    template <class Counts, class Displacements>
    bool pairs(std::size_t n, const Counts& counts, const Displacements& displacements)
    {
        if (!same_ || static_cast<std::size_t>(end_ - next_) < 2 * n) return same_ = false;
        std::uint64_t different = 0;
        std::uint64_t any = 0;
        for (std::size_t i = 0; i < n; ++i, next_ += 2) {
            const auto count = static_cast<std::uint64_t>(std::int64_t{counts[i]});
            different |= next_[0] ^ count;
            if (count != 0)
                different |= next_[1] ^ static_cast<std::uint64_t>(std::int64_t{displacements[i]});
            any |= count;
        }
        same_ = different == 0;
        return any != 0;
    }
    void refuse() { same_ = false; }

    bool same() const { return same_ && next_ == end_; }

private:
    const std::uint64_t* next_;
    const std::uint64_t* end_;
    bool same_ = true;
};

/// The first numbers of a call's arguments.  Most calls differ by them: a buffer, a size, where a block lies.
class FirstArguments : public ArgumentList<FirstArguments> {
public:
    void number(std::int64_t value)
    {
        if (n_ < most_) words_[n_++] = static_cast<std::uint64_t>(value);
    }
    void type(MPI_Datatype type)
    {
        number(static_cast<std::int64_t>(mpi::handle_number(type)));
        most_ = n_; // its identity takes time
    }
    template <class Counts, class Displacements>
    bool pairs(std::size_t n, const Counts& counts, const Displacements& displacements)
    {
        if (n == 0) return false;
        number(counts[0]);
        number(counts[0] != 0 ? std::int64_t{displacements[0]} : 0);
        most_ = n_; // the others come next
        return false;
    }
    void refuse() {}

    bool begin(const std::vector<std::uint64_t>& words) const
    {
        return words.size() >= n_ && std::memcmp(words_.data(), words.data(), n_ * sizeof words_[0]) == 0;
    }

private:
    std::array<std::uint64_t, 3> words_{};
    std::size_t n_ = 0;
    std::size_t most_ = 3;
};

/// The properties that calls of one function on one graph share if one operation can do them all.
struct CallShape {
    BufferBlocks::Shape send{};
    BufferBlocks::Shape receive{};
    // Where the plan depends on them:
    std::optional<MPI_Count> send_count{};
    std::optional<MPI_Count> receive_count{};
};

/// The buffers and sizes of a call that may be like an earlier one.  In doubt it is not, and somebody looks
/// at its arguments who can tell what is wrong with them.
class NewBuffers {
public:
    explicit NewBuffers(const CallShape& shape) : shape_(shape) {}

    // The first call of blocks() describes what is sent, the second what is received.
    void blocks(const void* buffer, const BlockSlots& slots, MPI_Count count, MPI_Datatype type)
    {
        const Side side = next();
        if (!is_like(side.shape, BufferBlocks::Form::regular, buffer, slots.number, type)) return;
        fits_ = count >= 0 && (!side.must_be || *side.must_be == count);
        side.blocks = BufferBlocks::regular(buffer, side.shape.slots, count, type);
    }
    void blocks(const void* buffer, const BlockSlots& slots, const mpi::CountArray& counts,
                const mpi::CountArray& displacements, MPI_Datatype type)
    {
        const Side side = next();
        if (!is_like(side.shape, BufferBlocks::Form::varying, buffer, slots.number, type)) return;
        fits_ = counts != nullptr && displacements != nullptr;
        for (std::size_t i = 0; fits_ && i < slots.number; ++i) fits_ = slots.is_gap(i) || counts[i] >= 0;
        side.blocks = BufferBlocks::varying(buffer, side.shape.slots, counts, displacements, type,
                                            slots.partners);
    }
    void blocks(const void*, const BlockSlots&, const mpi::CountArray&, const mpi::CountArray&,
                const MPI_Datatype[])
    {
        fits_ = false;
    }

    void root(int) { fits_ = false; }
    void op(MPI_Op) { fits_ = false; }

    /// To be asked once both sides are known.
    bool fit() const { return fits_ && send_.base() != receive_.base(); }
    const BufferBlocks& send() const { return send_; }
    const BufferBlocks& receive() const { return receive_; }

private:
    struct Side {
        const BufferBlocks::Shape& shape;
        const std::optional<MPI_Count>& must_be;
        BufferBlocks& blocks;
    };
    Side next()
    {
        if (std::exchange(is_send_known_, true)) return {shape_.receive, shape_.receive_count, receive_};
        return {shape_.send, shape_.send_count, send_};
    }
    /// Are there blocks, and like those of the shape?  If they are not, nothing fits any more.
    bool is_like(const BufferBlocks::Shape& shape, BufferBlocks::Form form, const void* buffer, std::size_t n,
                 MPI_Datatype type)
    {
        if (n == 0 && shape.slots == 0) return false;
        fits_ = fits_ && n > 0 && shape.slots > 0 && shape.form == form && shape.type == type &&
                buffer != nullptr && buffer != MPI_IN_PLACE;
        return fits_;
    }

    const CallShape& shape_;
    BufferBlocks send_{};
    BufferBlocks receive_{};
    bool is_send_known_ = false;
    bool fits_ = true;
};

/// A call with everything in place, and how that came to be.
struct BoundCall {
    std::shared_ptr<Binding> binding;
    std::shared_ptr<Decision> decision; ///< null once nobody will ask
};

/// An operation that is over, and may come again.
struct KeptOperation {
    const char* function = ""; ///< the public one, known by its address
    std::vector<std::uint64_t> arguments{};
    BoundCall bound{};
    std::unique_ptr<Operation> operation{};
    std::optional<CallShape> shape{}; ///< nothing if it does none but the same (Context::shape_of())
    /// Counts its calls; null if they are not counted.
    ExpectedSizes* expected_sizes = nullptr;
    // Nothing where nobody has asked yet:
    std::optional<std::size_t> send_element_bytes{};
    std::optional<std::size_t> receive_element_bytes{};
};

/// Kept operations, none of which is under way.
class KeptOperations {
public:
    /// The temporary space that they may hold together.
    static constexpr std::size_t most_temp_bytes = std::size_t{64} << 20;

    /// `same(arguments)`: are they those of the call?  Null if there is none.
    template <class Same>
    std::unique_ptr<KeptOperation> take(const char* function, Same same)
    {
        // The one that was used last stands at the end.
        for (std::size_t i = all_.size(); i-- > 0;)
            if (all_[i]->function == function && same(std::as_const(all_[i]->arguments))) return take(i);
        return nullptr;
    }
    /// An operation of this function that another call may take over, if many are kept: `may(kept)` says
    /// whether it can.  Null if there is none.
    template <class May>
    std::unique_ptr<KeptOperation> take_other(const char* function, May may)
    {
        if (all_.size() < enough) return nullptr;
        const auto is_one = [&](std::size_t i) {
            return all_[i]->function == function && all_[i]->shape && may(*all_[i]);
        };
        // The operations that were used last are in the processor's cache.  Every fourth time another one is
        // given out, lest operations whose calls do not come again stay for ever.
        const std::size_t n = all_.size();
        if (++others_ % 4 != 0)
            for (const std::size_t i : {n - 1, n - 2})
                if (is_one(i)) return take(i);
        for (std::size_t tries = 0; tries < n; ++tries)
            if (const std::size_t i = next_to_go(); is_one(i)) return take(i);
        return nullptr;
    }
    /// Keeps a new operation, which has ended well.  If all together have too much temporary space, others
    /// go.
    void add(std::unique_ptr<KeptOperation> kept) noexcept
    {
        constexpr std::size_t little = std::size_t{1} << 16; // temporary space of one, which is not counted
        const auto temp_bytes = [](const auto& one) { return one->bound.binding->temp_bytes(); };
        if (std::size_t bytes = temp_bytes(kept); bytes > little) {
            for (const auto& other : all_) bytes += temp_bytes(other);
            for (; bytes > most_temp_bytes && !all_.empty(); all_.pop_back()) {
                if (all_.size() > 1) std::swap(all_[next_to_go()], all_.back());
                bytes -= temp_bytes(all_.back());
            }
        }
        put_back(std::move(kept));
    }
    /// Keeps an operation again that take() or take_other() has given out.
    void put_back(std::unique_ptr<KeptOperation> kept) noexcept
    try {
        if (all_.size() == most) take(next_to_go()); // which ends
        all_.push_back(std::move(kept));
    } catch (const std::bad_alloc&) { // the call will be planned anew
    }

private:
    static constexpr std::size_t most = 32;
    /// With so many another call takes the operation of one of them.
    static constexpr std::size_t enough = 16;

    std::unique_ptr<KeptOperation> take(std::size_t i) noexcept
    {
        std::swap(all_[i], all_.back());
        std::unique_ptr<KeptOperation> result = std::move(all_.back());
        all_.pop_back();
        return result;
    }
    /// The next operation to give up, if there are several: each in turn but the last one, which was used
    /// last.
    std::size_t next_to_go() noexcept { return goes_next_ = (goes_next_ + 1) % (all_.size() - 1); }

    std::vector<std::unique_ptr<KeptOperation>> all_;
    std::size_t goes_next_ = 0;
    unsigned others_ = 0; // calls of take_other()
};

} // namespace ortho::engine
