/*
 * SPDX-License-Identifier: Apache-2.0
 */

import type { Client, Context, Manager, Reconciler, Request, Result } from "@tsbuilder/runtime";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { Service } from "@tsbuilder/runtime/k8s/core/v1";
import { Memcached } from "../../api/v1/memcached_types.ts";
import { Children } from "./memcached_children.ts";
import { deploymentFor, serviceFor } from "./memcached_resources.ts";
import { statusFor } from "./memcached_status.ts";

// +kubebuilder:rbac:groups=apps.example.com,resources=memcacheds,verbs=get;list;watch
// +kubebuilder:rbac:groups=apps.example.com,resources=memcacheds/status;memcacheds/finalizers,verbs=update;patch
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=services,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/**
 * Drives a Deployment and a Service towards what each Memcached asks for. It needs no finalizer: what it makes is
 * owned by the object, and goes with it.
 */
export class MemcachedReconciler implements Reconciler {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async reconcile(request: Request, { events, log }: Context): Promise<Result> {
    const owner = await this.#client.find(Memcached, request);
    if (!owner) {
      log.info("Memcached not found: it was deleted, and what it owns goes with it");
      return;
    }
    const { name } = request;
    const { port } = owner.spec;

    const child = new Children(this.#client, owner);
    await child.set(Deployment, name, deploymentFor(owner));
    await child.set(Service, name, port === undefined ? undefined : serviceFor(owner, port));

    const deployment = await child.find(Deployment, name);
    const status = statusFor(owner, deployment, child.rejections);
    await this.#client.patchStatus(Memcached, owner, status);
    for (const { reason, message } of child.rejections) events.warning(owner, reason, message);
    // What was rejected is tried again, slowly: a change of the object or of a child comes sooner.
    return child.rejections.length > 0 ? { requeueAfter: "15s" } : undefined;
  }
}

/** Connects the reconciler with the objects that it watches. */
export function setupMemcachedController(manager: Manager): void {
  const reconciler = new MemcachedReconciler(manager.client);
  manager
    .controllerFor(Memcached)
    .named("memcached")
    .owns(Deployment)
    .owns(Service)
    .complete(reconciler);
}
