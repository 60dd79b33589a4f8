/**
 * Phrases by which a licence's text is told apart from all others of the list, as lower case words with single blanks.
 * The first that fits counts: a text that quotes another one comes before that.
 */
const MARKS: readonly { readonly id: string; readonly has: readonly RegExp[]; readonly lacks?: RegExp }[] = [
  { id: 'AGPL-3.0-only', has: [/^.{0,200}gnu affero general public license version 3/] },
  { id: 'LGPL-3.0-only', has: [/^.{0,200}gnu lesser general public license version 3/] },
  { id: 'LGPL-2.1-only', has: [/^.{0,200}gnu lesser general public license version 2 1/] },
  { id: 'LGPL-2.0-only', has: [/^.{0,200}gnu library general public license version 2/] },
  { id: 'GPL-3.0-only', has: [/^.{0,200}gnu general public license version 3/] },
  { id: 'GPL-2.0-only', has: [/^.{0,200}gnu general public license version 2/] },
  { id: 'MPL-2.0', has: [/mozilla public license v(?:ersion)? 2 0/] },
  { id: 'Apache-2.0', has: [/apache license version 2 0/] },
  { id: 'Python-2.0', has: [/python software foundation license version 2/, /beopen python/] },
  { id: 'PSF-2.0', has: [/python software foundation license version 2/] },
  { id: 'Unlicense', has: [/free and unencumbered software released into the public domain/] },
  { id: 'CC0-1.0', has: [/cc0 1 0 universal/] },
  { id: 'BSL-1.0', has: [/boost software license version 1 0/] },
  { id: 'BSD-4-Clause', has: [/redistribution and use in source and binary forms/, /all advertising materials/] },
  {
    id: 'BSD-3-Clause',
    has: [
      /redistribution and use in source and binary forms/,
      /neither the names? |may not be used to endorse|nor the names? /,
    ],
  },
  { id: 'BSD-2-Clause', has: [/redistribution and use in source and binary forms/, /in binary form must reproduce/] },
  {
    id: 'ISC',
    has: [/permission to use copy modify and (?:or )?distribute this software/, /provided that the above copyright/],
  },
  { id: '0BSD', has: [/permission to use copy modify and (?:or )?distribute this software for any purpose/] },
  {
    id: 'MIT',
    has: [/permission is hereby granted free of charge to any person obtaining a copy/, /permission notice shall be/],
    lacks: /except as contained in this notice/,
  },
  { id: 'Zlib', has: [/provided as is without any express or implied warranty/, /altered source versions must be/] },
];

/** SPDX identifier of a licence's text, null where it is none that we know. GNU texts do not say "or later": -only. */
export function recogniseLicence(text: string): string | null {
  const words = text
    .slice(0, 60_000)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
  return MARKS.find(({ has, lacks }) => has.every((mark) => mark.test(words)) && !lacks?.test(words))?.id ?? null;
}
