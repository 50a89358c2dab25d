// The closed list of house rules. docs/house-rules.md is generated from it, and tidy.test.ts runs it.

import type { Rule } from './rule.ts';
import { commentRules } from './rules/comments.ts';
import { identifierRules } from './rules/identifiers.ts';
import { identityRules } from './rules/identities.ts';
import { importRules } from './rules/imports.ts';
import { markdownRules } from './rules/markdown.ts';
import { nameRules } from './rules/names.ts';
import { pageRules } from './rules/pages.ts';
import { repositoryRules } from './rules/repository.ts';
import { sizeRules } from './rules/sizes.ts';

/** Every house rule, in the order of its number. */
export const rules: readonly Rule[] = [
  ...importRules,
  ...identifierRules,
  ...sizeRules,
  ...nameRules,
  ...commentRules,
  ...identityRules,
  ...markdownRules,
  ...repositoryRules,
  ...pageRules,
];
