import type { FunctionEnvironment } from '../../src/contract';
import { BASE_IMAGE } from '../../src/machine/image';
import { openSandboxes } from '../../src/sandbox';
import type { Sandboxes } from '../../src/sandbox/sandbox';

const IMAGE = 'pointsman/test-shopkit:2';

/** A package with functions of every fate: problems inside of a file and across files, and one for each reason to be none. */
export const SHOPKIT: Readonly<Record<string, string>> = {
  'shopkit/__init__.py': '',
  'shopkit/money.py': `"""Amounts in cents and their currencies."""

RATES = {'EUR': 100, 'CHF': 95, 'USD': 108}


def rate_of(currency):
    return RATES[currency]


def convert(cents, currency):
    """Give an amount of another currency in euro cents, rounded down."""
    if cents < 0:
        raise ValueError('an amount is not negative')
    if currency == 'EUR':
        return cents
    return cents * 100 // rate_of(currency)


def discount(cents, percent):
    """Give an amount less some percent of it: half of it is paid at least, and five percent are rounded away."""
    base = convert(cents, 'EUR')
    if percent > 50:
        percent = 50
    elif percent < 5:
        percent = 0
    kept = 100 - percent
    return base * kept // 100
`,
  'shopkit/cart.py': `"""Carts."""

from .money import convert


def total(prices, currency='EUR'):
    """Add prices up, in euro cents."""
    cents = 0
    for price in prices:
        cents += convert(price, currency)
    return cents


class Cart:
    """Things with their prices."""

    def __init__(self):
        self.prices = {}

    def add(self, name, price):
        """Put a thing in; give what all of them cost."""
        if name in self.prices:
            price += self.prices[name]
        self.prices[name] = price
        return total(self.prices.values())
`,
  'shopkit/ticket.py': `"""Tickets."""

import time

PREFIX = 'ticket'


def ticket(name):
    """Give a ticket that no other customer has."""
    number = time.perf_counter_ns()
    return f'{PREFIX}-{name}-{number}'
`,
  'shopkit/legacy.py': `"""What remained of the old shop. Nothing imports it any more."""

import shopkit_native

WIDTH = 12


def price_tag(cents):
    """Write a price for the old printer."""
    text = shopkit_native.money(cents)
    return text.rjust(WIDTH)
`,
  'tests/test_shopkit.py': `import pytest

from shopkit.cart import Cart, total
from shopkit.money import convert, discount
from shopkit.ticket import ticket


@pytest.mark.parametrize('cents', [0, 1, 95, 108, 1000])
@pytest.mark.parametrize('currency', ['EUR', 'CHF', 'USD'])
def test_convert(cents, currency):
    assert convert(cents, currency) >= 0


def test_convert_refuses():
    with pytest.raises(ValueError):
        convert(-1, 'EUR')


def test_discount_of_nothing():
    for percent in (1, 20, 80):
        assert discount(0, percent) == 0


def test_total():
    assert total([]) == 0
    assert total([1, 2, 3]) == 6
    assert total([95, 190], 'CHF') == 300


def test_cart():
    cart = Cart()
    assert cart.add('pen', 3) == 3
    assert cart.add('ink', 4) == 7
    assert cart.add('pen', 2) == 9


def test_ticket():
    assert ticket('a') != ticket('a')
`,
};

const SET_UP = `
set -e
cd /repo
pip install -q --break-system-packages pytest
git init -q -b main . && git add -A && git -c user.name=t -c user.email=t@example.com commit -qm one
python3 -m pytest -q -p no:cacheprovider
`;

/** An image with the package and pytest, its tests seen to pass. Built once for all tests of this machine. */
export async function shopkit(): Promise<FunctionEnvironment> {
  const sandboxes = openSandboxes('test');
  if (!(await sandboxes.images.find(IMAGE))) await build(sandboxes);
  sandboxes.close();
  return { image: IMAGE, workdir: '/repo', testCommand: 'python3 -m pytest -q -p no:cacheprovider tests' };
}

async function build(sandboxes: Sandboxes): Promise<void> {
  const owner = { workflowId: 'test/shopkit', firstRunId: `${process.pid}` };
  const spec = { owner, role: 'shopkit', image: BASE_IMAGE, workdir: '/', network: 'bridge' as const };
  await sandboxes.workshop(spec, async (sandbox) => {
    const files = Object.entries(SHOPKIT).map(([path, text]) => ({ path: `/repo/${path}`, bytes: Buffer.from(text) }));
    await sandbox.write(files);
    const done = await sandbox.exec({ command: SET_UP, env: sandbox.env, cwd: '/', timeoutMs: 300_000 });
    if (done.exitCode !== 0)
      throw new Error(`shopkit could not be set up: ${done.stderr.toString('utf8').slice(-800)}`);
    await sandbox.commit(IMAGE, { kept: true });
  });
}

/** What an expert does about `shopkit.money.convert`, whose body a problem takes away. */
export const MEND_CONVERT = {
  thought: 'Cents of another currency become euro cents.',
  tool: 'str_replace_editor',
  args: {
    command: 'str_replace',
    path: '/repo/shopkit/money.py',
    old_str: '    raise NotImplementedError\n',
    new_str: `    if cents < 0:
        raise ValueError('an amount is not negative')
    return cents if currency == 'EUR' else cents * 100 // RATES[currency]
`,
  },
};
