import type { Fault, Run, Scenario, TraceEvent, Verdict } from "../contract/index.ts";

type Change = TraceEvent & { readonly type: "change" };

const isChange = (event: TraceEvent): event is Change => event.type === "change";
const textOf = ({ resource, key }: Change): string => `${resource} ${key}`;

/** What the trace of a run shows to be wrong, whatever other runs do. */
export function judgeTrace({ trace }: Run, scenario: Scenario): Verdict[] {
  return [
    ...unrest(trace, scenario),
    ...foreignObjects(trace, scenario),
    ...forbidden(trace),
    ...withoutLease(trace, scenario),
    ...brokenPromises(trace),
    ...errors(trace, scenario),
  ];
}

function processesOf({ operators }: Scenario): Map<string, string> {
  return new Map(
    operators.flatMap(({ name, replicas = 1 }) =>
      Array.from({ length: replicas }, (_, index) => [`${name}-${index}`, name] as const),
    ),
  );
}

/** How many of the last changes show who can't stop, and how old they may be. */
const shown = 60;
const recent = 600_000;

function unrest(trace: readonly TraceEvent[], scenario: Scenario): Verdict[] {
  const processes = processesOf(scenario);
  const restless = trace.find((event) => event.type === "phase" && !event.rests);
  if (restless?.type === "phase") {
    const last = trace
      .filter(isChange)
      .filter(({ at }) => at > restless.at - recent)
      .slice(-shown);
    const [key] = mostFrequent(last.filter(({ by }) => processes.has(by)).map(textOf));
    if (key === undefined) return errors(trace, scenario).length > 0 ? [] : hanging(trace, restless.busy);
    const writes = last.filter((change) => textOf(change) === key);
    const writers = [...new Set(writes.map(({ by }) => by))];
    const [field] = mostFrequent(writes.flatMap(({ fields }) => fields));
    const what = field === undefined ? key : `${field} of ${key}`;
    return [
      writers.length > 1
        ? { class: "fight", message: `${writers.join(" and ")} change ${what} without end`, objects: [key] }
        : { class: "hot-loop", message: `${writers.join()} changes ${what} without end`, objects: [key] },
    ];
  }
  const from = trace.findIndex((event) => event.type === "phase" && event.phase === "steps");
  const to = trace.findIndex((event) => event.type === "phase" && event.phase === "restart");
  const changes =
    to < 0
      ? []
      : trace
          .slice(from, to)
          .filter(isChange)
          .filter(({ by }) => processes.has(by));
  const [first] = changes;
  if (!first) return [];
  const what = first.fields.length > 0 ? `${first.fields.join(", ")} of ` : "";
  const message = `nothing has changed, but after a restart ${first.by} changes ${what}${textOf(first)}`;
  return [{ class: "hot-loop", message, objects: [...new Set(changes.map(textOf))] }];
}

/** A process that only works; the last request says what it was about to do. */
function hanging(trace: readonly TraceEvent[], busy: readonly string[] = []): Verdict[] {
  const last = trace.findLast((event) => event.type === "request" && busy.includes(event.process));
  const after = last?.type === "request" ? `; its last request was ${last.method} ${last.path}` : "";
  const message = `${busy.join(" and ") || "the cluster"} works without end, but changes nothing${after}`;
  return [{ class: "hang", message, objects: [] }];
}

function mostFrequent(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1]).map(([text]) => text);
}

function foreignObjects(trace: readonly TraceEvent[], scenario: Scenario): Verdict[] {
  const processes = processesOf(scenario);
  const creators = new Map<string, string>();
  const gone = new Set<string>();
  const verdicts = new Map<string, Verdict>();
  const add = (key: string, message: string): void =>
    void verdicts.set(key, { class: "foreign-object", message, objects: [key] });
  for (const change of trace.filter(isChange)) {
    const operator = processes.get(change.by);
    const key = textOf(change);
    const creator = creators.get(change.uid) ?? "somebody else";
    const [before, after] = change.owners;
    const isDeletion = change.change === "DELETED" || change.fields.includes("metadata.deletionTimestamp");
    if (change.change === "ADDED") creators.set(change.uid, change.by);
    else if (operator && isDeletion && !change.fields.includes("metadata.finalizers")) {
      if (processes.get(creator) !== operator)
        add(key, `${change.by} deletes ${key}, which ${creator} created`);
    } else if (operator && before && after && before !== after && !gone.has(before))
      add(key, `${change.by} takes ${key} from the owner that controls it`);
    else if (operator && !before && after && processes.get(creator) !== operator && overwrites(change))
      add(key, `${change.by} takes ${key}, which ${creator} created, and overwrites it`);
    if (change.change === "DELETED") gone.add(change.uid);
  }
  return [...verdicts.values()];
}

function overwrites({ fields }: Change): boolean {
  return fields.some((field) => /^(?:data|spec|stringData|binaryData)(?:\.|$)/.test(field));
}

function forbidden(trace: readonly TraceEvent[]): Verdict[] {
  const found = trace.find((event) => event.type === "request" && event.status === 403);
  if (found?.type !== "request") return [];
  const message = `${found.method} ${found.path} of ${found.process} is forbidden`;
  return [{ class: "forbidden", message, objects: [] }];
}

function withoutLease(trace: readonly TraceEvent[], { operators }: Scenario): Verdict[] {
  const elected = new Map<string, string | undefined>(
    operators.flatMap(({ name, replicas = 1 }) => (replicas > 1 ? [[name, undefined] as const] : [])),
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

/** After a fault, errors are expected for a while. */
const explained = 30_000;

/** This many errors after it are no accident. */
const persistent = 6;

function errors(trace: readonly TraceEvent[], { faults = [], steps = [] }: Scenario): Verdict[] {
  const all = trace.filter((event) => event.type === "log" && event.level === "error");
  const isStrange = steps.some(
    ({ do: what, ...step }) => what !== "settle" && "strange" in step && step.strange,
  );
  const last = Math.max(
    0,
    ...faults.map(endOf),
    ...trace.map((event) => (isDisturbance(event) ? event.at : 0)),
  );
  const counted = faults.length === 0 && !isStrange ? all : all.filter(({ at }) => at > last + explained);
  const [first] = counted;
  const enough = faults.length === 0 && !isStrange ? 1 : persistent;
  if (first?.type !== "log" || counted.length < enough) return [];
  const message = `${first.process}: ${first.message}${first.error === undefined ? "" : `: ${first.error}`}`;
  return [{ class: "error", message, objects: first.object === undefined ? [] : [first.object] }];
}

function endOf(fault: Fault): number {
  return "at" in fault ? fault.at + ("for" in fault ? fault.for : 0) : 0;
}

function isDisturbance({ type }: TraceEvent): boolean {
  return type === "fault" || type === "step" || type === "died";
}
