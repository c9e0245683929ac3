import { isElected, type Run, type Scenario, type TraceEvent, type Verdict } from "../contract/index.ts";
import { isDeletion, textOf } from "./changes.ts";
import { errors } from "./errors.ts";
import { foreignObjects } from "./foreign-objects.ts";
import { unrest } from "./unrest.ts";
import { withoutShard } from "./without-shard.ts";

/** What the trace of a run shows to be wrong, whatever other runs do. */
export function judgeTrace({ trace }: Run, scenario: Scenario): Verdict[] {
  return [
    ...unrest(trace, scenario),
    ...foreignObjects(trace, scenario),
    ...forbidden(trace),
    ...withoutLease(trace, scenario),
    ...withoutShard(trace, scenario),
    ...brokenPromises(trace),
    ...errors(trace, scenario),
  ];
}

function forbidden(trace: readonly TraceEvent[]): Verdict[] {
  const ending = new Set<string>();
  const found = trace.find((event) => {
    if (event.type === "change" && event.resource === "namespaces" && isDeletion(event))
      ending.add(event.key);
    return event.type === "request" && event.status === 403 && !ending.has(namespaceOf(event.path));
  });
  if (found?.type !== "request") return [];
  const message = `${found.method} ${found.path} of ${found.process} is forbidden`;
  return [{ class: "forbidden", message, objects: [] }];
}

/** Nobody may create anything in a namespace that is going away, whatever his permissions. */
function namespaceOf(path: string): string {
  return /\/namespaces\/([^/?]+)/.exec(path)?.[1] ?? "";
}

function withoutLease(trace: readonly TraceEvent[], { operators }: Scenario): Verdict[] {
  const elected = new Map<string, string | undefined>(
    operators.flatMap((operator) => (isElected(operator) ? [[operator.name, undefined] as const] : [])),
  );
  for (const event of trace) {
    if (event.type === "leads") elected.set(event.process.replace(/-\d+$/, ""), event.process);
    if (event.type !== "change" || !elected.has(event.by.replace(/-\d+$/, ""))) continue;
    const leader = elected.get(event.by.replace(/-\d+$/, ""));
    if (leader === event.by) continue;
    const message = `${event.by} writes ${textOf(event)} while ${leader ?? "nobody"} holds the lease`;
    return [{ class: "without-lease", message, objects: [textOf(event)] }];
  }
  return [];
}

function brokenPromises(trace: readonly TraceEvent[]): Verdict[] {
  return trace.flatMap((event) =>
    event.type === "promise"
      ? [{ class: "promise", message: `${event.promise}: ${event.name}`, objects: [] } satisfies Verdict]
      : [],
  );
}
