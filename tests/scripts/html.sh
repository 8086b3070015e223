#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The HTML manual: each page is there and can be reached from the index, each link leads somewhere.
set -u
. tests/environment
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
html=$work/html

pages() { # those that are no links to others
    for page in "$srcdir"/man/*.[137]; do
        case $(head -n 1 "$page") in .so*) ;; *) basename "$page" ;; esac
    done
}
hrefs() { grep -oE 'href="[^"]*"' "$1" | sed -e 's/^href="//' -e 's/"$//'; }
each_page_is_there() {
    for page in $(pages); do
        grep -q '<h2 class="Sh"\|<h1 class="Sh"' "$html/$page.html" || { echo "$page.html has no sections"; return 1; }
        hrefs "$html/index.html" | grep -qx "$page.html" || { echo "index.html does not lead to $page.html"; return 1; }
    done
}
each_name_is_in_the_index() {
    for page in "$srcdir"/man/*.[137] "$builddir"/man/*.3; do
        name=$(basename "$page")
        grep -q "<td><a href=\"[^\"]*\">${name%.*}</a>(${name##*.})</td><td>[A-Za-z]" "$html/index.html" || { echo "$name"; return 1; }
    done
}
links_lead_somewhere() {
    [ "$(ls "$html" | wc -l)" -gt 40 ] || return 1
    for page in "$html"/*.html; do
        hrefs "$page" | grep -v '^http' | sort -u >"$work/hrefs"
        while read -r link; do
            file=$html/${link%%#*}
            [ "${link%%#*}" ] || file=$page
            [ -f "$file" ] || { echo "$(basename "$page"): $link"; return 1; }
            case $link in *#*) grep -q "id=\"${link#*#}\"" "$file" || { echo "$(basename "$page"): $link"; return 1; } ;; esac
        done <"$work/hrefs"
    done
}
# What names a page and is no link names none of ours.
names_are_links() {
    ! grep -nE '<[bi]>(ORTHO_[A-Z][a-z][A-Za-z_]*|mpiortho[a-z-]*|ortho-[a-z]*)</[bi]>\([137]\)' "$html"/*.html
}
tasks_name_pages() {
    for task in "Fill ghosts" "Sum over neighbors" "Find out why it is slow"; do
        grep -q "<h2>$task</h2>" "$html/index.html" || { echo "no $task"; return 1; }
    done
    grep -v '^[#=]' "$srcdir/man/tasks" | sed 's/(\([137]\)) .*/.\1/' >"$work/tasks"
    while read -r page; do
        pages | grep -qx -- "$page" || { echo "$page is no page"; return 1; }
    done <"$work/tasks"
    pages | while read -r page; do
        grep -qx -- "$page" "$work/tasks" || { echo "no task leads to $page"; return 1; }
    done
}
check "make html" $MAKE -s -C "$builddir" html html="$html"
check "each page is there, and in the index" each_page_is_there
check "each name is in the index" each_name_is_in_the_index
check "each link leads somewhere" links_lead_somewhere
check "what names a page is a link" names_are_links
check "each page has a task, and each task has pages" tasks_name_pages
finish
