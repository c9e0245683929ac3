import { chmodSync, statSync, writeFileSync } from "node:fs";

/** Writes a file that only its owner may read, also in the place of one that others may read. */
export function writePrivate(file: string, content: string): void {
  // The mode of a write only applies to a new file. Devices and pipes keep theirs: /dev/null is everybody's.
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) chmodSync(file, privateMode);
  writeFileSync(file, content, { mode: privateMode });
}

const privateMode = 0o600;
