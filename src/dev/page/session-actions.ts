// The actions of a session: write and delete objects, let requests fail, take the operator's Lease, move the clock, go back in time.

import type { Client, Kind, KubernetesObject } from "@tsbuilder/runtime";
import type { RestMapper } from "@tsbuilder/runtime/advanced";
import { formatMicroTime } from "@tsbuilder/apimachinery/time";
import { isObject } from "@tsbuilder/apimachinery/json";
import type { ClusterControls, DevCluster } from "../cluster/dev-cluster.ts";
import type { OperatorProcess } from "../operator/operator-process.ts";
import type { RecentRecord } from "../record/recent-record.ts";
import { ActionInput, type PageAction, type PageActions, RequestError } from "./page-action.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { didYouMean } from "../../shared/text.ts";
import type { HeldLease } from "../cluster/operator-leases.ts";
import { sessionEnds } from "../reload/reloader.ts";
import type { ManifestObject } from "../../ship/manifest.ts";
import { readYaml } from "../../shared/read-yaml.ts";
import { hiddenValue, hideSecret } from "../record/hide-secrets.ts";
import { pageAgent } from "../record/recorded.ts";

/** The parts of a session that restoring an earlier state needs. */
interface RestoreParts {
  readonly cluster: ClusterControls;
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
  /** False if the operator's clock can't be moved: then neither is the cluster's. */
  readonly hasMovableClock: boolean;
  /** The record in memory; without it, no earlier state can be restored. */
  readonly record: RecentRecord | undefined;
  /** Does work while no reload runs; the signal is aborted once a reload waits. */
  readonly between: <T>(work: (awaited: AbortSignal) => Promise<T>) => Promise<T>;
  /** Aborted when the session stops. */
  readonly signal: AbortSignal;
}

/** Returns the actions of a session. In a shared cluster, the only action is to restart the operator. */
export function sessionActions(parts: ActionParts): PageActions {
  const { cluster, operator, hasMovableClock, record, since, between, apply, signal } = parts;
  const { sampleNamespace, controls } = cluster;
  const restart = (meanwhile?: () => Promise<void>): Promise<void> =>
    between(() => operator.restart(meanwhile));
  return {
    restart: async () => restart(),
    ...(controls && {
      apply: applyAction(controls.client, sampleNamespace),
      delete: deleteAction(controls.client),
      fail: failAction(controls),
      leader: leaderAction(controls),
      "lose-leader": betweenReloads(loseLeaderAction({ cluster: controls, operator, signal }), between),
      ...(!controls.hasNodes &&
        hasMovableClock && {
          "move-clock": oneAtATime(
            moveClockAction({ cluster: controls, operator, between, signal }),
            "the clock is being moved already",
          ),
        }),
      ...(record &&
        !controls.hasNodes && {
          restore: restoreAction({ cluster: controls, record, since, restart, apply }),
        }),
    }),
  };
}

/** Returns the same action, executed between reloads. */
function betweenReloads(action: PageAction, between: ActionParts["between"]): PageAction {
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
    const placed = withNamespace(object, kind, defaultNamespace);
    const { name, namespace } = placed.metadata;
    const current = await client.find(kind, { name: name!, namespace }, { live: true });
    if (!current) return { object: hideSecret(await client.create(kind, asNew(placed), options)) };
    const versioned = withVersion(placed, current.metadata.resourceVersion);
    return { object: hideSecret(await client.update(kind, withStatus(versioned, current), options)) };
  };
}

const invalidObject = { code: "INVALID_ARGUMENT", hint: "write one object in YAML" } as const;

function readObject(text: string): KubernetesObject {
  const objects = readYaml("the object", text, invalidObject).filter((document) => document !== null);
  const [object, ...others] = objects;
  if (others.length > 0) throw new TsbuilderError("there is more than one object", invalidObject);
  const { apiVersion, kind, metadata } = isObject(object) ? object : {};
  if (typeof apiVersion !== "string" || typeof kind !== "string" || !isObject(metadata))
    throw new TsbuilderError("an object needs apiVersion, kind and metadata", invalidObject);
  if (typeof metadata["name"] !== "string")
    throw new TsbuilderError("the object has no metadata.name", invalidObject);
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
function withNamespace(
  object: KubernetesObject,
  { scope }: Kind,
  defaultNamespace: string,
): KubernetesObject {
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
    const served = await client.mapper.kindFor({ apiVersion, kind });
    if (await client.delete(served, ref, { propagationPolicy: "Background" })) return {};
    const resource = [served.plural, served.group].filter(Boolean).join(".");
    throw new RequestError(404, `${resource} "${ref.name}" not found`);
  };
}

/** The status codes with which planned requests fail. */
const failureCodes = [403, 409, 500, 503] as const;

const [maxTimes, maxMilliseconds] = [1000, 60_000];

/** Returns the action that lets the operator's next requests fail or wait. 0 times ends such a plan. */
function failAction({ failures, client }: Pick<ClusterControls, "failures" | "client">): PageAction {
  return async (input) => {
    const members = new ActionInput(input);
    const [verb, resource] = [members.text("verb"), members.text("resource")];
    const code = members.optionalCount("code", 599);
    const delay = members.optionalCount("delay", maxMilliseconds);
    const failureCode = failureCodes.find((known) => known === code);
    if ((failureCode === undefined) === (delay === undefined))
      throw new RequestError(
        400,
        `either "code" must be one of ${failureCodes.join(", ")}, or "delay" be set`,
      );
    if (resource !== "*") await checkIsServed(client.mapper, resource);
    const outcome = failureCode === undefined ? { delay: delay! } : { code: failureCode };
    failures.plan({ verb, resource, outcome, times: members.optionalCount("times", maxTimes) ?? 1 });
    return { plans: failures.plans };
  };
}

/** Throws unless the cluster has a resource such as `statefulsets.apps`, `statefulsets` or `pods/status`. */
export async function checkIsServed(mapper: RestMapper, resource: string): Promise<void> {
  const parent = resource.replace(/\/.*/u, "");
  // A CRD may have been installed since the last time.
  mapper.reset();
  const kinds = await mapper.kinds();
  const names = kinds.map(({ plural, group }) => (group === "" ? plural : `${plural}.${group}`));
  if (names.includes(parent) || kinds.some(({ plural }) => plural === parent)) return;
  const sameKind = kinds.findIndex(({ kind }) => kind.toLowerCase() === parent.toLowerCase());
  const meant = names[sameKind] ?? didYouMean(parent, names);
  throw new TsbuilderError(`the cluster has no resource "${parent.slice(0, 100)}"`, {
    code: "INVALID_ARGUMENT",
    hint: meant ? `did you mean "${meant}"?` : "kubectl api-resources lists them",
  });
}

/** Returns the action that answers with the Lease that the operator holds, and whether it has held one before. */
export function leaderAction({ leases }: Pick<ClusterControls, "leases">): PageAction {
  return async () => ({ lease: leases.held, hasLed: leases.hasLed });
}

interface LeaderParts extends Pick<ActionParts, "signal"> {
  readonly cluster: Pick<ClusterControls, "client" | "leases">;
  readonly operator: Pick<OperatorProcess, "endsAfter" | "restart">;
  /** The time in milliseconds that the operator may take to end. */
  readonly patience?: number;
}

const endTimeout = 30_000;

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
  patience = endTimeout,
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
      () => takeLease(client, held, otherHolder, leaseSeconds),
      AbortSignal.any([signal, limit]),
    );
    if (signal.aborted) throw sessionEnds();
    if (isEnded) return operator.restart();
    // Without a holder, the operator that still runs leads again.
    await takeLease(client, held, "", 1);
    throw refused(
      `the operator still runs ${patience / 1000} s after another replica took its Lease`,
      "it must end then: let manager.start() reject, or end the process after it",
    );
  };
}

async function takeLease(
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
  readonly cluster: Pick<ClusterControls, "clock" | "leases">;
  readonly operator: Pick<OperatorProcess, "moveClock" | "restart">;
  /** The time in milliseconds that a move may take. */
  readonly patience?: number | undefined;
}

const daySeconds = 24 * 60 * 60;
const moveTimeout = 60_000;

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
  patience = moveTimeout,
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
    const seconds = new ActionInput(input).optionalCount("seconds", daySeconds);
    if (!seconds) throw new RequestError(400, `"seconds" must be a whole number from 1 to ${daySeconds}`);
    await between((awaited) => move(seconds, awaited));
    return { ahead: clock.ahead / 1000 };
  };
}

function endedBy({ code, message, hint }: TsbuilderError, moved: number, wanted: number): TsbuilderError {
  return new TsbuilderError(`moved ${formatSpan(moved)} of ${formatSpan(wanted)}: ${message}`, {
    code,
    hint,
  });
}

const units = [
  ["h", 3600],
  ["min", 60],
] as const;

/** Formats seconds in the largest unit of which there is at least one. */
function formatSpan(seconds: number): string {
  const [unit, size] = units.find(([, size]) => seconds >= size) ?? ["s", 1];
  return `${Math.floor((seconds / size) * 10) / 10} ${unit}`;
}

/** Returns the action that restores the objects of a moment. It restarts the operator, which may remember later states. */
function restoreAction({ cluster, record, since, restart, apply }: RestoreParts): PageAction {
  return async (input) => {
    const moment = readMoment(new ActionInput(input).text("at"));
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

function readMoment(text: string): Date {
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
