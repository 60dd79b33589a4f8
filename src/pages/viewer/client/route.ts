const TABS = ['turns', 'patch', 'tests', 'cost', 'problem', 'family'] as const;
export type Tab = (typeof TABS)[number];

export type Route =
  | { readonly screen: 'list'; readonly params: URLSearchParams }
  | { readonly screen: 'run'; readonly id: string; readonly tab: Tab; readonly turn: number | null }
  | { readonly screen: 'pair'; readonly left: string; readonly right: string; readonly turn: number | null };

/** `#/?method=oec`, `#/run/ID`, `#/run/ID/turn/12`, `#/run/ID/patch`, `#/compare/ID/ID/turn/12`. Anything else is the list. */
export function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#/, '').split('?');
  const [, screen, id, word, turn, last] = path.split('/');
  if (screen === 'compare' && id && word) {
    return { screen: 'pair', left: decoded(id), right: decoded(word), turn: turn === 'turn' ? numberIn(last) : null };
  }
  if (screen !== 'run' || !id) return { screen: 'list', params: new URLSearchParams(query) };
  const tab = TABS.find((name) => name === word) ?? 'turns';
  return {
    screen: 'run',
    id: decoded(id),
    tab,
    turn: word === 'turn' ? numberIn(turn) : null,
  };
}

export function runHash(id: string, part: Tab | number = 'turns'): string {
  const at = typeof part === 'number' ? `/turn/${part}` : part === 'turns' ? '' : `/${part}`;
  return `#/run/${encodeURIComponent(id)}${at}`;
}

/** Two runs side by side. */
export function pairHash(left: string, right: string, turn: number | null = null): string {
  const at = turn === null ? '' : `/turn/${turn}`;
  return `#/compare/${encodeURIComponent(left)}/${encodeURIComponent(right)}${at}`;
}

function numberIn(text: string | undefined): number | null {
  return /^\d+$/.test(text ?? '') ? Number(text) : null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
