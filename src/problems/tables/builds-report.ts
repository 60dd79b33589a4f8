import type { AttemptRecord, TriedFunction } from '../../contract';
import { attemptsSection, coverageOf, failuresSection, mutationOf, validityOf } from './attempts-tables';
import { type MarkdownColumn, markdownTable } from './markdown-table';

/** All functions that one build worked on. */
export interface BuildTries {
  readonly name: string;
  readonly tried: readonly TriedFunction[];
}

/**
 * Several builds as one Markdown report: a row for each and author, then validity, coverage and mutation score by author
 * and context over all of them (R2E, table 1), and how harnesses failed. What all authors tried adds up to the last rows.
 */
export function buildsReport(builds: readonly BuildTries[]): string {
  const all = builds.flatMap(({ tried }) => tried);
  const sections = [
    ['Builds', buildsTable(builds, all)],
    ['Harnesses', attemptsSection(all)],
    ['Failures', failuresSection(all)],
  ];
  return `# Harnesses of ${builds.length} builds\n\n${sections.map(([title, text]) => `## ${title}\n\n${text}`).join('\n\n')}\n`;
}

interface Row {
  readonly name: string;
  readonly tried: readonly TriedFunction[];
}

function buildsTable(builds: readonly BuildTries[], all: readonly TriedFunction[]): string {
  const authors = [...new Set(all.flatMap(({ attempts }) => attempts.map(({ attempt }) => attempt.author)))].sort();
  const count = (tried: readonly TriedFunction[]) => String(tried.length);
  const columns: MarkdownColumn<Row>[] = [
    { title: 'build', value: ({ name }) => name },
    { title: 'functions', value: ({ tried }) => count(tried), right: true },
    { title: 'out-file', value: ({ tried }) => count(tried.filter(({ outOfFile }) => outOfFile)), right: true },
    { title: 'admitted', value: ({ tried }) => count(tried.filter(({ admitted }) => admitted)), right: true },
    ...authors.flatMap((author): MarkdownColumn<Row>[] => {
      const of = ({ tried }: Row): AttemptRecord[] =>
        tried.flatMap(({ attempts }) => attempts.filter(({ attempt }) => attempt.author === author));
      return [
        { title: `${author}: valid`, value: (row) => validityOf(of(row)), right: true },
        { title: 'coverage', value: (row) => coverageOf(of(row)), right: true },
        { title: 'mutants', value: (row) => mutationOf(of(row)), right: true },
      ];
    }),
  ];
  return markdownTable([...builds, { name: 'all', tried: all }], columns);
}
