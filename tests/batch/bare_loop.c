/* The minimum cost of a batch of JPEGs: libjpeg's decoder and encoder, reading and writing files,
 * and nothing in between. bare_loop OUT THREADS FILE..., or names from standard input. The settings
 * are those of the command: quality 90, chroma at half resolution, the accurate DCT. */
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

enum { QUALITY = 90, MOST = 1 << 20, THREADS_MOST = 256 };

static char **names;
static int count;
static atomic_int next;
static const char *folder;

static void start_decoder(struct jpeg_decompress_struct *in, FILE *from)
{
    jpeg_create_decompress(in);
    jpeg_stdio_src(in, from);
    jpeg_read_header(in, TRUE);
    in->dct_method = JDCT_ISLOW;
    jpeg_start_decompress(in);
}

static void start_encoder(struct jpeg_compress_struct *out, FILE *to,
                          const struct jpeg_decompress_struct *in)
{
    jpeg_create_compress(out);
    jpeg_stdio_dest(out, to);
    out->image_width = in->output_width;
    out->image_height = in->output_height;
    out->input_components = in->output_components;
    out->in_color_space = in->out_color_space;
    jpeg_set_defaults(out);
    jpeg_set_quality(out, QUALITY, TRUE);
    out->dct_method = JDCT_ISLOW;
    jpeg_start_compress(out, TRUE);
}

/* The whole image is decoded before it is encoded. Row by row, decoder and encoder evict each
 * other's data from the caches and take a fifth longer. */
static void recode(FILE *from, FILE *to)
{
    struct jpeg_decompress_struct in;
    struct jpeg_compress_struct out;
    struct jpeg_error_mgr errors;
    in.err = out.err = jpeg_std_error(&errors);
    start_decoder(&in, from);
    size_t stride = (size_t)in.output_width * (size_t)in.output_components;
    uint8_t *pixels = malloc(stride * in.output_height), *row = pixels;
    for (; pixels && in.output_scanline < in.output_height; row += stride)
        jpeg_read_scanlines(&in, &row, 1);
    start_encoder(&out, to, &in);
    for (row = pixels; pixels && out.next_scanline < out.image_height; row += stride)
        jpeg_write_scanlines(&out, &row, 1);
    jpeg_finish_compress(&out);
    jpeg_finish_decompress(&in);
    jpeg_destroy_compress(&out);
    jpeg_destroy_decompress(&in);
    free(pixels);
}

static void one(const char *name)
{
    char path[4096];
    const char *slash = strrchr(name, '/');
    snprintf(path, sizeof path, "%s/%s", folder, slash ? slash + 1 : name);
    FILE *from = fopen(name, "rb"), *to = fopen(path, "wb");
    if (!from || !to) {
        perror(from ? path : name);
        exit(1);
    }
    recode(from, to);
    fclose(from);
    fclose(to);
}

static void *loop(void *unused)
{
    (void)unused;
    for (int i; (i = atomic_fetch_add(&next, 1)) < count;)
        one(names[i]);
    return NULL;
}

static void read_names(void)
{
    char line[4096];
    names = malloc(MOST * sizeof *names);
    while (names && count < MOST && fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        names[count++] = strdup(line);
    }
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS_MOST];
    int wanted = argc > 2 ? atoi(argv[2]) : 0;
    if (wanted < 1 || wanted > THREADS_MOST)
        return fprintf(stderr, "bare_loop OUT THREADS [FILE...]\n"), 2;
    folder = argv[1];
    names = argv + 3;
    count = argc - 3;
#ifdef M_TRIM_THRESHOLD
    /* Otherwise the memory of every image is returned to the system and page-faulted in again. */
    mallopt(M_MMAP_THRESHOLD, 8 << 20);
    mallopt(M_TRIM_THRESHOLD, 32 << 20);
#endif
    if (count == 0)
        read_names();
    for (int i = 0; i < wanted; i++)
        if (pthread_create(&threads[i], NULL, loop, NULL) != 0)
            return perror("pthread_create"), 1;
    for (int i = 0; i < wanted; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
