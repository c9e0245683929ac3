import { AsyncLocalStorage } from "node:async_hooks";
import type { ClusterObjects } from "../contract/cluster-objects.ts";
import type { Filter } from "../http/request-context.ts";
import type { Core } from "./core.ts";

/** The user of a write. */
export interface Writer {
  readonly user: string;
  /** The User-Agent of a request; controllers have none. */
  readonly userAgent?: string;
}

/** A completed write, or with the type KEPT an object that existed at the start. */
export interface ClusterWrite {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "KEPT";
  /** Plural and group: `statefulsets.apps`. */
  readonly resource: string;
  /** `default/db`; without a namespace, `db`. */
  readonly key: string;
  /** Undefined for the API server's own writes. Writes that a request causes have its writer, as a CRD's conditions do. */
  readonly by: Writer | undefined;
  /** The JSON of the object, or of the last state of a deleted one: the bytes that watches send. */
  readonly bytes: Buffer;
}

const writers = new AsyncLocalStorage<Writer>();

/** Records the writer of each request for `currentWriter()`. */
export const noteWriter: Filter = ({ user, request }, next) => {
  const { "user-agent": userAgent } = request.headers;
  return writers.run({ user: user.name, ...(userAgent !== undefined && { userAgent }) }, next);
};

/** Returns the writer of the current request, if it was recorded. */
export function currentWriter(): Writer | undefined {
  return writers.getStore();
}

/** Runs code that writes in the name of a user, if one is given. */
export function writeAs(user: string | undefined, write: () => void): void {
  if (user === undefined) write();
  else writers.run({ user }, write);
}

/** Wraps the cluster's objects for controllers, so that their writes have a writer. */
export function withWriters(objects: ClusterObjects): ClusterObjects {
  return {
    ...objects,
    create: (user, object) => writers.run({ user }, () => objects.create(user, object)),
    update: (user, object, subresource) =>
      writers.run({ user }, () => objects.update(user, object, subresource)),
    delete: (user, object, options) => writers.run({ user }, () => objects.delete(user, object, options)),
  };
}

/** Passes the existing objects, and then each write with its writer, to `tell`. Returns an unsubscribe function. */
export function tellWrites({ store }: Core, tell: (write: ClusterWrite) => void): () => void {
  for (const collection of store.collections()) {
    for (const { key, bytes } of collection.list())
      tell({ type: "KEPT", resource: collection.name, key, by: undefined, bytes });
  }
  return store.listen(({ name }, { type, entry }) => {
    tell({ type, resource: name, key: entry.key, by: currentWriter(), bytes: entry.bytes });
  });
}
