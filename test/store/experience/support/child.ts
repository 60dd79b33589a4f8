import { createInterface } from 'node:readline';
import { sameCauseSameFix } from '../../../../src/setup/experience';
import { BUILTIN_EMBEDDER } from '../../../../src/store/experience/embedder';
import { SqlExperience } from '../../../../src/store/experience/sql';
import { draftLike, PG_CONFIG } from './units';

/** A process that works with the store in a folder: one command a line, one JSON answer a line. */
async function main(folder: string): Promise<void> {
  const store = await SqlExperience.open({ folder, embed: BUILTIN_EMBEDDER });
  const say = (answer: unknown) => process.stdout.write(`${JSON.stringify(answer)}\n`);
  say('ready');
  for await (const line of createInterface({ input: process.stdin })) {
    const [verb, ...words] = line.split(' ');
    if (verb === 'import') say(await store.import([PG_CONFIG]));
    if (verb === 'learn') {
      say(
        await store.learn(draftLike(words[0]!), async (draft, nearest) => ({
          nearest: nearest.id,
          version: nearest.version ?? 1,
          ...sameCauseSameFix(draft, nearest),
        })),
      );
    }
    if (verb === 'audit') {
      const [run = '', anchor = ''] = words;
      await store.anchor({ run, anchor, units: [PG_CONFIG.id] });
      say(await store.audit({ run, anchor, verdicts: [{ unit: PG_CONFIG.id, verdict: 'success', why: '' }] }));
    }
    if (verb === 'count') {
      const { successes, hits } = (await store.show(PG_CONFIG.id)).unit.telemetry;
      say({ successes, hits, units: (await store.list()).length });
    }
  }
  await store.close();
}

void main(process.argv[2]!);
