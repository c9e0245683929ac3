import { once } from "node:events";
import { watch } from "node:fs";

/** Resolves at the next change in a folder: call it before what makes the change. */
export async function folderChange(folder: string): Promise<void> {
  const watcher = watch(folder);
  try {
    await once(watcher, "change");
  } finally {
    watcher.close();
  }
}
