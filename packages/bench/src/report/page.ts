// The report: everything that some results say, on one page that needs nothing else.
//
//   RG1. The page loads nothing and runs nothing, and the same results make the same page byte for byte.
//   RG2. Every figure says MEASURED or SIMULATED and names its run; every run has its file, date, commit and machine.

import { escaped, htmlTable } from '../charts/markup.ts';
import { figuresOfKind, type ResultFile } from '../results/result-file.ts';
import { findingsOf } from './findings.ts';
import { liveSection } from './live-section.ts';
import { calibrationSection, cascadeSection, notesSection, partsSection, storiesSection } from './other-section.ts';
import { peersSection } from './peers-section.ts';
import { simulatedSection } from './simulated-section.ts';
import { dateOf, hostOf, runName } from './sources.ts';
import { style } from './style.ts';

/** The page about some results (RG1, RG2). */
export function reportPage(files: readonly ResultFile[]): string {
  const sections = [
    liveSection(files),
    peersSection(files),
    cascadeSection(files),
    storiesSection(files),
    simulatedSection(files),
    calibrationSection(files),
    notesSection(files),
    partsSection(files),
  ].filter((section) => section !== '');
  const findings = findingsOf(files).map((each) => `<li>${escaped(each)}</li>`);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>FireTrident: benchmark report</title><style>${style}</style></head><body>
<header><h1>FireTrident: benchmark report</h1>
<p>Figures are MEASURED on a machine or SIMULATED in simulated time; each says which, and names the run that it is from. The two are never mixed in one figure.</p></header>
<main>
<h2 id="findings">Findings</h2>
<ul>${findings.join('\n')}</ul>
${sections.join('\n')}
${methodSection()}
${sourcesSection(files)}
</main></body></html>
`;
}

function methodSection(): string {
  return `<h2 id="method">Method</h2>
<ul><li>Live: every agent has a socket and a token of its own; a call fails when it errs, times out or is refused without a named wait. Nothing counts before the
fleet is complete and 15 s have passed. Percentiles are within 1 % of their value.</li>
<li>Peers: real bare repositories and stock git; commits by a fast-import that stays, where a real queue would merge without a checkout. After each run stock git counts
the commits on trunk, and a run in which agents heard of another number is void. Checks are jobs that take time and no processor.</li>
<li>Simulated: this system runs on its production core. Peers are written out in the simulator and are given more than they have.</li></ul>
<h2 id="limits">Limits</h2>
<ul><li>Load and daemon share the cores of one machine; what else the machine does is in the figures.</li>
<li>One run is one run: where a size has several files, their spread is the spread that was seen.</li>
<li>Agents are synthetic: changes of 200 bytes, no work time unless said, no model that thinks. A live figure is what landing costs and not what writing code costs.</li>
<li>The breakdown of a cycle is the daemon's own, over its last cycles. What a landing takes outside of the colony's stages (the agent's process, the socket,
the way through the daemon's thread) is one part of its mean and not told apart.</li>
<li>With checks this system has no row beside its peers: it lands first and verifies afterwards.</li></ul>`;
}

function sourcesSection(files: readonly ResultFile[]): string {
  const rows = files.map((each) => [
    runName(each),
    each.kind,
    figuresOfKind(each.kind),
    dateOf(each) ?? 'not told',
    each.provenance?.commit ?? 'not told',
    hostOf(each) ?? 'not told',
  ]);
  const commands = files.flatMap(({ provenance }) => (provenance === null ? [] : [provenance.command]));
  const repeat =
    commands.length === 0
      ? '<p>The results do not say by which commands they were made.</p>'
      : `<pre>${[...new Set(commands)].map(escaped).join('\n')}</pre>`;
  return `<h2 id="runs">Runs</h2>
${htmlTable('The files of this report.', ['file', 'kind', 'figures', 'date (UTC)', 'commit', 'machine'], rows)}
<h2 id="repeat">To repeat them</h2>
${repeat}
<p>All of it from nothing: <code>firetrident bench all --out DIRECTORY</code></p>`;
}
