import tools

tools.hammer()
