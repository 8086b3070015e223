# SPDX-License-Identifier: BSD-3-Clause
# awk -f man/cpp.awk HEADER...: what users call, as the headers of include/mpiortho/ declare it, for the section SIGNATURES
# of mpiortho-cpp(7).  Bodies, default member functions and what is private or in namespace detail are left out, and so are
# template headers and requires clauses.
#
# The headers are formatted: what a namespace has begins in column 1, what a class has is indented by 4.
FNR == 1 { hidden = 0; class = statement = "" }
/^namespace detail \{/ { hidden = 1 }
/^} \/\/ namespace detail/ { hidden = 0 }
hidden { next }
{ sub(/ *\/\/.*/, "") }
statement != "" { sub(/^ */, ""); add($0); next }
/^}/ { class = "" }
/^public:/ { shown = 1 }
/^(private|protected):/ { shown = 0 }
/^ *(template|friend|static_assert|namespace|inline namespace|using|concept|#|requires *$)/ { next }
/^(class|struct) [a-z_]+(;|<.*;)/ { next } # a declaration
/^(class|struct|enum class) / {
    if (/;$/ && !/^enum/) next
    class = $0
    shown = /^struct/
    sub(/ *(\{.*)?$/, "", class)
    sub(/ : .*/, "", class)
    heading = class
    if (/^enum/) class = ""
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
    sub(/ MPIORTHO_NO_MACRO/, "", line)
    sub(/^(inline|explicit) /, "", line)
    sub(/^(inline|constexpr|explicit) /, "", line)
    if (line !~ /\(/ || line ~ /operator|~| = (default|delete)$|^[A-Z_]+\(|->/) return
    if (heading != "") print ".sp\n" heading
    heading = ""
    if (class == "" && told != "" ) { if (told != "functions") print ".sp" }
    told = class == "" ? "functions" : class
    put(class == "" ? line : "    " line)
}
# On lines of at most 100 columns.
function put(line,    at, indent)
{
    gsub(/-/, "\\-", line)
    while (length(line) > 100) {
        for (at = 100; at > 20 && substr(line, at, 1) != " "; --at) {}
        print substr(line, 1, at - 1)
        line = "        " substr(line, at + 1)
    }
    print line
}
