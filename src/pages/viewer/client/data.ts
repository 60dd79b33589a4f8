import type { PersonAct, PersonActed } from '../../../contract';
import type { ForkNode, RunEvents, RunList, RunPage } from '../payload';

/** Where the page's data comes from: its server, or itself. */
export interface PageData {
  readonly place: 'server' | 'page';
  list(): Promise<RunList>;
  run(id: string): Promise<RunPage>;
  forks(id: string): Promise<ForkNode | null>;
  events(id: string): Promise<RunEvents>;
  search(id: string, words: string): Promise<number[]>;
  /** Undefined where it is not in this page. */
  blob(sha256: string): Promise<string | undefined>;
  /** Address of a whole body; undefined where there is none. */
  address(sha256: string): string | undefined;
  /** Makes a turn that waits for a person; absent where nobody can. Throws why it was refused. */
  act?(id: string, act: PersonAct): Promise<PersonActed>;
}

export class ServedData implements PageData {
  readonly place = 'server';
  /** Bodies by hash never change; the few that are looked at stay. */
  private readonly blobs = new Map<string, Promise<string>>();

  list(): Promise<RunList> {
    return ask('/api/runs');
  }

  run(id: string): Promise<RunPage> {
    return ask('/api/run', { id });
  }

  forks(id: string): Promise<ForkNode | null> {
    return ask('/api/forks', { id });
  }

  events(id: string): Promise<RunEvents> {
    return ask('/api/events', { id });
  }

  search(id: string, text: string): Promise<number[]> {
    return ask('/api/search', { id, text });
  }

  blob(sha256: string): Promise<string> {
    const known = this.blobs.get(sha256) ?? fetch(`/blob/${sha256}`).then(textOf);
    this.blobs.set(sha256, known);
    known.catch(() => this.blobs.delete(sha256));
    return known;
  }

  address(sha256: string): string {
    return `/blob/${sha256}`;
  }

  act(id: string, act: PersonAct): Promise<PersonActed> {
    return ask(
      '/api/act',
      { id },
      { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(act) },
    );
  }
}

/** The browser keeps answers with their tags: what has not changed is not sent again. */
async function ask<T>(path: string, params: Readonly<Record<string, string>> = {}, request?: RequestInit): Promise<T> {
  const query = new URLSearchParams(params);
  const response = await fetch(query.size > 0 ? `${path}?${query}` : path, request).catch(() => {
    throw new Error('The viewer’s server does not answer. Start `pointsman view` again.');
  });
  return JSON.parse(await textOf(response)) as T;
}

async function textOf(response: Response): Promise<string> {
  const text = await response.text();
  if (response.ok) return text;
  const { error } = JSON.parse(text) as { error: { message: string; hint: string } };
  throw new Error([error.message, error.hint].filter((part) => part !== '').join(' — '));
}

interface PackedRun {
  readonly page: RunPage;
  readonly forks: ForkNode | null;
  readonly events: RunEvents;
  readonly blobs: Readonly<Record<string, string>>;
}

/** What `view export` wrote into the page, unpacked when it is looked at. */
export class PackedData implements PageData {
  readonly place = 'page';
  private names: Promise<ReadonlyMap<string, string>> | undefined;
  /** The runs that were looked at last, newest first: two, since two stand side by side. */
  private open: readonly { readonly id: string; readonly run: Promise<PackedRun> }[] = [];

  list(): Promise<RunList> {
    return unpack<RunList>('list');
  }

  async run(id: string): Promise<RunPage> {
    return (await this.packed(id)).page;
  }

  async forks(id: string): Promise<ForkNode | null> {
    return (await this.packed(id)).forks;
  }

  async events(id: string): Promise<RunEvents> {
    return (await this.packed(id)).events;
  }

  async search(id: string, words: string): Promise<number[]> {
    const { page, blobs } = await this.packed(id);
    const wanted = words.toLowerCase();
    return page.turns
      .filter((turn) => {
        const whole = turn.observation.blob ? blobs[turn.observation.blob] : undefined;
        // As JSON, so that texts of an action are found wherever they are; the words are written the same way.
        const shown = JSON.stringify([turn.thought, turn.action, whole ?? turn.observation]).toLowerCase();
        return shown.includes(JSON.stringify(wanted).slice(1, -1));
      })
      .map(({ turn }) => turn);
  }

  async blob(sha256: string): Promise<string | undefined> {
    for (const { run } of this.open) {
      const found = (await run.catch(() => undefined))?.blobs[sha256];
      if (found !== undefined) return found;
    }
    return undefined;
  }

  address(): undefined {
    return undefined;
  }

  private async packed(id: string): Promise<PackedRun> {
    this.names ??= this.list().then(({ runs }) => new Map(runs.map((line, at) => [line.id, `run:${at}`])));
    const name = (await this.names).get(id);
    if (!name) throw new Error(`There is no run ${id} in this file.`);
    const kept = this.open.find((each) => each.id === id) ?? { id, run: unpack<PackedRun>(name) };
    this.open = [kept, ...this.open.filter((each) => each.id !== id)].slice(0, 2);
    return kept.run;
  }
}

async function unpack<T>(name: string): Promise<T> {
  const block = document.querySelector<HTMLScriptElement>(`script[data-name="${CSS.escape(name)}"]`);
  if (!block) throw new Error('Of this run there is its line in the list and nothing more: it has no trajectory.');
  const text = block.textContent ?? '';
  if (!('packed' in block.dataset)) return JSON.parse(text) as T;
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return JSON.parse(await new Response(stream).text()) as T;
}
