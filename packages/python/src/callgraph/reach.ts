import type { CallGraph } from './index';

/** Definitions of the repository that a function calls, itself left out unless it calls itself. */
export function calleesOf({ edges, definitions }: CallGraph, caller: string): Set<string> {
  return new Set([...(edges.get(caller) ?? [])].filter((callee) => definitions.has(callee)));
}

/** Definitions of the repository that a function calls, directly or through others. */
export function reachedFrom(graph: CallGraph, caller: string): Set<string> {
  const reached = new Set<string>();
  const ahead = [caller];
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop())
    for (const callee of calleesOf(graph, next)) {
      if (reached.has(callee)) continue;
      reached.add(callee);
      ahead.push(callee);
    }
  return reached;
}
