package monitor

/*
#include "ioregistry_darwin.h"
*/
import "C"

import "unsafe"

// Limits on what is read: a GPU's driver reports about 20 numbers, a power manager has about 40 tables.
const (
	maxStatistics = 256
	maxTables     = 96
	maxClients    = 1024 // an M3 Max has some 150 in use
)

// accelerators returns a reader with its own buffer.
func accelerators() acceleratorReader {
	rows := make([]C.assay_statistic, maxStatistics)
	return func() ([]statistic, error) {
		var code C.int
		n := C.assay_accelerator_read(&rows[0], C.int(len(rows)), &code)
		if n < 0 {
			return nil, kernError("IOServiceGetMatchingServices", code)
		}
		stats := make([]statistic, n)
		for i := range stats {
			stats[i] = statistic{int(rows[i].device), C.GoString(&rows[i].name[0]), float64(rows[i].value)}
		}
		return stats, nil
	}
}

// gpuClients returns a reader with its own buffer.
func gpuClients() gpuClientReader {
	rows := make([]C.assay_gpu_client, maxClients)
	return func() ([]gpuClient, error) {
		var code C.int
		n := C.assay_gpu_clients(&rows[0], C.int(len(rows)), &code)
		if n < 0 {
			return nil, kernError("IOServiceGetMatchingServices", code)
		}
		clients := make([]gpuClient, n)
		for i := range clients {
			clients[i] = gpuClient{uint64(rows[i].id), C.GoString(&rows[i].creator[0]), float64(rows[i].nanoseconds) / 1e9}
		}
		return clients, nil
	}
}

// voltageTables reads the power manager's tables. They never change.
func voltageTables() ([]voltageTable, error) {
	rows := make([]C.assay_voltage_table, maxTables)
	var code C.int
	n := C.assay_voltage_tables(&rows[0], C.int(len(rows)), &code)
	if n < 0 {
		return nil, kernError("IOServiceGetMatchingServices", code)
	}
	tables := make([]voltageTable, n)
	for i := range tables {
		data := C.GoBytes(unsafe.Pointer(&rows[i].data[0]), rows[i].size)
		tables[i] = voltageTable{C.GoString(&rows[i].name[0]), data}
	}
	return tables, nil
}
