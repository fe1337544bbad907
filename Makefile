# The commands: make demo, make test, make build, make bench; before a release make check. Each
# installs what is missing first, and only what it needs itself.
CORE_PACKAGES = g++ cmake ninja-build ccache git \
  libfmt-dev nlohmann-json3-dev libtomlplusplus-dev libcli11-dev libtbb-dev libeigen3-dev \
  libboost-dev libssl-dev libzip-dev zlib1g-dev libstemmer-dev libxgboost0
LAB_PACKAGES = libtorch-dev libopenblas-pthread-dev libopenmpi-dev openmpi-bin \
  libpng-dev libjpeg-dev libmatio-dev libsentencepiece-dev dataset-fashion-mnist \
  dict-foldoc dict-gcide dict-wn
# Versions differ in how they format: these are the ones that the tree is kept in order with.
CLANG_FORMAT = clang-format-14
CLANG_TIDY = clang-tidy-14
# LIBSVM to compare with, a browser for the report page, clang for fuzzing, numpy for the tutorial,
# xmllint for JUnit files, codespell for texts.
TEST_PACKAGES = libgtest-dev libbenchmark-dev libsvm-dev python3-numpy chromium chromium-driver \
  fonts-dejavu-core clang-14 libclang-rt-14-dev libxml2-utils codespell $(CLANG_FORMAT)
# The Python package and what its tests use it with; python3-skbuild builds the wheel.
PYTHON_PACKAGES = python3-dev pybind11-dev python3-numpy
PYTHON_TEST_PACKAGES = python3-skbuild python3-setuptools python3-wheel python3-pip python3-venv \
  python3-torch python3-sklearn python3-pandas python3-altair python3-nbclient python3-nbformat \
  python3-ipykernel
# The documentation's site.
DOCS_PACKAGES = mkdocs mkdocs-material
# A Node.js from elsewhere will do, and Debian's package would conflict with it.
ifeq ($(shell command -v node),)
TEST_PACKAGES += nodejs
endif
SUDO = $(shell [ "$$(id -u)" = 0 ] || echo sudo)
JOBS ?= $(shell nproc)
# Tests at once: one more than cores, because some wait for a browser, a lock or a clock.
TEST_JOBS ?= $(shell expr $(JOBS) + 1)
# make tidy looks at what changed since this commit: where HEAD left the main branch, else the last
# tag before HEAD, else the commit before it.
BASE ?= $(shell for base in origin/main "$$(git describe --tags --abbrev=0 HEAD~1 2> /dev/null)" HEAD~1; do \
  commit=$$(git merge-base "$$base" HEAD 2> /dev/null) && [ "$$commit" != "$$(git rev-parse HEAD)" ] && \
  echo "$$commit" && break; done)

# Installs the packages that are missing. apt-get update runs only if that is needed to find them.
install = @missing=$$(for package in $(1); do dpkg-query -W -f '$${Status}' $$package 2> /dev/null | \
  grep -q 'ok installed' || echo $$package; done); [ -z "$$missing" ] || { \
  get="$(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0"; \
  install="$$get install -y --no-install-recommends $$missing"; \
  $$install > /dev/null 2>&1 || { $$get update && $$install > /dev/null; }; }
# Configures quietly; what CMake says is shown if it fails.
configure = @cmake --preset $(1) > configure.log 2>&1 || { cat configure.log; exit 1; }; \
  rm -f configure.log

.PHONY: fuzz docs command-line misuse papers setup setup-docs setup-core setup-lab setup-slurm build tested all demo test test-fast bench wheel package bundle error-rates \
  check format-check tsan separate format tidy clean
# Targets install packages, and only one at a time may; what takes long runs in parallel by itself.
.NOTPARALLEL:

setup-core:
	$(call install,$(CORE_PACKAGES))

setup-lab: setup-core
	$(call install,$(LAB_PACKAGES))

# A Slurm cluster on this machine and a file system with delays, for ctest -L slurm; the daemons are
# started by the tests alone (docs/lab/clusters.md).
setup-slurm: setup-lab
	$(call install,slurm-wlm munge python3-fusepy util-linux)

setup: setup-lab
	$(call install,$(TEST_PACKAGES) $(PYTHON_PACKAGES) $(PYTHON_TEST_PACKAGES))

# Both programs.
build: setup-lab
	$(call configure,programs)
	cmake --build --preset programs -j $(JOBS)

# First an answer from shipped evidence, which needs the core alone; then a whole experiment.
demo: setup-core
	$(call configure,audit)
	cmake --build --preset audit -j $(JOBS)
	build/vestige demo --evidence
	@echo "Next: install and build the training lab, then train, unlearn and audit (some minutes)."
	@$(MAKE) --no-print-directory build
	build/vestige demo

# What tests need; and everything, the benchmarks included.
tested: setup
	$(call configure,release)
	cmake --build --preset release -j $(JOBS)

all: tested
	cmake --build --preset release -j $(JOBS) --target benchmarks

test: format-check tested
	ctest --preset release -j $(TEST_JOBS)
	$(call configure,asan)
	cmake --build --preset asan -j $(JOBS)
	ctest --preset asan -j $(TEST_JOBS) -LE slow

# While developing: the release tests without the slow ones.
test-fast: tested
	ctest --preset release -j $(TEST_JOBS) -LE slow

bench: all
	@for program in build/bench/*_bench; do $$program --benchmark_min_time=0.2 || exit 1; done
	PYTHONPATH=build/python /usr/bin/python3 bench/python/call_bench.py build/bench/python_call_times

# How often verdicts are wrong: the table and the picture of docs/validation/error-rates.md.
error-rates: setup
	$(call configure,release)
	cmake --build --preset release -j $(JOBS) --target error_rates
	build/tests/error_rates docs/validation

# Every fuzz target for MINUTES each, from its corpus; an input that breaks one is kept in build/fuzz.
MINUTES ?= 1
fuzz: setup
	tests/fuzz/run.sh all $(CURDIR)/build/fuzz
	@for corpus in tests/fuzz/corpus/*/; do target=$$(basename $$corpus); echo "$$target: $(MINUTES) min"; \
	  VESTIGE_FUZZ_BUILT=1 tests/fuzz/run.sh $$target $(CURDIR)/build/fuzz $$(($(MINUTES) * 60)) || exit 1; done

# The wheel in build/wheel; `pip install .` does the same and installs it (docs/python/README.md).
wheel: setup-core
	$(call install,$(PYTHON_PACKAGES) python3-skbuild python3-setuptools python3-wheel python3-pip)
	/usr/bin/python3 -m pip wheel . --no-build-isolation --no-deps -w build/wheel

# vestige_*.deb, vestige-lab_*.deb, vestige-dev_*.deb and python3-vestige_*.deb in build/.
package: build
	$(call install,file dpkg-dev $(PYTHON_PACKAGES))
	cmake build -DVESTIGE_PYTHON=ON > /dev/null && cmake --build build --target vestige_python
	cd build && cpack -G DEB

# Sources with the libraries they need, for machines with PyTorch and without root: unpack, run
# ./build-bundle.sh (docs/lab/clusters.md).
bundle: build
	cmake/bundle.sh build build-bundle/vestige-bundle

setup-docs:
	$(call install,$(DOCS_PACKAGES))

# The documentation as a site that opens from disk: build/site/index.html. Warnings are errors.
docs: setup-docs
	tests/docs/site_test.sh $(CURDIR) $(CURDIR)/build/site
	@echo "open build/site/index.html"

# Wrong evidence and wrong recipes, and what the program says: docs/validation/misuse*.md.
misuse: tested
	VESTIGE_WRITE_GOLDEN=1 build/tests/core_test --gtest_filter='Misuse.*'
	VESTIGE_WRITE_GOLDEN=1 build/tests/lab_test --gtest_filter='RecipeMisuse.*'

# The options of all verbs: docs/reference/command-line.md.
command-line: build
	/usr/bin/python3 tests/docs/command_line_test.py build/vestige docs/reference/command-line.md --write

# The papers' values beside ours: docs/validation/papers.
papers: tested
	VESTIGE_WRITE_GOLDEN=1 build/tests/lab_test --gtest_filter='*PaperPages.*'

# What make test leaves out because it takes long; before each release (docs/develop/release.md).
check: setup
	.ci/check

tsan: setup
	$(call configure,tsan)
	cmake --build --preset tsan -j $(JOBS)
	TSAN_OPTIONS=suppressions=$(CURDIR)/cmake/tsan.supp ctest --preset tsan -j $(TEST_JOBS) -LE slow

# Every source of the core on its own: does each include what it uses?
separate: setup-core
	$(call configure,separate)
	cmake --build --preset separate -j $(JOBS)

format:
	$(call install,$(CLANG_FORMAT))
	git ls-files -z '*.cpp' '*.h' | xargs -0 $(CLANG_FORMAT) -i

format-check:
	$(call install,git $(CLANG_FORMAT))
	@files=$$(git ls-files '*.cpp' '*.h') && [ -n "$$files" ] || \
	  { echo "git lists no sources: format-check needs a clone"; exit 1; }; \
	echo "$$files" | xargs -n 100 -P $(JOBS) $(CLANG_FORMAT) --dry-run -Werror || \
	  { echo "some sources are not formatted: run make format"; exit 1; }

# Sources of the core that changed since BASE, or whose header did.
tidy: setup-core
	$(call install,$(CLANG_TIDY))
	$(call configure,separate)
	.ci/tidy "$(BASE)" $(JOBS) $(CLANG_TIDY)

clean:
	rm -rf build build-* _skbuild out
