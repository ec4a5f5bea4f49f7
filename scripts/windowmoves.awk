# How far an open window moves results: reads "round condition case time lo hi disturbed" and says, for the conditions window and live, the
# ratio of their times to those of none, round by round, against the interval of a result.
#
# The ratio is the median over the rounds, its interval that of the order statistics, of 95 % at least, which takes six rounds. What is not
# known well enough is inconclusive: fewer rounds, results that were disturbed or have no interval, a result whose own interval is wider than 2 % on a side.
{
    unknown = !($4 + 0 > 0 && $5 + 0 > 0 && $6 + 0 >= $5 + 0) # a time, or its interval
    time[$1, $2, $3] = $4
    half[$1, $2, $3] = unknown ? 0 : ($6 - $5) / 2 / $4
    disturbed[$1, $2, $3] = unknown || $7 != 0
    rounds[$1]
    cases[$3]
}

# sorted sorts v[1..n].
function sorted(v, n, i, j, x) {
    for (i = 2; i <= n; i++) {
        x = v[i]
        for (j = i - 1; j >= 1 && v[j] > x; j--) v[j + 1] = v[j]
        v[j + 1] = x
    }
}

# rank is the largest k such that the k-th and the (n + 1 - k)-th value hold the median with 95 %; 0: none.
function rank(n, k, p, tail) {
    p = 0.5 ^ n
    tail = 0
    for (k = 0; k < n / 2; k++) {
        tail += p
        if (2 * tail > 0.05) return k
        p = p * (n - k) / (k + 1)
    }
    return k
}

function median(v, n) { return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2 }

# judge says how far a condition moves a case.
function judge(what, name, r, n, all, k, ratio, own, lo, hi, h, words) {
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
    sorted(ratio, n); sorted(own, n)
    k = rank(n); lo = ratio[k] - 1; hi = ratio[n + 1 - k] - 1; h = median(own, n)
    if (h > 0.02) words = "inconclusive: the result's own interval is wider than ± 2 %"
    else if (lo > -h && hi < h) words = "less than the interval of a result"
    else if (lo > h || hi < -h) words = "MORE than the interval of a result"
    else words = "inconclusive"
    printf "%s, %s: %+.2f %% (%+.2f to %+.2f), a result ± %.2f %%, %d rounds: %s\n", name, what, 100 * (median(ratio, n) - 1), 100 * lo, 100 * hi, 100 * h, n, words
}

END { for (name in cases) { judge("window", name); judge("live", name) } }
