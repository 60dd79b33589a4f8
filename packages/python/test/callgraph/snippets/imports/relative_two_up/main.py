from pkg.sub.leaf import run

run()
