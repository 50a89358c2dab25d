// The closed list of generated pages.

import { daemonSettings, endpoints, errorCatalogue, metricCatalogue, policySettings } from '@firetrident/protocol';
import { commandLineReference } from 'firetrident';
import { apiPage } from './api-page.ts';
import { configurationPage, errorsPage, metricsPage } from './catalogue-pages.ts';
import { commandPage } from './command-page.ts';
import { mcpPage } from './mcp-page.ts';

/** Path and text of every generated page, from the catalogues as they are now. */
export async function generatedPages(): Promise<Map<string, string>> {
  // Loaded here, since the list of rules contains the rule that calls this.
  const { houseRulesPage } = await import('./house-rules.ts');
  return new Map([
    ['docs/api.md', apiPage(endpoints)],
    ['docs/cli.md', commandPage(await commandLineReference())],
    ['docs/configuration.md', configurationPage(daemonSettings, policySettings)],
    ['docs/errors.md', errorsPage(errorCatalogue)],
    ['docs/house-rules.md', houseRulesPage()],
    ['docs/mcp.md', mcpPage()],
    ['docs/metrics.md', metricsPage(metricCatalogue)],
  ]);
}
