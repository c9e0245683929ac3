import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import type { ScriptResult } from "./database-servers.ts";
import type { MariaCluster } from "./maria-cluster.ts";
import type { Knowledge } from "./maria-knowledge.ts";

/** Repeats the Job until it succeeds, as its user is told. */
export async function finishSwitchover(cluster: MariaCluster, target: number): Promise<void> {
  let last: ScriptResult | undefined;
  for (let attempt = 0; attempt < 30 && last?.code !== 0; attempt += 1) {
    last = cluster.switchTo(target);
    if (last.code !== 0) await pause(500);
  }
  expect(last).toMatchObject({ code: 0 });
  cluster.record(target);
}

/** Without the primary: refused at first, with what would be lost; then that is accepted. */
export async function failOver(cluster: MariaCluster, known: Knowledge, at: number): Promise<void> {
  const candidates = cluster.replicas.filter((ordinal) => !cluster.ahead.has(ordinal));
  for (let attempt = 0; attempt < 60; attempt += 1) {
    const target = candidates[(at + attempt) % candidates.length]!;
    const refused = cluster.switchTo(target);
    expect(refused).toMatchObject({
      code: 7,
      output: expect.stringMatching(/what it wrote after GTID 0-\d+-\d+ would be lost/),
    });
    if (cluster.switchTo(target, { ALLOW_LOSS: "true" }).code === 0) {
      cluster.record(target);
      const kept = cluster.idsOf(cluster.current);
      known.rows = new Set([...known.rows].filter((id) => kept.has(id)));
      return;
    }
    await pause(200);
  }
  throw new Error("no replica could be made primary");
}

/** A replica that is not ahead of the primary; undefined if there is none. */
export function replicaOf(cluster: MariaCluster, at: number) {
  const ready = cluster.replicas.filter((ordinal) => !cluster.ahead.has(ordinal));
  const ordinal = ready[at % Math.max(ready.length, 1)];
  return ordinal === undefined ? undefined : { ordinal, server: cluster.servers[ordinal]! };
}
