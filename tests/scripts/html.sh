# SPDX-License-Identifier: BSD-3-Clause
# The site: each manual page is there and can be reached from the index, each link leads somewhere.
html=$work/html

# Pages that are no links to others.
$AWK 'FNR == 1 && !/^\.so/ { page = FILENAME; sub(/.*\//, "", page); print page }' "$srcdir"/man/*.[137] >"$work/pages"
hrefs() { grep -oE 'href="[^"]*"' "$1" | sed -e 's/^href="//' -e 's/"$//'; }
each_page_is_there() {
    hrefs "$html/man/index.html" >"$work/hrefs"
    while read -r page; do
        for mark in '<h2>NAME<' '<div class="manual-text">'; do
            grep -q "$mark" "$html/man/$page.html" || { echo "$page.html has no $mark"; return 1; }
        done
        grep -qx -- "$page.html" "$work/hrefs" || { echo "index.html does not lead to $page.html"; return 1; }
    done <"$work/pages"
}
each_name_is_in_the_index() {
    for page in "$srcdir"/man/*.[137] "$builddir"/man/*.3; do
        name=${page##*/}
        echo "${name%.*}(${name##*.})"
    done | sort -u >"$work/names"
    sed -n 's/.*<td><p>.*>\([A-Za-z_-]*([137])\)<.*/\1/p' "$html/man/index.html" | sort -u >"$work/indexed"
    comm -23 "$work/names" "$work/indexed" >"$work/missing"
    [ -s "$work/names" ] && [ ! -s "$work/missing" ] || { cat "$work/missing"; return 1; }
}
links_lead_somewhere() {
    (cd "$html" && find . -type f | sed 's,^\./,,') >"$work/files"
    (cd "$html" && $AWK '
        # FOLDER/../NAME is NAME.
        function plain(path) {
            while (sub(/[^\/]+\/\.\.\//, "", path)) { }
            sub(/^\.\//, "", path)
            return path
        }
        FILENAME ~ /files$/ { there[$0]; next }
        FNR == 1 { file = FILENAME; folder = file; if (!sub(/[^\/]*$/, "", folder)) folder = "" }
        {
            line = $0
            while (match(line, /(href|src|id)="[^"]*"/)) {
                word = substr(line, RSTART, RLENGTH - 1)
                line = substr(line, RSTART + RLENGTH)
                if (sub(/^id="/, "", word)) { ids[file "#" word]; continue }
                sub(/^(href|src)="/, "", word)
                sub(/\?.*/, "", word)
                if (word ~ /^(https?|data|mailto):/ || word == "") continue
                from[++n] = file
                to[n] = word ~ /^#/ ? file word : plain(folder word)
            }
        }
        END {
            for (i = 1; i <= n; ++i) {
                target = to[i]
                sub(/#.*/, "", target)
                if (target in there && (to[i] !~ /#./ || to[i] in ids)) continue
                print from[i] ": " to[i]
                bad = 1
            }
            print n " links"
            exit bad || n < 1000
        }' "$work/files" $(cd "$html" && find . -name '*.html' | sed 's,^\./,,'))
}
# A word that names a page and is no link names none of ours.
names_are_links() {
    ! grep -nE '<[bi]>(ORTHO_[A-Z][a-z][A-Za-z_]*|mpiortho[a-z-]*|ortho-[a-z]*)</[bi]>\([137]\)' "$html"/man/*.html
}
# Each program of five-minutes.md is one that other tests run.
programs_are_there() {
    programs=$(grep -cE '^```\{literalinclude\} .*\.(c|cpp|f90|py)$' "$srcdir/doc/site/five-minutes.md")
    [ "$programs" = 4 ] || { echo "$programs programs"; return 1; }
    for words in ORTHO_Halo_init 'halo.run' ortho_halo_init 'g.halo' 'rank 3.*corner 0' 'rank 0 at'; do
        sed 's/<[^>]*>//g' "$html/five-minutes.html" | grep -q "$words" || { echo "no $words"; return 1; }
    done
}
tasks_name_pages() {
    for task in "Fill ghosts" "Sum over neighbors" "Find out why it is slow"; do
        grep -q "<h2>$task<" "$html/man/index.html" || { echo "no $task"; return 1; }
    done
    grep -v '^[#=]' "$srcdir/man/tasks.table" | sed 's/(\([137]\)) .*/.\1/' >"$work/tasks"
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
check "in five minutes: four programs, and what they print" programs_are_there
