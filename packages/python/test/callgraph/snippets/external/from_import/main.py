from os.path import join as glue

glue("a", "b")
