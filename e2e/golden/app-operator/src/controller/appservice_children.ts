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

/** Work on a child of ours before it is applied again. */
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

  /** Makes a child what is desired, or takes it away where nothing is; a stranger's object is left alone. */
  async set<T extends KubernetesObject>(
    kind: Kind<T>,
    name: string | undefined,
    desired: Desired<T> | undefined,
    beforehand?: Beforehand<T>,
  ): Promise<void> {
    try {
      if (!desired) {
        await this.#remove(kind, name);
        return;
      }
      const live = beforehand && (await this.#findOurs(kind, name));
      if (live) await beforehand(this.#client, live, desired);
      await this.#client.apply(kind, desired, { owner: this.#app });
    } catch (error) {
      this.rejections.push(rejectionOf(kind, error));
    }
  }

  async #remove<T extends KubernetesObject>(kind: Kind<T>, name = ""): Promise<void> {
    const { namespace } = this.#app.metadata;
    if (await this.#findOurs(kind, name)) await this.#client.delete(kind, { namespace, name });
  }

  async #findOurs<T extends KubernetesObject>(kind: Kind<T>, name = ""): Promise<T | undefined> {
    const { namespace, uid } = this.#app.metadata;
    const object = await this.#client.find(kind, { namespace, name });
    return object && findController(object)?.uid === uid ? object : undefined;
  }
}

/** What the API server refuses belongs into the status; anything else is retried as an error. */
function rejectionOf(kind: Kind, error: unknown): Rejection {
  if (error instanceof ApiError && error.isAlreadyOwned)
    return { reason: "NameConflict", message: error.message };
  if (error instanceof ApiError && (error.isInvalid || error.isForbidden)) {
    return { reason: `${kind.kind}Rejected`, message: error.message };
  }
  throw error;
}
