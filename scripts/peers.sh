#!/bin/sh
# Compares the C kernels of the CPU engine with OpenBLAS and oneDNN, which apt installs, and ggml, if GGML names a folder with its
# source, and prints the table for this kind of machine in docs/performance.md, which it rewrites if everything is measured:
# peers.sh [ROUNDS [ITEM [PEER]]]. With ISA=avx2 or ISA=avx512 none of them uses the instructions of newer processors.
set -eu
cd "$(dirname "$0")/.."
sh scripts/deps.sh peers
out=${TMPDIR:-/tmp}/assay-peers-$(id -u)
mkdir -p "$out"

case ${ISA:-} in
'') ggml_set=-DGGML_NATIVE=ON ;;
avx2) blas_set=Haswell onednn_set=AVX2 ggml_set="-DGGML_NATIVE=OFF -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON -DGGML_BMI2=ON" ;;
avx512) blas_set=SkylakeX onednn_set=AVX512_CORE ggml_set="-DGGML_NATIVE=OFF -DGGML_AVX512=ON -DGGML_FMA=ON -DGGML_F16C=ON -DGGML_BMI2=ON" ;;
*) echo "ISA=$ISA: peers can be limited to avx2 and avx512" >&2; exit 2 ;;
esac

ggml=
if [ -n "${GGML:-}" ]; then
    built=$out/ggml${ISA:+-$ISA}
    # shellcheck disable=SC2086
    cmake -S "$GGML" -B "$built" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DGGML_OPENMP=OFF $ggml_set \
        -DCMAKE_CXX_FLAGS="-include $PWD/scripts/peers/loadconfig.h" >/dev/null
    cmake --build "$built" --target ggml-cpu -j >/dev/null
    ggml="-DPEERS_GGML -I $GGML/include -L $built/src -lggml-cpu -lggml-base"
fi

flags="-O3 -I gpu/cpu -I shaders/include"
objects=
jobs=
rm -f "$out"/*.o # of an earlier run
case $(uname -m) in x86_64) other=arm64 ;; *) other=amd64 ;; esac
for f in $(ls gpu/cpu/*.c scripts/peers/*.c | grep -v "_$other.c"); do
    o=$out/$(basename "$f" .c).o
    cc $flags -std=c11 -D_GNU_SOURCE -c "$f" -o "$o" &
    jobs="$jobs $!"
    objects="$objects $o"
done
for job in $jobs; do wait "$job"; done # which fails if the compiler did
c++ $flags -march=native -std=c++20 -Wall -fopenmp -c scripts/peers/copies.cpp -o "$out/copies.o" # as STREAM is built for its machine
c++ $flags -std=c++20 -I /usr/include/"$(uname -m)"-linux-gnu/openblas-pthread -Wall $(ls scripts/peers/*.cpp | grep -v copies) "$out/copies.o" $objects \
    -o "$out/peers" $ggml -fopenmp -ldnnl -lopenblas -lpthread -lm

# Variables that select another processor's code or a number of threads.
for v in $(env | sed -n 's/^\(OPENBLAS_[A-Z0-9_]*\|DNNL_[A-Z0-9_]*\|ONEDNN_[A-Z0-9_]*\|OMP_[A-Z0-9_]*\|GOTO_NUM_THREADS\|KMP_[A-Z0-9_]*\|GOMP_[A-Z0-9_]*\)=.*/\1/p'); do
    unset "$v"
done
# OpenBLAS takes processors newer than itself for very old ones.
if [ -n "${ISA:-}" ]; then export OPENBLAS_CORETYPE=$blas_set ONEDNN_MAX_CPU_ISA=$onednn_set
elif grep -qw avx512dq /proc/cpuinfo; then export OPENBLAS_CORETYPE=SkylakeX; fi

if [ $# -gt 1 ]; then exec "$out/peers" "$@"; fi
"$out/peers" "$@" | tee "$out/table.md"

# The page has a table for each kind of machine: this machine's is replaced, or added at the end.
kind="make peers: $(sed -n '1s/, [0-9-]*\.$//p' "$out/table.md")"
awk -v kind="$kind" -v table="$out/table.md" '
    function put(line) { while ((getline line < table) > 0) print line }
    $0 == "<!-- " kind " -->" { print; put(); found = skipped = 1 }
    /^<!-- end of the table -->/ { skipped = 0 }
    !skipped
    END { if (!found) { print "\n<!-- " kind " -->"; put(); print "<!-- end of the table -->" } }
' docs/performance.md >"$out/performance.md"
mv "$out/performance.md" docs/performance.md
