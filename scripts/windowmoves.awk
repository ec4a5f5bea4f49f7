# How much an open window changes results: reads "round condition case time lo hi disturbed" and prints, for the conditions window
# and live, the ratio of their times to those of none, round by round, compared with the interval of a result.
#
# The ratio is the Hodges-Lehmann estimate, the median of the means of all pairs of rounds, with the interval of Wilcoxon's signed
# ranks, of at least 95 %, which requires six rounds and assumes that ratios scatter symmetrically. A ratio is inconclusive if
# there are fewer rounds, if results were disturbed or have no interval, or if a result's own interval is wider than 2 % on a
# side.
{
    unknown = !($4 + 0 > 0 && $5 + 0 > 0 && $6 + 0 >= $5 + 0) # a time, or its interval
    time[$1, $2, $3] = $4
    half[$1, $2, $3] = unknown ? 0 : ($6 - $5) / 2 / $4
    disturbed[$1, $2, $3] = unknown || $7 != 0
    rounds[$1]
    cases[$3]
}

# sorted sorts v[1..n].
function sorted(v, n, gap, i, j, x) {
    for (gap = int(n / 2); gap > 0; gap = int(gap / 2.2 + 0.4)) {
        for (i = gap + 1; i <= n; i++) {
            x = v[i]
            for (j = i - gap; j >= 1 && v[j] > x; j -= gap) v[j + gap] = v[j]
            v[j + gap] = x
        }
    }
}

# rank is the largest k such that the k-th smallest and the k-th largest of the means of all pairs of n values contain the median
# with 95 %; 0: none. The number of means below it is distributed like the sum of the ranks of those of 1..n that are drawn, each
# with probability one half.
function rank(n, ways, most, i, s, tail) {
    most = n * (n + 1) / 2
    ways[0] = 1
    for (i = 1; i <= n; i++)
        for (s = most; s >= 0; s--) ways[s] = (ways[s] + (s >= i ? ways[s - i] : 0)) / 2
    tail = 0
    for (s = 0; s <= most; s++) {
        tail += ways[s]
        if (2 * tail > 0.05) return s
    }
    return 0
}

# pairs sets means to those of all pairs of v[1..n], including each value with itself, and returns how many there are.
function pairs(v, n, means, i, j, count) {
    count = 0
    for (i = 1; i <= n; i++)
        for (j = i; j <= n; j++) means[++count] = (v[i] + v[j]) / 2
    return count
}

function median(v, n) { return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2 }

# judge prints how much a condition changes a case.
function judge(what, name, r, n, all, k, ratio, means, count, own, lo, hi, h, words) {
    n = all = 0
    for (r in rounds) {
        if (!((r, what, name) in time) || !((r, "none", name) in time)) continue
        all++
        if (disturbed[r, what, name] || disturbed[r, "none", name]) continue
        ratio[++n] = time[r, what, name] / time[r, "none", name]
        own[n] = half[r, "none", name]
    }
    if (all == 0) return
    if (n < 6) {
        printf "%s, %s: inconclusive: %d of %d rounds undisturbed, want 6\n", name, what, n, all
        return
    }
    count = pairs(ratio, n, means)
    sorted(means, count); sorted(own, n)
    k = rank(n); lo = means[k] - 1; hi = means[count + 1 - k] - 1; h = median(own, n)
    if (h > 0.02) words = "inconclusive: the result's own interval is wider than ± 2 %"
    else if (lo > -h && hi < h) words = "less than the interval of a result"
    else if (lo > h || hi < -h) words = "MORE than the interval of a result"
    else words = "inconclusive"
    printf "%s, %s: %+.2f %% (%+.2f to %+.2f), a result ± %.2f %%, %d rounds: %s\n", name, what, 100 * (median(means, count) - 1), 100 * lo, 100 * hi, 100 * h, n, words
}

END { for (name in cases) { judge("window", name); judge("live", name) } }
