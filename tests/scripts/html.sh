#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The HTML manual: each page is there and can be reached from the index, each link leads somewhere.
set -u
. tests/environment
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
html=$work/html

# Pages that are no links to others.
$AWK 'FNR == 1 && !/^\.so/ { page = FILENAME; sub(/.*\//, "", page); print page }' "$srcdir"/man/*.[137] >"$work/pages"
hrefs() { grep -oE 'href="[^"]*"' "$1" | sed -e 's/^href="//' -e 's/"$//'; }
each_page_is_there() {
    hrefs "$html/index.html" >"$work/hrefs"
    while read -r page; do
        grep -q '<h2 class="Sh"\|<h1 class="Sh"' "$html/$page.html" || { echo "$page.html has no sections"; return 1; }
        grep -qx -- "$page.html" "$work/hrefs" || { echo "index.html does not lead to $page.html"; return 1; }
    done <"$work/pages"
}
each_name_is_in_the_index() {
    for page in "$srcdir"/man/*.[137] "$builddir"/man/*.3; do echo "${page##*/}"; done | sort >"$work/names"
    grep -oE '<td><a href="[^"]*">[^<]*</a>\([137]\)</td><td>[A-Za-z]' "$html/index.html" |
        sed 's/.*">\(.*\)<\/a>(\(.\)).*/\1.\2/' | sort >"$work/indexed"
    [ -s "$work/names" ] && [ -z "$(comm -23 "$work/names" "$work/indexed")" ] || { comm -23 "$work/names" "$work/indexed"; return 1; }
}
links_lead_somewhere() {
    [ "$(ls "$html" | wc -l)" -gt 40 ] || return 1
    $AWK '
        FNR == 1 { file = FILENAME; sub(/.*\//, "", file); there[file] }
        {
            line = $0
            while (match(line, /(href|id)="[^"]*"/)) {
                word = substr(line, RSTART, RLENGTH - 1)
                line = substr(line, RSTART + RLENGTH)
                if (sub(/^id="/, "", word)) ids[file "#" word]
                else if (sub(/^href="/, "", word) && word !~ /^http/) { n++; from[n] = file; to[n] = (word ~ /^#/ ? file : "") word }
            }
        }
        END {
            for (i = 1; i <= n; ++i) {
                target = to[i]
                sub(/#.*/, "", target)
                if (!(target in there) || (to[i] ~ /#/ && !(to[i] in ids))) { print from[i] ": " to[i]; bad = 1 }
            }
            exit bad || n < 1000
        }' "$html"/*
}
# A word that names a page and is no link names none of ours.
names_are_links() {
    ! grep -nE '<[bi]>(ORTHO_[A-Z][a-z][A-Za-z_]*|mpiortho[a-z-]*|ortho-[a-z]*)</[bi]>\([137]\)' "$html"/*.html
}
tasks_name_pages() {
    for task in "Fill ghosts" "Sum over neighbors" "Find out why it is slow"; do
        grep -q "<h2>$task</h2>" "$html/index.html" || { echo "no $task"; return 1; }
    done
    grep -v '^[#=]' "$srcdir/man/tasks" | sed 's/(\([137]\)) .*/.\1/' >"$work/tasks"
    while read -r page; do
        grep -qx -- "$page" "$work/pages" || { echo "$page is no page"; return 1; }
    done <"$work/tasks"
    while read -r page; do
        grep -qx -- "$page" "$work/tasks" || { echo "no task leads to $page"; return 1; }
    done <"$work/pages"
}
check "make html" $MAKE -s -C "$builddir" html html="$html"
check "each page is there, and in the index" each_page_is_there
check "each name is in the index" each_name_is_in_the_index
check "each link leads somewhere" links_lead_somewhere
check "what names a page is a link" names_are_links
check "each page has a task, and each task has pages" tasks_name_pages
finish
