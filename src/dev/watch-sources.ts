import { type FSWatcher, watch } from "node:fs";
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
  const watchers: FSWatcher[] = WATCHED.map((folder) =>
    watch(join(project, folder), { recursive: true }, (_event, name) => {
      if (!name || !isSource(name)) return;
      changed.add(`${folder}/${name.replaceAll("\\", "/")}`);
      clearTimeout(timer);
      timer = setTimeout(report, QUIET_MILLISECONDS);
    }),
  );
  return {
    close: () => {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
    },
  };
}

/** Editors leave backups and swap files beside what they write. */
function isSource(name: string): boolean {
  return /\.(ts|json|ya?ml|sh|sql)$/.test(name) && !/(^|\/)[.#]/.test(name);
}
