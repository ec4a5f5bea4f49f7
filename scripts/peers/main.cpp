// Measures every item with every library in alternation, A B C C B A, and prints the ratio of Assay to the best of them.
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <sched.h>
#include <thread>

#include "items.hpp"
#include "worker.hpp"

static const double sample_seconds = 4e-3;

static const std::vector<Peer> all_peers = {
    {"Assay", true, Copy::none, make_assay},
    {"Assay, separate", true, Copy::none, make_assay_separate},
    {"OpenBLAS", false, Copy::none, make_openblas},
    {"MKL", false, Copy::none, make_mkl},
    {"oneDNN", false, Copy::none, make_onednn},
    {"ggml", false, Copy::none, make_ggml},
    {"memcpy", false, Copy::none, make_memcpy},
    {"STREAM", false, Copy::none, make_stream},
    {"STREAM, streaming stores", false, Copy::none, make_stream_past},
    {"plain copy", true, Copy::plain, make_plain_copy},
    {"copy", true, Copy::past, make_copy},
};

struct Column {
    const Peer *peer;
    std::unique_ptr<Worker> worker;
    int repeat = 1;
    std::vector<double> seconds; // one per round
};

static double median(std::vector<double> x) {
    std::sort(x.begin(), x.end());
    return x.size() % 2 ? x[x.size() / 2] : (x[x.size() / 2 - 1] + x[x.size() / 2]) / 2;
}

// How many of n sorted values an interval of the median excludes on each side to cover at least 95 %: the probability that fewer
// than this many of n coins show heads is at most 2.5 %.
static size_t left_out(size_t n) {
    double chance = std::pow(0.5, (double)n), sum = chance;
    size_t out = 0;
    while (sum + (chance *= (double)(n - out) / (double)(out + 1)) <= 0.025) sum += chance, out++;
    return out;
}

// The 95 % interval of the median, by order statistics.
static void interval(std::vector<double> x, double *low, double *high) {
    std::sort(x.begin(), x.end());
    const size_t out = left_out(x.size());
    *low = x[out], *high = x[x.size() - 1 - out];
}

// The libraries that support the item, warmed up, each with its number of repetitions.
static std::vector<Column> columns_of(const Item &item, int threads, const std::string &only) {
    std::vector<Column> columns;
    const int core = sched_getcpu();
    for (const Peer &p : all_peers) {
        if (!only.empty() && !p.assay && only.find(p.name) == std::string::npos) continue;
        Column c{&p, std::make_unique<Worker>(p, item, threads, core)};
        double seconds = c.worker->sample(1);
        if (seconds < 0) continue;
        seconds = c.worker->sample(1 + (int)(sample_seconds / 4 / seconds));
        c.repeat = 1 + (int)(sample_seconds / seconds);
        columns.push_back(std::move(c));
    }
    return columns;
}

static void measure(std::vector<Column> &columns, int rounds) {
    for (int r = 0; r < rounds; r++) {
        for (size_t i = 0; i < columns.size(); i++) {
            Column &c = columns[r % 2 ? columns.size() - 1 - i : i];
            c.seconds.push_back(c.worker->sample(c.repeat));
        }
    }
    std::erase_if(columns, [](const Column &c) { return *std::min_element(c.seconds.begin(), c.seconds.end()) < 0; }); // it failed
}

static std::string ratio_text(const Column &assay, const Column &peer) {
    std::vector<double> ratios;
    for (size_t i = 0; i < assay.seconds.size(); i++) ratios.push_back(peer.seconds[i] / assay.seconds[i]);
    double low, high;
    interval(ratios, &low, &high);
    char text[64];
    snprintf(text, sizeof text, "%.2f (%.2f–%.2f)", median(ratios), low, high);
    return text;
}

static std::string goal_text(const char *before, double goal) {
    char text[32] = "";
    if (goal > 0) snprintf(text, sizeof text, "%s%.2g", before, goal);
    return text;
}

static void print_line(const Item &item, int threads, const std::vector<Column> &columns) {
    if (columns.empty() || columns[0].peer->name != "Assay") return;
    const Column &assay = columns[0];
    const Column *best = nullptr;
    std::string others, plain, past;
    for (size_t i = 1; i < columns.size(); i++) {
        const Column &c = columns[i];
        if (c.peer->copy == Copy::plain) plain = ratio_text(assay, c) + goal_text(", goal ", item.copy_goal);
        if (c.peer->copy == Copy::past) past = ratio_text(assay, c);
        if (c.peer->copy != Copy::none) continue;
        others += (others.empty() ? "" : ", ") + c.peer->name + " " + item.rate(median(c.seconds));
        if (!best || median(c.seconds) < median(best->seconds)) best = &c;
    }
    printf("| %s | %d | %s | %s | %s | %s | %s | %s |\n", item.name.c_str(), threads, item.rate(median(assay.seconds)).c_str(),
           others.empty() ? "none" : others.c_str(), best ? ratio_text(assay, *best).c_str() : "", goal_text("", item.goal).c_str(), plain.c_str(),
           past.c_str());
    fflush(stdout);
}

// Virtual machines give different processors the same name: generations differ in their family, and in their instructions.
static std::string machine() {
    char line[512], name[512] = "unknown processor", family[32] = "";
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && fgets(line, sizeof line, f)) {
        sscanf(line, "cpu family : %31[^\n]", family);
        if (sscanf(line, "model name : %511[^\n]", name) == 1) break;
    }
    if (f) fclose(f);
    return name + (*family ? std::string(" of family ") + family : "") + ", " + assay_instructions();
}

static void print_head(int all) {
    char date[32];
    const time_t t = time(nullptr);
    strftime(date, sizeof date, "%Y-%m-%d", localtime(&t));
    printf("%s, %d threads, %s.\n\n", machine().c_str(), all, date);
    printf("| work | threads | Assay | others | Assay / best of them (95 %%) | goal | of a plain copy of as many bytes | of a copy past the caches |\n|---|---|---|---|---|---|---|---|\n");
}

// peers [ROUNDS [ITEM [PEER]]]: only items, and only peers in addition to Assay, whose names contain these.
int main(int argc, char **argv) {
    signal(SIGPIPE, SIG_IGN);
    const int rounds = argc > 1 ? atoi(argv[1]) : 21, all = (int)std::thread::hardware_concurrency();
    const std::string part = argc > 2 ? argv[2] : "", only = argc > 3 ? argv[3] : "";
    print_head(all);
    for (const Item &item : all_items()) {
        if (item.name.find(part) == std::string::npos) continue;
        for (int threads : {1, all}) {
            std::vector<Column> columns = columns_of(item, threads, only);
            measure(columns, rounds);
            print_line(item, threads, columns);
            if (threads == all) break;
        }
    }
    return 0;
}
