library(testthat)
library(wbb)

test_check("wbb")
