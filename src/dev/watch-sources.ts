import { existsSync, type FSWatcher, watch } from "node:fs";
import { join } from "node:path";

/** What changed since the last report: paths relative to the project, sorted. */
export type SourceChanges = readonly string[];

/** Folders of a project in which an edit means something to `dev`. */
const WATCHED = ["api", "src", "config"] as const;

/** Editors write a file in several steps; what happens within this time is one change. */
const QUIET_MILLISECONDS = 30;

/** Watches a project's sources and reports changes in batches; `close` ends it. */
export function watchSources(project: string, onChange: (changes: SourceChanges) => void): { close(): void } {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const report = (): void => {
    const changes = [...changed].toSorted();
    changed.clear();
    onChange(changes);
  };
  const watchers = new Map<string, FSWatcher>();
  const note = (path: string): void => {
    changed.add(path);
    clearTimeout(timer);
    timer = setTimeout(report, QUIET_MILLISECONDS);
  };
  const watchFolder = (folder: string): void => {
    if (watchers.has(folder) || !existsSync(join(project, folder))) return;
    const watcher = watch(join(project, folder), { recursive: true }, (_event, name) => {
      if (name && isSource(name)) note(`${folder}/${name.replaceAll("\\", "/")}`);
    });
    watchers.set(folder, watcher);
  };
  for (const folder of WATCHED) watchFolder(folder);
  // A project has no api/ before its first kind.
  const root = watch(project, (_event, name) => {
    if (!WATCHED.some((folder) => folder === name) || watchers.has(name!)) return;
    watchFolder(name!);
    note(name!);
  });
  return {
    close: () => {
      clearTimeout(timer);
      root.close();
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}

/** Editors leave backups and swap files beside what they write. */
function isSource(name: string): boolean {
  return /\.(ts|json|ya?ml|sh|sql)$/.test(name) && !/(^|\/)[.#]/.test(name);
}
