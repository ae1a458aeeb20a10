/* SPDX-License-Identifier: Apache-2.0 */
/* machine.h - what the machine lets this process use. */
#ifndef LETHE_CORE_MACHINE_H
#define LETHE_CORE_MACHINE_H
#include "core/base.h"

/* Processors this process may run on; at least 1. */
unsigned lethe_machine_threads(void);

/* Bytes of memory this process may use: the least of the machine's, its control group's limit
 * (versions 1 and 2) and its resource limits. */
uint64_t lethe_machine_memory(void);

/* The limit of the control group that the file `self` (/proc/self/cgroup) names, and of those above
 * it, below the folder `root` (/sys/fs/cgroup).  UINT64_MAX: none. */
uint64_t lethe_cgroup_memory(const char *self, const char *root);

#endif
