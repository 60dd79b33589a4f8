import datetime
import typing
import unittest

from pointsman_guest.docstrings import documented_types, type_of_words

GOOGLE = """Does it.

Args:
    text (str): What.
    count (int, optional): How many.
    *rest (list of int): Others.
"""
NUMPY = """Does it.

Parameters
----------
text : str
    What.
count : int, optional
    How many.
mode : {'a', 'b'}
"""
SPHINX = """Does it.

:param str text: What.
:param count: How many.
:type count: int or None
"""


class Docstrings(unittest.TestCase):
    def test_three_styles(self):
        self.assertEqual(documented_types(GOOGLE), {"text": "str", "count": "int, optional", "rest": "list of int"})
        self.assertEqual(documented_types(NUMPY), {"text": "str", "count": "int, optional", "mode": "{'a', 'b'}"})
        self.assertEqual(documented_types(SPHINX), {"text": "str", "count": "int or None"})

    def test_words(self):
        for words, wanted in (
            ("int, optional", int),
            ("list of str", typing.List[str]),
            ("list of ints", typing.List[int]),
            ("int or None", typing.Optional[int]),
            ("str | bytes", typing.Union[str, bytes]),
            ("dict[str, list[int]]", typing.Dict[str, typing.List[int]]),
            ("tuple[int, ...]", typing.Tuple[int, ...]),
            ("Optional[str]", typing.Optional[str]),
            ("{'a', 'b'}", typing.Literal["a", "b"]),
            ("datetime.datetime", datetime.datetime),
            ("`callable`", typing.Callable),
            ("a wonderful thing", None),
        ):
            with self.subTest(words):
                self.assertEqual(type_of_words(words), wanted)


if __name__ == "__main__":
    unittest.main()
