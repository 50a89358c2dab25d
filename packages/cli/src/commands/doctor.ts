// `firetrident doctor`: looks at the machine, the data, the daemon and every colony's repository, and says what it would do.

import { Command } from 'commander';
import { connect, dataDirectory } from '../connection.ts';
import { checkAttention, checkRepository } from '../doctor/colony.ts';
import type { DoctorFinding } from '../doctor/finding.ts';
import { checkDaemon, checkData, checkPrograms } from '../doctor/machine.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CommandSettings } from '../program.ts';
import { coloursFor } from '../render.ts';

interface DoctorOptions {
  readonly data?: string;
  readonly full?: boolean;
  readonly json?: boolean;
}

/** The command `doctor`. */
export function doctorCommand(settings: CommandSettings): Command {
  return new Command('doctor')
    .description('look for what is wrong, without changing anything')
    .option('--data <directory>', 'data directory to look at (default: .firetrident of the current repository)')
    .option('--full', 'check every object of every repository, which takes longer')
    .option('--json', 'print JSON')
    .action((options: DoctorOptions) => doctor(settings, options));
}

async function doctor(settings: CommandSettings, options: DoctorOptions): Promise<void> {
  const findings = await examine(settings, options);
  const problems = findings.filter((finding) => finding.status === 'problem').length;
  if (options.json === true) settings.output.write(`${JSON.stringify({ findings, problems })}\n`);
  else settings.output.write(findingsText(findings, settings.configuration.colour));
  if (problems > 0) settings.end(exitCodes.failure);
}

async function examine(settings: CommandSettings, options: DoctorOptions): Promise<DoctorFinding[]> {
  const { configuration } = settings;
  const data = dataDirectory(configuration, options);
  const findings = await checkPrograms();
  const examined = await checkData(data);
  const daemon = await checkDaemon(data, examined.facts);
  findings.push(...examined.findings, daemon.finding);
  for (const { id, repository } of examined.facts?.colonies ?? []) {
    findings.push(...(await checkRepository(id, repository, options.full === true)));
    if (daemon.reachable) findings.push(...(await checkAttention(connect(configuration, { data }), id)));
  }
  return findings;
}

/** Findings as aligned lines with their hints, and a last line that sums them up. */
export function findingsText(findings: readonly DoctorFinding[], colour: boolean): string {
  const { green, yellow, red } = coloursFor(colour);
  const paint = { ok: green, warning: yellow, problem: red };
  const width = Math.max(...findings.map((finding) => finding.about.length));
  const lines = findings.flatMap(({ about, status, message, hint }) => {
    const line = `${paint[status](status.padEnd(7))}  ${about.padEnd(width)}  ${message}`;
    return hint === '' ? [line] : [line, `${' '.repeat(9 + width + 2)}${hint}`];
  });
  const count = (status: DoctorFinding['status']) => findings.filter((finding) => finding.status === status).length;
  lines.push('', `${count('ok')} ok, ${count('warning')} warnings, ${count('problem')} problems`);
  return `${lines.join('\n')}\n`;
}
