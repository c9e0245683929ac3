import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SourceChanges } from "./watch-sources.ts";

/** Separates the user's edits from files that dev itself wrote, which the watcher sees, too. */
export class OwnWrites {
  readonly #project: string;
  readonly #contents = new Map<string, string>();

  constructor(project: string) {
    this.#project = project;
  }

  /** Remembers the content of files that dev just wrote, by their paths in the project. */
  note(files: Iterable<string>): void {
    for (const file of files) this.#contents.set(file, this.#read(file));
  }

  /** Drops files that still have the content dev wrote; from the first difference on, a file is the user's. */
  leaveOut(changes: SourceChanges): SourceChanges {
    return changes.filter((file) => {
      if (!this.#contents.has(file)) return true;
      if (this.#contents.get(file) === this.#read(file)) return false;
      return this.#contents.delete(file);
    });
  }

  #read(file: string): string {
    try {
      return readFileSync(join(this.#project, file), "utf8");
    } catch {
      return "";
    }
  }
}
