import { readProved, readUnits, signalsIn } from './proof';
import { evidenceOf, signalHits } from '../../src/setup/experience';
const units = readUnits(); const proved = readProved().filter((r) => units.some((u) => u.id === r.unit));
console.log(units.length, proved.length);
for (const u of units) { const c = proved.filter((r) => r.unit !== u.id && signalsIn(u, r.before).length > 0).map((r) => r.unit); if (c.length) console.log(u.id, c.length, c.join(' ')); }
for (const r of proved) {
  const ranked = units.map((u) => { const e = evidenceOf({ error: r.before }); const hits: Record<string, 'key' | 'whole'> = {}; for (const s of u.signals.regex) { const p = new RegExp(s, 'im'); if (p.test(e.key)) hits[s] = 'key'; else if (p.test(e.whole)) hits[s] = 'whole'; } return { id: u.id, s: Math.max(0, ...signalHits(u.signals, e, hits).map((h) => h.strength)) }; }).sort((a, b) => b.s - a.s);
  const at = ranked.findIndex((x) => x.id === r.unit);
  if (at > 0 || ranked[at]!.s < 0.4) console.log('RANK', r.unit, at, ranked.slice(0, 3).map((x) => `${x.id}:${x.s.toFixed(2)}`).join(' '), 'own', ranked[at]!.s.toFixed(2));
}
const big = proved.map(r=>[r.unit,r.before.length] as const).sort((a,b)=>b[1]-a[1]); console.log(big.slice(0,3), proved.reduce((n,r)=>n+r.before.length,0));
