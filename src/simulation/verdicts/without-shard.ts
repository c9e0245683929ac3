import { isClaimed } from "@tsbuilder/runtime/testing";
import type { Scenario, TraceEvent, Verdict } from "../contract/index.ts";
import { isChange, operatorsByProcess, textOf } from "./changes.ts";

/**
 * A write by a process that shares the objects with others, while it claims no shard that the object is in. Only what
 * users created, and what such objects own, has a place in a shard that is known from outside.
 */
export function withoutShard(trace: readonly TraceEvent[], scenario: Scenario): Verdict[] {
  const byOperator = new Map(scenario.operators.map(({ name, sharding }) => [name, sharding]));
  const operators = operatorsByProcess(scenario);
  /** What the Lease of each process's present life claims. */
  const claimed = new Map<string, { readonly lease: string; readonly claims: string }>();
  const users = new Set<string>();
  for (const event of trace) {
    if (event.type === "start") claimed.delete(event.process);
    if (event.type === "claims" && (event.claims !== "" || claimed.get(event.process)?.lease === event.lease))
      claimed.set(event.process, event);
    if (!isChange(event)) continue;
    if (event.by === "user" && event.change === "ADDED") users.add(event.uid);
    const by = byOperator.get(operators.get(event.by) ?? "");
    const [before, after = before] = event.owners;
    const root = [event.uid, after].find((uid) => uid !== undefined && users.has(uid));
    if (by === undefined || root === undefined) continue;
    const [namespace = ""] = event.key.includes("/") ? event.key.split("/") : [];
    const place = by === "uid" || namespace === "" ? root : namespace;
    if (isClaimed(claimed.get(event.by)?.claims ?? "", place)) continue;
    const message = `${event.by} writes ${textOf(event)}, which is in no shard that it holds`;
    return [{ class: "without-lease", message, objects: [textOf(event)] }];
  }
  return [];
}
