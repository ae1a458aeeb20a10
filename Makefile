# Thin: meson builds, the scripts of tools/ do the rest.
#   make         the program, build/lethe          make demo      from a log to a release and back
#   make check   tests, with sanitizers, minutes   make check-long  all cases, tables, fuzzing: hours
#   make bench   every benchmark                   make coverage  line coverage of src/, 90 % at least
#   make bench-growth  each command at n to 8n
#   make tidy    clang-tidy and cppcheck           make format    clang-format, in place
#   make fuzz    each target for FUZZ_SECONDS      make deb       Debian packages in build/
#   make wheel      the Python package, tried in a bare environment
#   make demo-spark  the same tour on Spark
#   make install (PREFIX, DESTDIR)

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
BENCH_ROWS ?= 20000000

.PHONY: all demo demo-spark check check-long bench bench-growth fuzz install deb wheel clean format tidy coverage

all:
	@tools/configure build --prefix=$(PREFIX)
	@ninja -C build

demo:
	@tools/install-deps build
	@$(MAKE) --no-print-directory all
	@tools/demo

demo-spark:
	@tools/install-deps spark
	@tools/demo-spark

check:
	@tools/install-deps check
	@tools/check

check-long:
	@tools/install-deps check lint
	@FUZZ_SECONDS=$(FUZZ_SECONDS) tools/check --long

bench:
	@tools/install-deps bench
	@$(MAKE) --no-print-directory all
	@BENCH_ROWS=$(BENCH_ROWS) bench/run

bench-growth:
	@tools/install-deps bench
	@$(MAKE) --no-print-directory all
	@bench/growth --page

fuzz:
	@tools/install-deps check
	@FUZZ_SECONDS=$(FUZZ_SECONDS) tools/fuzz

install: all
	@meson install -C build --no-rebuild

deb:
	@tools/install-deps deb
	@tools/make-deb

wheel:
	@tools/install-deps python
	@tools/make-wheel

clean:
	rm -rf build build-* demo demo-spark

format:
	@tools/install-deps lint
	@tools/list-sources '*.[ch]' include src cli tests bench examples python | xargs clang-format -i

tidy:
	@tools/install-deps lint
	@tools/tidy

coverage:
	@tools/install-deps coverage
	@tools/coverage
