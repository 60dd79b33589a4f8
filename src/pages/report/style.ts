/** The report as a paper's appendix: one column, numbers in line, rules instead of boxes. */
export const REPORT_STYLE = `
body{max-width:54.25rem;margin:0 auto;padding:2.5rem 1.5rem 4rem}
header{border-bottom:2px solid var(--text);padding-bottom:.9rem}
.kind{color:var(--muted);font-size:var(--text-s);margin-bottom:.35rem}
h1{overflow-wrap:anywhere}
.rehearsal{margin-top:1.25rem;padding:.8rem 1rem;border:1px solid var(--warn);border-left-width:6px;background:var(--warn-tint);color:var(--text)}
.rehearsal strong{color:var(--warn)}
.lead{margin:1.5rem 0 1rem;max-width:46rem;font-size:var(--text-l);line-height:1.5;text-wrap:pretty}
.headlines{display:grid;grid-template-columns:repeat(auto-fill,minmax(max(8.5rem,22%),1fr));gap:1.4rem 1.75rem;margin:1.75rem 0 0}
.headlines div{border-top:1px solid var(--line);padding-top:.5rem}
.headlines dt{font-size:var(--text-s);color:var(--muted)}
.headlines dd{margin:0}
.headlines b{display:block;font-size:1.625rem;font-weight:600;letter-spacing:-.02em;line-height:1.3}
.headlines span{display:block;font-size:var(--text-s);line-height:1.45;color:var(--muted)}
nav{margin:2.25rem 0 0;padding:.75rem 0;border-block:1px solid var(--line)}
nav ol{columns:2;column-gap:2rem;margin:0;padding-left:1.4rem;font-size:var(--text-s)}
nav li{padding:.1rem 0}
section{margin-top:3.5rem}
section>h2{padding-bottom:.4rem;border-bottom:1px solid var(--text)}
.intro{margin-top:.75rem;max-width:44rem}
.intro p+p{margin-top:.6rem}
.note{color:var(--warn)}
p.note{border-left:3px solid var(--warn);padding-left:.75rem;font-size:var(--text-s)}
figure{margin-top:2.25rem}
figcaption p{max-width:44rem;margin:.25rem 0 .9rem;font-size:var(--text-s);line-height:1.5;color:var(--muted)}
.drawn{overflow-x:auto}
.drawn>.chart{min-width:36rem}
.drawn>.chart+.chart{margin-top:.75rem}
.table{overflow-x:auto}
.table table,.dense{width:100%;font-size:var(--text-s);line-height:1.4;border-bottom:1px solid var(--line)}
.table thead,.dense thead{border-block:1px solid var(--text)}
.table tr+tr,.dense tr+tr{border-top:1px solid var(--grid)}
.table th,.table td{padding:.3rem 1rem .3rem 0}
.table .number,.table .moment,.table .word{white-space:nowrap}
.table th:last-child,.table td:last-child{padding-right:0}
.table thead th{font-weight:500;color:var(--muted);vertical-align:bottom}
.table tbody th{font-weight:500}
.table .words{overflow-wrap:break-word}
.table .id{overflow-wrap:anywhere;min-width:10rem}
.table td.id{font-family:var(--mono);font-size:.92em}
.wide table{font-size:var(--text-xs)}
.wide th,.wide td{padding-right:.7rem}
.dense{font-size:var(--text-xs)}
.dense th,.dense td{padding:.28rem .5rem .28rem 0;vertical-align:bottom}
.dense thead th{font-weight:500;color:var(--muted)}
.dense thead .edge{text-align:left}
.dense tbody th{font-weight:500;white-space:nowrap}
.dense tbody th,.dense tbody td{vertical-align:baseline}
.dense .group{color:var(--muted);padding-top:.7rem}
.dense .edge{border-left:1px solid var(--line);padding-left:.4rem}
.paper td,.paper th{color:var(--muted)}
.source{display:flex;flex-wrap:wrap;gap:.35rem 1.25rem;align-items:baseline;margin-top:.55rem;font-size:var(--text-xs)}
.source details{flex:0 1 auto}
.source details[open]{flex:1 0 100%}
summary{cursor:pointer;color:var(--link);width:fit-content}
details[open]>summary{margin-bottom:.5rem}
.definitions{font-size:var(--text-s)}
.definitions div{display:grid;grid-template-columns:10rem 1fr;gap:1rem;padding:.35rem 0;border-top:1px solid var(--grid)}
.definitions dt{font-weight:600}
.definitions dd{margin:0}
#again{margin-top:2.25rem}
.again{font-size:var(--text-s);overflow-wrap:anywhere}
.again>details{padding:.35rem 0;border-top:1px solid var(--grid)}
.again summary{width:auto}
p.again{margin:.35rem 0 .6rem;max-width:44rem}
.again pre{margin:.35rem 0;padding:.6rem .8rem;background:var(--raised);border:1px solid var(--grid);max-height:24rem;font-size:var(--text-xs)}
.again pre.command{white-space:pre-wrap;overflow-wrap:anywhere}
footer{margin-top:4rem;padding-top:.75rem;border-top:1px solid var(--line);font-size:var(--text-xs);color:var(--muted)}
@media screen and (min-width:74rem){
body{max-width:71rem;padding-left:18.25rem}
nav{position:fixed;top:0;left:calc(50% - 34rem);width:14.25rem;max-height:100vh;overflow:auto;margin:0;padding:2.5rem .5rem 2rem;border:0}
nav ol{columns:1}
nav li{padding:.25rem 0}
}
@media (max-width:40rem){
body{padding:1.5rem 1rem 3rem}
nav ol{columns:1}
.definitions div{grid-template-columns:1fr;gap:0}
}
@media print{
body{max-width:none;padding:0}
nav,.source{display:none}
.drawn,.table{overflow:visible}
.drawn>.chart{min-width:0;width:100%}
section{margin-top:2rem}
figure:has(>.table),figure:has(.chart+.chart){break-inside:auto}
.intro{break-after:avoid}
.intro>p{break-inside:avoid}
figcaption{break-inside:avoid;break-after:avoid}
#again,.again{display:none}
.table table{font-size:8pt}
.dense,.wide table{font-size:7.5pt}
.dense th,.dense td{padding-right:.35rem}
}
`;
