/*
 * SPDX-License-Identifier: Apache-2.0
 */

import {
  ApiError,
  type Client,
  type Desired,
  findController,
  type Kind,
  type KubernetesObject,
} from "@tsbuilder/runtime";
import type { Memcached } from "../../api/v1/memcached_types.ts";
import type { Rejection } from "./memcached_status.ts";

/** The objects that another one owns: each is set on its own, so that one that is rejected does not stop the others. */
export class Children {
  readonly rejections: Rejection[] = [];
  readonly #client: Client;
  readonly #owner: Memcached;

  constructor(client: Client, owner: Memcached) {
    this.#client = client;
    this.#owner = owner;
  }

  /** A child as it is now; an object of that name that is not the owner's is none. */
  async find<T extends KubernetesObject>(kind: Kind<T>, name: string): Promise<T | undefined> {
    const { namespace, uid } = this.#owner.metadata;
    const object = await this.#client.find(kind, { namespace, name });
    return object && findController(object)?.uid === uid ? object : undefined;
  }

  /** Makes a child what is desired, or takes it away where nothing is; a stranger's object is left alone. */
  async set<T extends KubernetesObject>(
    kind: Kind<T>,
    name: string,
    desired: Desired<T> | undefined,
  ): Promise<void> {
    try {
      if (desired) await this.#apply(kind, name, desired);
      else await this.#remove(kind, name);
    } catch (error) {
      this.rejections.push(rejectionOf(kind, error));
    }
  }

  async #apply<T extends KubernetesObject>(
    kind: Kind<T>,
    name: string,
    desired: Desired<T>,
  ): Promise<void> {
    const { namespace, uid } = this.#owner.metadata;
    const live = await this.#client.find(kind, { namespace, name });
    if (live && isStrangers(live, desired, uid)) {
      const message = `${kind.kind} "${name}" was made by somebody else`;
      this.rejections.push({ reason: "NameConflict", message });
      return;
    }
    await this.#client.apply(kind, desired, { owner: this.#owner });
  }

  async #remove<T extends KubernetesObject>(kind: Kind<T>, name: string): Promise<void> {
    const { namespace } = this.#owner.metadata;
    if (await this.find(kind, name)) await this.#client.delete(kind, { namespace, name });
  }
}

/**
 * Whether an object is none of ours. One without a controller is taken up if it has our labels: that is what an owner
 * leaves behind that was deleted without its children.
 */
function isStrangers<T extends KubernetesObject>(
  live: T,
  { metadata }: Desired<T>,
  uid: string | undefined,
): boolean {
  const controller = findController(live);
  if (controller) return controller.uid !== uid;
  const labels = Object.entries(metadata.labels ?? {});
  return labels.some(([label, value]) => live.metadata.labels?.[label] !== value);
}

/** What the API server refuses belongs into the status; a lost race or a lost connection is tried again as an error. */
function rejectionOf(kind: Kind, error: unknown): Rejection {
  if (!(error instanceof ApiError)) throw error;
  const { message = error.message } = error.body;
  if (error.isAlreadyOwned) return { reason: "NameConflict", message };
  if (error.isInvalid || error.isForbidden || error.status === 400) {
    return { reason: `${kind.kind}Rejected`, message };
  }
  throw error;
}
