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
import type { AppService } from "../../api/v1/appservice_types.ts";
import type { Rejection } from "./appservice_status.ts";

/** Work on an object that is there, before the desired one is applied to it. */
type Beforehand<T extends KubernetesObject> = (
  client: Client,
  live: T,
  desired: Desired<T>,
) => Promise<void>;

/** The objects that an app owns: each is set on its own, so that one that is rejected does not stop the others. */
export class Children {
  readonly rejections: Rejection[] = [];
  readonly #client: Client;
  readonly #app: AppService;

  constructor(client: Client, app: AppService) {
    this.#client = client;
    this.#app = app;
  }

  /** A child as it is now; an object of that name that is not the app's is none. */
  async find<T extends KubernetesObject>(kind: Kind<T>, name: string): Promise<T | undefined> {
    const { namespace, uid } = this.#app.metadata;
    const object = await this.#client.find(kind, { namespace, name });
    return object && findController(object)?.uid === uid ? object : undefined;
  }

  /** Makes a child what is desired, or takes it away where nothing is; a stranger's object is left alone. */
  async set<T extends KubernetesObject>(
    kind: Kind<T>,
    name: string,
    desired: Desired<T> | undefined,
    beforehand?: Beforehand<T>,
  ): Promise<void> {
    try {
      if (desired) await this.#apply(kind, name, desired, beforehand);
      else await this.#remove(kind, name);
    } catch (error) {
      this.rejections.push(rejectionOf(kind, error));
    }
  }

  async #apply<T extends KubernetesObject>(
    kind: Kind<T>,
    name: string,
    desired: Desired<T>,
    beforehand: Beforehand<T> | undefined,
  ): Promise<void> {
    const { namespace, uid } = this.#app.metadata;
    const live = await this.#client.find(kind, { namespace, name });
    if (live && isStrangers(live, desired, uid)) {
      const message = `${kind.kind} "${name}" was made by somebody else`;
      this.rejections.push({ reason: "NameConflict", message });
      return;
    }
    if (live) await beforehand?.(this.#client, live, desired);
    await this.#client.apply(kind, desired, { owner: this.#app });
  }

  async #remove<T extends KubernetesObject>(kind: Kind<T>, name: string): Promise<void> {
    const { namespace } = this.#app.metadata;
    if (await this.find(kind, name)) await this.#client.delete(kind, { namespace, name });
  }
}

/**
 * Whether an object is none of ours. One without a controller is taken up if it has our labels: that is what an app
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
