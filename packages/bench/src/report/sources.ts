// The results of a report by kind, and how a chart names the runs that its figures are from.

import type { ResultFile, Results } from '../results/result-file.ts';

/** A result of one kind with its file. */
export type Found<Kind extends keyof Results> = Extract<ResultFile, { readonly kind: Kind }>;

/** Results of one kind, in the order of the files. */
export function found<Kind extends keyof Results>(files: readonly ResultFile[], kind: Kind): readonly Found<Kind>[] {
  return files.filter((each): each is Found<Kind> => each.kind === kind);
}

/** The last part of a path: what a reader knows the run by. */
export function runName({ file }: { readonly file: string }): string {
  return file.split('/').at(-1) ?? file;
}

/** Names the runs of a figure. */
export function sourceOf(files: readonly { readonly file: string }[]): string {
  return files.map(runName).join(', ');
}

/** When a run was, as far as it says so. */
export function dateOf(each: ResultFile): string | null {
  const { result, provenance } = each;
  const date = 'startedAt' in result ? result.startedAt : (provenance?.date ?? null);
  return date === null ? null : date.slice(0, 16).replace('T', ' ');
}

/** The machine of a run, as far as it says so. */
export function hostOf(each: ResultFile): string | null {
  const host = 'host' in each.result ? each.result.host : (each.provenance?.host ?? null);
  return host === null
    ? null
    : `${host.cores} cores, ${host.cpu}, ${host.memoryMiB} MiB, kernel ${host.kernel}, Node ${host.node}`;
}
