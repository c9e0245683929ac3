import { setTimeout as sleep } from "node:timers/promises";
import type { KubernetesObject } from "@tsbuilder/runtime";

interface Patience {
  /** How long to wait for objects that never rest, or get no status. */
  readonly seconds: number;
  readonly pause?: (milliseconds: number) => Promise<unknown>;
}

const interval = 250;

/** Objects without a change for this long rest: an operator writes a status in several steps. */
const quiet = 2000;

/** Reads objects again and again until all have a status and nothing changes any more. */
export async function untilRested<T extends Pick<KubernetesObject, "metadata">>(
  read: () => Promise<readonly T[]>,
  { seconds, pause = sleep }: Patience,
): Promise<readonly T[]> {
  let objects = await read();
  let rested = 0;
  for (let waited = 0; waited < seconds * 1000 && rested < quiet; waited += interval) {
    await pause(interval);
    const next = await read();
    rested = next.every(hasStatus) && versionsOf(next) === versionsOf(objects) ? rested + interval : 0;
    objects = next;
  }
  return objects;
}

function hasStatus(object: object): boolean {
  return Object.keys((object as { status?: object }).status ?? {}).length > 0;
}

function versionsOf(objects: readonly Pick<KubernetesObject, "metadata">[]): string {
  return objects.map(({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`).join("\n");
}
