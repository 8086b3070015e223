# SPDX-License-Identifier: BSD-3-Clause
# The median of value[how, row, 1...count[how, row]]; 0 if there is none.
function median(how, row,    i, j, x, m, a) {
    m = count[how, row]
    for (i = 1; i <= m; ++i) { # by insertion
        x = value[how, row, i]
        for (j = i - 1; j > 0 && a[j] > x; --j) a[j + 1] = a[j]
        a[j + 1] = x
    }
    return m ? a[int((m + 1) / 2)] : 0
}
