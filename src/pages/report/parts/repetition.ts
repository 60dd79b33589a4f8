import { wilson } from '../../../analysis/paired';
import { dots } from '../../charts/dots';
import { html } from '../../html';
import { column } from '../data';
import { methodsOf, type ReportMaterial } from '../material';
import type { Part } from '../part';
import { percent, percentIn } from '../words';
import { PAPER_REPETITION } from './paper-figures';

/** What the repetition filter takes out although all tests pass. */
export function repetitionPart(material: ReportMaterial): Part | undefined {
  const rates = material.dataset?.result.repetition ?? [];
  if (rates.length === 0) return undefined;
  const series = methodsOf(material);
  const shown = rates.map((each) => ({ ...each, ...wilson(each.dropped, each.passed) }));
  return {
    id: 'repetition',
    title: 'Repetition among what passes',
    intro: html`<p>Some rollouts pass their tests although they repeat themselves. The filter drops those with the same action several times in a row, or with file-reading commands over and over.</p>`,
    figures: [
      {
        id: 'repetition-rates',
        title: 'Dropped for repetition, by method',
        caption:
          'Share of the rollouts that passed, with 95 % intervals by Wilson. Dashed: the paper’s rates for its two students.',
        drawn: dots({
          title: 'Share of passed rollouts dropped for repetition',
          description: shown.map(({ method, rate }) => `${method} ${percent(rate)}`).join(', '),
          groups: [
            {
              title: '',
              dots: shown.map(({ method, passed, dropped, rate, low, high }) => ({
                label: method,
                series: series.get(method) ?? 0,
                value: passed === 0 ? null : rate,
                low,
                high,
                says:
                  passed === 0 ? 'none passed' : `${percentIn({ value: rate, low, high })}, ${dropped} of ${passed}`,
              })),
            },
          ],
          axis: 'dropped for repetition, of those whose tests pass',
          format: (value) => `${Math.round(value * 1000) / 10} %`,
          references: PAPER_REPETITION.map(({ setting, rate }) => ({
            at: rate,
            label: `${setting}: ${(rate * 100).toFixed(2)} %`,
          })),
        }),
        data: {
          columns: [
            column('source', 'source', 'text'),
            column('method', 'method', 'text'),
            column('passed', 'passed'),
            column('dropped', 'dropped'),
            column('rate', 'rate', 'share'),
            column('low', '95 % from', 'share'),
            column('high', 'to', 'share'),
          ],
          rows: [
            ...shown.map(({ method, passed, dropped, rate, low, high }) => [
              'this report',
              method,
              passed,
              dropped,
              passed === 0 ? null : rate,
              low,
              high,
            ]),
            ...PAPER_REPETITION.map(({ setting, rate }) => ['paper', setting, null, null, rate, null, null]),
          ],
        },
      },
    ],
  };
}
