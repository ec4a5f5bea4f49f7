// IOReport, the statistics of macOS's drivers. Its library is private: it is opened at run time and may be missing.

#pragma once

#include <stdint.h>

enum { assay_report_states = 32, assay_report_element = 64 };

// One channel: always its names, and in a sample also its values. Strings that would not fit are empty.
typedef struct {
	char group[64], subgroup[64], channel[64], unit[16];
	int64_t value;
	uint8_t element[assay_report_element]; // the driver's record of a simple channel
	int element_size;                      // 0 if there is none
	int states;                            // 0 for a channel without states
	char state[assay_report_states][16];
	int64_t residency[assay_report_states];
} assay_report_row;

typedef struct assay_report assay_report;

// Opens the library and lists the channels of energy and of the GPU's states. On failure it returns NULL and writes why.
assay_report *assay_report_open(char *why, int why_size);
int assay_report_channels(assay_report *r);
void assay_report_channel(assay_report *r, int index, assay_report_row *out);

// Subscribes to some of the channels, once. Returns 0 on failure.
int assay_report_subscribe(assay_report *r, const int *indices, int count);

// Reads at most limit channels, and the time: in ticks of tick_numer ÷ tick_denom ns. Returns how many, or -1.
int assay_report_sample(assay_report *r, assay_report_row *out, int limit, uint64_t *ticks);
void assay_report_tick(uint32_t *numer, uint32_t *denom);

void assay_report_close(assay_report *r);
