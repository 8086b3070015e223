# SPDX-License-Identifier: BSD-3-Clause
# The names that the headers of include/mpiortho/ give to users, a line each: `name` of a class, concept, function or variable,
# `class name` of a member or an enumerator.  Constructors, destructors, operators and friends are not told.
#
# The headers are formatted: what a namespace has begins in column 1, what a class has is indented by 4.
FNR == 1 { hidden = 0; class = "" }
/^namespace detail \{/ { hidden = 1 }
/^} \/\/ namespace detail/ { hidden = 0 }
hidden || /^ *\/\// || /^ *(template|friend|static_assert|namespace|inline namespace|MPIORTHO_IF_CHECKED|#)/ { next }
{
    sub(/ *\/\/.*/, "")
    gsub(/\[\[[^]]*\]\] ?/, "") # attributes
    sub(/ MPIORTHO_NO_MACRO/, "")
}
# A requires clause in front of a function.
/^ *requires *\(/ {
    line = $0
    depth = 0
    for (i = index(line, "("); i <= length(line); ++i) {
        c = substr(line, i, 1)
        depth += (c == "(") - (c == ")")
        if (depth == 0) break
    }
    $0 = (/^    / ? "    " : "") substr(line, i + 2)
}
/^ *requires/ { next }
/^}/ { class = "" }
/^public:/ { shown = 1 }
/^(private|protected):/ { shown = 0 }
/^(class|struct) [a-z_]+(;|<.*;)/ { next } # a declaration
/^(class|struct) [a-z_]+</ { # a specialisation
    class = $2
    sub(/<.*/, "", class)
    shown = /^struct/
    next
}
/^(class|struct) / {
    print $2
    if (!/;$/) { class = $2; shown = /^struct/ }
    next
}
/^enum class / {
    print $3
    list = $0
    sub(/^[^{]*\{/, "", list)
    n = split(list, values, ",")
    for (i = 1; i <= n; ++i) {
        split(values[i], words, /[ =}]+/)
        print $3, words[words[1] == "" ? 2 : 1]
    }
    next
}
/^(concept|using) / { print $2; next }
class == "" && /^[a-z_A-Z]/ { tell("") }
class != "" && shown && /^    [^ ]/ { tell(class " ") }
# tell OF: the names that a line declares.
function tell(of,    line, name, names, i, n) {
    line = $0
    sub(/^ */, "", line)
    if (line ~ /^[{}:]/ || line ~ /operator|~/) return
    sub(/^(explicit|constexpr|inline|static) /, "", line)
    if (line ~ /^using [a-z_]+(<.*>)?::/) return # a base's
    if (line ~ /^(class|struct|using) /) { split(line, names, " "); print of names[2]; return }
    # A function, if there is no = before the first name with a parenthesis.
    if (match(line, /[a-zA-Z_0-9]+\(/) && substr(line, 1, RSTART) !~ / = /) {
        name = substr(line, RSTART, RLENGTH - 1)
        if (RSTART == 1 || substr(line, RSTART - 1, 1) == ":" || name " " == of) return # a constructor, a definition elsewhere
        print of name
        return
    }
    sub(/ = .*|;.*|\{.*/, "", line)
    if (line !~ / /) return
    n = split(line, names, /, /)
    if (line ~ /</) { n = 1; names[1] = line } # a type with several arguments
    for (i = 1; i <= n; ++i) { sub(/.* /, "", names[i]); print of names[i] }
}
