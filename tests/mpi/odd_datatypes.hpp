// SPDX-License-Identifier: BSD-3-Clause
// Datatypes for n ints, as awkward as users', and buffers in which every byte is accounted for.
#pragma once

namespace test {

/// `count` elements of `type` hold n ints; int k of them lies at `position(k)` ints from the
/// address.  All kinds have the signature of n ints.
class Layout {
public:
    static constexpr int kinds = 9;
    /// Kind 0: plain ints; 1: every second int; 2: extent 12 and lower bound -16; 3: data 16 bytes
    /// before the address; 4: backwards; 5: extent smaller than the data (n even, or as kind 0);
    /// 6: a contiguous type in one piece; 7: a column of a matrix; 8: a struct with a gap;
    /// 9, which is not drawn: every second int, of the type that somebody keeps.
    Layout(int kind, int n);
    inline static MPI_Datatype kept = MPI_DATATYPE_NULL;
    Layout(Layout&& other) noexcept;
    Layout& operator=(Layout&&) = delete;
    ~Layout();

    int count() const { return count_; }
    MPI_Datatype type() const { return type_; }
    int ints() const { return n_; }
    int position(int k) const;
    /// The extent of the type, in ints.
    int extent() const;
    /// Whether blocks may follow one another at count * extent.
    bool tiles() const { return kind_ != 5; }
    /// Ints before and behind the address that n ints may reach.
    int reach() const { return (kind_ == 0 ? 1 : 4) * n_ + 8; }

private:
    int kind_, n_, count_ = 0;
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
    bool owned_ = false;
};

/// Ints around an address, all of them set to a value that no test sends.
class Buffer {
public:
    static constexpr int untouched = -777'777;
    Buffer(int before, int behind)
        : before_(before),
          data_(static_cast<std::size_t>(before) + static_cast<std::size_t>(behind), untouched)
    {}
    int* address() { return data_.data() + before_; }
    int& operator[](int position) { return data_[static_cast<std::size_t>(before_ + position)]; }
    /// The contents of a buffer of the same size; the address stays.
    void assign(const Buffer& other) { std::ranges::copy(other.data_, data_.begin()); }
    bool operator==(const Buffer&) const = default;
    /// "" or the first difference in words.
    std::string difference(const Buffer& expected) const;

private:
    int before_;
    std::vector<int> data_;
};

} // namespace test
