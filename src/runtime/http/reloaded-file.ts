import { readFileSync } from "node:fs";
import { type Clock, systemClock } from "@tsbuilder/apimachinery/time";

/** How long a file's content is cached, in milliseconds. A kubelet replaces tokens long before they expire. */
const lifetime = 10_000;

/** How to read a file. */
export interface ReadRequest {
  /** Read the file again even if the cached content is fresh. */
  readonly refresh?: boolean;
  readonly clock?: Clock | undefined;
}

/** A file that is replaced while the program runs: a token, a certificate. */
export class ReloadedFile {
  readonly path: string;
  #content: string | undefined;
  #readAt = 0;

  constructor(path: string) {
    this.path = path;
  }

  /**
   * The content, at most ten seconds old. While the file is missing or empty, because it is being replaced, the
   * previous content is returned, and each call reads the file again.
   */
  read({ refresh = false, clock = systemClock }: ReadRequest = {}): string {
    const now = clock.monotonic();
    if (this.#content !== undefined && !refresh && now - this.#readAt < lifetime) return this.#content;
    try {
      const content = readFileSync(this.path, "utf8").trim();
      if (content === "") throw new Error("it is empty");
      this.#content = content;
      this.#readAt = now;
    } catch (error) {
      if (this.#content === undefined)
        throw new Error(`${this.path} can't be read: ${(error as Error).message}`, { cause: error });
    }
    return this.#content;
  }
}
