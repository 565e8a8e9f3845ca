# The jobs of .ci/run, which sources this file: what they need, and a function job_NAME for each.
# shellcheck shell=bash disable=SC2016

readonly PACKAGES=(git gcc g++ clang libclang-rt-14-dev clang-format-14 meson ninja-build pkg-config python3 python3-dev python3-venv
    libpng-dev libisal-dev libjpeg-dev libtiff-dev libwebp-dev liblcms2-dev zlib1g-dev libjansson-dev
    graphicsmagick imagemagick pngcheck patch abigail-tools
    gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user
    libcurl4-openssl-dev libssl-dev libnats-dev nats-server iproute2 gdb shellcheck systemd
    cmake dpkg-dev mmdebstrap locales man-db zsh fish valgrind hipcc pocl-opencl-icd ocl-icd-libopencl1
    chromium ffmpeg gdal-bin libvips-tools gcc-mingw-w64-x86-64-posix wine64 file
    gcc-arm-linux-gnueabihf libc6-dev-armhf-cross)

# Suites with a job of their own, those of the job `faults`, and an option that leaves out long tests. Each
# test of the build by gcc belongs to one job.
readonly OWN_JOBS=(gpu bench store fleet)
readonly FAULTS=(corpus batch faults hostile planted once)
SHORT=(--no-suite=long)
[ -z "$FULL" ] || SHORT=()

make_packages() {
    step "packages" install_packages
}

install_packages() {
    local missing=() package
    for package in "${PACKAGES[@]}"; do
        dpkg-query -W -f '${Status}' "$package" 2> /dev/null | grep -q 'ok installed' ||
            missing+=("$package")
    done
    if [ ${#missing[@]} -gt 0 ]; then
        apt-get -q update
        DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends "${missing[@]}"
    fi
    echo "${#missing[@]} of ${#PACKAGES[@]} packages were missing"
}

make_venv() {
    step "python" install_venv
}

install_venv() {
    [ -x "$OUT/venv/bin/pip" ] || python3 -m venv "$OUT/venv"
    "$OUT/venv/bin/pip" install --quiet --disable-pip-version-check \
        -r tests/requirements.txt -r tools/site_requirements.txt
    "$OUT/venv/bin/python3" --version
}

# ---- Builds and tests -----------------------------------------------------------------------------

# configure NAME [OPTION...]: a build with warnings as errors. An earlier one with the same options is
# kept.
configure() {
    local folder=$OUT/$1 options="${CC:-gcc} ${*:2}"
    [ "$(cat "$folder/options" 2> /dev/null)" != "$options" ] || return 0
    rm -rf "$folder"
    meson setup "$folder" -Dtests=true -Dwerror=true "${@:2}"
    echo "$options" > "$folder/options"
}

build() {
    configure "$@"
    ninja -C "$OUT/$1"
    echo "built without warnings"
}

# build_for NAME TEST...: builds what these tests need, and runs `true` instead of each. Status 125
# means that the build failed.
build_for() {
    local test known
    known=$(meson test -C "$OUT/$1" --list | sed 's,.* / ,,')
    for test in "${@:2}"; do
        [[ $test == --* ]] || grep -qxF "$test" <<< "$known" || { echo "FAILED: no test is called $test"; return 1; }
    done
    meson test -C "$OUT/$1" --wrapper true --logbase built "${@:2}" || [ $? -ne 125 ]
}

# run_tests NAME LOG [OPTION...]: runs tests of a build and lists skipped ones.
run_tests() {
    local folder=$OUT/$1 text=$OUT/$1/meson-logs/$2.txt status=0
    meson test -C "$folder" --no-rebuild --print-errorlogs --logbase "$2" "${@:3}" || status=$?
    grep -a '^skipped: ' "$text" || true
    echo "$(grep -ac '^result: *exit status 0' "$text" || true) tests passed"
    return $status
}

# in_pairs COMMAND...: runs shell commands, two at a time, and prints the output of each as a whole.
# They may call the functions of this file.
in_pairs() {
    # shellcheck disable=SC2046 # names of functions have no spaces
    export -f $(compgen -A function)
    printf '%s\0' "$@" | xargs -0 -n 1 -P 2 bash -c 'print_whole "$1"' in_pairs
}

print_whole() {
    local output status=0 start=$SECONDS
    output=$(bash -ec "$1" 2>&1) || status=$?
    printf '%s\n' "$output" "$((SECONDS - start)) s: $1"
    [ $status -eq 0 ] || echo "FAILED with status $status: $1"
    return $status
}

# random_runs COUNT SEED COMMAND: random problems in two processes, each with its own seed.
random_runs() {
    in_pairs "$3 $(($1 / 2)) $2" "$3 $(($1 / 2)) $(($2 + 1))"
    echo "$1 random problems passed"
}

# The thread sanitizers of these compilers fail if the kernel randomizes addresses too widely.
fixed_addresses() {
    if setarch "$(uname -m)" -R true 2> /dev/null; then
        setarch "$(uname -m)" -R "$@"
    else
        "$@"
    fi
}

# ---- The source ------------------------------------------------------------------------------------

job_static() {
    local name
    for name in format includes sizes words names header commits version unused; do
        step "static: $name" python3 "tools/check_$name.py"
    done
    step "static: binary interface" python3 tools/abi.py
    step "static: checks of the checks" python3 tests/planted/planted_checks.py tools
}

make_tarball() {
    rm -rf "$OUT/dist"
    step "package: tarball" tests/package/tarball_check.sh "$OUT/dist"
}

job_package() {
    step "package: checks of releases" python3 tests/package/release_planted.py
}

# ---- The build by gcc -------------------------------------------------------------------------------

make_gcc() {
    step "gcc: build" build gcc -Dprefix="$OUT/prefix" -Dpython=enabled
}

# The library, files, the command, videos and documents: what depends on the compiler.
job_core() {
    step "core: tests" run_tests gcc core "${OWN_JOBS[@]/#/--no-suite=}" "${FAULTS[@]/#/--no-suite=}" "${SHORT[@]}"
}

# Damaged files, failing calls, kills, planted bugs, and what takes long.
job_faults() {
    step "faults: tests" run_tests gcc faults "${FAULTS[@]/#/--suite=}" "${OWN_JOBS[@]/#/--no-suite=}" "${SHORT[@]}"
}

job_fleet() {
    step "fleet: tests of stores and fleets" run_tests gcc fleet --suite store --suite fleet "${SHORT[@]}"
}

# Other systems: static programs for Linux, Windows under wine, and macOS, which is never run.
job_systems() {
    local name
    [ -z "$FULL" ] || export CHECK_ALL=1
    for name in musl wine macos; do
        step "systems: $name" tests/portable/portable_check.sh "$name" "$OUT/systems" "$OUT/gcc/cli/swathe"
    done
    [ -z "$FULL" ] || step "systems: archives twice" tests/portable/archive_twice.sh linux-x86_64
}

job_numbers() {
    local problems=10000
    [ -z "$FULL" ] || problems=150000
    step "numbers: independent arithmetic" check_independent
    step "numbers: random problems" random_runs $problems 51 "'$OUT/gcc/tests/core/random'"
}

check_independent() {
    local name commands=("python3 tests/independent/docs_check.py '$OUT/gcc'")
    for name in independent neighbours values light banks weights arithmetics astropy_nodata; do
        commands+=("python3 tests/independent/$name.py '$OUT/gcc'"
            "python3 tests/independent/$name.py '$OUT/gcc' --self-test")
    done
    for name in magick_alpha magick_light; do
        commands+=("python3 tests/independent/$name.py '$OUT/gcc/cli/swathe'"
            "python3 tests/independent/$name.py '$OUT/gcc/cli/swathe' --self-test")
    done
    in_pairs "${commands[@]}"
    echo "${#commands[@]} checks passed"
}

job_large() {
    [ -n "$FULL" ] || echo "skipped: images of 10 and 2 gigapixels (takes minutes; FULL=1)"
    step "large images" tests/large/run "$OUT/gcc" ${FULL:+full}
}

# The whole suite, several times in a row, while both cores are busy with something else.
job_load() {
    step "load: five runs" check_again
}

check_again() {
    local status=0 load=()
    for _ in 1 2; do
        while :; do :; done &
        load+=($!)
    done
    meson test -C "$OUT/gcc" --no-rebuild --print-errorlogs --repeat 5 -t 5 --no-suite long || status=$?
    kill "${load[@]}"
    return $status
}

# ---- What is installed ----------------------------------------------------------------------------

make_prefix() {
    need gcc
    step "gcc: install" meson install -C "$OUT/gcc" --quiet --no-rebuild
}

job_installed() {
    step "installed: C, C++, pkg-config" check_install
    step "installed: Python package" check_python
}

check_install() {
    rm -rf "$OUT/installed"
    python3 tools/check_symbols.py "$(find "$OUT/prefix" -name 'libswathe.so')"
    sh tests/install/installed.sh "$OUT/prefix" "$OUT/installed"
}

# use_python PREFIX: the Python package as it was installed there; its directory is then $package.
use_python() {
    package=$(find "$1" -type d -path '*-packages/swathe')
    export PYTHONPATH=${package%/swathe} PYTHONDONTWRITEBYTECODE=1
}

check_python() {
    local package self_tests=()
    [ -z "$FULL" ] || self_tests=("python3 -W ignore tests/python/dask_check.py --self-test")
    use_python "$OUT/prefix"
    mypy --config-file python/mypy.ini "$package"
    in_pairs "python3 -m pytest -q -p no:cacheprovider tests/python" \
        "python3 -m pytest -q -p no:cacheprovider --doctest-modules '$package'" \
        "python3 tests/python/docs_run.py" \
        "python3 tests/python/ndimage_scipy_tests.py" \
        "python3 -W ignore tests/python/ndimage_random.py 10000 1" \
        "python3 -W ignore tests/python/ndimage_random.py --self-test" \
        "python3 tests/python/ndimage_edges.py" \
        "python3 -W ignore tests/python/dask_check.py" \
        "python3 tests/python/recipes_check.py" \
        "python3 tests/python/s3_check.py" \
        "python3 tests/python/coming_from_check.py" "${self_tests[@]}"
    echo "the package passed"
}

job_site() {
    step "site: build, browser, pages" tests/docs/site_check.sh "$OUT/prefix" "$OUT/site" "$OUT/gcc"
}

# Whether everything is measured and drawn; published figures are measured elsewhere.
job_bench() {
    step "bench: tests, instruction counts" check_bench_tests
    step "bench: quick suite" check_quick_suite
    step "bench: peers" check_peers
}

# The guard finds slow-downs that are smaller than the noise of timings.
check_bench_tests() {
    in_pairs "run_tests gcc bench --suite bench ${SHORT[*]}" \
        "python3 tools/instruction_guard.py '$OUT/gcc/bench/instructions' --self-test"
}

# Draws plots and ends in time: it has 40 s, and some to check and draw on a slow machine.
check_quick_suite() {
    local start=$SECONDS
    "$OUT/gcc/cli/swathe" bench --suite quick --output "$OUT/quick" --overwrite
    [ $((SECONDS - start)) -le 150 ] || { echo "took $((SECONDS - start)) s, the limit is 150"; return 1; }
    ls "$OUT/quick/report.html" "$OUT/quick/quick-masks-time.svg" "$OUT/quick/quick-chain-chain.png"
    echo "the quick suite took $((SECONDS - start)) s"
}

# Peers are measured and wrong results detected.
check_peers() {
    local status=0
    export SWATHE_PREFIX=$OUT/prefix
    bench/peers/peers.py --only u8x3-100x100-dense-11x11 --threads 1 --seconds 0.05 || status=$?
    [ $status -ne 3 ] || skip "the peers (their packages are not available; is PyPI reachable?)"
    [ $status -eq 0 ] || return $status
    bench/peers/peers.py --self-test
    status=0 # 1: a cliff, which a busy machine shows as well
    bench/peers/peers.py --sweep --only u8x3-1000x1000-gaussian --seconds 0.001 || status=$?
    [ $status -le 1 ] || return $status
    bench/files/files.py "$OUT/gcc/cli/swathe" --width 600 --height 400 --rounds 1
    echo "peers were measured, and wrong results detected"
}

# ---- Devices --------------------------------------------------------------------------------------

job_gpu() {
    step "gpu: tests" run_tests gcc gpu --suite gpu "${SHORT[@]}"
    step "gpu: figures, stand-ins" in_pairs check_figures check_standins
    step "gpu: random problems on PoCL" check_opencl
}

# Resources of GPU kernels, counted in machine code for GPUs that are not installed.
check_figures() {
    local some=(--arch sm_86 --arch gfx1030)
    [ -z "$FULL" ] || some=()
    python3 tools/gpu_figures.py "$OUT/gcc/tests/figures/stage_list" "${some[@]}"
}

# Runs random problems through the CUDA and HIP back ends, on stand-ins for their drivers.
check_standins() {
    local device
    export XDG_CACHE_HOME=$OUT/cache LD_LIBRARY_PATH=$OUT/gcc/tests/gpu/standin
    for device in cuda:0 hip:0; do
        "$OUT/gcc/cli/swathe" devices --check --problems 400 --device "$device"
    done
}

# Runs the same problems on the CPU and through OpenCL on the CPU. Compiling hundreds of programs
# takes most of the time.
check_opencl() {
    local each=60 check="'$OUT/gcc/cli/swathe' devices --check --device opencl:0"
    [ -z "$FULL" ] || each=10000
    export XDG_CACHE_HOME=$OUT/cache
    in_pairs "$check --problems $each --seed 1" "$check --problems $each --seed 2"
    echo "$((2 * each)) random problems passed"
}

# ---- Sanitizers -----------------------------------------------------------------------------------

# By the other compiler. With full optimization, vectors made of loops and debugging information,
# sanitized kernels take minutes to compile.
job_asan() {
    step "asan: build" build_asan
    step "asan: tests" check_asan
}

# Not what takes too long here or judges tests. Of stores, fleets and devices, which wait for servers and
# compilers, tests that reach much of our code.
readonly ASAN_SUITES=(--no-suite={gpu,plots,planted,bench,fleet,store,once,long})
ASAN_TESTS=(
    'store '{signatures,files,'killed writers','files named','files copied',s3,faults,'hostile servers',command}
    'fleet '{'hostile jobs',commands,manifests,'queue trouble','audit verdicts','worker inside'}
    'fleet '{'queue contract','late jobs',messages,tally,machine}
    'device contract '{cuda,hip} 'device faults '{cuda,hip} 'faults of runs '{cuda,hip} 'program cache cuda'
    'broken drivers' 'stage refusals' baseline)
[ -z "$FULL" ] || ASAN_TESTS+=('fleet '{worker,mosaic,audit})
readonly ASAN_POCL=({'device contract','device faults','program cache','run times','strategy flow',transfers}' opencl'
    'device runs')

build_asan() {
    CC=clang configure asan -Dbuildtype=debugoptimized -Db_sanitize=address,undefined -Db_lundef=false \
        -Dprefix="$OUT/asan-prefix" -Dpython=enabled -Dc_args='-O1 -g1 -fno-sanitize-recover=all -fno-vectorize -fno-slp-vectorize'
    build_for asan "${ASAN_SUITES[@]}"
    build_for asan "${ASAN_TESTS[@]}" "${ASAN_POCL[@]}"
    ninja -C "$OUT/asan" python-package tests/io_formats/tiff_parallel tests/io/io_png_parts
    meson install -C "$OUT/asan" --no-rebuild --quiet --tags python-runtime
    echo "built without warnings"
}

# Servers make some wait most of the time, so that they run at once.
check_asan() {
    export LSAN_OPTIONS=suppressions=$PWD/tests/fleet/libnats.supp:print_suppressions=0
    in_pairs "run_tests asan core -t 5 ${ASAN_SUITES[*]}" "run_tests asan some -t 5 ${ASAN_TESTS[*]@Q}" \
        "ASAN_OPTIONS=detect_leaks=0 run_tests asan pocl -t 5 ${ASAN_POCL[*]@Q}" check_python_asan \
        "'$OUT/asan/tests/io_formats/tiff_parallel' --quick" "'$OUT/asan/tests/io/io_png_parts' --quick"
    echo "the tests passed"
}

# The interpreter, which has leaks of its own, loads the runtime, and leaves out its own allocator. Reports
# go past pytest's capture.
check_python_asan() {
    local package
    use_python "$OUT/asan-prefix"
    LD_PRELOAD=$(clang -print-file-name=libclang_rt.asan-x86_64.so) ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc \
        python3 -m pytest -q -p no:cacheprovider --capture=sys tests/python/test_{arrays,chains,files,misuse}.py
}

job_tsan() {
    step "tsan: build" build_tsan
    step "tsan: threads" check_tsan
}

build_tsan() {
    configure tsan -Dbuildtype=debugoptimized -Db_sanitize=thread -Db_lundef=false -Dcli=false \
        -Dexamples=false -Dc_args=-g1
    ninja -C "$OUT/tsan" tests/core/{random,concurrent,two_steps} tests/io/io_png_parts \
        tests/io_formats/{tiff_parallel,jpeg_segments}
    echo "built without warnings"
}

check_tsan() {
    local run="fixed_addresses '$OUT/tsan/tests"
    in_pairs "$run/io_formats/tiff_parallel' --quick" "$run/core/concurrent'" \
        "$run/core/two_steps'" "$run/io/io_png_parts' --quick" "$run/io_formats/jpeg_segments'"
    random_runs 200 11 "$run/core/random'"
}

# ---- Other machines, under an emulator ---------------------------------------------------------------

job_aarch64() {
    emulate aarch64 200 31 'planted kernel neon' 'planted multirow neon'
}

job_s390x() {
    emulate s390x 120 41 'planted kernel scalar' 'planted multirow scalar'
}

job_arm() {
    emulate arm 400 45 'planted kernel scalar' 'planted multirow scalar'
}

# emulate NAME COUNT SEED PLANTED...: tests, which find the bugs planted in the machine's own kernels and
# in plain C.
emulate() {
    local name=$1 tests=(--no-suite=cli io_round_trip io_pnm_kinds io_messages kernels
        multirow sums borders properties concurrent faults float_modes hostile huge
        'y4m lines' 'planted border' "${@:4}")
    step "$name: build" build_cross "$name" "${tests[@]}"
    step "$name: tests in qemu" check_cross "$name" "$2" "$3" "${tests[@]}"
}

# Optimizes less, because gcc 12 for Arm crashes at -O3 in a test.
build_cross() {
    configure "$1" --cross-file "cross/$1.ini" -Dauto_features=disabled -Doptimization=2
    build_for "$@"
    ninja -C "$OUT/$1" tests/core/{recorded,random}
    echo "built without warnings"
}

# check_cross NAME COUNT SEED TEST...
check_cross() {
    local problems=$OUT/$1/some.problems qemu="qemu-$1 -L /usr/$1-linux-gnu"
    [ "$1" != arm ] || qemu+=eabihf
    awk 'NR % 8 == 1' tests/core/contract3.problems > "$problems"
    run_tests "$1" tests -t 5 "${@:4}"
    $qemu "$OUT/$1/tests/core/recorded" "$problems" "$(wc -l < "$problems")"
    random_runs "$2" "$3" "$qemu '$OUT/$1/tests/core/random'"
}

# ---- Before a release -----------------------------------------------------------------------------

job_release() {
    step "release: Debian 12, licences" check_packages
    step "release: wheel" check_wheel
}

# From the tarball to packages that a new Debian system installs and uses.
check_packages() {
    env TWICE=1 PACKAGES="$OUT/dist/packages" tests/package/debian_check.sh \
        "$OUT/dist/swathe-$(cat VERSION).tar.xz" "$OUT/debian-cache"
    python3 tests/package/sbom_check.py "$OUT/dist"
}

# Builds the wheel and uses it in new environments.
check_wheel() {
    rm -rf "$OUT/wheel"
    tools/wheel "$OUT/wheel"
    tests/python/wheel_check.sh "$OUT"/wheel/swathe-*.whl "$OUT/wheel-cache"
}

job_additions() {
    step "additions of docs/adding.md" python3 tests/adding/adding.py .
}

job_clang() {
    CC=clang step "clang: build" build clang
    step "clang: tests" run_tests clang core --no-suite cli --no-suite video \
        "${OWN_JOBS[@]/#/--no-suite=}" "${FAULTS[@]/#/--no-suite=}"
}

job_bare() {
    step "no codecs: build" build bare -Dauto_features=disabled -Doptimization=1
    step "no codecs: tests" run_tests bare core --suite={cli,io,docs,batch} --no-suite once
}
