// How the page looks: on light and dark ground, on paper, on a narrow screen.

import { colours, coloursOnDark } from '../charts/axes.ts';

const properties = (all: readonly string[]) => all.map((colour, index) => `--c${index}:${colour}`).join(';');

/** The style sheet of the page. */
export const style = `:root{color-scheme:light dark;--ink:#1e293b;--soft:#475569;--line:#cbd5e1;--ground:#fff;--inside:#fff;${properties(colours)}}
@media (prefers-color-scheme:dark){:root{--ink:#e2e8f0;--soft:#a8b3c4;--line:#3b4758;--ground:#0f172a;--inside:#0f172a;${properties(coloursOnDark)}}}
body{font:16px/1.55 system-ui,sans-serif;max-width:1240px;margin:2rem auto;padding:0 1rem;color:var(--ink);background:var(--ground)}
h1{font-size:1.8rem;line-height:1.2}h2{font-size:1.3rem;margin-top:2.5rem;border-bottom:1px solid var(--line);padding-bottom:.3rem}h3{font-size:1.05rem}
p,li,dd{max-width:75ch}.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,460px),1fr));gap:1.5rem}
figure{margin:0 0 1rem;break-inside:avoid}figcaption{font-size:.85rem;color:var(--soft);overflow-wrap:anywhere}figcaption strong{color:var(--ink)}
svg{width:100%;height:auto}svg text{font:12px system-ui,sans-serif;fill:var(--soft)}svg .inside{fill:var(--inside);font-weight:600}.grid{stroke:var(--line)}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;padding:0;margin:.2rem 0;list-style:none;font-size:.85rem}.key{width:28px;height:8px;margin-right:.4em;vertical-align:middle}
.wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.85rem;margin:.6rem 0 1.4rem}caption{text-align:left;color:var(--soft);padding-bottom:.3rem}
th,td{padding:.25rem .6rem;border-bottom:1px solid var(--line);text-align:right;vertical-align:top}th:first-child{text-align:left}tbody th{font-weight:500}
code{font:.85rem ui-monospace,monospace;overflow-wrap:anywhere}pre{background:color-mix(in srgb,var(--line) 30%,transparent);padding:.8rem;white-space:pre-wrap;overflow-wrap:anywhere}
dt{font-weight:600;margin-top:.6rem}dd{margin-left:0}
@media print{:root{--ink:#000;--soft:#333;--line:#bbb;--ground:#fff;--inside:#fff;${properties(colours)}}body{font-size:11px;max-width:none;margin:0}.charts{grid-template-columns:1fr 1fr}h2{break-after:avoid}tr{break-inside:avoid}}`;
