import { grouped } from '../../figures';
import { html } from '../../html';
import type { ReportMaterial } from '../material';
import type { Part } from '../part';

/** How many rollouts there were; no part where there were none. */
export function sizePart({ rows }: ReportMaterial): Part | undefined {
  if (rows.length === 0) return undefined;
  return { id: 'size', title: 'Size', intro: html`<p>${grouped(rows.length)} rollouts.</p>`, figures: [] };
}
