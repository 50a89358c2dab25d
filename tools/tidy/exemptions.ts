// Exemptions from house rules: a ratchet. An exemption that is no longer needed is a breach itself, so the list in
// exemptions.json only ever shrinks.

import { type Finding, findingOn, type Rule } from './rule.ts';

/** Exempted subjects by rule id. A subject is what a Finding carries, such as `docs/a.md` or `packages/x/a.ts#name`. */
export type Exemptions = Readonly<Record<string, readonly string[]>>;

/** The file that holds them. */
export const exemptionsPath = 'tools/tidy/exemptions.json';

/** What remains of a rule's findings after its exemptions, and a finding for each exemption that met nothing. */
export function withoutExempted(rule: Rule, findings: Finding[], exemptions: Exemptions): Finding[] {
  const exempted = exemptions[rule.id] ?? [];
  const subjects = new Set(findings.map((finding) => finding.subject));
  const spent = exempted.filter((subject) => !subjects.has(subject));
  const remaining = findings.filter((finding) => !exempted.includes(finding.subject));
  const advice = (subject: string) => `remove the exemption '${subject}' from ${rule.id}: it is no longer needed`;
  return [...remaining, ...spent.map((subject) => findingOn(exemptionsPath, 1, advice(subject), subject))];
}
