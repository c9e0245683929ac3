import type { Diagnostic } from "../../generators/model/diagnostic.ts";

/**
 * Takes lines of comments out that the generators refuse and controller-gen ignores: a misspelt marker, or one in the
 * wrong place. Returns each of them; what is wrong in any other line stays.
 */
export function removeRefusedMarkers(
  files: Record<string, string>,
  diagnostics: readonly Diagnostic[],
): string[] {
  const removed: string[] = [];
  for (const { severity, at, message } of diagnostics) {
    if (severity !== "error" || !at || files[at.file] === undefined) continue;
    const lines = files[at.file]!.split("\n");
    const line = lines[at.line - 1] ?? "";
    const marker = /^\s*(?:\/\/|\/\*\*|\*)\s*(\+.*?)(?:\s*\*\/)?$/u.exec(line)?.[1];
    if (marker === undefined) continue;
    // The line stays, so that the places of other findings are right.
    lines[at.line - 1] = line.includes("/**") ? "" : line.replace(marker, "+import:removed");
    files[at.file] = lines.join("\n");
    removed.push(`${marker} (${message})`);
  }
  return removed;
}
