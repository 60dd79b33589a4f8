import pkg.mod
