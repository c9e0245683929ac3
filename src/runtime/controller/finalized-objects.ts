import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Client } from "../client/client.ts";
import type { DeepReadonly } from "../client/deep-readonly.ts";
import { formatKey, keyOf, type ObjectKey } from "../client/object-key.ts";
import { ApiError } from "../errors/api-error.ts";
import { currentCallContext, runInCallContext } from "../scope/call-context.ts";

/**
 * What this process knows of the objects that have its finalizers. The view that a process starts with, or takes the
 * lease with, may be older than a finalizer that another process removed: nobody would clean up what is made for such an
 * object, and its cleanup might delete what belongs to the next object of that name.
 */
export class FinalizedObjects<T extends KubernetesObject> {
  readonly #client: Client;
  readonly #kind: Kind<T>;
  readonly #finalizers: readonly string[];
  /** By key. While this process leads, only it removes the finalizers, so each object is read once. */
  readonly #known = new Map<string, { readonly uid: string | undefined; readonly isGone: boolean }>();

  constructor(client: Client, kind: Kind<T>, finalizers: readonly string[]) {
    this.#client = client;
    this.#kind = kind;
    this.#finalizers = finalizers;
  }

  /** The server has the object, with the finalizers. */
  noteThere(object: DeepReadonly<T>): void {
    this.#known.set(formatKey(keyOf(object)), { uid: object.metadata.uid, isGone: false });
  }

  /**
   * Its last finalizer was removed. The server answers that request with the previous version, so the cache doesn't know
   * that the object is gone until the watch reports it. Cleanup must not run again in the meantime.
   */
  noteGone(object: DeepReadonly<T>): void {
    this.#known.set(formatKey(keyOf(object)), { uid: object.metadata.uid, isGone: true });
  }

  forget(key: ObjectKey): void {
    this.#known.delete(formatKey(key));
  }

  isGone(object: DeepReadonly<T>): boolean {
    return this.#of(object)?.isGone ?? false;
  }

  /** Runs a function whose first write reads the object from the server, unless it is known to be there. */
  writing<R>(object: DeepReadonly<T>, run: () => R): R {
    if (this.#of(object)) return run();
    let check: Promise<void> | undefined;
    const beforeWrite = (): Promise<void> => (check ??= this.#assertThere(object));
    return runInCallContext({ ...currentCallContext(), beforeWrite }, run);
  }

  /** Whether the server has the object, with finalizers. */
  async has(object: DeepReadonly<T>, finalizers = this.#finalizers): Promise<boolean> {
    if (this.#of(object)) return true;
    const { namespace, name = "" } = object.metadata;
    // A list of one: operators may list what they watch, and not all of them may get it.
    const fields = { "metadata.name": name };
    const [found] = await this.#client.list(this.#kind, { namespace, fields, live: true });
    const { uid, finalizers: present = [] } = found?.metadata ?? {};
    const isThere = uid === object.metadata.uid && finalizers.every((name) => present.includes(name));
    if (isThere) this.noteThere(object);
    return isThere;
  }

  async #assertThere(object: DeepReadonly<T>): Promise<void> {
    if (await this.has(object)) return;
    const { kind, plural: resource, group } = this.#kind;
    const { name = "" } = object.metadata;
    const message = `${kind} ${formatKey(keyOf(object))} was deleted, or lost its finalizers: nothing is written for it`;
    throw new ApiError({ code: 404, reason: "NotFound", message, details: { name, kind: resource, group } });
  }

  #of(object: DeepReadonly<T>) {
    const known = this.#known.get(formatKey(keyOf(object)));
    return known?.uid === object.metadata.uid ? known : undefined;
  }
}
