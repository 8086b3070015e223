#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Writes the manual pages as HTML: html.sh MAN FOLDER MANDOC.  `make html` does so.  MAN has the pages and `tasks`, the index by task.
# A name that is a link to another page (.so) has no file of its own: links lead to that page.
set -eu
man=$1 folder=$2 mandoc=$3
[ -n "$mandoc" ] || { echo "make html needs mandoc; on Debian: apt-get install mandoc" >&2; exit 1; }
mkdir -p "$folder"
rm -f "$folder"/*.html
links=$(mktemp)
trap 'rm -f "$links"' EXIT

# What makes links of NAME(SECTION), with a line for each name.
for page in "$man"/*.[137]; do
    name=${page##*/}
    target=$(sed -n '1s,^\.so man[137]/,,p' "$page")
    echo "s,<[bi]>${name%.*}</[bi]>(${name##*.}),<a href=\"${target:-$name}.html\">${name%.*}</a>(${name##*.}),g"
done >"$links"
head_of() { # title
    cat <<END
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"/><meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>$1</title><link rel="stylesheet" href="manual.css"/></head><body>
END
}
cat >"$folder/manual.css" <<'END'
body { max-width: 60em; margin: 1em auto; padding: 0 1em; font-family: sans-serif; line-height: 1.4; }
pre, code { font-family: monospace; background: #f4f4f4; }
pre { padding: 0.5em; overflow-x: auto; }
a { color: #0645ad; text-decoration: none; }
table.head, table.foot { width: 100%; color: #666; }
td.head-vol { text-align: center; }
td.head-rtitle, td.foot-os { text-align: right; }
dd { margin-bottom: 0.5em; }
END
escaped() { sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' -e 's/>/\&gt;/g'; }
for page in "$man"/*.[137]; do
    case $(head -n 1 "$page") in .so*) continue ;; esac
    name=${page##*/}
    {
        head_of "${name%.*}(${name##*.})"
        echo '<p><a href="index.html">mpiortho: all pages</a></p>'
        "$mandoc" -T html -O fragment "$page" | sed -f "$links"
        echo '</body></html>'
    } >"$folder/$name.html"
done

# What a page says under NAME, behind the dash.
purpose() { sed -n '/^\.SH NAME/,/^\.SH SYN/p' "$1" | tr '\n' ' ' | sed -e 's/.* \\- //' -e 's/ \.SH SYN.*//' -e 's/\\-/-/g'; }
{
    head_of "mpiortho: manual"
    echo '<h1>mpiortho: manual</h1>'
    echo '<p>What do you want to do?</p>'
    open=
    while read -r first rest; do
        case $first in
        '#' | '') ;;
        =)
            [ -z "$open" ] || echo '</ul>'
            echo "<h2>$(echo "$rest" | escaped)</h2><ul>"
            open=yes
            ;;
        *) echo "<li><b>${first%(*}</b>(${first#*(}: $(echo "$rest" | escaped)</li>" ;;
        esac
    done <"$man/tasks"
    echo '</ul><h2>All pages</h2><table>'
    for page in "$man"/*.[137]; do
        name=${page##*/}
        target=$(sed -n '1s,^\.so man[137]/,,p' "$page")
        echo "<tr><td><b>${name%.*}</b>(${name##*.})</td><td>$(purpose "$man/${target:-$name}" | escaped)</td></tr>"
    done
    echo '</table></body></html>'
} | sed -f "$links" >"$folder/index.html"
