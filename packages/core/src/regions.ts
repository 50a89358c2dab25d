// Which region a path belongs to. Regions name lanes; they are not stored anywhere else.

import { comparePaths, folderOf, type TreePath } from '@firetrident/base';
import type { Region } from './model.ts';
import { type Pattern, patternsOf } from './pattern.ts';

/** Region of the root of the tree. */
export const rootRegion: Region = '.';

/** Stands for the region of work that predicts no place: no bound holds for it. No path has this region. */
export const nowhere: Region = '';

/** Whether any of the predicted patterns names a place. */
export function namesPlace(patterns: readonly Pattern[]): boolean {
  return patterns.some((pattern) => !pattern.wide);
}

/**
 * Region of a file: the first `depth` folders of its folder, or the package folder that holds it when that lies
 * deeper; "." for files of the root.
 */
export function regionOf(path: TreePath, depth: number, packages: ReadonlySet<TreePath>): Region {
  return regionOfFolder(folderOf(path), depth, packages);
}

/** Region of a folder itself. */
export function regionOfFolder(folder: TreePath, depth: number, packages: ReadonlySet<TreePath>): Region {
  if (folder === '') return rootRegion;
  const segments = folder.split('/');
  for (let length = segments.length; length > depth && packages.size > 0; length -= 1) {
    const candidate = segments.slice(0, length).join('/');
    if (packages.has(candidate)) return candidate;
  }
  return segments.slice(0, depth).join('/') || rootRegion;
}

/** The region of most of the paths; of several, the first by name. "." when there are none. */
export function regionOfPaths(paths: readonly TreePath[], depth: number, packages: ReadonlySet<TreePath>): Region {
  return mostFrequent(paths.map((path) => regionOf(path, depth, packages)));
}

/** As `regionOfPaths`, for predicted paths and globs: a glob counts for the folder before its first wildcard. */
export function regionOfPatterns(patterns: readonly string[], depth: number, packages: ReadonlySet<TreePath>): Region {
  return mostFrequent(patternsOf(patterns).map(({ root }) => regionOfFolder(root.join('/'), depth, packages)));
}

function mostFrequent(regions: readonly Region[]): Region {
  const counts = new Map<Region, number>();
  for (const region of regions) counts.set(region, (counts.get(region) ?? 0) + 1);
  let best = rootRegion;
  let bestCount = 0;
  for (const [region, count] of counts) {
    if (count > bestCount || (count === bestCount && comparePaths(region, best) < 0)) {
      best = region;
      bestCount = count;
    }
  }
  return best;
}
