# The commands: make demo, make test, make build, make bench. Each installs what is missing first.
PACKAGES = g++ cmake ninja-build ccache pkg-config git python3-numpy \
  libfmt-dev nlohmann-json3-dev libtomlplusplus-dev libcli11-dev libtbb-dev libeigen3-dev \
  libboost-dev libssl-dev libzip-dev zlib1g-dev libsvm-dev libxgboost-dev \
  libtorch-dev libopenblas-pthread-dev libopenmpi-dev openmpi-bin \
  libpng-dev libjpeg-dev libmatio-dev dataset-fashion-mnist \
  libgtest-dev libbenchmark-dev \
  chromium chromium-driver fonts-dejavu-core \
  clang-14 libclang-rt-14-dev
# npm fetches what draws the report page's plots. A Node.js from elsewhere brings its own npm, which
# Debian's package would conflict with.
ifeq ($(shell command -v npm),)
PACKAGES += nodejs npm
endif
SUDO = $(shell [ "$$(id -u)" = 0 ] || echo sudo)
JOBS ?= $(shell nproc)

.PHONY: setup build demo test test-fast bench tsan format tidy clean

# dpkg-query fails if a package is missing; only then is apt-get called.
setup:
	@dpkg-query -W -f '$${Status}\n' $(PACKAGES) 2>/dev/null | grep -c 'ok installed' | \
	  grep -qx $(words $(PACKAGES)) || { $(SUDO) apt-get update -qq && \
	  $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
	  $(PACKAGES); }

build: setup
	cmake --preset release > build.log 2>&1 || { cat build.log; exit 1; }; rm -f build.log
	cmake --build --preset release -j $(JOBS)

demo: setup
	cmake --preset release > /dev/null
	cmake --build --preset release -j $(JOBS) --target vestige_cli
	build/vestige demo

test: build
	ctest --preset release -j $(JOBS)
	cmake --preset asan > /dev/null
	cmake --build --preset asan -j $(JOBS)
	ctest --preset asan -j $(JOBS) -LE slow

# While developing: the release tests without the slow ones.
test-fast: build
	ctest --preset release -j $(JOBS) -LE slow

bench: build
	@for program in build/bench/*_bench; do $$program --benchmark_min_time=0.2 || exit 1; done

tsan: setup
	cmake --preset tsan > /dev/null
	cmake --build --preset tsan -j $(JOBS)
	TSAN_OPTIONS=suppressions=$(CURDIR)/cmake/tsan.supp ctest --preset tsan -LE slow

format:
	git ls-files '*.cpp' '*.h' | xargs clang-format -i

tidy: build
	git ls-files 'vestige/*.cpp' 'cli/*.cpp' | xargs clang-tidy -p build --quiet \
	  --extra-arg=-Wno-unknown-warning-option

clean:
	rm -rf build build-* out
