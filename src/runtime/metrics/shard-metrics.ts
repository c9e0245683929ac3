import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { MemberObserver } from "../leader-election/lease-member.ts";
import type { Sharing } from "../leader-election/make-member.ts";
import { countRanges } from "../shards/ranges.ts";

/** Metrics of a process that shares the objects with others. */
export function measureShards(registry: Registry, { member, gate }: Sharing): MemberObserver {
  const registers = [registry];
  const gauge = (name: string, help: string, value: () => number): void => {
    const metric: Gauge = new Gauge({
      name: `tsbuilder_shard_${name}`,
      help,
      registers,
      collect: () => metric.set(value()),
    });
  };
  gauge("members", "Processes that share the objects, as this one sees them.", () => member.members);
  gauge("ranges_held", "Ranges of hashes that this process works on, of 64.", () => countRanges(gate.open));
  gauge(
    "foreign_objects",
    "Objects of other processes that were received and dropped: the API server doesn't shard lists and watches.",
    () => gate.dropped,
  );
  const moves = new Counter({
    name: "tsbuilder_shard_moves_total",
    help: "Ranges that this process gained and lost.",
    labelNames: ["direction"],
    registers,
  });
  for (const direction of ["gained", "lost"]) moves.inc({ direction }, 0);
  const wait = new Histogram({
    name: "tsbuilder_shard_wait_seconds",
    help: "Time from when a range was assigned to this process until its objects were reconciled.",
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60],
    registers,
  });
  return {
    gained: (ranges) => moves.inc({ direction: "gained" }, ranges),
    lost: (ranges) => moves.inc({ direction: "lost" }, ranges),
    waited: (milliseconds) => wait.observe(milliseconds / 1000),
  };
}
