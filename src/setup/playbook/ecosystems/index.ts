import { PointsmanError } from '../../../contract/errors';
import type { Language } from '../../repository/facts';
import { LANGUAGES, type LanguageFiles } from '../../repository/languages';
import type { Ecosystem } from '../goal';
import { go } from './go';
import { java } from './java';
import { native } from './native';
import { node } from './node';
import { python } from './python';
import { rust } from './rust';

export { everywhere } from './everywhere';

/** What the playbook knows of each language. */
export const ECOSYSTEMS: Readonly<Record<Language, Ecosystem>> = {
  python,
  node,
  go,
  rust,
  c: native,
  cpp: native,
  java,
};

/** What an extension knows of a language: how its projects are recognised, and how they are set up. */
export interface AddedEcosystem extends Ecosystem {
  readonly files: LanguageFiles;
}

/** Adds one of an extension. Throws `InvalidInput` for a language that is there. */
export function addEcosystem({ files, ...ecosystem }: AddedEcosystem): void {
  const { name } = ecosystem;
  if (name in LANGUAGES) throw new PointsmanError('InvalidInput', `the playbook knows ${name} already`);
  Object.assign(LANGUAGES, { [name]: files });
  Object.assign(ECOSYSTEMS, { [name]: ecosystem });
}
