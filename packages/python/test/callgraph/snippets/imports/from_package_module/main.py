from pkg import mod

mod.go()
