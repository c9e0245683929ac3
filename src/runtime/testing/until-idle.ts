import { settled } from "@tsbuilder/apimachinery/time";
import type { Manager } from "../manager/manager.ts";
import { eventually, type EventuallyOptions } from "./eventually.ts";

/**
 * Resolves when all controllers of a manager are idle: no request is ready or being reconciled, and nothing is going on
 * in this process that would lead to one. Delayed requests don't count. If the cluster runs in another process, an event
 * may still be on its way from there. Rejects after the timeout.
 */
export async function untilIdle(manager: Manager, options?: EventuallyOptions): Promise<void> {
  await eventually(async () => {
    if (!manager.isIdle) return false;
    await settled();
    return manager.isIdle;
  }, options);
}
