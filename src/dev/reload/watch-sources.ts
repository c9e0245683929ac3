import { type FSWatcher, readdirSync, statSync, watch } from "node:fs";
import { join } from "node:path";
import { type Clock, systemClock } from "@tsbuilder/apimachinery/time";

/** The changes since the last report: paths relative to the project, sorted. */
export type SourceChanges = readonly string[];

/** The files whose edits are reported. Paths begin at the project: `src/main.ts`. */
export interface WatchedSources {
  readonly isFolder: (path: string) => boolean;
  readonly isFile: (path: string) => boolean;
}

/** The sources of a project in TypeScript. */
export const projectSources: WatchedSources = {
  isFolder: (path) => /^(?:api|src|config)(?:\/|$)/u.test(path),
  isFile: (path) => path.includes("/") && isSource(path.slice(path.lastIndexOf("/") + 1)),
};

/** Editors write a file in several steps; changes within this time are reported together. */
const quietMilliseconds = 30;

/** How long an empty or missing file delays a batch: editors truncate or delete a file before they write it. */
const saveMilliseconds = 510;

/** Watches a project's sources and reports changes in batches; `close` stops it. */
export function watchSources(
  project: string,
  onChange: (changes: SourceChanges) => void,
  clock: Clock = systemClock,
  { isFolder, isFile }: WatchedSources = projectSources,
): { close(): void } {
  const changed = new Set<string>();
  let cancel = (): void => undefined;
  const reportAfter = (waited: number): void => {
    cancel = clock.setTimer(() => {
      const isSaving = [...changed].some((path) => hasNoContent(join(project, path)));
      if (isSaving && waited < saveMilliseconds) reportAfter(waited + quietMilliseconds);
      else report();
    }, quietMilliseconds);
  };
  const report = (): void => {
    const changes = [...changed].toSorted();
    changed.clear();
    onChange(changes);
  };
  const note = (path: string): void => {
    changed.add(path);
    cancel();
    reportAfter(quietMilliseconds);
  };
  const watchers = new Map<string, FSWatcher>();
  const forget = (folder: string): void => {
    for (const [path, watcher] of watchers) {
      if (path !== folder && !path.startsWith(`${folder}/`)) continue;
      watcher.close();
      watchers.delete(path);
    }
  };
  // Each folder has its own watcher: Node's recursive one loses a file that an editor replaces by renaming.
  const watchFolder = (folder: string, onFile?: (path: string) => void): void => {
    forget(folder);
    const entries = listEntries(join(project, folder));
    if (!entries) return;
    const watcher = watch(join(project, folder), (_event, name) => {
      if (!name) return;
      const path = `${folder}/${name}`;
      if (isFile(path)) note(path);
      // A new folder may already contain files that its watcher does not report.
      else if (isFolder(path)) watchFolder(path, note);
    });
    watcher.on("error", () => forget(folder));
    watchers.set(folder, watcher);
    for (const entry of entries) {
      const path = `${folder}/${entry.name}`;
      if (entry.isFolder && isFolder(path)) watchFolder(path, onFile);
      else if (!entry.isFolder && isFile(path)) onFile?.(path);
    }
  };
  for (const entry of listEntries(project) ?? [])
    if (entry.isFolder && isFolder(entry.name)) watchFolder(entry.name);
  // A project has no api/ before its first kind.
  const root = watch(project, (_event, name) => {
    if (!name) return;
    if (isFile(name)) return note(name);
    if (!isFolder(name)) return;
    const isNew = !watchers.has(name);
    watchFolder(name, isNew ? note : undefined);
    // The name may be that of a file.
    if (isNew && watchers.has(name)) note(name);
  });
  return {
    close: () => {
      cancel();
      root.close();
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}

/** Returns the entries of a folder; undefined if it does not exist. */
function listEntries(path: string): { name: string; isFolder: boolean }[] | undefined {
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
  } catch {
    return undefined;
  }
}

/** Returns true for an empty or missing file. An unreadable file counts as complete: its reader explains the problem. */
function hasNoContent(path: string): boolean {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return !stats || (stats.isFile() && stats.size === 0);
  } catch {
    return false;
  }
}

/** Returns true for sources, but not for the backups and swap files that editors put next to them. */
function isSource(name: string): boolean {
  return /\.(ts|json|ya?ml|sh|sql)$/.test(name) && !/(^|\/)[.#]|\.test\.ts$/.test(name);
}
