/** Sessions that test, by the names of their functions. */
const TESTING = /^(unit|tests?|testing|run_tests?|pytest|coverage|cov)($|_)|_tests?$/;

/**
 * Requirements that the sessions of a `noxfile.py` install in order to test. It is a program: what it computes stays unknown,
 * so only words that are written out count.
 */
export function noxRequirements(text: string): string[] {
  const functions = text.split(/^(?=(?:async )?def )/m);
  return functions
    .filter((body) => TESTING.test(/^(?:async )?def (\w+)/.exec(body)?.[1] ?? ''))
    .flatMap((body) => [...body.matchAll(/\bsession\.install\(([^()]*)\)/g)])
    .flatMap(([, words]) => wordsOf(words!));
}

function wordsOf(call: string): string[] {
  const words = [...call.matchAll(/(?<![\w'"])(?:'([^'\n]*)'|"([^"\n]*)")/g)].map(([, a, b]) => a ?? b ?? '');
  // `-r list.txt` and `-e .` are two words each.
  return words.filter(
    (word, at) => !/^[-./]/.test(word) && !/^-[rce]$|^--(requirement|constraint|editable)$/.test(words[at - 1] ?? ''),
  );
}
