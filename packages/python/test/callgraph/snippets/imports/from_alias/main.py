from tools import saw as cut

cut()
