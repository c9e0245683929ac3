/*
 * SPDX-License-Identifier: Apache-2.0
 */

import {
  Children,
  type Client,
  type Clock,
  type Context,
  findCondition,
  type Manager,
  type NamespacedName,
  pruneServicePorts,
  type Reconciler,
  type Result,
} from "@tsbuilder/runtime";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { Service } from "@tsbuilder/runtime/k8s/core/v1";
import { Memcached } from "../../api/v1/memcached_types.ts";
import { deploymentFor, serviceFor } from "./memcached_resources.ts";
import { statusFor } from "./memcached_status.ts";

// +kubebuilder:rbac:groups=apps.example.com,resources=memcacheds,verbs=list;watch
// +kubebuilder:rbac:groups=apps.example.com,resources=memcacheds/status,verbs=patch
// +kubebuilder:rbac:groups=apps.example.com,resources=memcacheds/finalizers,verbs=update
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=services,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/**
 * Reconciles the Deployment and the Service of a Memcached. It needs no finalizer: the Memcached owns both, so they are
 * garbage-collected.
 */
export class MemcachedReconciler implements Reconciler {
  readonly #client: Client;
  readonly #clock: Clock;

  constructor({ client, clock }: Manager) {
    this.#client = client;
    this.#clock = clock;
  }

  async reconcile(request: NamespacedName, { events, log }: Context): Promise<Result> {
    const owner = await this.#client.find(Memcached, request);
    if (!owner) {
      log.info("Memcached not found: it was deleted, and its objects are garbage-collected");
      return;
    }
    const { name } = request;
    const { port } = owner.spec;

    const children = new Children(this.#client, owner, { clock: this.#clock });
    const deployment = await children.set(Deployment, name, deploymentFor(owner));
    const service = port === undefined ? undefined : serviceFor(owner, port);
    await children.set(Service, name, service, pruneServicePorts);

    const { rejections } = children;
    const status = statusFor(owner, deployment, rejections, this.#clock);
    await this.#client.patchStatus(Memcached, owner, status);
    for (const { reason, message } of rejections) events.warning(owner, reason, message);
    return children.result(findCondition(status.conditions, "Degraded"));
  }
}

/** Registers the controller and the kinds that it watches. */
export function setupMemcachedController(manager: Manager): void {
  const reconciler = new MemcachedReconciler(manager);
  manager
    .controllerFor(Memcached)
    .named("memcached")
    .owns(Deployment)
    .owns(Service)
    .complete(reconciler);
}
