import { Gate } from '../../src/model/gate';

test('places are handed over in order and given back once', async () => {
  const gate = new Gate(1);
  const first = await gate.enter();
  const order: number[] = [];
  const second = gate.enter().then((leave) => {
    order.push(2);
    return leave;
  });
  const third = gate.enter().then((leave) => {
    order.push(3);
    return leave;
  });
  first();
  first();
  (await second)();
  (await third)();
  expect(order).toEqual([2, 3]);
  (await gate.enter())();
});
