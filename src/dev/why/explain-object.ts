// Explains why an object stands as it does: the causes that are seen, the most probable first, and what they rest on. A pure
// core: it knows nothing but the facts that it gets, so that a cluster and a record are explained by the same rules.

import { findCondition, isCustomGroup, type KubernetesObject, type Tone } from "@tsbuilder/apimachinery/meta";
import { formatSpan } from "@tsbuilder/apimachinery/text";
import { isObject } from "@tsbuilder/apimachinery/json";
import { count, listWords } from "../../shared/text.ts";
import { finalizerAdvice } from "../record/findings/objects.ts";
import { Findings } from "../record/findings/findings.ts";
import { isLasting, shortened } from "../record/findings/finding.ts";
import { keyName, objectOfCause, placeName, type RecordedReconcile } from "../record/recorded.ts";
import { describeReconcile } from "../record/tell-recording.ts";
import { type Reconcile, reconcileOf } from "../record/timed.ts";
import { errorOf, failureAt, withFailure } from "../view/failing.ts";
import { standingOf, toneWords } from "../view/standing.ts";
import { contestedFields, type FieldManager, fieldManagersOf, foreignWriters } from "./field-managers.ts";
import type { ObjectFacts } from "./object-facts.ts";

/** Why an object stands as it does. Times are in RFC 3339. */
export interface Explanation {
  /** Such as `MySQL default/db`. */
  readonly object: string;
  readonly resource: string;
  readonly tone: Tone;
  /** How it stands, in one sentence. */
  readonly summary: string;
  /** What explains it, the most probable first; empty if nothing is wrong that can be seen. */
  readonly causes: readonly Cause[];
  readonly generation: number | undefined;
  /** The generation that its status tells of. */
  readonly observedGeneration: number | undefined;
  readonly conditions: readonly ExplainedCondition[];
  readonly deletion: { readonly since: string; readonly finalizers: readonly string[] } | undefined;
  /** The last reconciles of it, the latest first; undefined without a record. */
  readonly reconciles: readonly Decision[] | undefined;
  readonly writers: readonly FieldManager[];
  readonly events: readonly ExplainedEvent[];
  readonly owners: readonly { readonly object: string; readonly exists: boolean; readonly why: string }[];
  readonly children: readonly ExplainedChild[];
  /** What could not be found out, and why. */
  readonly unknown: readonly string[];
}

/** Something that explains the state of the object. */
export interface Cause {
  readonly kind:
    | "operator"
    | "namespace"
    | "deletion"
    | "reconcile"
    | "finding"
    | "queue"
    | "log"
    | "generation"
    | "pause"
    | "child"
    | "condition"
    | "event"
    | "writers";
  /** What is wrong, in one line. */
  readonly text: string;
  /** What it means or what to do; empty if the text says all. */
  readonly advice: string;
}

export interface ExplainedCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly tone: Tone;
  readonly since: string | undefined;
}

/** A reconcile, with what it decided in words. */
export interface Decision extends RecordedReconcile {
  readonly text: string;
}

interface ExplainedEvent {
  readonly about: string;
  readonly isWarning: boolean;
  readonly reason: string;
  readonly text: string;
  readonly times: number;
  readonly at: string;
}

interface ExplainedChild {
  readonly object: string;
  readonly depth: number;
  readonly tone: Tone;
  readonly why: string;
}

/** The numbers of reconciles and of Events that are told. */
const [mostReconciles, mostEvents] = [3, 10];

/** The number of causes of one kind that are told. */
const mostAlike = 4;

export function explainObject(facts: ObjectFacts): Explanation {
  const { now, object, record } = facts;
  const { metadata } = object;
  const reconciles = record && reconcilesOf(facts);
  const failing = reconciles && failureAt({ reconciles }, now);
  const standing = withFailure(standingOf(object), failing);
  const name = nameOf(object);
  const causes = [
    ...operatorCauses(facts),
    ...endCauses(facts),
    ...recordCauses(facts, reconciles ?? []),
    ...queueCauses(facts),
    ...logCauses(facts),
    ...generationCauses(facts),
    ...childCauses(facts),
    ...conditionCauses(facts),
    ...eventCauses(facts),
    ...writerCauses(facts),
  ];
  return {
    object: name,
    resource: facts.resource,
    tone: standing.tone,
    summary: [`${name} is ${toneWords[standing.tone]}`, standing.why].filter(Boolean).join(": "),
    causes,
    generation: metadata.generation,
    observedGeneration: observedGenerationOf(object),
    conditions: standing.conditions.map(({ since, ...rest }) => ({ ...rest, since: timeOf(since) })),
    deletion:
      metadata.deletionTimestamp == null
        ? undefined
        : { since: metadata.deletionTimestamp, finalizers: metadata.finalizers ?? [] },
    reconciles: reconciles
      ?.slice(-mostReconciles)
      .toReversed()
      .map(({ from: _from, to: _to, type: _type, ...reconcile }) => ({
        ...reconcile,
        text: describeReconcile(reconcile),
      })),
    writers: fieldManagersOf(object),
    events: facts.events
      .slice(-mostEvents)
      .toReversed()
      .map(({ at, ...event }) => ({ ...event, at: new Date(at).toISOString() })),
    owners: facts.owners.map((owner) => ({
      object: `${owner.kind} ${owner.key}`,
      exists: owner.object !== undefined,
      why: owner.object ? standingOf(owner.object).why : "does not exist",
    })),
    children: facts.children.map(({ object: child, depth }) => {
      const { tone, why } = standingOf(child);
      return { object: nameOf(child), depth, tone, why };
    }),
    unknown: facts.unknown,
  };
}

/** Such as `MySQL default/db`. */
export function nameOf({ kind, metadata }: KubernetesObject): string {
  return `${kind} ${keyName(metadata)}`;
}

function timeOf(milliseconds: number): string | undefined {
  return Number.isNaN(milliseconds) ? undefined : new Date(milliseconds).toISOString();
}

/** Formats the time since a moment: `22m`. */
export function since(now: number, at: number): string {
  return formatSpan(Math.max(0, Math.floor((now - at) / 1000)));
}

function observedGenerationOf(object: KubernetesObject): number | undefined {
  const { status } = object as { readonly status?: unknown };
  const observed = isObject(status) ? status["observedGeneration"] : undefined;
  return typeof observed === "number" ? observed : undefined;
}

function cause(kind: Cause["kind"], text: string, advice = ""): Cause {
  return { kind, text, advice };
}

/** The time in milliseconds for which a restart, a warning or a line of the log counts as a cause. */
const recent = 3_600_000;

/** The operator doesn't run, restarts, or nobody leads. */
function operatorCauses({ operator, now }: ObjectFacts): Cause[] {
  if (!operator) return [];
  const { key, wanted, ready, pods, leases } = operator;
  const found: Cause[] = [];
  if (ready === 0) {
    const words = pods.map((pod) => `${nameOf(pod)}: ${standingOf(pod).why}`);
    const advice = wanted === 0 ? "it is scaled to 0: nothing is reconciled" : words.slice(0, 2).join("; ");
    found.push(
      cause("operator", `The operator does not run: 0 of ${wanted} pods of ${key} are ready`, advice),
    );
  }
  for (const pod of pods) found.push(...restartsOf(pod, now));
  const isExpired = ({ renewed, seconds }: (typeof leases)[number]): boolean =>
    now > renewed + seconds * 1000;
  const [lost] = leases.filter(isExpired).sort((a, b) => b.renewed - a.renewed);
  if (lost && leases.every(isExpired))
    found.push(
      cause(
        "operator",
        `Nobody leads: ${lost.holder || "nobody"} renewed the Lease ${lost.name} last, ${since(now, lost.renewed)} ago`,
        "only a leader reconciles: see in the log of the pods why none takes the Lease",
      ),
    );
  return found;
}

interface RestartedContainer {
  readonly name: string;
  readonly restartCount?: number;
  readonly lastState?: {
    readonly terminated?: {
      readonly message?: string;
      readonly reason?: string;
      readonly exitCode?: number;
      readonly finishedAt?: string;
    };
  };
}

function restartsOf(pod: KubernetesObject, now: number): Cause[] {
  const { status } = pod as {
    readonly status?: { readonly containerStatuses?: readonly RestartedContainer[] };
  };
  return (status?.containerStatuses ?? []).flatMap(({ name, restartCount = 0, lastState }): Cause[] => {
    const ended = lastState?.terminated;
    const at = Date.parse(ended?.finishedAt ?? "");
    if (restartCount === 0 || !ended || !(now - at < recent)) return [];
    const how =
      ended.reason === "OOMKilled" ? ", killed for its memory" : `, with exit code ${ended.exitCode}`;
    return [
      cause(
        "operator",
        `The operator restarted: container ${name} of ${nameOf(pod)} ended ${since(now, at)} ago${how} (${count(restartCount, "restart")} in all)`,
        ended.message?.split("\n")[0] || "its last words: kubectl logs --previous",
      ),
    ];
  });
}

/** The object is being deleted, or can't get children any more. */
function endCauses({ now, object, isNamespaceEnding, owners, children }: ObjectFacts): Cause[] {
  const { deletionTimestamp, finalizers = [], namespace } = object.metadata;
  const found: Cause[] = [];
  if (deletionTimestamp != null) {
    const age = since(now, Date.parse(deletionTimestamp));
    const still = finalizers.includes("foregroundDeletion")
      ? children.filter(({ depth }) => depth === 1).map(({ object: child }) => nameOf(child))
      : [];
    const advice =
      still.length > 0 ? `these exist still: ${listWords(still, "and")}` : finalizerAdvice(finalizers);
    found.push(
      finalizers.length === 0
        ? cause("deletion", `Its deletion was requested ${age} ago, and no finalizer holds it`)
        : cause(
            "deletion",
            `Its deletion was requested ${age} ago, and waits for ${finalizers.length === 1 ? "the finalizer" : "the finalizers"} ${listWords(finalizers, "and")}`,
            advice,
          ),
    );
  }
  if (isNamespaceEnding)
    found.push(
      cause(
        "namespace",
        `The namespace ${namespace} is being deleted`,
        "nothing can be created in it any more",
      ),
    );
  for (const owner of owners)
    if (!owner.object)
      found.push(
        cause(
          "deletion",
          `Its owner ${owner.kind} ${owner.key} does not exist`,
          "the garbage collector deletes an object once none of its owners exists",
        ),
      );
  return found;
}

/** Returns the recorded reconciles of the object, in the order of time. */
function reconcilesOf(facts: ObjectFacts): Reconcile[] {
  const key = keyName(facts.object.metadata);
  return ownReconciles(facts)
    .filter(({ request }) => request === key)
    .sort((a, b) => a.from - b.from);
}

/** Returns the recorded reconciles of the controllers that reconcile the object's kind. */
function ownReconciles({ record = [], object }: ObjectFacts): Reconcile[] {
  const all = record.flatMap((line) => (line.type === "reconcile" ? [reconcileOf(line)] : []));
  // A request does not name its kind, but the event that causes most of them does.
  const isOfKind = ({ causes, request }: Reconcile): boolean =>
    causes.some((one) => {
      const { kind, key: caused } = objectOfCause(one) ?? {};
      return kind === object.kind && caused === request;
    });
  const controllers = new Set(all.filter(isOfKind).map(({ controller }) => controller));
  controllers.add(object.kind.toLowerCase());
  return all.filter(({ controller }) => controllers.has(controller));
}

/** The object waits, because the workers of its controller are busy with others. */
function queueCauses(facts: ObjectFacts): Cause[] {
  const { record = [], object, now } = facts;
  const key = keyName(object.metadata);
  const running = ownReconciles(facts).filter(({ outcome }) => outcome === "unfinished");
  const sample = record.findLast((line) => line.type === "sample");
  return (sample?.controllers ?? []).flatMap(({ controller, queued, workers }) => {
    const busy = running.filter((one) => one.controller === controller);
    if (queued === 0 || busy.length < workers || busy.some(({ request }) => request === key)) return [];
    const longest = busy.reduce((a, b) => (b.from < a.from ? b : a));
    const who = workers === 1 ? "The only worker" : `Each of the ${workers} workers`;
    return [
      cause(
        "queue",
        `${who} of ${controller} is busy, with ${longest.request} for ${since(now, longest.from)}, while ${count(queued, "request")} ${queued === 1 ? "waits" : "wait"}`,
        "see what that reconcile waits for; reconcileTimeout ends it, and maxConcurrentReconciles lets others run beside it",
      ),
    ];
  });
}

/** What the record says: reconciles that fail, and the detectors' findings about them. */
function recordCauses(
  { now, record, object, resource }: ObjectFacts,
  reconciles: readonly Reconcile[],
): Cause[] {
  if (!record) return [];
  const findings = new Findings();
  for (const line of record) findings.add(line);
  const [last] = reconciles.slice(-1);
  const place = placeName({ resource, key: keyName(object.metadata) });
  const about = findings
    .list(now)
    .filter(
      ({ places, requests, ...finding }) =>
        (isLasting(finding, now) || finding.kind === "stuck deletion") &&
        (places.includes(place) ||
          requests.some((one) => one.request === last?.request && one.controller === last.controller)),
    )
    .slice(-mostAlike)
    .map(({ title, text }) => cause("finding", title, text));
  const failing = failureAt({ reconciles }, now);
  if (!failing) return about;
  const { reconcile, times, since: from } = failing;
  const row = times > 1 ? `, ${times} times in a row since ${since(now, from)} ago` : "";
  const text = `Its reconcile fails${row}, the last ${since(now, reconcile.to)} ago: ${shortened(errorOf(reconcile), 300)}`;
  const advice = reconcile.outcome === "terminal" ? "it is not tried again until the object changes" : "";
  return [...about, cause("reconcile", text, advice)];
}

/** What the operator's log says about the object; and what it says about itself, if it is an error. */
function logCauses({ log = [], now }: ObjectFacts): Cause[] {
  const lines = log.filter(({ at }) => now - at < recent);
  const told = (isAbout: boolean): Cause[] => {
    const byMessage = new Map<string, (typeof lines)[number][]>();
    for (const line of lines.filter((one) => one.isAbout === isAbout))
      byMessage.set(line.message, [...(byMessage.get(line.message) ?? []), line]);
    return [...byMessage.values()]
      .sort((a, b) => b.at(-1)!.at - a.at(-1)!.at)
      .slice(0, mostAlike)
      .map((group) => {
        const { at, text } = group.at(-1)!;
        const times = group.length > 1 ? `, ${group.length} times in the last hour` : "";
        return cause("log", `The operator's log, ${since(now, at)} ago${times}: ${shortened(text, 400)}`);
      });
  };
  return [...told(true), ...told(false)];
}

/** The milliseconds after which an object that no operator looked at is conspicuous. */
const unnoticed = 60_000;

/** A change that the status doesn't tell of, a pause, and a spec that changes all the time. */
function generationCauses(facts: ObjectFacts): Cause[] {
  const { now, object, children, record } = facts;
  const { metadata, status } = object as KubernetesObject & { readonly status?: unknown };
  const found: Cause[] = [];
  const observed = observedGenerationOf(object);
  const age = now - Date.parse(metadata.creationTimestamp ?? "");
  const conditions = standingOf(object).conditions;
  for (const type of ["Paused", "Suspended"]) {
    const paused = findCondition(conditions, type);
    if (paused?.status === "True")
      found.push(
        cause(
          "pause",
          `It is ${type.toLowerCase()}`,
          [paused.reason, paused.message].filter(Boolean).join(": "),
        ),
      );
  }
  if (observed !== undefined && observed < (metadata.generation ?? 0)) {
    const [writer] = fieldManagersOf(object)
      .filter(({ subresource }) => subresource === undefined)
      .sort((a, b) => (b.at ?? "").localeCompare(a.at ?? ""));
    const by = writer?.at ? `: ${writer.manager} changed it ${since(now, Date.parse(writer.at))} ago` : "";
    found.push(
      cause(
        "generation",
        `Its spec has generation ${metadata.generation}, and its status tells of ${observed}${by}`,
        "the operator has not reconciled the change to the end",
      ),
    );
  }
  const isEmpty = !isObject(status) || Object.keys(status).length === 0;
  if (isCustomGroup(groupOf(object)) && isEmpty && age > unnoticed)
    found.push(
      cause(
        "generation",
        "It has no status",
        record !== undefined && reconcilesOf(facts).length === 0
          ? "the operator's record has no reconcile of it: its cache may select other labels or namespaces, or a predicate rejects it"
          : "no operator has reconciled it, or none that writes a status",
      ),
    );
  const near = children.filter(({ depth }) => depth === 1).map((child) => child.object);
  for (const busy of [object, ...near]) found.push(...churnOf(busy, now));
  return found;
}

function groupOf({ apiVersion }: KubernetesObject): string {
  return apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
}

/** From how many changes of a spec on, and how many a minute, they are too many. */
const [leastChanges, mostPerMinute] = [60, 2];

function churnOf(object: KubernetesObject, now: number): Cause[] {
  const { generation = 0, creationTimestamp = "" } = object.metadata;
  const minutes = (now - Date.parse(creationTimestamp)) / 60_000;
  if (generation < leastChanges || !(generation / minutes > mostPerMinute)) return [];
  const managers = fieldManagersOf(object)
    .filter(({ subresource }) => subresource !== "status")
    .map(({ manager }) => manager);
  // An apply with force takes a field, and removes the other manager from the object.
  const who =
    new Set(managers).size === 1
      ? `who wrote it last: ${managers[0]}. Ask again: of two that set a field in turn, the object names the last one`
      : `who writes it: ${listWords([...new Set(managers)], "and")}`;
  return [
    cause(
      "writers",
      `The spec of ${nameOf(object)} changed ${generation} times in ${formatSpan(Math.round(minutes * 60))}`,
      `${who}. Two that set the same field in turn, or one that never writes the same, must be stopped`,
    ),
  ];
}

/** The owned objects that aren't as they should be, and own none that explains it. */
function childCauses({ children }: ObjectFacts): Cause[] {
  const isUnwell = (tone: Tone): boolean => tone === "bad" || tone === "busy";
  const unwell = children.flatMap(
    ({ object, depth }, at): { readonly found: Cause; readonly tone: Tone }[] => {
      const { tone, why } = standingOf(object);
      if (!isUnwell(tone)) return [];
      const rest = children.slice(at + 1);
      const end = rest.findIndex((other) => other.depth <= depth);
      const below = rest.slice(0, end === -1 ? undefined : end);
      if (below.some((other) => isUnwell(standingOf(other.object).tone))) return [];
      return [{ found: cause("child", `${nameOf(object)}: ${why}`), tone }];
    },
  );
  const sorted = [
    ...unwell.filter(({ tone }) => tone === "bad"),
    ...unwell.filter(({ tone }) => tone === "busy"),
  ];
  const told = sorted.slice(0, mostAlike).map(({ found }) => found);
  const more = sorted.length - told.length;
  return more > 0 ? [...told, cause("child", `${count(more, "more owned object")} that aren't ready`)] : told;
}

function conditionCauses({ now, object }: ObjectFacts): Cause[] {
  return standingOf(object)
    .conditions.filter(({ tone }) => tone === "bad" || tone === "busy")
    .toSorted((a, b) => Number(a.tone === "busy") - Number(b.tone === "busy"))
    .map(({ type, status, reason, message, since: from }) => {
      const age = Number.isNaN(from) ? "" : ` for ${since(now, from)}`;
      return cause(
        "condition",
        `${type} is ${status}${age}: ${[reason, message].filter(Boolean).join(": ")}`,
      );
    });
}

function eventCauses({ now, events }: ObjectFacts): Cause[] {
  const warnings = events.filter(({ isWarning, at }) => isWarning && now - at < recent);
  const latest = new Map(warnings.map((event) => [`${event.about} ${event.reason}`, event]));
  return [...latest.values()]
    .slice(-mostAlike)
    .toReversed()
    .map(({ about, reason, text, times, at }) => {
      const often = times > 1 ? `, ${times} times` : "";
      return cause("event", `Event about ${about}, ${since(now, at)} ago${often}: ${reason}: ${text}`);
    });
}

/** Fields with two managers, and those of owned objects that somebody else than the operator set. */
function writerCauses({ now, object, children }: ObjectFacts): Cause[] {
  const contested = contestedFields(object).map(({ path, managers }) =>
    cause(
      "writers",
      `${listWords(managers, "and")} both set ${path}`,
      "while they agree on the value, nothing happens; let only one of them set it",
    ),
  );
  const foreign = children
    .filter(({ depth }) => depth === 1)
    .flatMap(({ object: child }) =>
      foreignWriters(child).map(({ manager, fields, at }) => {
        const when = at === undefined ? "" : ` ${since(now, Date.parse(at))} ago`;
        return cause(
          "writers",
          `${manager}, which is not the operator, set ${listWords(fields.slice(0, 3), "and")} of ${nameOf(child)}${when}`,
          "if the operator sets the same field, each undoes what the other one did",
        );
      }),
    );
  return [...contested, ...foreign].slice(0, mostAlike);
}
