// The closed list of generated pages.

/** Path and text of every generated page, from the catalogues as they are now. */
export async function generatedPages(): Promise<Map<string, string>> {
  // Loaded here, since the list of rules contains the rule that calls this.
  const { houseRulesPage } = await import('./house-rules.ts');
  return new Map([['docs/house-rules.md', houseRulesPage()]]);
}
