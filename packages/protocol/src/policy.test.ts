// Policies as sent: what is accepted, what is refused by name, what is unknown.

import { describe, expect, test } from 'vitest';
import { decidePolicySchema, policySchema, unsupportedDecide, unsupportedPolicyField } from './policy.ts';

describe('[PO1] fields without rules', () => {
  test.each([
    ['merge', { merge: { '*.json': 'keys', '**/*.yaml': 'keys:sets' } }],
    ['merge', { merge: { 'pyproject.toml': 'keys:sets' } }],
    ['checks', { checks: [{ run: 'npm test' }] }],
    ['decide', { decide: { enabled: true } }],
    ['decide', { decide: { enabled: false, rules: [] } }],
  ])('%s is accepted in form and refused by name', (field, policy) => {
    const parsed = policySchema.safeParse(policy);
    expect(parsed.success && unsupportedPolicyField(parsed.data)).toBe(field);
  });

  test.each([
    {},
    { admission: 'open' },
    { admission: { floor: 3, ceiling: 9 } },
    { merge: {} },
    { merge: { '*.log': 'append', 'a.json': 'keys', '*.{yml,toml}': 'keys' } },
    { merge: { 'package-lock.json': 'regenerate:npm install --package-lock-only' } },
    { checks: [] },
    { decide: { enabled: false } },
  ])('%j asks for nothing that is missing', (policy) => {
    const parsed = policySchema.safeParse(policy);
    expect(parsed.success ? unsupportedPolicyField(parsed.data) : 'refused').toBeNull();
  });

  test('a decide policy is only supported when it is off and says no more', () => {
    expect(unsupportedDecide({ enabled: false })).toBe(false);
    expect(unsupportedDecide({ enabled: true })).toBe(true);
    expect(decidePolicySchema.safeParse({}).success).toBe(false);
  });
});

test.each([
  { leaseMs: 0 },
  { leaseMs: 1.5 },
  { leaseMs: '1000' },
  { regionDepth: -1 },
  { maxAttempts: 0 },
  { admission: 'closed' },
  { admission: { floor: 0 } },
  { admission: { wasteBudget: 0 } },
  { reads: { default: 'line' } },
  { reads: { paths: { 'a/**': 'line' } } },
  { landing: { commits: 'squash' } },
  { landing: { pushes: 'one' } },
  { merge: { 'a.log': 'prepend' } },
  { merge: { 'a.log': 'regenerate:' } },
  { limits: { agents: -1 } },
  { limits: { blobBytes: 2 ** 40 } },
  { limits: { colours: 1 } },
  { colour: 'red' },
])('%j is no policy', (policy) => {
  expect(policySchema.safeParse(policy).success).toBe(false);
});
