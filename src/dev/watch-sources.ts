import { type FSWatcher, readdirSync, watch } from "node:fs";
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
  const note = (path: string): void => {
    changed.add(path);
    clearTimeout(timer);
    timer = setTimeout(report, QUIET_MILLISECONDS);
  };
  const watchers = new Map<string, FSWatcher>();
  const forget = (folder: string): void => {
    for (const [path, watcher] of watchers) {
      if (path !== folder && !path.startsWith(`${folder}/`)) continue;
      watcher.close();
      watchers.delete(path);
    }
  };
  /** Each folder has a watcher of its own: Node's recursive one loses a file that an editor replaces by renaming. */
  const watchFolder = (folder: string, onFile?: (path: string) => void): void => {
    forget(folder);
    const entries = foldersAndFiles(join(project, folder));
    if (!entries) return;
    const watcher = watch(join(project, folder), (_event, name) => {
      if (!name) return;
      const path = `${folder}/${name}`;
      if (isSource(name)) note(path);
      // A folder that comes brings files, which were there before its watcher.
      else watchFolder(path, note);
    });
    watcher.on("error", () => forget(folder));
    watchers.set(folder, watcher);
    for (const { name, isFolder } of entries) {
      if (isFolder) watchFolder(`${folder}/${name}`, onFile);
      else if (isSource(name)) onFile?.(`${folder}/${name}`);
    }
  };
  for (const folder of WATCHED) watchFolder(folder);
  // A project has no api/ before its first kind.
  const root = watch(project, (_event, name) => {
    if (!name || !WATCHED.some((folder) => folder === name)) return;
    const isNew = !watchers.has(name);
    watchFolder(name, isNew ? note : undefined);
    if (isNew) note(name);
  });
  return {
    close: () => {
      clearTimeout(timer);
      root.close();
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}

/** What is in a folder; undefined where there is none. */
function foldersAndFiles(path: string): { name: string; isFolder: boolean }[] | undefined {
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
  } catch {
    return undefined;
  }
}

/** Editors leave backups and swap files beside what they write. */
function isSource(name: string): boolean {
  return /\.(ts|json|ya?ml|sh|sql)$/.test(name) && !/(^|\/)[.#]/.test(name);
}
