#include "libproc_darwin.h"

#include <errno.h>
#include <libproc.h>
#include <mach/mach_time.h>
#include <stdlib.h>
#include <string.h>
#include <sys/proc.h>
#include <sys/proc_info.h>
#include <sys/resource.h>

int assay_processes(int *pids, int room) {
	return proc_listallpids(pids, room * (int)sizeof(int));
}

// nanoseconds converts task times, which are in ticks of mach_absolute_time.
static uint64_t nanoseconds(uint64_t ticks) {
	mach_timebase_info_data_t base;
	if (mach_timebase_info(&base) != 0 || base.denom == 0) {
		return 0;
	}
	return (uint64_t)((double)ticks * base.numer / base.denom);
}

int assay_process_read(int pid, assay_process *out) {
	struct proc_bsdinfo info;
	memset(out, 0, sizeof *out);
	errno = 0;
	if (proc_pidinfo(pid, PROC_PIDTBSDINFO, 0, &info, sizeof info) != (int)sizeof info) {
		return errno ? errno : ESRCH;
	}
	out->pid = pid;
	out->parent = (int)info.pbi_ppid;
	out->group = (int)info.pbi_pgid;
	out->user = info.pbi_uid;
	out->ended = info.pbi_status == SZOMB;
	out->start = info.pbi_start_tvsec * 1000000 + info.pbi_start_tvusec;
	strlcpy(out->name, info.pbi_name[0] ? info.pbi_name : info.pbi_comm, sizeof out->name);
	struct proc_taskinfo task;
	if (proc_pidinfo(pid, PROC_PIDTASKINFO, 0, &task, sizeof task) == (int)sizeof task) { // not of other users' processes
		out->threads = task.pti_threadnum;
		out->nanoseconds = nanoseconds(task.pti_total_user + task.pti_total_system);
	}
	return 0;
}

int assay_memory_read(int pid, assay_memory *out) {
	struct rusage_info_v2 usage;
	errno = 0;
	if (proc_pid_rusage(pid, RUSAGE_INFO_V2, (rusage_info_t *)&usage) != 0) {
		return errno ? errno : ESRCH;
	}
	out->footprint = usage.ri_phys_footprint;
	out->resident = usage.ri_resident_size;
	return 0;
}

int assay_handles(int pid) {
	int size = proc_pidinfo(pid, PROC_PIDLISTFDS, 0, NULL, 0); // an upper bound: the table's size
	if (size <= 0) {
		return -1;
	}
	struct proc_fdinfo *list = malloc((size_t)size);
	if (list == NULL) {
		return -1;
	}
	int used = proc_pidinfo(pid, PROC_PIDLISTFDS, 0, list, size);
	free(list);
	return used < 0 ? -1 : used / (int)sizeof(struct proc_fdinfo);
}
