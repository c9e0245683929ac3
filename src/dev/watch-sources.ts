import { type FSWatcher, readdirSync, watch } from "node:fs";
import { join } from "node:path";

/** The changes since the last report: paths relative to the project, sorted. */
export type SourceChanges = readonly string[];

/** Folders of a project in which `dev` watches for edits. */
const watched = ["api", "src", "config"] as const;

/** Editors write a file in several steps; changes within this time are reported together. */
const quietMilliseconds = 30;

/** Watches a project's sources and reports changes in batches; `close` stops it. */
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
    timer = setTimeout(report, quietMilliseconds);
  };
  const watchers = new Map<string, FSWatcher>();
  const forget = (folder: string): void => {
    for (const [path, watcher] of watchers) {
      if (path !== folder && !path.startsWith(`${folder}/`)) continue;
      watcher.close();
      watchers.delete(path);
    }
  };
  /** Each folder has its own watcher: Node's recursive one loses a file that an editor replaces by renaming. */
  const watchFolder = (folder: string, onFile?: (path: string) => void): void => {
    forget(folder);
    const entries = foldersAndFiles(join(project, folder));
    if (!entries) return;
    const watcher = watch(join(project, folder), (_event, name) => {
      if (!name) return;
      const path = `${folder}/${name}`;
      if (isSource(name)) note(path);
      // A new folder may already contain files that its watcher does not report.
      else watchFolder(path, note);
    });
    watcher.on("error", () => forget(folder));
    watchers.set(folder, watcher);
    for (const { name, isFolder } of entries) {
      if (isFolder) watchFolder(`${folder}/${name}`, onFile);
      else if (isSource(name)) onFile?.(`${folder}/${name}`);
    }
  };
  for (const folder of watched) watchFolder(folder);
  // A project has no api/ before its first kind.
  const root = watch(project, (_event, name) => {
    if (!name || !watched.some((folder) => folder === name)) return;
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

/** The entries of a folder; undefined if it does not exist. */
function foldersAndFiles(path: string): { name: string; isFolder: boolean }[] | undefined {
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
  } catch {
    return undefined;
  }
}

/** Editors put backups and swap files next to the file they write. */
function isSource(name: string): boolean {
  return /\.(ts|json|ya?ml|sh|sql)$/.test(name) && !/(^|\/)[.#]/.test(name);
}
