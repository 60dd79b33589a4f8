import { ModelProfile } from '../../../src/contract';
import { createChatModel } from '../../../src/model';
import { SqlPlaces } from '../../../src/store/shared/places';
import { openDatabase } from '../../../src/store/shared/rows';

/** A worker of a host of its own: asks one profile's model as often as it is told, as much at once as it may. */
async function main(): Promise<void> {
  const [baseUrl, URL = '', concurrency, calls] = process.argv.slice(2);
  const database = openDatabase('URL', { URL });
  const places = new SqlPlaces(database);
  const profile = ModelProfile.parse({
    provider: 'openai',
    baseUrl,
    model: 'm',
    view: { dialect: 'xml' },
    contextTokens: 1000,
    maxOutputTokens: 10,
    concurrency: Number(concurrency),
  });
  const owner = { name: 'shared', env: {}, places };
  await Promise.all(
    Array.from({ length: Number(calls) }, (_, n) =>
      createChatModel(profile, owner).complete({ messages: [{ role: 'user', content: `${n}` }] } as never, {
        requestId: `${process.pid}-${n}`,
      }),
    ),
  );
  await places.close();
  await database.close();
}

void main();
