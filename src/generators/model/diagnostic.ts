import { compareText } from "@tsbuilder/apimachinery/text";
import type { Position } from "../../shared/errors.ts";
import { codeFrame, positionAt } from "../../shared/text.ts";

/** One finding. All findings of a run are collected and sorted by position, so that a user can fix them at once. */
export interface Diagnostic {
  readonly severity: "error" | "warning";
  /** The problem, with the value in quotes. */
  readonly message: string;
  /** The next step of the user. */
  readonly hint: string | undefined;
  readonly at: Position | undefined;
  /** The source line with a caret below it. */
  readonly frame: string | undefined;
}

/** A place in a source: the file, its text, and an offset into it. */
export interface Place {
  readonly module: { readonly file: string; readonly text: string };
  readonly pos: number;
}

/** Collects the findings of a run, without duplicates. */
export class DiagnosticLog {
  readonly #found = new Map<string, Diagnostic>();

  error(place: Place | undefined, message: string, hint?: string): void {
    this.#add("error", place, message, hint);
  }

  warn(place: Place | undefined, message: string, hint?: string): void {
    this.#add("warning", place, message, hint);
  }

  get size(): number {
    return this.#found.size;
  }

  /** Returns the findings after the first `count`, in the order they were added. */
  since(count: number): Diagnostic[] {
    return [...this.#found.values()].slice(count);
  }

  /** Adds the findings of an earlier run again. */
  repeat(findings: readonly Diagnostic[]): void {
    for (const finding of findings) this.#keep(finding);
  }

  get hasErrors(): boolean {
    return [...this.#found.values()].some(({ severity }) => severity === "error");
  }

  sorted(): Diagnostic[] {
    return [...this.#found.values()].sort(
      ({ at: a, message: left }, { at: b, message: right }) =>
        compareText(a?.file ?? "", b?.file ?? "") ||
        (a?.line ?? 0) - (b?.line ?? 0) ||
        (a?.column ?? 0) - (b?.column ?? 0) ||
        compareText(left, right),
    );
  }

  #add(severity: Diagnostic["severity"], place: Place | undefined, message: string, hint?: string): void {
    const at = place && positionAt(place.module.file, place.module.text, place.pos);
    const frame = at && place ? codeFrame(place.module.text, at) : undefined;
    this.#keep({ severity, message, hint, at, frame });
  }

  #keep(finding: Diagnostic): void {
    const key = `${finding.at?.file}:${finding.at?.line}:${finding.at?.column}:${finding.message}`;
    if (!this.#found.has(key)) this.#found.set(key, finding);
  }
}
