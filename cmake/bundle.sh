#!/bin/sh
# Packs the sources with the headers and shared libraries that Debian's packages would bring, for
# machines without root that have CMake, a compiler and an installed PyTorch: make bundle.
# Usage: cmake/bundle.sh BUILD FOLDER; BUILD is a finished build, whose lists of headers say which of
# the large libraries' headers are used.
set -eu
build=$1
folder=$2
rm -rf "$folder"
mkdir -p "$folder/deps"

# Files of Debian packages below deps/, without the leading /usr.
keep() {
  while read -r file; do
    case $file in /usr/*) ;; *) file=/usr$file ;; esac
    [ -e "$file" ] && [ ! -d "$file" ] || continue
    target=$folder/deps/${file#/usr/}
    mkdir -p "$(dirname "$target")"
    cp -L "$file" "$target"
  done
}
# Small libraries whole: headers and what CMake reads.
for package in libfmt-dev nlohmann-json3-dev libtomlplusplus-dev libcli11-dev libtbb-dev libssl-dev \
               libzip-dev zlib1g-dev libstemmer-dev libpng-dev libjpeg62-turbo-dev \
               libsentencepiece-dev; do
  dpkg -L $package | grep -E '^/usr/(include|share/cmake|lib/[^/]*/cmake)/' | keep
done
# For tests and benchmarks on that machine (VESTIGE_TESTS=ON, VESTIGE_BENCH=ON), where they are installed.
for package in libgtest-dev libbenchmark-dev libsvm-dev; do
  dpkg -L $package 2> /dev/null | grep -E '^/usr/(include|lib)/' | keep
done
# Of Boost and Eigen what the build has read, and what CMake reads.
dpkg -L libboost1.74-dev | grep -E '/cmake/(Boost-|boost_headers-|BoostDetect)' | keep
dpkg -L libeigen3-dev | grep '/share/eigen3/cmake/' | keep
ninja -C "$build" -t deps | grep -oE '/usr/include/(boost|eigen3)/[^ ]+' | sort -u | keep
: > "$folder/deps/include/eigen3/signature_of_eigen3_matrix_library"
# Shared libraries under the names that linkers and loaders ask for; glibc, the compiler's own and
# LibTorch's are the machine's.
libraries=/usr/lib/$(gcc -print-multiarch)
for name in fmt tomlplusplus tbb crypto zip z svm stemmer png16 png jpeg bz2 xgboost dmlc sentencepiece \
            sentencepiece_train; do
  for file in "$libraries/lib$name.so" "$libraries/lib$name.so".[0-9] "$libraries/lib$name.so".[0-9][0-9] \
              "$libraries/lib$name.so".[0-9].[0-9] "$libraries/lib$name.so".0d; do
    [ -e "$file" ] && echo "$file"
  done
done | keep
# CMake packages of shared libraries name the file with its whole version.
for file in "$libraries"/libfmt.so.* "$libraries"/libtbb.so.* "$libraries"/libtbbmalloc*.so.* \
            "$libraries"/libtbbbind*.so.* "$libraries"/libzip.so.* "$libraries"/libbenchmark.so.*; do
  echo "$file"
done | keep
cp cmake/build-bundle.sh "$folder/"
if [ -d /usr/share/datasets/fashion-mnist ]; then
  mkdir -p "$folder/data/fashion-mnist"
  cp /usr/share/datasets/fashion-mnist/*.gz "$folder/data/fashion-mnist/"
fi
# Dictionaries, for recipes of language models.
for name in foldoc gcide wn; do
  for file in /usr/share/dictd/$name.index /usr/share/dictd/$name.dict.dz; do
    [ -e "$file" ] && echo "$file"
  done
done | keep
if git rev-parse --git-dir > /dev/null 2>&1; then
  git archive --prefix=vestige/ HEAD | tar -x -C "$folder"
fi
tar -czf "$folder.tar.gz" -C "$(dirname "$folder")" "$(basename "$folder")"
du -sh "$folder" "$folder.tar.gz"
