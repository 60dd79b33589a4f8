"""Usage: url.py URL. The file that it gives; whoever asked knows the digest."""
from fetching import Refused, get, run, write


def main(url):
    answer = get(url)
    if answer is None:
        raise Refused("InvalidInput", "there is no such file", "Check the address.")
    write(answer[0])


run(main)
