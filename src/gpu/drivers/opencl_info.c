#include "gpu/drivers/device.h"
#include "gpu/drivers/opencl.h"

#include <stdio.h>
#include <string.h>

/* Queries a number; 0 if the driver does not report it. */
static cl_ulong opencl_info_number(const struct opencl_api *api, cl_device_id id, cl_uint what,
                                   size_t size)
{
    cl_ulong wide = 0;
    cl_uint narrow = 0;
    if (size == sizeof narrow)
        return api->clGetDeviceInfo(id, what, size, &narrow, NULL) == CL_SUCCESS ? narrow : 0;
    return api->clGetDeviceInfo(id, what, size, &wide, NULL) == CL_SUCCESS ? wide : 0;
}

static cl_ulong opencl_info_wide(const struct opencl_api *api, cl_device_id id, cl_uint what)
{
    return opencl_info_number(api, id, what, sizeof(cl_ulong));
}

static cl_uint opencl_info_flag(const struct opencl_api *api, cl_device_id id, cl_uint what)
{
    return (cl_uint)opencl_info_number(api, id, what, sizeof(cl_uint));
}

static int64_t opencl_info_bytes(const struct opencl_api *api, cl_device_id id, cl_uint what)
{
    cl_ulong got = opencl_info_wide(api, id, what);
    return got > INT64_MAX ? INT64_MAX : (int64_t)got;
}

/* Queries a text, which is truncated if it does not fit. */
static void opencl_info_text(const struct opencl_api *api, cl_device_id id, cl_uint what, char *to,
                             size_t size)
{
    char whole[16384] = "";
    if (api->clGetDeviceInfo(id, what, sizeof whole - 1, whole, NULL) != CL_SUCCESS)
        whole[0] = '\0';
    snprintf(to, size, "%s", whole);
}

static bool opencl_info_has_extension(const struct opencl_api *api, cl_device_id id,
                                      const char *name)
{
    char all[16384];
    opencl_info_text(api, id, CL_DEVICE_EXTENSIONS, all, sizeof all);
    return strstr(all, name) != NULL;
}

const char *opencl_unfit(const struct opencl_api *api, cl_device_id id)
{
    char version[GPU_NAME];
    int major = 0, minor = 0;
    opencl_info_text(api, id, CL_DEVICE_VERSION, version, sizeof version);
    if (sscanf(version, "OpenCL %d.%d", &major, &minor) != 2 || major * 10 + minor < 12)
        return "is older than OpenCL 1.2";
    if (!opencl_info_flag(api, id, CL_DEVICE_AVAILABLE))
        return "is not available";
    if (!opencl_info_flag(api, id, CL_DEVICE_COMPILER_AVAILABLE))
        return "has no compiler";
    cl_uint one = 1;
    if (opencl_info_flag(api, id, CL_DEVICE_ENDIAN_LITTLE) != *(const unsigned char *)&one)
        return "has another byte order";
    return NULL;
}

bool opencl_rounds(const struct opencl_api *api, cl_device_id id)
{
    return opencl_info_wide(api, id, CL_DEVICE_SINGLE_FP_CONFIG) &
           CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
}

/* Queries the PCI address of a card, for which three vendors have three ways. */
static void opencl_info_locate(const struct opencl_api *api, cl_device_id id, char *to, size_t size)
{
    cl_uint khr[4] = {0};
    struct {
        cl_uint type;
        unsigned char unused[17], bus, device, function;
    } amd = {0};
    if (api->clGetDeviceInfo(id, CL_DEVICE_PCI_BUS_INFO_KHR, sizeof khr, khr, NULL) == CL_SUCCESS) {
        snprintf(to, size, "%04x:%02x:%02x.%x", khr[0], khr[1], khr[2], khr[3]);
    } else if (opencl_info_has_extension(api, id, "cl_nv_device_attribute_query")) {
        cl_uint slot =
            opencl_info_flag(api, id, CL_DEVICE_PCI_SLOT_ID_NV); /* device and function */
        snprintf(to, size, "%04x:%02x:%02x.%x",
                 opencl_info_flag(api, id, CL_DEVICE_PCI_DOMAIN_ID_NV),
                 opencl_info_flag(api, id, CL_DEVICE_PCI_BUS_ID_NV), slot >> 3, slot & 7);
    } else if (api->clGetDeviceInfo(id, CL_DEVICE_TOPOLOGY_AMD, sizeof amd, &amd, NULL) ==
                   CL_SUCCESS &&
               amd.type == 1) {
        snprintf(to, size, "0000:%02x:%02x.%x", amd.bus, amd.device, amd.function);
    }
}

/* OpenCL defines that devices with doubles have all of these; those without report 0. */
static bool has_doubles(const struct opencl_api *api, cl_device_id id)
{
    cl_ulong needed = CL_FP_FMA | CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST;
    return (opencl_info_wide(api, id, CL_DEVICE_DOUBLE_FP_CONFIG) & needed) == needed;
}

static void opencl_info_measure(const struct opencl_api *api, cl_device_id id,
                                struct gpu_limits *limits)
{
    size_t sides[16] = {0}, group = 0;
    cl_ulong floats = opencl_info_wide(api, id, CL_DEVICE_SINGLE_FP_CONFIG);
    api->clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group, NULL);
    api->clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sides, sides, NULL);
    limits->memory = opencl_info_bytes(api, id, CL_DEVICE_GLOBAL_MEM_SIZE);
    limits->largest = opencl_info_bytes(api, id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    limits->local = opencl_info_bytes(api, id, CL_DEVICE_LOCAL_MEM_SIZE);
    limits->constant = opencl_info_bytes(api, id, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE);
    limits->group = (int32_t)(group > INT32_MAX ? INT32_MAX : group);
    for (int k = 0; k < 3; k++) {
        limits->group_side[k] = (int32_t)(sides[k] > INT32_MAX ? INT32_MAX : sides[k]);
        /* OpenCL defines no limit; the hardware below it may have the limits of CUDA. */
        limits->grid[k] = k == 0 ? INT32_MAX : 65535;
    }
    limits->fma = floats & CL_FP_FMA;
    limits->denormals = floats & CL_FP_DENORM;
    limits->doubles = has_doubles(api, id);
    limits->shares_memory = opencl_info_flag(api, id, CL_DEVICE_HOST_UNIFIED_MEMORY);
    limits->dot4 = opencl_info_has_extension(api, id, "cl_khr_integer_dot_product");
}

void opencl_describe(const struct opencl *opencl, int32_t index, struct gpu_info *info)
{
    const struct opencl_api *api = &opencl->api;
    cl_device_id id = opencl->found[index].id;
    char version[40], device[48], platform[256] = "";
    memset(info, 0, sizeof *info);
    info->back_end = gpu_name_opencl;
    info->index = index;
    /* A simulator may set all type bits. */
    info->is_gpu = (opencl_info_wide(api, id, CL_DEVICE_TYPE) &
                    (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_CPU)) == CL_DEVICE_TYPE_GPU;
    opencl_info_text(api, id, CL_DEVICE_NAME, info->name, sizeof info->name);
    opencl_info_text(api, id, CL_DRIVER_VERSION, version, sizeof version);
    opencl_info_text(api, id, CL_DEVICE_VERSION, device, sizeof device);
    api->clGetPlatformInfo(opencl->found[index].platform, CL_PLATFORM_NAME, sizeof platform - 1,
                           platform, NULL);
    snprintf(info->driver, sizeof info->driver, "%.32s %s, %s", platform, version, device);
    opencl_info_locate(api, id, info->location, sizeof info->location);
    opencl_info_measure(api, id, &info->limits);
}
