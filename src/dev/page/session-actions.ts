import type { Client, Kind, KubernetesObject, RestMapper } from "@tsbuilder/runtime";
import { formatMicroTime } from "@tsbuilder/apimachinery/time";
import { isObject } from "@tsbuilder/apimachinery/json";
import type { DevCluster, OwnCluster } from "../cluster/dev-cluster.ts";
import type { OperatorProcess } from "../operator/operator-process.ts";
import type { RecentRecord } from "../record/recent-record.ts";
import type { PageAction, PageActions } from "./page-action.ts";
import { ActionInput, RequestError, describeFailure } from "./page-action.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { didYouMean } from "../../shared/text.ts";
import type { HeldLease } from "../cluster/operator-leases.ts";
import { sessionEnds } from "../reload/reloader.ts";
import type { ManifestObject } from "../../ship/manifest.ts";
import { readYaml } from "../../shared/read-yaml.ts";
import { hiddenValue, hideSecret } from "../record/hide-secrets.ts";
import { type RecordedAction, pageAgent } from "../record/recorded.ts";

interface RestoreParts {
  readonly cluster: OwnCluster;
  readonly record: RecentRecord;
  /** The earliest moment to restore: the cluster was empty before. */
  readonly since: string;
  /** Restarts the operator, and does work while none runs. */
  readonly restart: (meanwhile: () => Promise<void>) => Promise<void>;
  /** Applies the project's config again: the operator is built from the current sources. */
  readonly apply: () => Promise<void>;
}

/** The parts of a session that actions need. */
export interface ActionParts extends Pick<RestoreParts, "since" | "apply"> {
  readonly cluster: DevCluster;
  readonly operator: Pick<OperatorProcess, "restart" | "endsAfter" | "moveClock">;
  /** The record in memory; without it, no earlier state can be restored. */
  readonly record: RecentRecord | undefined;
  /** Does work while no reload runs; the signal is aborted once a reload waits. */
  readonly between: <T>(work: (awaited: AbortSignal) => Promise<T>) => Promise<T>;
  /** Aborted when the session stops. */
  readonly signal: AbortSignal;
}

/** Returns the actions of a session. In a shared cluster, the only action is to restart the operator. */
export function sessionActions(parts: ActionParts): PageActions {
  const { cluster, operator, record, since, between, apply, signal } = parts;
  const { sampleNamespace, own } = cluster;
  const restart = (meanwhile?: () => Promise<void>): Promise<void> =>
    between(() => operator.restart(meanwhile));
  return {
    restart: async () => restart(),
    ...(own && {
      apply: applyAction(own.client, sampleNamespace),
      delete: deleteAction(own.client),
      fail: failAction(own),
      leader: leaderAction(own),
      "lose-leader": whole(loseLeaderAction({ cluster: own, operator, signal }), between),
      "move-clock": oneAtATime(
        moveClockAction({ cluster: own, operator, between, signal }),
        "the clock is being moved already",
      ),
      ...(record && { restore: restoreAction({ cluster: own, record, since, restart, apply }) }),
    }),
  };
}

/** Returns the same action, executed between reloads. */
function whole(action: PageAction, between: ActionParts["between"]): PageAction {
  return (input) => between(() => action(input));
}

/** Returns the same action, which is refused while it runs: a second click is impatience, not a second move. */
export function oneAtATime(action: PageAction, refusal: string): PageAction {
  let isBusy = false;
  return async (input) => {
    if (isBusy) throw refused(refusal, "wait until that is done");
    isBusy = true;
    try {
      return await action(input);
    } finally {
      isBusy = false;
    }
  };
}

/** The members that identify an object. */
const reference = ["apiVersion", "kind", "namespace", "name"];

/** The recorded members of each action that changes something. */
const members: Readonly<Record<string, readonly string[]>> = {
  restart: [],
  "lose-leader": [],
  "move-clock": ["seconds"],
  fail: ["verb", "resource", "code", "delay", "times"],
  restore: ["at"],
  delete: reference,
};

/**
 * Returns the action that writes an edited object. It replaces the object, so that missing fields are removed, except for its
 * status. A resourceVersion is a precondition, as in any update. An object that does not exist is created.
 */
export function applyAction(client: Client, defaultNamespace: string): PageAction {
  return async (input) => {
    const members = new ActionInput(input);
    const options = {
      fieldManager: pageAgent,
      dryRun: members.flag("dryRun"),
      fieldValidation: "Strict",
    } as const;
    const object = readObject(members.text("object"));
    refuseHidden(object);
    const kind = await client.mapper.kindFor(object);
    const placed = place(object, kind, defaultNamespace);
    const { name, namespace } = placed.metadata;
    const current = await client.find(kind, { name: name!, namespace }, { live: true });
    const written = current
      ? await client.update(
          kind,
          withStatus(withVersion(placed, current.metadata.resourceVersion), current),
          options,
        )
      : await client.create(kind, asNew(placed), options);
    return { object: hideSecret(written) };
  };
}

const hint = { code: "INVALID_ARGUMENT", hint: "write one object in YAML" } as const;

function readObject(text: string): KubernetesObject {
  const [object, ...others] = readYaml("the object", text, hint).filter((each) => each !== null);
  if (others.length > 0) throw new TsbuilderError("there is more than one object", hint);
  const { apiVersion, kind, metadata } = isObject(object) ? object : {};
  if (typeof apiVersion !== "string" || typeof kind !== "string" || !isObject(metadata))
    throw new TsbuilderError("an object needs apiVersion, kind and metadata", hint);
  if (typeof metadata["name"] !== "string") throw new TsbuilderError("the object has no metadata.name", hint);
  return object as KubernetesObject;
}

/** Throws if a Secret contains the placeholders that the page shows instead of values. */
function refuseHidden(object: KubernetesObject): void {
  if (object.kind !== "Secret") return;
  const { data, stringData } = object as KubernetesObject &
    Partial<Record<"data" | "stringData", object | null>>;
  const hidden = [...Object.entries(data ?? {}), ...Object.entries(stringData ?? {})].filter(
    ([, value]) => value === hiddenValue,
  );
  if (hidden.length === 0) return;
  throw refused(
    `the Secret's values are not shown here: ${hidden.map(([key]) => key).join(", ")}`,
    "set all of them under stringData, or use kubectl edit",
  );
}

/** Sets the namespace, and removes managedFields, which belong to the API server. */
function place(object: KubernetesObject, { scope }: Kind, defaultNamespace: string): KubernetesObject {
  const { managedFields: _, namespace = defaultNamespace, ...metadata } = object.metadata;
  return { ...object, metadata: { ...metadata, ...(scope === "Namespaced" && { namespace }) } };
}

function withVersion(object: KubernetesObject, resourceVersion: string | undefined): KubernetesObject {
  return {
    ...object,
    metadata: { ...(resourceVersion !== undefined && { resourceVersion }), ...object.metadata },
  };
}

/** Keeps the current status: an update would remove it from kinds without the status subresource. */
function withStatus(object: KubernetesObject, current: KubernetesObject): KubernetesObject {
  const { status } = current as KubernetesObject & { readonly status?: unknown };
  return status === undefined ? object : Object.assign({ status }, object);
}

/** Removes the resourceVersion and uid, which the API server refuses for new objects. */
function asNew({ apiVersion, kind, metadata, ...rest }: KubernetesObject): ManifestObject {
  const { resourceVersion: _, uid: __, name = "", ...others } = metadata;
  return { apiVersion, kind, metadata: { ...others, name }, ...rest };
}

/** Returns the action that deletes an object and its dependents. A missing object is an error, as in kubectl. */
function deleteAction(client: Client): PageAction {
  return async (input) => {
    const members = new ActionInput(input);
    const [apiVersion, kind] = [members.text("apiVersion"), members.text("kind")];
    const ref = { name: members.text("name"), namespace: members.optionalText("namespace") };
    const found = await client.mapper.kindFor({ apiVersion, kind });
    const existed = await client.delete(found, ref, { propagationPolicy: "Background" });
    if (!existed)
      throw new RequestError(
        404,
        `${[found.plural, found.group].filter(Boolean).join(".")} "${ref.name}" not found`,
      );
    return {};
  };
}

const codes = [403, 409, 500, 503] as const;

const mostTimes = 1000;

const mostMilliseconds = 60_000;

/** Returns the action that lets the operator's next requests fail or wait. 0 times ends such a plan. */
function failAction({ failures, client }: Pick<OwnCluster, "failures" | "client">): PageAction {
  return async (input) => {
    const members = new ActionInput(input);
    const [verb, resource] = [members.text("verb"), members.text("resource")];
    const code = members.optionalCount("code", 599);
    const delay = members.optionalCount("delay", mostMilliseconds);
    const known = codes.find((each) => each === code);
    if ((known === undefined) === (delay === undefined))
      throw new RequestError(400, `either "code" must be one of ${codes.join(", ")}, or "delay" be set`);
    if (resource !== "*") await checkIsServed(client.mapper, resource);
    const outcome = known === undefined ? { delay: delay! } : { code: known };
    failures.plan({ verb, resource, outcome, times: members.optionalCount("times", mostTimes) ?? 1 });
    return { plans: failures.plans };
  };
}

/** Throws unless the cluster has a resource such as `statefulsets.apps`, `statefulsets` or `pods/status`. */
export async function checkIsServed(mapper: RestMapper, resource: string): Promise<void> {
  const written = resource.replace(/\/.*/u, "");
  // A CRD may have been installed since the last time.
  mapper.reset();
  const kinds = await mapper.kinds();
  const names = kinds.map(({ plural, group }) => (group === "" ? plural : `${plural}.${group}`));
  if (names.includes(written) || kinds.some(({ plural }) => plural === written)) return;
  const ofKind = kinds.findIndex(({ kind }) => kind.toLowerCase() === written.toLowerCase());
  const meant = names[ofKind] ?? didYouMean(written, names);
  throw new TsbuilderError(`the cluster has no resource "${written.slice(0, 100)}"`, {
    code: "INVALID_ARGUMENT",
    hint: meant ? `did you mean "${meant}"?` : "kubectl api-resources lists them",
  });
}

/** Returns the action that answers with the Lease that the operator holds, and whether it has held one before. */
export function leaderAction({ leases }: Pick<OwnCluster, "leases">): PageAction {
  return async () => ({ lease: leases.held, hasLed: leases.hasLed });
}

interface LeaderParts extends Pick<ActionParts, "signal"> {
  readonly cluster: Pick<OwnCluster, "client" | "leases">;
  readonly operator: Pick<OperatorProcess, "endsAfter" | "restart">;
  /** The time in milliseconds that the operator may take to end. */
  readonly patience?: number;
}

const endPatience = 30_000;

/** The holder that takes the Lease, and the seconds until the next process may take it back. */
const [otherHolder, leaseSeconds] = ["another-replica", 5];

/**
 * Returns the action that gives the operator's Lease to another holder, as if another replica had taken over. The operator
 * must end, and is started again, as a Deployment would. The holder does not renew the Lease, so the new process leads soon.
 */
export function loseLeaderAction({
  cluster: { client, leases },
  operator,
  signal,
  patience = endPatience,
}: LeaderParts): PageAction {
  return async () => {
    const { held } = leases;
    if (!held && leases.hasLed)
      throw refused("the operator holds no Lease at the moment", "wait until it leads again");
    if (!held)
      throw refused(
        "the operator holds no Lease",
        "start dev with leader election: tsbuilder dev -- --leader-elect",
      );
    const limit = AbortSignal.timeout(patience);
    const isEnded = await operator.endsAfter(
      () => take(client, held, otherHolder, leaseSeconds),
      AbortSignal.any([signal, limit]),
    );
    if (signal.aborted) throw sessionEnds();
    if (isEnded) return operator.restart();
    await take(client, held, "", 1);
    throw refused(
      `the operator still runs ${patience / 1000} s after another replica took its Lease`,
      "it must end then: let manager.start() reject, or end the process after it",
    );
  };
}

async function take(
  client: Client,
  { namespace, name }: HeldLease,
  holderIdentity: string,
  leaseDurationSeconds: number,
): Promise<void> {
  const kind = await client.mapper.kindFor({ apiVersion: "coordination.k8s.io/v1", kind: "Lease" });
  const now = formatMicroTime(Date.now());
  const spec = { holderIdentity, leaseDurationSeconds, acquireTime: now, renewTime: now };
  await client.patch(kind, { namespace, name }, { merge: { spec } });
}

interface ClockParts extends Pick<ActionParts, "between" | "signal"> {
  readonly cluster: Pick<OwnCluster, "clock" | "leases">;
  readonly operator: Pick<OperatorProcess, "moveClock" | "restart">;
  /** The time in milliseconds that a move may take. */
  readonly patience?: number | undefined;
}

const day = 24 * 60 * 60;

const movePatience = 60_000;

/**
 * Returns the action that moves the clocks of the cluster and then of the operator forward, by at most a day. The operator
 * runs meanwhile, since the cluster may call its webhooks. An operator with a Lease is restarted: the move would let the Lease
 * expire.
 */
export function moveClockAction({
  cluster: { clock, leases },
  operator,
  between,
  signal,
  patience = movePatience,
}: ClockParts): PageAction {
  const move = async (seconds: number, awaited: AbortSignal): Promise<void> => {
    const before = clock.ahead;
    const limit = AbortSignal.timeout(patience);
    await clock.move(seconds * 1000, AbortSignal.any([signal, awaited, limit]));
    const moved = Math.floor((clock.ahead - before) / 1000);
    if (signal.aborted) throw endedBy(sessionEnds(), moved, seconds);
    const follow = async (): Promise<void> => operator.moveClock(clock.ahead);
    await (leases.held ? operator.restart(follow) : follow());
    if (moved >= seconds) return;
    const reason = limit.aborted
      ? refused(
          `it took more than ${patience / 1000} s`,
          "move the clock again for the rest; if the cluster has to wait for a webhook, see how long it takes to answer",
        )
      : refused(
          "a reload, or something else on the page, waited for it",
          "move the clock again for the rest",
        );
    throw endedBy(reason, moved, seconds);
  };
  return async (input) => {
    const seconds = new ActionInput(input).optionalCount("seconds", day);
    if (!seconds) throw new RequestError(400, `"seconds" must be a whole number from 1 to ${day}`);
    await between((awaited) => move(seconds, awaited));
    return { ahead: clock.ahead / 1000 };
  };
}

function endedBy({ code, message, hint }: TsbuilderError, moved: number, wanted: number): TsbuilderError {
  return new TsbuilderError(`moved ${span(moved)} of ${span(wanted)}: ${message}`, { code, hint });
}

const units = [
  ["h", 3600],
  ["min", 60],
] as const;

/** Formats seconds in the largest unit of which there is at least one. */
function span(seconds: number): string {
  const [unit, size] = units.find(([, size]) => seconds >= size) ?? ["s", 1];
  return `${Math.floor((seconds / size) * 10) / 10} ${unit}`;
}

/** Returns the action that restores the objects of a moment. It restarts the operator, which may remember later states. */
function restoreAction({ cluster, record, since, restart, apply }: RestoreParts): PageAction {
  return async (input) => {
    const moment = momentOf(new ActionInput(input).text("at"));
    const states = moment.toISOString() < since ? undefined : record.statesAt(moment);
    if (!states)
      throw refused(
        `what was at ${moment.toISOString()} is not known`,
        `choose a moment from ${record.since > since ? record.since : since} on`,
      );
    await restart(async () => {
      cluster.restore(states);
      await apply();
    });
    return { at: moment.toISOString() };
  };
}

function momentOf(text: string): Date {
  const moment = new Date(text);
  if (!Number.isNaN(moment.getTime()) && moment.getTime() <= Date.now()) return moment;
  throw new TsbuilderError(`"${text}" is not a moment of this session`, {
    code: "INVALID_ARGUMENT",
    hint: "choose one before now, such as 2026-01-01T00:00:00.000Z",
  });
}

function refused(message: string, hint: string): TsbuilderError {
  return new TsbuilderError(message, { code: "REFUSED", hint });
}

interface ActionRecord {
  acted(action: Omit<RecordedAction, "type">): void;
}

/** Returns the same actions, which record themselves with their outcome, unless they change nothing. */
export function recordActions(actions: PageActions, record: ActionRecord): PageActions {
  return Object.fromEntries(
    Object.entries(actions).map(([name, action]) => [name, recorded(name, action, record)]),
  );
}

function recorded(name: string, action: PageAction, record: ActionRecord): PageAction {
  return async (input) => {
    const recordedPart = recordedInput(name, input);
    if (recordedPart === undefined) return action(input);
    const [at, began] = [new Date().toISOString(), performance.now()];
    const end = (rest: Pick<RecordedAction, "outcome" | "error">): void =>
      record.acted({ at, name, input: recordedPart, ...rest, seconds: (performance.now() - began) / 1000 });
    try {
      const answer = await action(input);
      end({ outcome: "done" });
      return answer;
    } catch (error) {
      const { message } = describeFailure(error).failure;
      end({ outcome: "refused", ...(mayRecordError(name, recordedPart) && { error: message }) });
      throw error;
    }
  };
}

type RecordedInput = RecordedAction["input"];

/**
 * Returns the recorded part of an action's input, which is not validated yet; undefined for an action that changes nothing. An
 * object is reduced to its name: its content may be secret, and is recorded by the write.
 */
function recordedInput(name: string, input: unknown): RecordedInput | undefined {
  const given = isObject(input) ? input : {};
  if (name === "apply") return given["dryRun"] === true ? undefined : pick(referenceIn(given), reference);
  const names = Object.hasOwn(members, name) ? members[name] : undefined;
  return names && pick(given, names);
}

/** Returns true if the error of an action may be recorded: errors about a Secret, or about unreadable YAML, may quote its values. */
function mayRecordError(name: string, { kind }: RecordedInput): boolean {
  return name !== "apply" || (kind !== undefined && kind !== "Secret");
}

/** The length to which members are cut; the page sends no longer ones. */
const longest = 300;

function pick(from: Readonly<Record<string, unknown>>, names: readonly string[]): RecordedInput {
  const found = names.flatMap((name): [string, string | number | boolean][] => {
    const value = from[name];
    if (typeof value === "string") return [[name, value.slice(0, longest)]];
    return typeof value === "number" || typeof value === "boolean" ? [[name, value]] : [];
  });
  return Object.fromEntries(found);
}

function referenceIn({ object }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const [found] = typeof object === "string" ? parsed(object) : [];
  if (!isObject(found)) return {};
  const { apiVersion, kind, metadata } = found;
  const { name, namespace } = isObject(metadata) ? metadata : {};
  return { apiVersion, kind, namespace, name };
}

/** Parses YAML; unreadable YAML counts as no object. */
function parsed(text: string): readonly unknown[] {
  try {
    return readYaml("the object", text, { code: "INVALID_ARGUMENT", hint: "" });
  } catch {
    return [];
  }
}
