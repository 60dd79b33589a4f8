"""Usage: inflate.py FILE. Takes .xz or .bz2 off, which Node.js cannot do by itself."""
import bz2
import lzma

from fetching import ARTIFACT, LIMIT, Refused, run


def main(file):
    with open(file, "rb") as head:
        opened = bz2.open if head.read(3) == b"BZh" else lzma.open
    total = 0
    try:
        with opened(file) as packed, open(ARTIFACT, "wb") as out:
            while block := packed.read(1 << 20):
                total += len(block)
                if total > LIMIT:
                    raise Refused("InvalidInput", "it unpacks to more than 1 GiB", "Take a smaller source.")
                out.write(block)
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise Refused("InvalidInput", "it is damaged: %s" % error, "Fetch it again.")


run(main)
