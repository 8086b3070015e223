// SPDX-License-Identifier: BSD-3-Clause
// The class and the text of an error.
#pragma once

#include <mpi.h>

#include <source_location>
#include <string>

#include "check.hpp"
#include "mpiortho.h"

namespace test {

/// The class of an error code, which must be the same for MPI and for us.
inline int error_class(int code)
{
    int result = -1, mpi_class = -1;
    CHECK_OK(ORTHO_Error_class(code, &result));
    MPI_Error_class(code, &mpi_class);
    CHECK_EQ(result, mpi_class);
    return result;
}

inline std::string message()
{
    char text[512] = "";
    int length = 0;
    CHECK_OK(ORTHO_Error_message(text, sizeof text, &length));
    CHECK_EQ(static_cast<std::size_t>(length), std::string(text).size());
    return text;
}

/// The call has failed with an error of this class, whose message has these words.
inline void refused(int code, int expected, const std::string& words,
                    const std::source_location& where = std::source_location::current())
{
    const auto line = static_cast<int>(where.line());
    expect_equal(error_class(code), expected, "the class of the error", where.file_name(), line);
    if (message().find(words) == std::string::npos)
        fail(where.file_name(), line, "no \"" + words + "\" in: " + message());
}

/// The name of the function in the text of a call.
inline std::string function_of(const std::string& call) { return call.substr(0, call.find('(')); }
/// Nothing if none are given.
inline std::string words(std::string given = "") { return given; }

/// The call has failed with an error of this class, whose message begins with the name of the function and
/// has these words.
inline void expect_error(int code, int wanted, const std::string& function, const std::string& what,
                         const char* file, int line)
{
    expect_equal(error_class(code), wanted, function.c_str(), file, line);
    const std::string said = message();
    if (said.find(function) != 0 || said.find(what) == std::string::npos)
        fail(file, line, "message '" + said + "' without '" + function + "' or '" + what + "'");
}

} // namespace test

#define EXPECT(call, wanted, function, what)                                                                 \
    test::expect_error((call), (wanted), function, what, __FILE__, __LINE__)
/// A call, the class of its error, and words of its message, if they matter.
#define FAILS(call, wanted, ...) EXPECT(call, wanted, test::function_of(#call), test::words(__VA_ARGS__))
