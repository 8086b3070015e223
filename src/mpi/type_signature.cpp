// SPDX-License-Identifier: BSD-3-Clause
// Type signatures: the basic types of a message, in order, in a few numbers.
//
// The hash of n basic types is h = sum of b_i B^(n-1-i) modulo 2^64.  The hash of two sequences one after the
// other is h1 B^n2 + h2.  So the hash of a sequence repeated m times takes O(log m) steps, and no hash
// depends on how a type was built.

#include "mpi/type_signature.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "mpi/object_info.hpp"
#include "mpi/type_contents.hpp"

namespace ortho::mpi {

namespace {

constexpr std::uint64_t point = 0x9e3779b97f4a7c15U; // odd, since powers of an even number vanish

/// MPI_LONG, MPI_INT64_T and MPI_INTEGER8 are one basic type: kind and size tell.  Names, which programs may
/// change, do not.
enum Kind { integer, natural, real, complex, logical, character, byte, packed };

TypeSignature basic(std::size_t kind, MPI_Datatype type)
{
    TypeSignature result;
    result.bytes = measure(type).size;
    result.hash = base::hash_of(std::array{static_cast<std::int64_t>(kind), result.bytes});
    result.power = point;
    result.basics = 1;
    result.packed = kind == packed;
    const std::string name = type_name(type);
    (name.empty() ? "a Fortran kind" : name).copy(result.basic.data(), result.basic.size() - 1);
    return result;
}

TypeSignature joined(const TypeSignature& a, const TypeSignature& b)
{
    if (a.basics == 0) return b;
    if (b.basics == 0) return a;
    TypeSignature result = a;
    result.hash = a.hash * b.power + b.hash;
    result.power = a.power * b.power;
    result.basics += b.basics;
    result.bytes += b.bytes;
    result.packed = a.packed || b.packed;
    if (a.basic != b.basic) result.basic.fill('\0');
    return result;
}

TypeSignature repeated(TypeSignature one, std::int64_t times)
{
    TypeSignature result;
    for (; times > 0; times /= 2) {
        if (times % 2 == 1) result = joined(result, one);
        one = joined(one, one);
    }
    return result;
}

/// The signature of predefined types that MPI defines as structures of two others.
TypeSignature pair_of(MPI_Datatype type)
{
    const std::pair<MPI_Datatype, std::pair<MPI_Datatype, MPI_Datatype>> pairs[] = {
        {MPI_2INT, {MPI_INT, MPI_INT}},
        {MPI_SHORT_INT, {MPI_SHORT, MPI_INT}},
        {MPI_LONG_INT, {MPI_LONG, MPI_INT}},
        {MPI_FLOAT_INT, {MPI_FLOAT, MPI_INT}},
        {MPI_DOUBLE_INT, {MPI_DOUBLE, MPI_INT}},
        {MPI_LONG_DOUBLE_INT, {MPI_LONG_DOUBLE, MPI_INT}},
        {MPI_2REAL, {MPI_REAL, MPI_REAL}},
        {MPI_2INTEGER, {MPI_INTEGER, MPI_INTEGER}},
        {MPI_2DOUBLE_PRECISION, {MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION}},
    };
    const auto* const found = std::ranges::find(pairs, type, [](const auto& pair) { return pair.first; });
    if (found == std::end(pairs)) return {};
    return joined(signature_of(1, found->second.first), signature_of(1, found->second.second));
}

/// A `Kind`, or a number above all.  The 16 bytes of MPI_LONG_DOUBLE and MPI_REAL16 differ.
std::size_t kind_of(MPI_Datatype type)
{
    const std::vector<MPI_Datatype> kinds[] = {
        {MPI_SIGNED_CHAR, MPI_SHORT, MPI_INT, MPI_LONG, MPI_LONG_LONG, MPI_INT8_T, MPI_INT16_T, MPI_INT32_T,
         MPI_INT64_T, MPI_AINT, MPI_OFFSET, MPI_COUNT, MPI_INTEGER, MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4,
         MPI_INTEGER8},
        {MPI_UNSIGNED_CHAR, MPI_UNSIGNED_SHORT, MPI_UNSIGNED, MPI_UNSIGNED_LONG, MPI_UNSIGNED_LONG_LONG,
         MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T},
        {MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION, MPI_REAL4, MPI_REAL8},
        {MPI_C_COMPLEX, MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_C_LONG_DOUBLE_COMPLEX,
         MPI_CXX_FLOAT_COMPLEX, MPI_CXX_DOUBLE_COMPLEX, MPI_CXX_LONG_DOUBLE_COMPLEX, MPI_COMPLEX,
         MPI_DOUBLE_COMPLEX, MPI_COMPLEX8, MPI_COMPLEX16},
        {MPI_C_BOOL, MPI_CXX_BOOL, MPI_LOGICAL},
        {MPI_CHAR, MPI_WCHAR, MPI_CHARACTER},
        {MPI_BYTE},
        {MPI_PACKED}};
    const auto has = [&](const auto& types) { return std::ranges::find(types, type) != types.end(); };
    return static_cast<std::size_t>(std::ranges::find_if(kinds, has) - kinds);
}

TypeSignature predefined(MPI_Datatype type)
{
    if (const TypeSignature pair = pair_of(type); pair.basics > 0) return pair;
    if (measure(type).size == 0) return {}; // a mark of bounds, from older versions of MPI
    return basic(kind_of(type), type);
}

TypeSignature one_of(MPI_Datatype type)
{
    const TypeContents contents(type);
    switch (contents.combiner()) {
    case MPI_COMBINER_NAMED: return predefined(type);
    case MPI_COMBINER_F90_REAL: return basic(real, type);
    case MPI_COMBINER_F90_COMPLEX: return basic(complex, type);
    case MPI_COMBINER_F90_INTEGER: return basic(integer, type);
    default: break;
    }
    const std::vector<MPI_Datatype>& types = contents.types();
    if (contents.combiner() == MPI_COMBINER_STRUCT) {
        TypeSignature result;
        for (std::size_t i = 0; i < types.size(); ++i)
            result = joined(result, signature_of(contents.numbers()[i + 1], types[i]));
        return result;
    }
    // All others repeat one type.  The places of elements, and their grouping, are not in the signature.
    const TypeSignature old = one_of(contents.old());
    return old.bytes == 0 ? TypeSignature() : repeated(old, measure(type).size / old.bytes);
}

} // namespace

TypeSignature signature_of(MPI_Count count, MPI_Datatype type)
{
    return count == 0 ? TypeSignature() : repeated(one_of(type), count);
}

bool fit(const TypeSignature& a, const TypeSignature& b)
{
    if (a.bytes != b.bytes) return false;
    return a.packed || b.packed || (a.hash == b.hash && a.basics == b.basics);
}

bool are_alike(MPI_Datatype a, MPI_Datatype b)
{
    if (measure(a) != measure(b)) return false;
    const TypeSignature of_a = signature_of(1, a);
    const TypeSignature of_b = signature_of(1, b);
    return of_a.hash == of_b.hash && of_a.basics == of_b.basics;
}

std::optional<SignedNumbers> signed_numbers(MPI_Datatype type)
{
    if (is_named(type)) {
        const std::size_t kind = kind_of(type);
        if (kind != integer && kind != real && kind != complex) return std::nullopt;
        const int count = kind == complex ? 2 : 1;
        return SignedNumbers{static_cast<int>(measure(type).size) / count, kind != integer, kind == complex,
                             count};
    }
    const TypeContents contents(type);
    const bool is_row = contents.combiner() == MPI_COMBINER_CONTIGUOUS;
    if (!is_row && contents.combiner() != MPI_COMBINER_DUP) return std::nullopt;
    auto result = signed_numbers(contents.old());
    if (result && is_row) result->count *= contents.number(0);
    return result;
}

std::string text_of(const TypeSignature& signature)
{
    if (signature.basics == 0) return "nothing";
    if (signature.basic[0] != '\0')
        return base::text(signature.basics, ' ', signature.basic.data(), " (", signature.bytes, " bytes)");
    return base::text(signature.basics, " elements of several types (", signature.bytes, " bytes, signature ",
                      base::hexadecimal(signature.hash), ')');
}

} // namespace ortho::mpi
