import type { Profiler } from "node:inspector";
import { Session } from "node:inspector/promises";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { repository } from "./source-imports.ts";

/** The files that a run called. */
export interface Recorded {
  /** The files below src in which a function was called, sorted. */
  readonly called: readonly string[];
  /** The watched ones among them, in the order of their first calls. */
  readonly inOrder: readonly string[];
}

/**
 * Records the files that are called during a run. It runs twice: the first round finds the functions, the second
 * records when those of the watched files are called. The work must have run once before, because a file that is
 * loaded during the recording counts as called.
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

/** Sets a breakpoint with a condition that is never true in each function that was called. */
async function noteCalls(session: Session, script: Profiler.ScriptCoverage): Promise<void> {
  const { scriptId } = script;
  const { scriptSource } = await session.post("Debugger.getScriptSource", { scriptId });
  const condition = `${notedFiles}.add(${JSON.stringify(fileOf(script))}), false`;
  for (const { ranges } of calledFunctions(script)) {
    const before = scriptSource.slice(0, scriptSource.indexOf("{", ranges[0]!.startOffset) + 1);
    const lines = before.split("\n");
    const location = { scriptId, lineNumber: lines.length - 1, columnNumber: lines.at(-1)!.length };
    // Two functions on one line may share a location.
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
