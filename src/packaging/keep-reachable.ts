import { readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

/** Removes the declarations of a folder that no entry needs, directly or through others. */
export function keepReachable(folder: string, entries: readonly string[]): void {
  const reachable = new Set(entries.map((entry) => join(folder, entry)));
  // A Set also visits what is added on the way.
  for (const file of reachable) {
    const text = readFileSync(file, "utf8");
    for (const [, specifier = ""] of text.matchAll(/(?:from|import\() ?"(\.[^"]+)\.ts"/gu))
      reachable.add(join(dirname(file), `${specifier}.d.ts`));
  }
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && !reachable.has(file)) rmSync(file);
  }
}
