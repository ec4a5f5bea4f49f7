// Temperature sensors of the HID system. The calls are private to IOKit: they are looked up at run time and may be
// missing.

#pragma once

typedef struct {
	char name[64];
	double celsius;
} assay_hid_temperature;

typedef struct assay_hid assay_hid;

// Opens a client, which takes milliseconds, and lists its sensors. On failure it returns NULL and writes why.
assay_hid *assay_hid_open(char *why, int why_size);
int assay_hid_sensors(assay_hid *h);

// Reads at most limit sensors and returns how many gave a value.
int assay_hid_read(assay_hid *h, assay_hid_temperature *out, int limit);
void assay_hid_close(assay_hid *h);
