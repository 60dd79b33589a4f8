import { licenceOf, recogniseLicence } from '../../src/sources/licence';
import { spdxOf } from '../../src/sources/spdx';
import type { SourceTree } from '../../src/sources/tree';

const tree = (files: Record<string, string>): SourceTree =>
  new Map(Object.entries(files).map(([path, text]) => [path, { bytes: Buffer.from(text), executable: false }]));

describe("a licence's name", () => {
  it.each([
    ['MIT', 'MIT'],
    ['The MIT License (MIT)', 'MIT'],
    ['Apache License, Version 2.0', 'Apache-2.0'],
    ['MIT/Apache-2.0', 'MIT OR Apache-2.0'],
    ['MIT OR Apache-2.0', 'MIT OR Apache-2.0'],
    ['(MIT OR CC0-1.0)', '(MIT OR CC0-1.0)'],
    ['(Apache-2.0 or MIT) and BSD-3-Clause', '(Apache-2.0 OR MIT) AND BSD-3-Clause'],
    ['GPL-2.0-or-later WITH Classpath-exception-2.0', 'GPL-2.0-or-later WITH Classpath-exception-2.0'],
    ['GPLv3+', 'GPL-3.0-or-later'],
    ['GPL-2', 'GPL-2.0-only'],
    ['LGPL-2.1+', 'LGPL-2.1-or-later'],
    ['GNU Lesser General Public License v3 (LGPLv3)', 'LGPL-3.0-only'],
    ['GNU Affero General Public License v3 or later (AGPLv3+)', 'AGPL-3.0-or-later'],
    ['BSD', null],
    ['GPL', null],
    ['see the file LICENSE', null],
    ['free for all', null],
    ['MIT OR', null],
    ['(MIT', null],
    ['MIT Apache-2.0', null],
    ['', null],
  ])('%s is %s', (name, spdx) => {
    expect(spdxOf(name)).toBe(spdx);
  });
});

/** The first words of each text and those that tell it from its neighbours; the rest says nothing more to us. */
describe("a licence's text", () => {
  const bsd =
    'Redistribution and use in source and binary forms, with or without modification,\nare permitted. Redistributions in binary form must reproduce the above.';
  it.each([
    [
      'MIT License\n\nPermission is hereby granted, free of charge, to any person obtaining a copy of it. The above notice and this permission notice shall be included.',
      'MIT',
    ],
    ['                  Apache License\n            Version 2.0, January 2004', 'Apache-2.0'],
    [bsd, 'BSD-2-Clause'],
    [`${bsd} Neither the name of X nor those of others may be used.`, 'BSD-3-Clause'],
    [`${bsd} All advertising materials must say so. Neither the name of X.`, 'BSD-4-Clause'],
    [
      'Permission to use, copy, modify, and/or distribute this software for any purpose is granted, provided that the above copyright notice appears.',
      'ISC',
    ],
    [
      'Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted.',
      '0BSD',
    ],
    ['Mozilla Public License Version 2.0\n====', 'MPL-2.0'],
    ['   GNU GENERAL PUBLIC LICENSE\n     Version 2, June 1991', 'GPL-2.0-only'],
    [
      '   GNU GENERAL PUBLIC LICENSE\n     Version 3, 29 June 2007 ... use the GNU Lesser General Public License instead',
      'GPL-3.0-only',
    ],
    ['   GNU LESSER GENERAL PUBLIC LICENSE\n     Version 2.1, February 1999', 'LGPL-2.1-only'],
    ['   GNU LESSER GENERAL PUBLIC LICENSE\n     Version 3, 29 June 2007', 'LGPL-3.0-only'],
    ['   GNU AFFERO GENERAL PUBLIC LICENSE\n     Version 3, 19 November 2007', 'AGPL-3.0-only'],
    ['This is free and unencumbered software released into the public domain.', 'Unlicense'],
    ['PYTHON SOFTWARE FOUNDATION LICENSE VERSION 2\n---', 'PSF-2.0'],
    ['All rights reserved. You may look at it.', null],
  ])('%# is recognised as %s', (text, spdx) => {
    expect(recogniseLicence(text)).toBe(spdx);
  });
});

describe('the licence of a tree', () => {
  const MIT =
    'Permission is hereby granted, free of charge, to any person obtaining a copy of it. This permission notice shall be included.';
  const APACHE = 'Apache License\nVersion 2.0';
  it.each<[string, Parameters<typeof licenceOf>[1], Record<string, string>, string | null]>([
    [
      "PKG-INFO's expression",
      'pypi',
      { 'PKG-INFO': 'Name: x\nLicense-Expression: MIT OR Apache-2.0\n\nText' },
      'MIT OR Apache-2.0',
    ],
    ['nothing that a description says', 'pypi', { 'PKG-INFO': 'Name: x\n\nLicense: MIT\n' }, null],
    [
      "PEP 639's string",
      'dir',
      { 'pyproject.toml': '[project]\nname = "x"\nlicense = "BSD-3-Clause"\n' },
      'BSD-3-Clause',
    ],
    ["the older table's text", 'dir', { 'pyproject.toml': '[project]\nlicense = {text = "MIT License"}\n' }, 'MIT'],
    ["no other tool's table", 'dir', { 'pyproject.toml': '[tool.x]\nlicense = "MIT"\n' }, null],
    [
      'a classifier',
      'pypi',
      {
        'PKG-INFO':
          'Name: x\nLicense: GPLv3\nClassifier: License :: OSI Approved :: GNU General Public License v3 or later (GPLv3+)\n',
      },
      'GPL-3.0-or-later',
    ],
    [
      'no vague classifier, but the text',
      'pypi',
      { 'PKG-INFO': 'Name: x\nClassifier: License :: OSI Approved :: BSD License\n', LICENSE: MIT },
      'MIT',
    ],
    ['setup.py', 'dir', { 'setup.py': "setup(\n    name='x',\n    license='Apache-2.0',\n)" }, 'Apache-2.0'],
    ['package.json', 'npm', { 'package.json': '{"license": "(MIT OR Apache-2.0)"}' }, '(MIT OR Apache-2.0)'],
    [
      "package.json's old list",
      'npm',
      { 'package.json': '{"licenses": [{"type": "MIT"}, {"type": "GPL-2.0"}]}' },
      'MIT OR GPL-2.0-only',
    ],
    ['no licence for UNLICENSED', 'npm', { 'package.json': '{"license": "UNLICENSED"}' }, null],
    ['the text where package.json is broken', 'npm', { 'package.json': '{', LICENSE: MIT }, 'MIT'],
    [
      'Cargo.toml',
      'crate',
      { 'Cargo.toml': '[package]\nlicense = "MIT/Apache-2.0"\n[dependencies]\n' },
      'MIT OR Apache-2.0',
    ],
    [
      "the ecosystem's own metadata first",
      'npm',
      { 'package.json': '{"license": "ISC"}', 'PKG-INFO': 'License-Expression: MIT\n' },
      'ISC',
    ],
    [
      'debian/copyright',
      'deb-src',
      {
        'debian/copyright':
          'Format: x\n\nFiles: debian/*\nLicense: MIT\n\nFiles: *\nCopyright: y\nLicense: GPL-2+ or Expat\n text\n',
      },
      'GPL-2.0-or-later OR MIT',
    ],
    ['two files to choose from', 'git', { 'LICENSE-APACHE': APACHE, 'LICENSE-MIT': MIT }, 'Apache-2.0 OR MIT'],
    [
      'two files that both hold',
      'git',
      { COPYING: '  GNU GENERAL PUBLIC LICENSE\n Version 2, June 1991', LICENSE: MIT },
      'GPL-2.0-only AND MIT',
    ],
    [
      'the LGPL beside the GPL that it extends',
      'git',
      {
        COPYING: 'GNU GENERAL PUBLIC LICENSE Version 3',
        'COPYING.LESSER': 'GNU LESSER GENERAL PUBLIC LICENSE Version 3',
      },
      'LGPL-3.0-only',
    ],
    ['nothing', 'go', { 'go.mod': 'module x' }, null],
    ['no text of a part of it', 'go', { 'vendor/y/LICENSE': MIT }, null],
  ])('is read from %s', (_, kind, files, spdx) => {
    expect(licenceOf(tree(files), kind)).toBe(spdx);
  });
});
