import { CHART_STYLE } from './charts/style';
import type { Html } from './html';
import { TOKENS } from './theme';

/** A chart as a file of its own, with the colours that it takes from the page in a page. */
export function standaloneSvg({ markup }: Html): string {
  const style = `<style>${TOKENS}${CHART_STYLE}svg{background:var(--page)}</style>`;
  return `${markup.replace(/^<svg ([^>]*)>/, (_, given: string) => `<svg xmlns="http://www.w3.org/2000/svg" ${given}>${style}`)}\n`;
}
