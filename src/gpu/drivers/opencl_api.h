/* The subset of OpenCL 1.2 that Swathe calls, declared from its specification. */
#ifndef SWATHE_GPU_DRIVERS_OPENCL_API_H
#define SWATHE_GPU_DRIVERS_OPENCL_API_H

#include <stddef.h>
#include <stdint.h>

typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_ulong;
typedef struct opencl_platform_object *cl_platform_id;
typedef struct opencl_device_object *cl_device_id;
typedef struct opencl_context_object *cl_context;
typedef struct opencl_queue_object *cl_command_queue;
typedef struct opencl_memory_object *cl_mem;
typedef struct opencl_program_object *cl_program;
typedef struct opencl_kernel_object *cl_kernel;
typedef struct opencl_event_object *cl_event;
typedef void cl_notify(const char *, const void *, size_t, void *);
typedef void cl_built(cl_program, void *);

enum {
    CL_SUCCESS = 0,
    CL_DEVICE_NOT_FOUND = -1,
    CL_MEM_OBJECT_ALLOCATION_FAILURE = -4,
    CL_OUT_OF_RESOURCES = -5,
    CL_OUT_OF_HOST_MEMORY = -6,
    CL_INVALID_BUFFER_SIZE = -61,
    CL_PLATFORM_NOT_FOUND_KHR = -1001,
};

enum {
    CL_PLATFORM_VERSION = 0x0901,
    CL_PLATFORM_NAME = 0x0902,

    CL_DEVICE_TYPE = 0x1000,
    CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS = 0x1003,
    CL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004,
    CL_DEVICE_MAX_WORK_ITEM_SIZES = 0x1005,
    CL_DEVICE_MAX_MEM_ALLOC_SIZE = 0x1010,
    CL_DEVICE_SINGLE_FP_CONFIG = 0x101B,
    CL_DEVICE_GLOBAL_MEM_SIZE = 0x101F,
    CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE = 0x1020,
    CL_DEVICE_LOCAL_MEM_SIZE = 0x1023,
    CL_DEVICE_ENDIAN_LITTLE = 0x1026,
    CL_DEVICE_AVAILABLE = 0x1027,
    CL_DEVICE_COMPILER_AVAILABLE = 0x1028,
    CL_DEVICE_NAME = 0x102B,
    CL_DRIVER_VERSION = 0x102D,
    CL_DEVICE_VERSION = 0x102F,
    CL_DEVICE_EXTENSIONS = 0x1030,
    CL_DEVICE_DOUBLE_FP_CONFIG = 0x1032,
    CL_DEVICE_HOST_UNIFIED_MEMORY = 0x1035,
    /* extensions: the card's PCI address */
    CL_DEVICE_PCI_BUS_ID_NV = 0x4008,
    CL_DEVICE_PCI_SLOT_ID_NV = 0x4009,
    CL_DEVICE_PCI_DOMAIN_ID_NV = 0x400A,
    CL_DEVICE_TOPOLOGY_AMD = 0x4037,
    CL_DEVICE_PCI_BUS_INFO_KHR = 0x410F,

    CL_PROGRAM_BINARY_SIZES = 0x1165,
    CL_PROGRAM_BINARIES = 0x1166,
    CL_PROGRAM_BUILD_LOG = 0x1183,
    CL_KERNEL_NUM_ARGS = 0x1191,
    CL_KERNEL_WORK_GROUP_SIZE = 0x11B0,
    CL_EVENT_COMMAND_EXECUTION_STATUS = 0x11D3,
    CL_PROFILING_COMMAND_START = 0x1282,
    CL_PROFILING_COMMAND_END = 0x1283,
};

#define CL_DEVICE_TYPE_CPU                  ((cl_ulong)1 << 1)
#define CL_DEVICE_TYPE_GPU                  ((cl_ulong)1 << 2)
#define CL_DEVICE_TYPE_ALL                  ((cl_ulong)0xFFFFFFFF)

#define CL_FP_DENORM                        ((cl_ulong)1 << 0)
#define CL_FP_INF_NAN                       ((cl_ulong)1 << 1)
#define CL_FP_ROUND_TO_NEAREST              ((cl_ulong)1 << 2)
#define CL_FP_FMA                           ((cl_ulong)1 << 5)
#define CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT ((cl_ulong)1 << 7)

#define CL_MEM_READ_WRITE                   ((cl_ulong)1 << 0)
#define CL_MEM_READ_ONLY                    ((cl_ulong)1 << 2)
#define CL_MEM_ALLOC_HOST_PTR               ((cl_ulong)1 << 4)
#define CL_MEM_COPY_HOST_PTR                ((cl_ulong)1 << 5)
#define CL_QUEUE_PROFILING_ENABLE           ((cl_ulong)1 << 1)
#define CL_MAP_READ                         ((cl_ulong)1 << 0)
#define CL_MAP_WRITE                        ((cl_ulong)1 << 1)

struct opencl_api {
#define OPENCL(result, name, arguments) result(*name) arguments;
#include "gpu/drivers/opencl_api.def"
#undef OPENCL
};

#endif
