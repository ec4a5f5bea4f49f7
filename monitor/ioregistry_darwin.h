// What drivers report in the I/O registry.

#pragma once

#include <stdint.h>

typedef struct {
	int device;
	char name[64];
	double value;
} assay_statistic;

// Lists the numbers in the PerformanceStatistics of all GPUs, at most limit. Returns how many, or -1 and a kern_return_t.
int assay_accelerator_read(assay_statistic *out, int limit, int *error);

typedef struct {
	uint64_t id;
	char creator[64];   // "pid 533, WindowServer"
	double nanoseconds; // GPU time so far
} assay_gpu_client;

// Lists programs' connections to all GPUs whose drivers count their time, at most limit. Returns how many, or -1 and a kern_return_t.
int assay_gpu_clients(assay_gpu_client *out, int limit, int *error);

typedef struct {
	char name[64];
	uint8_t data[1024];
	int size;
} assay_voltage_table;

// Lists the power manager's tables of clocks and voltages, at most limit. Returns how many, or -1 and a kern_return_t.
int assay_voltage_tables(assay_voltage_table *out, int limit, int *error);
