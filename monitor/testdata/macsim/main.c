// Runs the readers on the simulated system and prints what they give, and what they left behind.

#include "sim.h"

#include "hid_darwin.h"
#include "ioregistry_darwin.h"
#include "ioreport_darwin.h"
#include "smc_darwin.h"
#include "vm_darwin.h"

#include <stdio.h>
#include <unistd.h>

static void print_report(assay_report *r) {
	assay_report_row rows[4];
	int indices[] = {0, 2, 3};
	for (int i = 0; i < assay_report_channels(r); i++) {
		assay_report_channel(r, i, &rows[0]);
		printf("channel %s|%s|%s|%s\n", rows[0].group, rows[0].subgroup, rows[0].channel, rows[0].unit);
	}
	if (!assay_report_subscribe(r, indices, 3)) {
		printf("no subscription\n");
		return;
	}
	for (int tick = 0; tick < 3; tick++) {
		uint64_t ticks = 0;
		int n = assay_report_sample(r, rows, tick == 2 ? 2 : 4, &ticks);
		printf("sample %d at %llu\n", n, (unsigned long long)ticks);
		for (int i = 0; i < n; i++)
			printf("row %s|%s=%lld element %d:%d states %d:%s=%lld,%s,%s\n", rows[i].group, rows[i].channel,
			       (long long)rows[i].value, rows[i].element_size, rows[i].element[32], rows[i].states, rows[i].state[0],
			       (long long)rows[i].residency[0], rows[i].state[1], rows[i].state[2]);
	}
}

static void report(void) {
	char why[128] = "";
	uint32_t numer, denom;
	assay_report_tick(&numer, &denom);
	printf("tick %u/%u\n", numer, denom);
	assay_report *r = assay_report_open(why, sizeof why);
	if (r == NULL) {
		printf("no report: %s\n", why);
		return;
	}
	print_report(r);
	assay_report_close(r);
}

static void registry(void) {
	assay_statistic stats[8];
	assay_voltage_table tables[4];
	int error = -1;
	int n = assay_accelerator_read(stats, 8, &error);
	printf("statistics %d, %d\n", n, error);
	for (int i = 0; i < n; i++)
		printf("statistic %d %s=%g\n", stats[i].device, stats[i].name, stats[i].value);
	printf("statistics of 1: %d\n", assay_accelerator_read(stats, 1, &error));
	assay_gpu_client clients[8];
	n = assay_gpu_clients(clients, 8, &error);
	printf("clients %d, %d\n", n, error);
	for (int i = 0; i < n; i++)
		printf("client %d %s %g\n", (int)(clients[i].id - 4294967296), i == 0 ? "own" : clients[i].creator, clients[i].nanoseconds);
	printf("clients of 1: %d\n", assay_gpu_clients(clients, 1, &error));
	n = assay_voltage_tables(tables, 4, &error);
	printf("tables %d, %d\n", n, error);
	for (int i = 0; i < n; i++)
		printf("table %s of %d, %d\n", tables[i].name, tables[i].size, tables[i].data[4]);
}

static void smc(void) {
	unsigned char request[assay_smc_message] = {0}, answer[assay_smc_message] = {0};
	int error = -1;
	uint32_t port = assay_smc_open(&error);
	if (port == 0) {
		printf("no smc, %d\n", error);
		return;
	}
	request[42] = 9;
	printf("smc call %d: %d\n", assay_smc_call(port, request, answer), answer[42]);
	assay_smc_close(port);
}

static void hid(void) {
	char why[128] = "";
	assay_hid_temperature t[4];
	assay_hid *h = assay_hid_open(why, sizeof why);
	if (h == NULL) {
		printf("no hid: %s\n", why);
		return;
	}
	int sensors = assay_hid_sensors(h);
	for (int tick = 0; tick < 2; tick++) {
		int n = assay_hid_read(h, t, 4);
		printf("hid %d of %d\n", n, sensors);
		for (int i = 0; i < n; i++)
			printf("hid %s=%g\n", t[i].name, t[i].celsius);
	}
	assay_hid_close(h);
}

static void memory(void) {
	assay_vm vm;
	assay_task task = {0, 0};
	assay_vm_read(&vm);
	printf("pages %d: %d internal %d purgeable %d wired %d compressor %d swapped %d\n", vm.pages_error,
	       vm.page_size == (uint64_t)sysconf(_SC_PAGESIZE), (int)vm.internal, (int)vm.purgeable, (int)vm.wired, (int)vm.compressor,
	       (int)vm.swapped);
	printf("memory %d: %llu, swap %d: %d of %d\n", vm.total_error, (unsigned long long)vm.total, vm.swap_error,
	       (int)vm.swap_used, (int)vm.swap_total);
	int error = assay_task_read(&task);
	printf("task %d: %d, %d\n", error, (int)task.footprint, (int)task.resident);
}

int main(int argc, char **argv) {
	if (argc > 1)
		sim_scenario = argv[1];
	report();
	printf("left %d\n", sim_live);
	registry();
	printf("left %d\n", sim_live);
	smc();
	printf("left %d\n", sim_live);
	hid();
	printf("left %d\n", sim_live);
	memory();
	printf("left %d\n", sim_live);
	return 0;
}
