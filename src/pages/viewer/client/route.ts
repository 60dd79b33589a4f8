const TABS = ['turns', 'patch', 'tests', 'problem', 'family'] as const;
export type Tab = (typeof TABS)[number];

export type Route =
  | { readonly screen: 'list'; readonly params: URLSearchParams }
  | { readonly screen: 'run'; readonly id: string; readonly tab: Tab; readonly turn: number | null };

/** `#/?method=oec`, `#/run/ID`, `#/run/ID/turn/12`, `#/run/ID/patch`. Anything else is the list. */
export function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#/, '').split('?');
  const [, screen, id, word, turn] = path.split('/');
  if (screen !== 'run' || !id) return { screen: 'list', params: new URLSearchParams(query) };
  const tab = TABS.find((name) => name === word) ?? 'turns';
  return {
    screen: 'run',
    id: decoded(id),
    tab,
    turn: word === 'turn' && /^\d+$/.test(turn ?? '') ? Number(turn) : null,
  };
}

export function runHash(id: string, part: Tab | number = 'turns'): string {
  const at = typeof part === 'number' ? `/turn/${part}` : part === 'turns' ? '' : `/${part}`;
  return `#/run/${encodeURIComponent(id)}${at}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
