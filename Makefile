# Every command a person runs; `make help` lists them.

# Everything R installs goes into the checkout: the package itself into .Rlib,
# packages it needs into .Rdeps (only where the system cannot provide them).
export R_LIBS := $(CURDIR)/.Rlib:$(CURDIR)/.Rdeps
R ?= R
RSCRIPT ?= Rscript
export PATH := $(PATH):$(HOME)/.cargo/bin
# What the compiler's version asks for; found out only where it is used.
RUST_FLAGS = $(shell tools/rust-version.sh flags)

.DEFAULT_GOAL := help
.PHONY: help setup setup-cluster setup-demo setup-site setup-torture install demo check test test-rust test-r lint \
        check-cluster check-debian13 docs docs-site wrappers vendor build bench bench-families bench-families-peers bench-map bench-lasso-peers bench-mlp bench-scale reproduce \
        notebook licences torture clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-20s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: setup-demo install ## set up, install, and run the diabetes example: a table and a figure
	@$(RSCRIPT) tools/demo.R

check: setup ## set up and run all checks, ending with R CMD check --as-cran on the tarball
	@tools/check.sh all

check-cluster: setup-cluster install ## check fits on Slurm and from PostgreSQL, both started here and stopped again (as root)
	@tools/check-cluster.sh

check-debian13: setup build ## check the tarball on Debian 13 with its own R and Rust, in a chroot (as root)
	@tools/debian13.sh

setup: ## install what `make check` needs and is missing
	@tools/setup.sh check

setup-cluster: ## install what `make check-cluster` needs and is missing: Slurm, PostgreSQL
	@tools/setup.sh cluster

setup-demo: ## install what `make demo` needs and is missing: R, a compiler
	@tools/setup.sh demo

setup-site: ## install what `make docs-site` needs and is missing
	@tools/setup.sh site

setup-torture: ## install what `make torture` needs and is missing: valgrind, cargo-fuzz
	@tools/setup.sh torture

install: ## build and install the package into the checkout's own library, .Rlib
	@mkdir -p .Rlib
	$(R) CMD INSTALL --no-multiarch --library="$(CURDIR)/.Rlib" .

test: test-rust test-r ## run all tests

test-rust: ## run the tests of the Rust core, without R
	cargo test --locked $(RUST_FLAGS)

test-r: install ## run the tests of the R package against the installed one
	NOT_CRAN=true $(RSCRIPT) -e 'testthat::test_dir("tests/testthat", package = "wbb", load_package = "installed")'

lint: ## check the formatting of the Rust code, its lints, the layers of R/ and the width of code in vignettes
	cargo fmt --all --check
	$(RSCRIPT) tools/layers.R
	$(RSCRIPT) tools/widths.R
	cargo clippy --locked $(RUST_FLAGS) --workspace --all-targets -- -D warnings -D clippy::incompatible_msrv

licences: ## check the licences of the crates against deny.toml, and their advisories with cargo-deny
	@tools/licences.sh

# More or less of it: make torture TORTURE="calls=2000 stops=100". Each part is a process of its own and begins with the seed.
TORTURE ?= calls=20000 stops=1000 bytes=5000 forks=50 limits=5 collections=1 valgrind=1 fuzz=60
SEED ?= 1

torture: setup-torture install ## try to break the package: wrong calls, stops, wrong bytes, forks, refused memory, gctorture, valgrind, a fuzzer (an hour)
	rm -rf output/torture
	for part in $(TORTURE); do $(RSCRIPT) tools/torture.R $$part seed=$(SEED) keep=output/torture || true; done
	$(RSCRIPT) tools/torture.R keep=output/torture report=bench/robustness.md

wrappers: ## write R/extendr-wrappers.R from the Rust functions
	./configure
	cd src && $(R) CMD SHLIB -o wbb.so entrypoint.c
	$(RSCRIPT) tools/wrappers.R

docs: wrappers ## write NAMESPACE and man/ from the comments in R/
	$(RSCRIPT) tools/docs.R

docs-site: setup-site install ## make the site of help pages and vignettes in output/site, offline
	$(RSCRIPT) tools/site.R

vendor: ## pack the Rust crates into src/rust/vendor.tar.xz and list their authors
	@tools/vendor.sh

build: vendor ## build the R tarball in .check
	@tools/check.sh build

bench: install ## compare speed and exactness with other packages
	$(RSCRIPT) bench/run.R
	$(RSCRIPT) bench/bridge.R
	$(RSCRIPT) bench/anymodel.R

bench-families: install ## compare the draws of families with a loop over glmnet
	$(RSCRIPT) bench/families.R

bench-families-peers: install ## compare the draws of families with adelie, skglm and glum, installed into .bench-venv
	$(RSCRIPT) bench/families_peers.R

# Fewer rows or draws: make bench-scale SCALE="rows=1e6 draws=1000".
bench-scale: install ## measure passes over data larger than memory: 10 million rows, 1,000 draws (12 minutes on two idle cores, 8 GB of disk)
	$(RSCRIPT) bench/scale.R $(SCALE)

# Other cells, or fewer: make bench-map MAP="seed=2 cells=40 cv=8 kinds=sparse".
bench-map: install ## compare wbb_lasso() with glmnet over shapes, densities and lambdas
	$(RSCRIPT) bench/map.R $(MAP)

bench-lasso-peers: install ## compare wbb_lasso() with scikit-learn and celer, installed into .bench-venv
	$(RSCRIPT) bench/lasso_peers.R

bench-mlp: install ## compare wbb_mlp() with TensorFlow, JAX, PyTorch and Keras, installed into .bench-venv
	$(RSCRIPT) bench/mlp.R

reproduce: install ## compute the published tables and figures again, beside what was published (10 minutes)
	$(RSCRIPT) bench/reproduce.R $(REPRODUCE)

notebook: install ## execute the notebooks and press their stop button, in a real Jupyter kernel
	@tools/notebooks.sh

clean: ## remove everything that was built (.Rdeps, .bench-venv and .debian13 stay)
	rm -rf .Rlib .check output target src/rust/vendor.tar.xz
	./cleanup
