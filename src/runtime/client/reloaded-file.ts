import { readFileSync } from "node:fs";

/** How long a file's content is believed, in milliseconds. A kubelet replaces tokens long before they expire. */
const lifetime = 10_000;

/** A file that somebody replaces while the program runs: a token, a certificate. */
export class ReloadedFile {
  readonly path: string;
  #content: string | undefined;
  #readAt = 0;

  constructor(path: string) {
    this.path = path;
  }

  /** The content, at most ten seconds old. A file that is gone for a moment keeps what it had. */
  read({ refresh = false }: { refresh?: boolean } = {}): string {
    const now = performance.now();
    if (this.#content !== undefined && !refresh && now - this.#readAt < lifetime) return this.#content;
    try {
      this.#content = readFileSync(this.path, "utf8").trim();
    } catch (error) {
      if (this.#content === undefined)
        throw new Error(`${this.path} can't be read: ${(error as Error).message}`, { cause: error });
    }
    this.#readAt = now;
    return this.#content;
  }
}
