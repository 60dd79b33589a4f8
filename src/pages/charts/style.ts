/** How charts look: thin rules, quiet axes, words in the colours of the page. */
export const CHART_STYLE = `
.chart{display:block;overflow:visible;max-width:100%;height:auto;font-family:var(--sans);font-variant-numeric:tabular-nums}
.chart text{font-size:12px;fill:var(--text)}
.chart .tick{font-size:11px;fill:var(--muted)}
.chart .axis-title{font-size:11px;fill:var(--muted)}
.chart .strong{font-weight:600}
.chart .value{font-size:11.5px}
.chart .quiet-name text{fill:var(--muted)}
.chart .axis{stroke:var(--muted);stroke-width:1;shape-rendering:crispEdges}
.chart .grid{stroke:var(--grid);stroke-width:1;shape-rendering:crispEdges}
.chart .level{stroke:var(--muted);stroke-width:1;stroke-dasharray:4 3}
.chart .line{fill:none;stroke-width:1.75;stroke-linejoin:round}
.chart .whisker{fill:none;stroke-width:1.5}
.chart .sense{fill:transparent}
.textures{position:absolute}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;list-style:none;padding:0;margin:0 0 .35rem;font-size:var(--text-xs)}
.legend li{display:inline-flex;align-items:center;gap:.4rem}
.legend svg{flex:none}
`;
