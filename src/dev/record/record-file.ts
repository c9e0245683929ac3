import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RecordedReconcile } from "./recorded.ts";

/** The size at which a new file is begun. The file before it is kept, too. */
const maxFileBytes = 2 * 1024 * 1024;

/** The reconciles of a session, as lines of JSON in `.tsbuilder/dev`; the oldest ones are dropped. */
export class RecordFile {
  readonly #file: string;
  readonly #older: string;
  #bytes = 0;

  constructor(folder: string) {
    this.#file = join(folder, "reconciles.jsonl");
    this.#older = join(folder, "reconciles.older.jsonl");
  }

  clear(): void {
    rmSync(this.#older, { force: true });
    writeFileSync(this.#file, "");
    this.#bytes = 0;
  }

  append(reconciles: readonly RecordedReconcile[]): void {
    if (reconciles.length === 0) return;
    const lines = reconciles.map((reconcile) => `${JSON.stringify(reconcile)}\n`).join("");
    appendFileSync(this.#file, lines);
    this.#bytes += Buffer.byteLength(lines);
    if (this.#bytes < maxFileBytes) return;
    renameSync(this.#file, this.#older);
    writeFileSync(this.#file, "");
    this.#bytes = 0;
  }

  /** Returns the reconciles, the oldest one first; undefined if no session was recorded. */
  read(): readonly RecordedReconcile[] | undefined {
    const files = [this.#older, this.#file].filter((file) => existsSync(file));
    if (files.length === 0) return undefined;
    return files.flatMap((file) =>
      readFileSync(file, "utf8")
        .split("\n")
        // The last line may be incomplete.
        .slice(0, -1)
        .flatMap(readLine),
    );
  }
}

/** Reads a line. A clone may contain such a file with anything in it, so other lines are ignored. */
function readLine(line: string): RecordedReconcile[] {
  try {
    const read = JSON.parse(line) as Partial<RecordedReconcile> | null;
    const isReconcile = typeof read?.controller === "string" && typeof read.request === "string";
    return isReconcile ? [read as RecordedReconcile] : [];
  } catch {
    return [];
  }
}
