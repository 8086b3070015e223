#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# make.sh SOURCES MAN FOLDER MANDOC SPHINX: makes the site, in a folder that browsers read without a server.
# `make html` calls it.  SOURCES is the root of the tree.  MAN has all manual pages, and `tasks.table`, the index by
# task.  A name that is a link to another page (.so) has no file of its own: links lead to that page.
set -eu
sources=$1 man=$2 folder=$3 mandoc=$4 sphinx=$5
if [ -z "$mandoc" ] || [ -z "$sphinx" ]; then
    echo "make html needs mandoc, Sphinx, MyST and Furo; on Debian:" >&2
    echo "apt-get install mandoc python3-sphinx python3-myst-parser furo" >&2
    exit 1
fi
site=$(mktemp -d)
trap 'rm -rf "$site"' EXIT

# --- Pages in Markdown: those of the tree, at their places, and two of the site -----------------------------

mkdir "$site/bench" "$site/doc" "$site/man" "$site/programs"
for part in examples include packaging python src tests tools check.sh demo.sh COPYING NEWS; do
    ln -s "$sources/$part" "$site/$part"
done
ln -s "$sources"/bench/* "$site/bench" && rm "$site/bench/RESULTS.md"
ln -s "$sources"/doc/*.png "$sources"/doc/*.svg "$site/doc"
ln -s "$sources"/doc/site/conf.py "$sources"/doc/site/*.css "$site"
# Links to manual pages lead to their pages here, and those of doc/site lie at the top.  Folders have none.
markdown="README.md CONTRIBUTING.md HACKING.md bench/RESULTS.md"
for page in $markdown $(cd "$sources" && echo doc/*.md); do
    sed -e 's,\](\(\(\.\./\)*man/[A-Za-z_-]*\.[137]\)),](\1.md),g' -e 's,\[\([^]]*\)\]([^)]*/),\1,g' \
        -e 's,](doc/site/,](,g' \
        "$sources/$page" >"$site/$page"
done
cp "$sources"/doc/site/*.md "$site"

# --- Manual pages: sections by Sphinx, what they say by mandoc ----------------------------------------------

# What makes links of NAME(SECTION), with a line for each name.
for page in "$man"/*.[137]; do
    name=${page##*/}
    target=$(sed -n '1s,^\.so man[137]/,,p' "$page")
    link="<a href=\"${target:-$name}.html\">${name%.*}</a>"
    echo "s,<[bi]>${name%.*}</[bi]>(${name##*.}),$link(${name##*.}),g"
done >"$site/links"
for page in "$man"/*.[137]; do
    case $(head -n 1 "$page") in .so*) continue ;; esac
    name=${page##*/}
    "$mandoc" -T html -O fragment "$page" | sed -f "$site/links" | awk -v title="${name%.*}(${name##*.})" '
        function end() { if (open) print "</div>\n~~~~\n"; open = 0 }
        function begin() { if (!open) print "~~~~{raw} html\n<div class=\"manual-text\">"; open = 1 }
        BEGIN { print "# " title "\n" }
        /^<\/?section/ || /^<div class="manual-text"/ { next }
        /^<h[12] class="S[hs]"/ {
            end()
            level = substr($0, 3, 1)
            for (line = $0; line !~ /<\/h[12]>/; line = line " " more) getline more
            gsub(/<[^>]*>/, "", line)
            print (level == 1 ? "##" : "###") " " line "\n"
            inside = 1
            next
        }
        !inside { next }
        { divisions += gsub(/<div/, "&") - gsub(/<\/div>/, "&") }
        divisions < 0 { exit }
        { begin(); print }
        END { end() }' >"$site/man/$name.md"
done

# The first programs of these pages, and what they print: they are shown in five-minutes.md.
display() { # page, n: the n-th display of its EXAMPLES, without the escapes of roff
    awk -v n="$2" '
        /^\.SH/ { inside = /^\.SH EXAMPLES/ }
        inside && /^\.EX/ { seen++; if (seen == n) { on = 1; next } }
        on && /^\.EE/ { exit }
        on' "$man/$1" | sed -e 's/\\&//g' -e 's/\\-/-/g' -e "s/\\\\(aq/'/g" -e 's/\\e/\\/g'
}
for language in cpp:cpp fortran:f90 python:py; do
    page=mpiortho-${language%:*}.7
    display "$page" 1 >"$site/programs/first.${language#*:}"
    display "$page" 2 >"$site/programs/${language%:*}.out"
done

# The index: by task, and by name.
purpose() {
    sed -n '/^\.SH NAME/,/^\.SH SYN/p' "$1" | tr '\n' ' ' |
        sed -e 's/.* \\- //' -e 's/ \.SH SYN.*//' -e 's/\\-/-/g'
}
{
    printf '# Manual\n\nWhat do you want to do?\n'
    while read -r first rest; do
        case $first in
        '#' | '') ;;
        =) printf '\n## %s\n\n' "$rest" ;;
        *) echo "- [$first]($(echo "$first" | sed 's/(\(.\))/.\1/').md): $rest" ;;
        esac
    done <"$man/tasks.table"
    printf '\n## All pages\n\n| page | what it is about |\n| --- | --- |\n'
    for page in "$man"/*.[137]; do
        name=${page##*/}
        target=$(sed -n '1s,^\.so man[137]/,,p' "$page")
        echo "| [${name%.*}(${name##*.})](${target:-$name}.md) | $(purpose "$man/${target:-$name}") |"
    done
    printf '\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n'
} >"$site/man/index.md"

rm -rf "$folder"
"$sphinx" -q -W --keep-going -b html -d "$site/doctrees" "$site" "$folder"
# A page that is read from a file cannot import scripts: Debian's Furo has its script in two files.
scripts=$folder/_static/scripts
if [ -f "$scripts/gumshoe-patched.js" ]; then
    # It asks for these names, and a section "Global" would answer: elements are variables by their ids.
    { echo 'var global = window, define, exports;' && cat "$scripts/gumshoe-patched.js" &&
        sed '/^import /d' "$scripts/furo.js"; } >"$scripts/joined.js"
    rm "$scripts/gumshoe-patched.js"
    mv "$scripts/joined.js" "$scripts/furo.js"
fi
