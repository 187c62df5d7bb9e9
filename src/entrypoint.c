/* Forwards R's initialisation to Rust; without this reference the linker
   would leave the static library out. */

void R_init_wbb_extendr(void *dll);

void R_init_wbb(void *dll) { R_init_wbb_extendr(dll); }
