import xml.etree.ElementTree as tree

tree.fromstring("<a/>")
