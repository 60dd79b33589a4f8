import { ExperienceDraft, ExperienceUnit, type RepositoryFacts, type Situation } from '../../../../src/contract';

type Loose = Record<string, unknown>;

export function unitLike(id: string, fields: Loose = {}, signals: Loose = {}): ExperienceUnit {
  return ExperienceUnit.parse({
    id,
    signals,
    advice_nl: [`advice of ${id}`],
    provenance: { created: '2026-11-22T00:00:00.000Z' },
    ...fields,
  });
}

export const PG_CONFIG = unitLike(
  'pg-config',
  {
    advice_nl: ['Building psycopg2 from source needs pg_config: install libpq-dev, or take psycopg2-binary.'],
    atoms: [{ name: 'apt_install', args: { packages: ['libpq-dev'] } }],
  },
  {
    keywords: ['pg_config', 'psycopg2', 'libpq-dev'],
    regex: ['pg_config executable not found'],
    situation_triggers: ['pip builds psycopg2 from source and pg_config is missing'],
    applicability: { lang: 'python', os: ['linux'] },
  },
);

export const PEP_668 = unitLike(
  'pep-668',
  { advice_nl: ['Debian manages its Python: make a virtual environment and install there.'] },
  {
    keywords: ['externally-managed-environment'],
    regex: ['externally-managed-environment'],
    applicability: { lang: 'python' },
  },
);

export const FACTS: RepositoryFacts = {
  lang: 'python',
  os: 'debian12',
  runtime: ['python3.11'],
  tools: ['pip', 'pytest'],
};

export const PG_SITUATION: Situation = {
  error: `Collecting psycopg2\n  error: subprocess-exited-with-error\n      Error: pg_config executable not found.\n\n      pg_config is required to build psycopg2 from source.\n  note: This error originates from a subprocess`,
  command: 'pip install -e .',
  summary: 'A Python project that needs psycopg2.',
};

export function draftLike(run: string, fields: Loose = {}, signals: Loose = {}): ExperienceDraft {
  return ExperienceDraft.parse({
    signals: {
      keywords: ['libxml/xmlversion.h', 'lxml'],
      regex: ['libxml/xmlversion\\.h: No such file'],
      situation_triggers: ['building lxml from source'],
      applicability: { lang: 'python' },
      ...signals,
    },
    advice_nl: ['Building lxml needs the headers of libxml2 and libxslt: install libxml2-dev and libxslt1-dev.'],
    atoms: [{ name: 'apt_install', args: { packages: ['libxml2-dev', 'libxslt1-dev'] } }],
    provenance: { run, repository: 'pypi:first==1.0', created: '2026-11-22T00:00:00.000Z' },
    ...fields,
  });
}
