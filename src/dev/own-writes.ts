import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SourceChanges } from "./watch-sources.ts";

/** Tells what a person changed from what dev itself wrote, which the watcher sees, too. */
export class OwnWrites {
  readonly #project: string;
  readonly #contents = new Map<string, string>();

  constructor(project: string) {
    this.#project = project;
  }

  /** Remembers files, by their paths in the project, as they were just written. */
  note(files: Iterable<string>): void {
    for (const file of files) this.#contents.set(file, this.#read(file));
  }

  /** Leaves out files that are as dev left them; one that differs is a person's from now on. */
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
