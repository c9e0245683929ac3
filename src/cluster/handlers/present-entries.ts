import type { Entry } from "../storage/entry.ts";
import type { Target } from "./target.ts";

const batchSize = 100;

/** Converts many entries to the requested version in slices of time, with at most two calls of a conversion webhook. */
export async function presentEntries(
  { core, resource, version }: Pick<Target, "core" | "resource" | "version">,
  entries: readonly Entry[],
): Promise<readonly Entry[]> {
  const pause = core.slices.begin();
  const shown: Entry[] = [];
  while (shown.length < entries.length) {
    const start = shown.length;
    const batch = resource.presentAll(entries.slice(start, start + batchSize), version);
    if (batch instanceof Promise) {
      const rest = [await batch, await resource.presentAll(entries.slice(start + batchSize), version)];
      return shown.concat(...rest);
    }
    shown.push(...batch);
    const paused = pause();
    if (paused) await paused;
  }
  return shown;
}
