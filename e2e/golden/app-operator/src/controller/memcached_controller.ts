/*
 * SPDX-License-Identifier: Apache-2.0
 */

import type { Client, Context, Manager, Reconciler, Request, Result } from "@tsbuilder/runtime";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { Service } from "@tsbuilder/runtime/k8s/core/v1";
import { Memcached } from "../../api/v1/memcached_types.ts";
import { deploymentFor, serviceFor } from "./memcached_resources.ts";
import { statusFor } from "./memcached_status.ts";

// +kubebuilder:rbac:groups=apps.example.com,resources=memcacheds,verbs=get;list;watch
// +kubebuilder:rbac:groups=apps.example.com,resources=memcacheds/status;memcacheds/finalizers,verbs=update;patch
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;patch
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

  async reconcile(request: Request, { log }: Context): Promise<Result> {
    const owner = await this.#client.find(Memcached, request);
    if (!owner) return;

    const deployment = await this.#client.apply(Deployment, deploymentFor(owner), { owner });
    await this.#applyService(owner);

    const status = statusFor(owner, deployment);
    await this.#client.patchStatus(Memcached, owner, status);
    log.info("Reconciled Memcached", { ready: status.readyReplicas });
  }

  /** The Service comes and goes with the port; one that somebody else made is left alone. */
  async #applyService(owner: Memcached): Promise<void> {
    const { name = "", namespace, uid } = owner.metadata;
    if (owner.spec.port !== undefined) {
      await this.#client.apply(Service, serviceFor(owner, owner.spec.port), { owner });
      return;
    }
    const service = await this.#client.find(Service, { name, namespace });
    const isOurs = service?.metadata.ownerReferences?.some((reference) => reference.uid === uid);
    if (service && isOurs) await this.#client.delete(Service, { name, namespace });
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
