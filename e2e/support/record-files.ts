import type { Profiler } from "node:inspector";
import { Session } from "node:inspector/promises";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { repository } from "./source-imports.ts";

/** What was recorded of a run. */
export interface Recorded {
  /** The files below src in which a function was called, sorted. */
  readonly called: readonly string[];
  /** Those of them that were watched, in the order of their first calls. */
  readonly inOrder: readonly string[];
}

/**
 * Records the files that are called while something runs. It runs twice: the first round finds the functions, the
 * second notes when those of the watched files are called. It has to have run once before, because a file that is
 * loaded meanwhile counts as called.
 */
export async function recordFiles(
  run: (round: number) => Promise<unknown>,
  watched: readonly string[] = [],
): Promise<Recorded> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Debugger.enable");
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    await run(1);
    const { result } = await session.post("Profiler.takePreciseCoverage");
    const scripts = result.filter((script) => isSource(script) && calledFunctions(script).length > 0);
    const noted = new Set<string>();
    Reflect.set(globalThis, notedFiles, noted);
    for (const script of scripts) if (watched.includes(fileOf(script))) await noteCalls(session, script);
    if (watched.length > 0) await run(2);
    return { called: scripts.map(fileOf).toSorted(), inOrder: [...noted] };
  } finally {
    session.disconnect();
    Reflect.deleteProperty(globalThis, notedFiles);
  }
}

const notedFiles = "filesNotedByRecordFiles";

/** Puts a breakpoint with a condition that is never true into each function that was called. */
async function noteCalls(session: Session, script: Profiler.ScriptCoverage): Promise<void> {
  const { scriptId } = script;
  const { scriptSource } = await session.post("Debugger.getScriptSource", { scriptId });
  const condition = `${notedFiles}.add(${JSON.stringify(fileOf(script))}), false`;
  for (const { ranges } of calledFunctions(script)) {
    const before = scriptSource.slice(0, scriptSource.indexOf("{", ranges[0]!.startOffset) + 1);
    const lines = before.split("\n");
    const location = { scriptId, lineNumber: lines.length - 1, columnNumber: lines.at(-1)!.length };
    // Two functions of one line may share a place.
    await session.post("Debugger.setBreakpoint", { location, condition }).catch(() => undefined);
  }
}

/** The functions that were called; the first one of a script is its top level. */
function calledFunctions({ functions }: Profiler.ScriptCoverage): readonly Profiler.FunctionCoverage[] {
  return functions.filter(({ ranges }) => ranges[0]!.count > 0 && ranges[0]!.startOffset > 0);
}

function fileOf({ url }: Profiler.ScriptCoverage): string {
  return relative(repository, url.startsWith("file:") ? fileURLToPath(url) : url);
}

function isSource(script: Profiler.ScriptCoverage): boolean {
  const file = fileOf(script);
  return file.startsWith("src/") && !file.includes("node_modules");
}
