// What the API server sees of an operator whose runtime tells nothing: its requests. Those that are about the same object of the
// operator's kinds and follow each other closely are recorded as a reconcile, which says so (`groupedBy`). A reconcile seldom writes
// the same object twice, so that a second write begins the next one.

import { randomUUID } from "node:crypto";
import { type Clock, backgroundClock } from "@tsbuilder/apimachinery/time";
import type { AnsweredRequest, ClusterWrite } from "@tsbuilder/cluster";
import type { KubernetesObject } from "@tsbuilder/runtime";
import type { OperatorRecord } from "../record/operator-messages.ts";
import { maxRequests } from "../record/operator-messages.ts";
import type { RecordedReconcile, RecordedRequest } from "../record/recorded.ts";
import { eventResources, keyName, placeName, summarizeEvent } from "../record/recorded.ts";
import { type RequestTarget, requestTarget, verbOf } from "../record/request-target.ts";
import { leases } from "../record/session-recording.ts";
import type { OperatorKind } from "./find-operator.ts";

/** The time in milliseconds without a request after which a group is complete. */
const quiet = 150;

/** An object that was written, with what leads to its owner. */
interface KnownObject {
  readonly kind: string;
  readonly resource: string;
  readonly key: string;
  /** The UID of the owner, or of the object that an Event is about. */
  readonly above: string | undefined;
}

interface Group {
  readonly begun: Pick<RecordedReconcile, "at" | "controller" | "request" | "reconcileID" | "groupedBy">;
  readonly about: KnownObject;
  readonly began: number;
  readonly requests: RecordedRequest[];
  /** The objects, and their subresources, that were written. */
  readonly written: Set<string>;
  /** The failure of the last request, if it failed; Events besides other requests don't count. */
  failed: { readonly code: number; readonly message: string } | undefined;
  ended: number;
  cancel: () => void;
}

/** Groups the requests of an operator. Pass all writes of the cluster, and the operator's answered requests. */
export class OperatorRequests {
  readonly #own: ReadonlySet<string>;
  readonly #clock: Clock;
  readonly #objects = new Map<string, KnownObject>();
  readonly #uids = new Map<string, string>();
  /** The place of the object of each resource that was written last: the request of a creation doesn't name it. */
  readonly #lastWritten = new Map<string, string>();
  /** The place of the object of the operator's kinds that was written last. */
  #lastOwn: string | undefined;
  readonly #groups = new Map<string, Group>();
  #record: OperatorRecord | undefined;

  constructor(kinds: readonly OperatorKind[], clock: Clock = backgroundClock) {
    this.#own = new Set(kinds.map(({ resource }) => resource));
    this.#clock = clock;
  }

  /** Records groups from now on. */
  recordIn(record: OperatorRecord): void {
    this.#record = record;
  }

  /** Follows a write: it may make an object, whose owner tells what later requests for it are about. */
  write({ type, resource, key, bytes }: ClusterWrite): void {
    if (resource === leases) return;
    const place = placeName({ resource, key });
    if (type === "DELETED") return this.#forget(place);
    const object = JSON.parse(bytes.toString()) as KubernetesObject;
    const uid = object.metadata.uid ?? "";
    this.#objects.set(uid, { kind: object.kind, resource, key, above: uidAbove(resource, object) });
    this.#uids.set(place, uid);
    this.#lastWritten.set(resource, place);
    if (this.#own.has(resource)) this.#lastOwn = place;
  }

  /** The requests of a reconcile that deletes the object's last dependent may still follow. */
  #forget(place: string): void {
    const uid = this.#uids.get(place);
    this.#clock.setTimer(() => {
      if (uid === undefined) return;
      this.#objects.delete(uid);
      if (this.#uids.get(place) === uid) this.#uids.delete(place);
    }, 10 * quiet);
  }

  /** Follows a request of the operator. Lists and watches fill its caches: they belong to no reconcile. */
  answered(request: AnsweredRequest): void {
    const { method, path, code, milliseconds, traceparent, failure = "" } = request;
    const target = requestTarget(path);
    if (target === undefined || target.resource === leases) return;
    if (["list", "watch"].includes(verbOf(method, path, target))) return;
    const about = this.#aboutOf(target, method);
    if (about === undefined) return;
    const trace = /^[0-9a-f]{2}-([0-9a-f]{32})-/u.exec(traceparent ?? "")?.[1];
    const now = this.#clock.now();
    const id = trace ?? placeName(about);
    const group = this.#groupFor(id, about, {
      trace,
      from: now - milliseconds,
      written: this.#written(target, method),
    });
    group.ended = now;
    if (group.requests.length < maxRequests)
      group.requests.push({ method, path, code: String(code), seconds: milliseconds / 1000 });
    // An operator looks for what it is about to make, and tells in an Event how its work went.
    const isMissing = code === 404 && method === "GET";
    const isAside = eventResources.has(target.resource) && group.requests.length > 1;
    if (!isAside) group.failed = code < 400 || isMissing ? undefined : { code, message: failure };
    group.cancel();
    group.cancel = this.#clock.setTimer(() => this.#end(id, group), quiet);
  }

  /** Ends all groups, as the process has ended. */
  end(): void {
    for (const [id, group] of this.#groups) {
      group.cancel();
      this.#end(id, group);
    }
  }

  /** Returns what a request writes; undefined for a read. */
  #written(target: RequestTarget, method: string): string | undefined {
    const place = this.#placeOf(target) ?? target.resource;
    return method === "GET" ? undefined : `${place} ${target.subresource ?? ""}`;
  }

  #groupFor(
    id: string,
    about: KnownObject,
    request: {
      readonly trace: string | undefined;
      readonly from: number;
      readonly written: string | undefined;
    },
  ): Group {
    const { written, trace } = request;
    let group = this.#groups.get(id);
    if (group && trace === undefined && written !== undefined && group.written.has(written)) {
      group.cancel();
      this.#end(id, group);
      group = undefined;
    }
    group ??= this.#begin(id, about, request);
    if (written !== undefined) group.written.add(written);
    return group;
  }

  #begin(
    id: string,
    about: KnownObject,
    { trace, from }: { readonly trace: string | undefined; readonly from: number },
  ): Group {
    const begun = {
      at: new Date(from).toISOString(),
      // The name that most runtimes give a kind's controller.
      controller: about.kind.toLowerCase(),
      request: about.key,
      reconcileID: randomUUID(),
      groupedBy: trace === undefined ? ("time" as const) : ("trace" as const),
    };
    const group: Group = {
      begun,
      about,
      began: from,
      requests: [],
      written: new Set(),
      failed: undefined,
      ended: from,
      cancel: () => undefined,
    };
    this.#groups.set(id, group);
    this.#record?.began?.(begun);
    return group;
  }

  #end(id: string, { begun, began, ended, requests, failed }: Group): void {
    this.#groups.delete(id);
    const outcome = failed === undefined ? "done" : failed.code === 409 ? "conflict" : "error";
    const error = failed === undefined ? undefined : `${failed.code}: ${failed.message}`;
    const seconds = (ended - began) / 1000;
    this.#record?.append([{ ...begun, causes: [], requests, outcome, error, seconds }]);
  }

  /** Returns the object of the operator's kinds that a request is about, by owners, else by time; undefined if there is none. */
  #aboutOf(target: RequestTarget, method: string): KnownObject | undefined {
    const owner = this.#ownAbove(this.#objectAt(this.#placeOf(target)));
    if (owner !== undefined) return owner;
    // Nothing leads on from what does not exist yet, and from what could not be made.
    const [latest] = [...this.#groups.values()].toSorted((a, b) => b.ended - a.ended);
    if (latest !== undefined) return latest.about;
    return method === "GET" ? undefined : this.#objectAt(this.#lastOwn);
  }

  /** Returns the place of the object that a request names, or has just made. */
  #placeOf({ resource, namespace, name }: RequestTarget): string | undefined {
    if (name === undefined) return this.#lastWritten.get(resource);
    return placeName({ resource, key: keyName({ namespace, name }) });
  }

  #objectAt(place: string | undefined): KnownObject | undefined {
    return place === undefined ? undefined : this.#objects.get(this.#uids.get(place) ?? "");
  }

  #ownAbove(object: KnownObject | undefined): KnownObject | undefined {
    const seen = new Set<KnownObject>();
    let current = object;
    while (current !== undefined && !seen.has(current) && !this.#own.has(current.resource)) {
      seen.add(current);
      current = current.above === undefined ? undefined : this.#objects.get(current.above);
    }
    return current !== undefined && this.#own.has(current.resource) ? current : undefined;
  }
}

/** Returns the UID of an object's controller, else of its first owner; of an Event, that of what it is about. */
function uidAbove(resource: string, object: KubernetesObject): string | undefined {
  const event = summarizeEvent({ resource, object });
  if (event) return event.regarding?.uid;
  const owners = object.metadata.ownerReferences ?? [];
  return (owners.find(({ controller }) => controller) ?? owners[0])?.uid;
}
