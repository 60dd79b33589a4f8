raise ImportError("not built")
