import { Session } from "node:inspector/promises";
import { fileURLToPath } from "node:url";
import { relative } from "node:path";
import { repository } from "./source-imports.ts";

/**
 * The files below src in which a function is called while something runs, sorted. It has to have run once before: a file
 * that is loaded meanwhile counts as called.
 */
export async function recordFiles(run: () => Promise<unknown>): Promise<string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    await run();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    const called = result.filter(({ functions }) => functions.some(({ ranges }) => ranges[0]!.count > 0));
    const files = called.map(({ url }) =>
      relative(repository, url.startsWith("file:") ? fileURLToPath(url) : url),
    );
    return files.filter((file) => file.startsWith("src/") && !file.includes("node_modules")).toSorted();
  } finally {
    session.disconnect();
  }
}
