import { watch } from "node:fs";
import { eventually, type Watched } from "./eventually.ts";
import { watchBoth } from "./watched-process.ts";

/**
 * Watches a folder for its next change: call it before the change. The function that it returns waits for the change,
 * and fails if the process that should make it has ended.
 */
export function folderChange(
  folder: string,
  isMeant: (file: string) => boolean = () => true,
): (maker: Watched) => Promise<void> {
  const seen: string[] = [];
  const watcher = watch(folder);
  const change = new Promise<void>((resolve, reject) => {
    watcher.on("change", (_, file) => {
      seen.push(String(file));
      if (isMeant(String(file))) resolve();
    });
    watcher.once("error", reject);
  });
  change.catch(() => {});
  return async (maker) => {
    try {
      const events: Watched = { end: undefined, output: "", next: () => change };
      await eventually(
        () => {
          if (!seen.some(isMeant)) throw new Error(`no such change in ${folder}: ${JSON.stringify(seen)}`);
        },
        watchBoth(maker, events),
      );
    } finally {
      watcher.close();
    }
  };
}
