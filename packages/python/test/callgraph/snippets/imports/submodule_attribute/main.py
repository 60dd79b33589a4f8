import pkg.mod

pkg.mod.go()
