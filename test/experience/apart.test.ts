import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from '../../src/config';
import { experienceOf, shipExperience } from '../../src/experience';

it('keeps a memory apart: it begins with the units of the package, and nothing passes between it and the other', async () => {
  const settings = { ...loadSettings(), home: mkdtempSync(join(tmpdir(), 'switchyard-apart-')) };
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
