import { AsyncLocalStorage } from "node:async_hooks";
import type { ClusterObjects } from "../contract/cluster-objects.ts";
import type { Filter } from "../http/request-context.ts";
import type { Core } from "./core.ts";

/** Who asked for a write. */
export interface Writer {
  readonly user: string;
  /** Of a request; controllers send none. */
  readonly userAgent?: string;
}

/** A write that is done, or an object that was there before the first one. */
export interface ClusterWrite {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "KEPT";
  /** Plural and group: `statefulsets.apps`. */
  readonly resource: string;
  /** `default/db`; without a namespace, `db`. */
  readonly key: string;
  /**
   * Undefined for what the API server does by itself. What it does because of a request, such as the conditions of a CRD,
   * counts as done by who sent that.
   */
  readonly by: Writer | undefined;
  /** The JSON of the object, of a deleted one as it was last, which watches send, too. */
  readonly bytes: Buffer;
}

const writers = new AsyncLocalStorage<Writer>();

/** Knows the writer of each request. */
export const noteWriter: Filter = ({ user, request }, next) => {
  const { "user-agent": userAgent } = request.headers;
  return writers.run({ user: user.name, ...(userAgent !== undefined && { userAgent }) }, next);
};

/** Who sent the request that is being handled, if that is known. */
export function currentWriter(): Writer | undefined {
  return writers.getStore();
}

/** Does what writes, in the name of a user if there is one. */
export function writeAs(user: string | undefined, write: () => void): void {
  if (user === undefined) write();
  else writers.run({ user }, write);
}

/** The cluster's objects for controllers, whose writes are known to be theirs. */
export function withWriters(objects: ClusterObjects): ClusterObjects {
  return {
    ...objects,
    create: (user, object) => writers.run({ user }, () => objects.create(user, object)),
    update: (user, object, subresource) =>
      writers.run({ user }, () => objects.update(user, object, subresource)),
    delete: (user, object, options) => writers.run({ user }, () => objects.delete(user, object, options)),
  };
}

/** Tells of the objects that are there, and of each write from now on, with its writer. */
export function tellWrites({ store }: Core, tell: (write: ClusterWrite) => void): () => void {
  for (const collection of store.collections()) {
    for (const { key, bytes } of collection.list())
      tell({ type: "KEPT", resource: collection.name, key, by: undefined, bytes });
  }
  return store.listen(({ name }, { type, entry }) => {
    tell({ type, resource: name, key: entry.key, by: currentWriter(), bytes: entry.bytes });
  });
}
