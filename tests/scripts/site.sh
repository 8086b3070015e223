# SPDX-License-Identifier: BSD-3-Clause
# The site in Chromium, from files, at 400 and at 1400 pixels: nothing is wider than the window, no picture is
# missing, no script fails, and the search finds what is there.
html=$work/html
chromium=$(command -v chromium) || skip_all "chromium is not installed"
check "make html" $MAKE -s -C "$builddir" html html="$html"

# A page with mistakes, which must be found.
echo '<!DOCTYPE html><img src="no.png"><div style="width: 500px">.</div>' >"$html/mistakes.html"
# A page that shows the others in a frame, one after the other, and writes what it sees.
pages=$(cd "$html" && find . -name '*.html' ! -name search.html | sed 's,^\./\(.*\),"\1",' | tr '\n' ',')
cat >"$html/look.html" <<HTML
<!DOCTYPE html><meta charset="utf-8"><title>look</title>
<iframe id="frame" height="800"></iframe><pre id="seen">begin
</pre><script>
const pages = [$pages], words = ["Halo_init", "ghost"], frame = document.getElementById("frame");
const say = line => document.getElementById("seen").textContent += line + "\n";
const load = page => new Promise(done => { frame.onload = done; frame.src = page; });
const sleep = ms => new Promise(done => setTimeout(done, ms));
(async () => {
    for (const width of [400, 1400]) {
        frame.width = width;
        for (const page of pages) {
            await load(page);
            const shown = frame.contentDocument, root = shown.documentElement;
            if (root.scrollWidth > root.clientWidth) say("WIDE " + page + " at " + width);
            for (const image of shown.images)
                if (image.complete && image.naturalWidth === 0 && image.loading !== "lazy")
                    say("MISSING " + page + " at " + width);
            say("page");
        }
    }
    await load("index.html");
    const body = frame.contentDocument.body, before = body.dataset.theme;
    frame.contentDocument.querySelector(".content-icon-container .theme-toggle, .theme-toggle").click();
    say("theme " + before + " " + body.dataset.theme);
    for (const word of words) {
        await load("search.html?q=" + word);
        let found = [];
        for (let i = 0; i < 100 && !found.length; ++i) {
            await sleep(50);
            found = [...frame.contentDocument.querySelectorAll("ul.search li a")].map(a => a.getAttribute("href"));
        }
        say("search " + word + ": " + found.map(href => href.replace(/[?#].*/, "")).join(" "));
    }
    await load("search.html?q=xyzzyplugh");
    await sleep(500);
    say("search xyzzyplugh: " + frame.contentDocument.querySelectorAll("ul.search li").length);
    say("all seen");
})().catch(error => say("FAILED " + error));
</script>
HTML
look() {
    timeout -k 10 "$limit" "$chromium" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
        --user-data-dir="$work/profile" --allow-file-access-from-files --enable-logging=stderr \
        --virtual-time-budget=1000000 --dump-dom "file://$html/look.html" >"$work/dom" 2>"$work/console"
    grep -q '^all seen' "$work/dom" || { tail -n 20 "$work/dom" "$work/console"; return 1; }
}
pages_at_both_widths() {
    number=$(find "$html" -name '*.html' ! -name search.html ! -name look.html | wc -l)
    [ "$(grep -c '^page$' "$work/dom")" = $((2 * number)) ]
}
only_the_mistakes() { # what, pages
    found=$(grep "^$1 " "$work/dom" | tr '\n' ',')
    [ "$found" = "$2" ] || { echo "$found"; return 1; }
}
console_is_empty() { ! grep CONSOLE "$work/console" | grep -v '"Changed to \|mistakes.html\|no.png'; }
finds() { grep "^search $1:.* $2" "$work/dom" || { grep '^search' "$work/dom"; return 1; }; }
check "all pages load" look
check "at both widths" pages_at_both_widths
check "nothing is wider than the window" only_the_mistakes WIDE "WIDE mistakes.html at 400,"
check "no picture is missing" only_the_mistakes MISSING \
    "MISSING mistakes.html at 400,MISSING mistakes.html at 1400,"
check "the console is empty" console_is_empty
check "a button turns it dark or light" grep -q '^theme auto \(dark\|light\)$' "$work/dom"
check "search finds a function" finds Halo_init man/ORTHO_Halo_init.3.html
check "search finds a word of the pages" finds ghost doc/cpp.html
check "search finds nothing where nothing is" grep -q '^search xyzzyplugh: 0$' "$work/dom"
