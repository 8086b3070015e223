# SPDX-License-Identifier: BSD-3-Clause
# awk -f man/cpp.awk HEADER...: what users call, as the headers of include/mpiortho/ declare it, for the section SIGNATURES
# of mpiortho-cpp(7).  Bodies, operators, functions that are moved from or defaulted, and what is private or in namespace
# detail are left out, and so are template headers and requires clauses.
#
# The headers are formatted: what a namespace has begins in column 1, what a class has is indented by 4.
FNR == 1 { hidden = 0; class = statement = "" }
/^namespace detail \{/ { hidden = 1 }
/^} \/\/ namespace detail/ { hidden = 0 }
hidden { next }
{ sub(/ *\/\/.*/, "") }
statement != "" { sub(/^ */, ""); add($0); next }
/^}/ { class = heading = "" }
/^public:/ { shown = 1 }
/^(private|protected):/ { shown = 0 }
/^ *(template|friend|static_assert|namespace|inline namespace|using|concept|#|requires *$)/ { next }
/^(class|struct) [a-z_]+(;|<.*;)/ { next } # a declaration
/^(class|struct|enum class) / {
    if (/;$/ && !/^enum/) next
    class = $0
    gsub(/\[\[[^]]*\]\] ?/, "", class)
    sub(/ *(\{.*)?$/, "", class)
    sub(/ (final )?: .*/, "", class)
    sub(/, detail::unknown>/, ">", class)
    shown = /^struct/
    heading = class
    if (/^enum/) heading = class = ""
    next
}
(class == "" ? /^[a-z_A-Z]|^\[\[/ : shown && /^    [^ {}:&]/) { sub(/^ */, ""); add($0) }

# A statement is whole when its parentheses are closed.
function add(line,    i, c)
{
    statement = statement (statement == "" || statement ~ /\($/ ? "" : " ") line
    depth = 0
    for (i = 1; i <= length(statement); ++i) {
        c = substr(statement, i, 1)
        depth += (c == "(") - (c == ")")
    }
    if (depth > 0) return
    tell(statement)
    statement = ""
}
# Cuts what begins at a parenthesis, to where it is closed.
function without_clause(line, at,    i, c, nesting)
{
    for (i = at; i <= length(line); ++i) {
        c = substr(line, i, 1)
        nesting += (c == "(") - (c == ")")
        if (c == ")" && nesting == 0) break
    }
    return substr(line, i + 1)
}
function tell(line,    i, c, nesting, end)
{
    gsub(/\[\[[^]]*\]\] ?/, "", line)
    while (line ~ /^requires *\(/) {
        line = without_clause(line, index(line, "("))
        sub(/^ *(&&|\|\|) */, "requires", line)
        sub(/^ */, "", line)
    }
    for (end = 1; end <= length(line); ++end) { # a body, or initialisers of members
        c = substr(line, end, 1)
        nesting += (c == "(") - (c == ")")
        if (nesting == 0 && (c == "{" || c == ";" || substr(line, end, 3) == " : ")) break
    }
    line = substr(line, 1, end - 1)
    sub(/ +$/, "", line)
    gsub(/MPIORTHO_PARAMETERS/, "...", line)
    gsub(/detail::/, "", line)
    sub(/ MPIORTHO_NO_MACRO/, "", line)
    while (sub(/^(inline|constexpr|explicit) /, "", line)) {}
    sub(/ =$/, "", line)
    if (line !~ / / && line !~ /\(/ || line ~ /operator|~| = (default|delete)$|->|^(MPIORTHO|requires|class|struct)|&& ?other\)/) return
    if (class == "" && line !~ /^[^(]* [a-z_]+\(/) return # a definition elsewhere, a deduction guide, a variable
    if (heading != "") print ".sp\n" heading
    heading = ""
    if (class == "" && told != "" && told != "functions") print ".sp"
    told = class == "" ? "functions" : class
    put(class == "" ? line : "    " line)
}
# On lines of at most 100 columns.
function put(line,    at)
{
    gsub(/-/, "\\-", line)
    while (length(line) > 100) {
        for (at = 100; at > 20 && !is_break(line, at); --at) {}
        print substr(line, 1, at - 1)
        line = "        " substr(line, at + 1)
    }
    print line
}
# Is there a space behind a comma that is between arguments of a function, not of a type?
function is_break(line, at,    head)
{
    head = substr(line, 1, at - 1)
    return substr(line, at - 1, 2) == ", " && gsub(/</, "", head) == gsub(/>/, "", head)
}
