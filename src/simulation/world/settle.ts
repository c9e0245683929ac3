import type { World } from "./world.ts";

/** Without a change by a process for this long, and without work, everything has come to rest. */
const quiet = 60_000;

/** A process that still changes objects after this long does so for ever. */
const longest = 1_800_000;

/** More changes than any way to the desired state takes. */
const mostChanges = 250;

/** Moves the time until the operators rest. Returns false if they never do. */
export async function settle(world: World, isBusy: () => boolean = () => false): Promise<boolean> {
  const { loop, replicas } = world;
  let start = { at: loop.now, changes: world.changes };
  let wasBusy = true;
  world.lastChange = Math.max(world.lastChange, loop.now);
  for (;;) {
    if (wasBusy) {
      start = { at: loop.now, changes: world.changes };
      wasBusy = isBusy();
    } else if (loop.now - world.lastChange >= quiet && replicas.every(({ isIdle }) => isIdle)) return true;
    if (world.changes - start.changes > mostChanges || loop.now - start.at > longest) return false;
    if (!(await loop.step())) return true;
  }
}
