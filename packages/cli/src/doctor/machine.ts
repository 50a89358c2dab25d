// The doctor on the machine: Node, git, the data directory, the daemon.

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { tryGit } from '@firetrident/agents';
import { Client, ClientError } from '@firetrident/client';
import type { DataDirectoryFacts } from '@firetrident/daemon';
import { adminTokenFile, servingAddress } from '../connection.ts';
import { type DoctorFinding, fine, problem, warning } from './finding.ts';

/** Node and git are recent enough. */
export async function checkPrograms(): Promise<DoctorFinding[]> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const nodeFits = major > 23 || (major === 23 && minor >= 6) || (major === 22 && minor >= 18);
  const node = nodeFits
    ? fine('node', process.versions.node)
    : problem('node', `${process.versions.node} is too old`, 'use 22.18 or later');
  try {
    const { output } = await tryGit('.', ['--version']);
    const version = output.toString('utf8').replace('git version', '').trim();
    const [gitMajor = 0, gitMinor = 0] = version.split('.').map(Number);
    const gitFits = gitMajor > 2 || (gitMajor === 2 && gitMinor >= 39);
    return [node, gitFits ? fine('git', version) : problem('git', `${version} is too old`, 'use 2.39 or later')];
  } catch (error) {
    return [node, problem('git', `it cannot be run: ${(error as Error).message}`, 'install git 2.39 or later')];
  }
}

/** The data directory can be used, and its secret is one. */
export async function checkData(data: string): Promise<{
  readonly findings: DoctorFinding[];
  readonly facts: DataDirectoryFacts | null;
}> {
  if (!existsSync(data)) {
    return { findings: [warning('data', `${data} is not there yet`, 'firetrident up makes it')], facts: null };
  }
  const findings: DoctorFinding[] = [];
  try {
    accessSync(data, constants.R_OK | constants.W_OK | constants.X_OK);
    findings.push(fine('data', data));
  } catch (error) {
    findings.push(
      problem('data', `${data} cannot be read and written: ${(error as Error).message}`, 'correct its owner or mode'),
    );
    return { findings, facts: null };
  }
  const token = adminTokenFile(data);
  if (existsSync(token) && (statSync(token).mode & 0o077) !== 0) {
    findings.push(
      problem('admin token', `others can read ${token}`, `chmod 600 ${token}, then think whether it is still a secret`),
    );
  }
  const { describeData } = await import('@firetrident/daemon');
  return { findings, facts: describeData(data) };
}

/** The daemon of the data directory answers, or nobody claims to be it. */
export async function checkDaemon(
  data: string,
  facts: DataDirectoryFacts | null,
): Promise<{ readonly finding: DoctorFinding; readonly reachable: boolean }> {
  const holder = facts?.holder ?? null;
  const url = servingAddress(data);
  const who = holder === null ? '' : `process ${holder.processId} on ${holder.host} since ${holder.since}`;
  if (url !== null && (await answers(url))) {
    return {
      finding: fine('daemon', `${url}, ${holder === null ? 'without a holder of the data' : who}`),
      reachable: true,
    };
  }
  if (holder === null) {
    return {
      finding: warning('daemon', 'none serves this data directory', 'firetrident up starts one'),
      reachable: false,
    };
  }
  const finding =
    facts?.held === true
      ? problem('daemon', `${who} holds the data and does not answer`, 'wait until it has started, or look at its log')
      : warning('daemon', `${who} did not shut down cleanly`, 'firetrident up recovers what it left');
  return { finding, reachable: false };
}

async function answers(url: string): Promise<boolean> {
  try {
    await new Client({ url, token: '', attempts: 1 }).call('readHealth');
    return true;
  } catch (error) {
    if (error instanceof ClientError) return false;
    throw error;
  }
}
