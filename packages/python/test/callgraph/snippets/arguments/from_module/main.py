from tools import hammer, use

use(hammer)
