import { watch } from "node:fs";

/** Resolves at the next change of a file in a folder: call it before what makes the change. */
export function folderChange(folder: string, isMeant: (file: string) => boolean = () => true): Promise<void> {
  return new Promise((resolve, reject) => {
    const watcher = watch(folder, (_, file) => {
      if (!isMeant(file ?? "")) return;
      watcher.close();
      resolve();
    });
    watcher.once("error", reject);
  });
}
