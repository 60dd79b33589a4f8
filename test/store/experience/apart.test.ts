import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadSettings } from '../../../src/config';
import { experienceOf, shipExperience } from '../../../src/store/experience';
import { tryLock } from '../../../src/store/experience/owner-lock';
import { PG_CONFIG } from './support/units';

it('keeps a memory apart: it begins with the units of the package, and nothing passes between it and the other', async () => {
  const settings = { ...loadSettings(), home: mkdtempSync(join(tmpdir(), 'pointsman-apart-')) };
  const own = experienceOf(settings);
  const apart = own.apart('compare-x');
  try {
    await Promise.all([shipExperience(own), shipExperience(apart)]);
    const [unit, ...others] = await apart.list();
    expect(others.length).toBeGreaterThan(50);
    await apart.import([{ ...unit!, id: 'learned-here' }]);
    await own.forget(unit!.id);
    expect((await own.list()).map(({ id }) => id)).not.toContain('learned-here');
    expect((await apart.show(unit!.id)).unit.id).toBe(unit!.id);
    expect(own.apart('compare-x')).toBe(apart);
  } finally {
    await own.close();
  }
  // Closing the one closed the other: another process may open its folder.
  const again = experienceOf(settings).apart('compare-x');
  expect((await again.show('learned-here')).unit.status).toBe('active');
  await again.close();
}, 120_000);

it('holds two memories apart open: the one that was used longest ago gives up its database until it is used again', async () => {
  const settings = { ...loadSettings(), home: mkdtempSync(join(tmpdir(), 'pointsman-apart-')) };
  const own = experienceOf(settings);
  const lockOf = (name: string) => tryLock(join(settings.home, 'experience-apart', name, 'lock'));
  try {
    for (const name of ['a', 'b']) await own.apart(name).import([PG_CONFIG]);
    await own.apart('a').list();
    expect(await lockOf('a')).toBeUndefined();
    // From here on b is the one that nobody used for longest.
    await own.apart('c').import([PG_CONFIG]);
    let free = await lockOf('b');
    for (const until = Date.now() + 20_000; !free && Date.now() < until; free = await lockOf('b')) await sleep(100);
    expect(free).toBeDefined();
    await free?.release();
    expect(await lockOf('a')).toBeUndefined();
    expect(await own.apart('b').list()).toHaveLength(1);
  } finally {
    await own.close();
  }
}, 120_000);
