import { closeSync, fsyncSync, openSync } from "node:fs";

/** Waits until a file's content is on the disk, so that a power cut can't leave an empty file behind a rename. */
export function fsyncFile(path: string): void {
  const descriptor = openSync(path, "r+");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
