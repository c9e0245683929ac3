// Reloads after edits. `watch-sources` reports edits, and this file executes the steps that they make necessary.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Report } from "../dev-event.ts";
import type { SourceChanges } from "./watch-sources.ts";
import { TsbuilderError } from "../../shared/errors.ts";

/** A step that an edit makes necessary. What is built anew is restarted, too. */
export type NeededStep = "generate" | "build" | "apply";

/** Returns the steps that an edit of a file of a project in TypeScript makes necessary. */
export function stepsOfProject(file: string): readonly NeededStep[] {
  if (file.endsWith(".ts"))
    return file.startsWith("config/") ? ["generate", "build", "apply"] : ["generate", "build"];
  return file.startsWith("config/") ? ["apply"] : ["build"];
}

/** The steps of a reload, in their order. A step that fails throws. */
export interface ReloadSteps {
  /** Returns the steps that an edit of a file makes necessary. */
  readonly neededBy: (file: string) => readonly NeededStep[];
  /** True if a file that was saved without a change needs no reload: a build may write files that it is made from. */
  readonly skipsUnchanged?: boolean | undefined;
  /** Regenerates from the sources, and returns the files that it wrote. */
  readonly generate: () => Promise<readonly string[]>;
  /** Builds the operator. */
  readonly build: () => Promise<void>;
  /** Applies `config/`. */
  readonly apply: () => Promise<void>;
  /** Restarts the operator. */
  readonly restart: () => Promise<void>;
  /** Returns true while the operator's process runs; it may end by itself. */
  readonly isRunning: () => boolean;
}

/** Executes the steps that an edit makes necessary, one edit after the other, and other work between two reloads. */
export class Reloader {
  readonly #steps: ReloadSteps;
  readonly #ownWrites: OwnWrites;
  readonly #report: Report;
  #work = Promise.resolve();
  #isClosed = false;
  /** Aborted when a reload, or other work, waits for the work between reloads. */
  #awaited = new AbortController();
  // The steps that are due. One that failed stays due: the next edit of any file retries it.
  #isGenerationDue = false;
  #isBuildDue = false;
  #isApplyDue = false;
  #isRestartDue = false;

  constructor(steps: ReloadSteps, ownWrites: OwnWrites, report: Report) {
    this.#steps = steps;
    this.#ownWrites = ownWrites;
    this.#report = report;
  }

  /** Reloads once earlier reloads and other work are done. Resolves when this reload is done; errors are reported. */
  reload(changes: SourceChanges): Promise<void> {
    this.#awaited.abort();
    this.#work = this.#work
      .then(() => this.#execute(changes))
      .catch((error: unknown) => this.#report({ type: "error", error }));
    return this.#work;
  }

  /** Does work between reloads; throws after `close`. The signal is aborted once a reload, or other work, waits for it. */
  between<T>(work: (awaited: AbortSignal) => Promise<T>): Promise<T> {
    this.#awaited.abort();
    const done = this.#work.then(() => {
      if (this.#isClosed) throw sessionEnds();
      this.#awaited = new AbortController();
      return work(this.#awaited.signal);
    });
    this.#work = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  }

  /** Drops everything that waits, and resolves when the current step is done. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#work;
  }

  async #execute(watched: SourceChanges): Promise<void> {
    const changes = this.#isClosed ? [] : this.#ownWrites.leaveOut(watched);
    if (changes.length === 0) return;
    if (this.#steps.skipsUnchanged) this.#ownWrites.note(changes);
    const started = performance.now();
    this.#report({ type: "again", what: "reload" });
    await this.#generateAndBuild(changes);
    if (this.#isApplyDue) await this.#steps.apply();
    this.#isApplyDue = false;
    if (this.#isRestartDue || !this.#steps.isRunning()) await this.#steps.restart();
    this.#isRestartDue = false;
    // The end of a process that did not stay is reported by the process.
    if (!this.#steps.isRunning()) return;
    const seconds = ((performance.now() - started) / 1000).toFixed(2);
    this.#report({ type: "info", text: `${changes.join(", ")}: reloaded in ${seconds} s` });
  }

  /** Generates and builds in parallel. The generators' errors win: they are clearer than the bundler's. */
  async #generateAndBuild(changes: SourceChanges): Promise<void> {
    const needed = new Set(changes.flatMap((file) => this.#steps.neededBy(file)));
    this.#isGenerationDue ||= needed.has("generate");
    this.#isBuildDue ||= needed.has("build");
    this.#isApplyDue ||= needed.has("apply");
    const built = this.#isBuildDue ? this.#steps.build() : undefined;
    // Awaited below, unless the generators fail first.
    built?.catch(() => undefined);
    const generated = this.#isGenerationDue ? await this.#steps.generate() : [];
    this.#isGenerationDue = false;
    this.#ownWrites.note(generated);
    this.#isApplyDue ||= generated.length > 0;
    await built;
    this.#isRestartDue ||= this.#isBuildDue;
    this.#isBuildDue = false;
  }
}

/** Returns the error of work that is refused or interrupted because the session stops. */
export function sessionEnds(): TsbuilderError {
  return new TsbuilderError("tsbuilder dev is stopping", { code: "REFUSED", hint: "start it again" });
}

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
