// SPDX-License-Identifier: BSD-3-Clause
// Agreement of processes by one reduction.  No MPI in this file.
//
// A ballot is a row of slots.  All processes make the same slots in the same order, and say something in
// each.  Then all hold the ballot; this is one reduction, however many slots there are.
//
//     agree::Ballot ballot;
//     agree::Largest most(ballot, std::ssize(list));     // the largest number that a process says
//     agree::AllTrue sorted(ballot, is_sorted(list));    // does it hold on all processes?
//     agree::AllEqual length(ballot, std::ssize(list));  // do all processes say the same number?
//     agree::hold(comm, ballot);                         // agree/on_comm.hpp; collective
//     if (sorted.holds() && length.holds()) reserve(most.value());
//
// A process may leave a slot empty, for instance because its arguments are wrong.  Then the others decide.  A
// process may also say several things in a slot: they count like those of several processes.
//
// A part of the library may agree on something in the reduction of another part, by a class of slots in the
// ballot of that part.  topology::SharingVote is such a class.
//
// The reduction replaces each number by the largest one in its place.  The smallest number is the one with
// the largest complement, which never overflows.  All processes say the same number if the largest is also
// the smallest.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/hash.hpp"

namespace ortho::agree {

class Text;

/// The slots of one process; once the ballot is held, the results of all processes.
class Ballot {
public:
    Ballot() = default;
    Ballot(const Ballot&) = delete;
    Ballot& operator=(const Ballot&) = delete;

    /// Replaces each number by the largest one of any process in its place.  Collective.
    using Maximize = std::function<void(std::span<long long>)>;
    /// Takes one reduction; one more if a Text is long.  Collective.
    void hold(const Maximize& maximize);
    /// The numbers for callers that reduce without waiting.  The ballot has no Text.
    std::span<long long> numbers()
    {
        return (many_.empty() ? std::span(few_) : std::span(many_)).first(size_);
    }

private:
    friend class Slot;
    friend class Text;

    std::array<long long, 96> few_{}; ///< enough for a constructor
    std::vector<long long> many_;     ///< in place of `few_` if there are more
    std::size_t size_ = 0;
    Text* text_ = nullptr;
};

/// A place in a ballot.  The ballot must outlive it.
class Slot {
protected:
    static constexpr long long empty = std::numeric_limits<long long>::min(); // no number is smaller

    explicit Slot(Ballot& ballot, std::size_t numbers = 1) : ballot_(&ballot), first_(ballot.size_)
    {
        ballot.size_ += numbers;
        if (ballot.many_.empty() && ballot.size_ > ballot.few_.size())
            ballot.many_.assign(ballot.few_.begin(),
                                ballot.few_.begin() + static_cast<std::ptrdiff_t>(first_));
        if (ballot.size_ > ballot.few_.size()) ballot.many_.resize(ballot.size_);
        std::ranges::fill(ballot.numbers().subspan(first_), empty);
    }
    long long& number(std::size_t i = 0) const { return ballot_->numbers()[first_ + i]; }
    void raise(long long mine, std::size_t i = 0) { number(i) = std::max(number(i), mine); }

private:
    Ballot* ballot_;
    std::size_t first_;
};

/// The largest number that a process says.
class Largest : Slot {
public:
    explicit Largest(Ballot& ballot) : Slot(ballot) {}
    Largest(Ballot& ballot, long long mine) : Slot(ballot) { say(mine); }
    void say(long long mine) { raise(mine); }
    /// Has any process said something?
    bool is_said() const { return number() != empty; }
    template <class T = long long>
    T value() const
    {
        return static_cast<T>(number());
    }
};

/// The smallest number that a process says.
class Smallest : Slot {
public:
    explicit Smallest(Ballot& ballot) : Slot(ballot) {}
    Smallest(Ballot& ballot, long long mine) : Slot(ballot) { say(mine); }
    void say(long long mine) { raise(~mine); }
    template <class T = long long>
    T value() const
    {
        return static_cast<T>(~number());
    }
};

/// Does something hold on all processes?
class AllTrue : Slot {
public:
    explicit AllTrue(Ballot& ballot) : Slot(ballot) {}
    AllTrue(Ballot& ballot, bool mine) : Slot(ballot) { say(mine); }
    void say(bool mine) { raise(mine ? 0 : 1); }
    bool holds() const { return number() != 1; }
};

/// Does something hold on any process?
class AnyTrue : Slot {
public:
    explicit AnyTrue(Ballot& ballot) : Slot(ballot) {}
    AnyTrue(Ballot& ballot, bool mine) : Slot(ballot) { say(mine); }
    void say(bool mine) { raise(mine ? 1 : 0); }
    bool holds() const { return number() == 1; }
};

/// Do all processes say the same number?  If so, it is the largest one.
class AllEqual : public Largest {
public:
    explicit AllEqual(Ballot& ballot) : Largest(ballot), smallest_(ballot) {}
    AllEqual(Ballot& ballot, long long mine) : AllEqual(ballot) { say(mine); }
    void say(long long mine)
    {
        Largest::say(mine);
        smallest_.say(mine);
    }
    bool holds() const { return !is_said() || value() == least(); }
    long long least() const { return smallest_.value(); }

private:
    Smallest smallest_;
};

/// Do all processes say the same list?  Two different lists look alike with a chance of 2^-128.
class SameList {
public:
    explicit SameList(Ballot& ballot) : length_(ballot), hash_(ballot), other_hash_(ballot) {}
    void say(std::span<const int> list)
    {
        // Another seed would not be enough: both hashes would treat small numbers alike.
        const auto spread = [](int number) {
            const std::uint64_t product = static_cast<std::uint64_t>(number) * 0x9e3779b97f4a7c15U;
            return product ^ product >> 32U;
        };
        length_.say(std::ssize(list));
        hash_.say(static_cast<long long>(base::hash_of(list)));
        other_hash_.say(static_cast<long long>(base::hash_of(list | std::views::transform(spread))));
    }
    bool holds() const { return length_.holds() && hash_.holds() && other_hash_.holds(); }

private:
    AllEqual length_;
    AllEqual hash_;
    AllEqual other_hash_;
};

/// A text that one process says and all get.  A ballot has at most one text until it is held.
class Text : Slot {
public:
    explicit Text(Ballot& ballot) : Slot(ballot, 1 + numbers_of(room)) { ballot.text_ = this; }
    Text(const Text&) = delete;
    Text& operator=(const Text&) = delete;

    void say(std::string text)
    {
        text_ = std::move(text);
        number() = std::ssize(text_);
        if (text_.size() <= room) std::memcpy(&number(1), text_.data(), text_.size());
    }
    /// The text; empty if nobody has said one.
    const std::string& value() const { return text_; }

private:
    friend class Ballot;

    static constexpr std::size_t room = 128; ///< longer texts take a reduction of their own
    static constexpr std::size_t numbers_of(std::size_t bytes)
    {
        return base::divided_up(bytes, sizeof(long long));
    }

    /// Takes the text that was said, once the numbers are the largest ones.
    void take(const Ballot::Maximize& maximize)
    {
        const auto length = static_cast<std::size_t>(std::max(0LL, number()));
        std::vector<long long> all;
        if (length > room) {
            all.resize(numbers_of(length), empty);
            std::memcpy(all.data(), text_.data(), text_.size());
            maximize(all);
        }
        text_.assign(reinterpret_cast<const char*>(length > room ? all.data() : &number(1)), length);
    }

    std::string text_;
};

inline void Ballot::hold(const Maximize& maximize)
{
    maximize(numbers());
    if (Text* const text = std::exchange(text_, nullptr)) text->take(maximize);
}

} // namespace ortho::agree
