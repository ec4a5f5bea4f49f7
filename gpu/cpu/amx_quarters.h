// Template: an output tile computed with AMX in one by two or two by two registers of sums, so that each load is multiplied
// twice. The sums of a group are stored, then scaled in vectors. The including file has the functions that multiply a group and
// add it to the totals.
#define QUARTERS 4 // those of the upper rows, then those of the lower rows
#define QUARTER_SIDE AMX_ROWS
#define AHEAD 2 // groups whose products are in flight together

typedef vf quarter_rows[QUARTER_SIDE];

// Where the rows of a quarter lie: in the output, or in the sums that become it.
struct quarter {
    float *at;
    size_t row;
};

struct quartered {
    size_t groups;
    float *out;
    size_t ld, rows, cols;
    int add; // out holds the sums of earlier products
};

struct quarter_loops {
    size_t rows; // of a tile
    void (*multiply)(const void *job, size_t group, size_t turn, quarter_rows to[QUARTERS]); // turn < AHEAD, a constant
    void (*add)(const void *job, size_t group, size_t row, size_t col, const quarter_rows part, quarter_rows total);
};

// Stores in `to` the sum of `from`, if any, and what n groups add to quarter q; their sums are in `part`.
INLINE void add_groups(const struct quarter_loops *l, const void *job, const size_t n, size_t group, size_t q, quarter_rows part[][QUARTERS],
                       struct quarter from, struct quarter to) {
    quarter_rows total;
    UNROLL
    for (size_t r = 0; r < QUARTER_SIDE; r++) total[r] = from.at ? v_load(from.at + r * from.row) : (vf){0};
    UNROLL
    for (size_t i = 0; i < n; i++) l->add(job, group + i, q / 2 * QUARTER_SIDE, q % 2 * VL, part[i][q], total);
    UNROLL
    for (size_t r = 0; r < QUARTER_SIDE; r++) v_store(to.at + r * to.row, total[r]);
}

INLINE void take_groups(const struct quarter_loops *l, const void *job, const size_t n, size_t group, size_t quarters, const struct quarter from[QUARTERS],
                        const struct quarter to[QUARTERS]) {
    quarter_rows part[AHEAD][QUARTERS];
    UNROLL
    for (size_t i = 0; i < n; i++) l->multiply(job, group + i, i, part[i]);
    for (size_t q = 0; q < quarters; q++) add_groups(l, job, n, group, q, part, from[q], to[q]);
}

// Copies the existing rows of a quarter from or to the output.
INLINE void copy_quarter(const struct quartered *t, size_t q, struct quarter own, int store) {
    const size_t row = q / 2 * QUARTER_SIDE, col = q % 2 * VL, cols = t->cols > col ? min_size(t->cols - col, VL) : 0;
    for (size_t r = row; r < min_size(t->rows, row + QUARTER_SIDE); r++) {
        float *const out = t->out + r * t->ld + col, *const at = own.at + (r - row) * own.row;
        if (store) v_store_n(out, v_load(at), cols);
        else v_store(at, v_load_n(out, cols));
    }
}

// Computes all groups of a tile. Sums stay in a small separate buffer in cache until the last groups are added.
INLINE void in_quarters(const struct quarter_loops *l, const void *job, const struct quartered *t) {
    const int whole = t->rows == l->rows && t->cols == 2 * VL;
    const size_t quarters = t->rows > QUARTER_SIDE ? QUARTERS : QUARTERS / 2;
    quarter_rows total[QUARTERS];
    struct quarter own[QUARTERS], out[QUARTERS];
    const struct quarter none[QUARTERS] = {{0}}, *const last = whole ? out : own, *from = t->add ? last : none;
    for (size_t q = 0; q < quarters; q++) {
        own[q] = (struct quarter){(float *)total[q], VL};
        out[q] = (struct quarter){t->out + q / 2 * QUARTER_SIDE * t->ld + q % 2 * VL, t->ld};
        if (t->add && !whole) copy_quarter(t, q, own[q], 0);
        for (size_t r = 0; r < QUARTER_SIDE && whole; r++) __builtin_prefetch(out[q].at + r * t->ld, 1);
    }
    size_t g = 0;
    for (; g + AHEAD < t->groups; g += AHEAD, from = own) take_groups(l, job, AHEAD, g, quarters, from, own);
    if (g + AHEAD == t->groups) take_groups(l, job, AHEAD, g, quarters, from, last);
    else if (g < t->groups) take_groups(l, job, 1, g, quarters, from, last);
    else take_groups(l, job, 0, g, quarters, from, last);
    for (size_t q = 0; q < quarters && !whole; q++) copy_quarter(t, q, own[q], 1);
}
