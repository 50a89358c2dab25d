// What each vendor's agent needs to work in an empty home with the scripted model: where the model is, a key that is none,
// and everything that would call home turned off. Nothing here tells an agent how to work in a colony.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Whose agent. */
export type Vendor = 'claude' | 'codex' | 'gemini' | 'opencode';

interface Place {
  /** The agent's home, empty until now. */
  readonly home: string;
  /** The project that its person trusts. */
  readonly project: string;
  /** Address of the model. */
  readonly model: string;
}

const key = 'no-key';

/** Writes the vendor's own files into the home; answers the variables that belong to them. */
export const vendorSettings: Readonly<Record<Vendor, (place: Place) => Record<string, string>>> = {
  claude: ({ home, model }) => ({
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
    ANTHROPIC_BASE_URL: model,
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_MODEL: 'claude-sonnet-4-5',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
  }),
  codex({ home, project, model }) {
    const text = [
      'model = "scripted"',
      'model_provider = "loopback"',
      'check_for_update_on_startup = false',
      '[analytics]',
      'enabled = false',
      '[features]',
      'plugins = false',
      'remote_plugin = false',
      'apps = false',
      '[model_providers.loopback]',
      'name = "loopback"',
      `base_url = "${model}/v1"`,
      'wire_api = "responses"',
      'env_key = "LOOPBACK_KEY"',
      `[projects."${project}"]`,
      'trust_level = "trusted"',
    ];
    write(join(home, '.codex/config.toml'), `${text.join('\n')}\n`);
    return { CODEX_HOME: join(home, '.codex'), LOOPBACK_KEY: key };
  },
  gemini({ home, model }) {
    const settings = {
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      security: { auth: { selectedType: 'gemini-api-key' } },
    };
    write(join(home, '.gemini/settings.json'), JSON.stringify(settings));
    return {
      GEMINI_API_KEY: key,
      GOOGLE_GEMINI_BASE_URL: model,
      GEMINI_MODEL: 'gemini-2.5-flash',
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    };
  },
  opencode({ home, model }) {
    const scripted = { name: 'scripted', tool_call: true, limit: { context: 200_000, output: 10_000 } };
    const loopback = {
      npm: '@ai-sdk/openai-compatible',
      name: 'loopback',
      options: { baseURL: `${model}/v1`, apiKey: key },
      models: { scripted },
    };
    const settings = {
      provider: { loopback },
      model: 'loopback/scripted',
      small_model: 'loopback/scripted',
      autoupdate: false,
      share: 'disabled',
    };
    const file = join(home, 'opencode.json');
    write(file, JSON.stringify(settings));
    // It installs a package of its own in the background, and waits long for a registry that is away. Here it hears at once
    // that there is no such package.
    write(join(home, '.npmrc'), `registry=${model}/\nfetch-retries=0\n`);
    return { OPENCODE_CONFIG: file, OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' };
  },
};

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
