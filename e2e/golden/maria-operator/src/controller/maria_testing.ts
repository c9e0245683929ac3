/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { type Client, findCondition, type Stored } from "@tsbuilder/runtime";
import { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { PersistentVolumeClaim, Pod, Secret } from "@tsbuilder/runtime/k8s/core/v1";
import { eventually, startTestManager, type TestManager } from "@tsbuilder/runtime/testing";
import { afterAll, beforeAll, expect } from "vitest";
import { Maria, type MariaSpec } from "../../api/v1/maria_types.ts";
import { setupMariaController } from "./maria_controller.ts";
import { labelsOf, ownerOfData } from "./maria_names.ts";
import { decode } from "./maria_secrets.ts";

export const namespace = "default";

/** A cluster without controllers but ours, and helpers for the tests. */
export class Scene {
  #cluster: TestCluster | undefined;
  #manager: TestManager | undefined;

  /** Reads from the server, not from the operator's cache. */
  get client(): Client {
    if (!this.#manager) throw new Error("the cluster is not running yet");
    return this.#manager.client;
  }

  async start(): Promise<void> {
    this.#cluster = await startTestCluster({ crds: "config/crd/bases" });
    this.#manager = await startTestManager(this.#cluster.kubeconfig, setupMariaController);
  }

  async stop(): Promise<void> {
    await this.#manager?.stop();
    await this.#cluster?.stop();
  }

  async create(name: string, spec: MariaSpec): Promise<string> {
    await this.client.create(Maria, { metadata: { name, namespace }, spec });
    return name;
  }

  /** Creates a MySQL, and waits for its StatefulSet. */
  async createServers(name: string, spec: MariaSpec = {}): Promise<string> {
    await this.create(name, spec);
    await eventually(() => this.client.get(StatefulSet, { namespace, name }));
    return name;
  }

  get(name: string): Promise<Stored<Maria>> {
    return this.client.get(Maria, { namespace, name });
  }

  statefulSet(name: string): Promise<Stored<StatefulSet>> {
    return this.client.get(StatefulSet, { namespace, name });
  }

  /** Changes the spec, and waits until the operator has seen that. */
  async change(name: string, edit: (spec: MariaSpec) => void): Promise<void> {
    const mysql = await this.get(name);
    await this.client.patch(Maria, mysql, ({ spec }) => edit(spec), { optimisticLock: false });
    await eventually(async () => {
      const { metadata, status } = await this.get(name);
      expect(status?.observedGeneration).toBe(metadata.generation);
    });
  }

  /** Waits until the conditions have these reasons. */
  async until(name: string, reasons: Record<string, string | undefined>): Promise<void> {
    await eventually(async () => {
      const { conditions } = (await this.get(name)).status ?? {};
      const reasonOf = (type: string) => [type, findCondition(conditions, type)?.reason];
      expect(Object.fromEntries(Object.keys(reasons).map(reasonOf))).toEqual(reasons);
    });
  }

  /** Reads a value of a Secret; by default, a file that is mounted into the servers. */
  async fileOf(name: string, file: string, secret = "config"): Promise<string | undefined> {
    const { data } = await this.client.get(Secret, { namespace, name: `${name}-${secret}` });
    return decode(data)[file];
  }

  /** Acts as the StatefulSet controller: all servers are running, and all or the first of them ready. */
  async makeReady(name: string, readyReplicas?: number): Promise<void> {
    const statefulSet = await this.statefulSet(name);
    const replicas = statefulSet.spec?.replicas ?? 1;
    await this.client.patchStatus(StatefulSet, statefulSet, {
      observedGeneration: statefulSet.metadata.generation,
      ...{ replicas, updatedReplicas: replicas },
      readyReplicas: readyReplicas ?? replicas,
      availableReplicas: readyReplicas ?? replicas,
    });
    for (let ordinal = 0; ordinal < replicas; ordinal += 1) {
      const status = ordinal < (readyReplicas ?? replicas) ? "True" : "False";
      await this.makePod(name, ordinal, { conditions: [{ type: "Ready", status }] });
    }
  }

  /** Acts as the kubelet: a server whose container, or init container, exited with a code. */
  async makePod(name: string, ordinal: number, status: Pod["status"]): Promise<void> {
    const containers = [{ name: "mysql", image: "mariadb" }];
    const labels = labelsOf(await this.get(name), "server");
    const metadata = { namespace, name: `${name}-${ordinal}`, labels };
    const pod = await this.client.apply(Pod, { metadata, spec: { containers } });
    await this.client.patchStatus(Pod, pod, { ...pod.status, ...status });
  }

  /** Acts as the volume driver: a volume of a server, or of backups. */
  async makeVolume(name: string, claim: string, className: string): Promise<PersistentVolumeClaim> {
    const mysql = await this.get(name);
    const made = await this.client.create(PersistentVolumeClaim, {
      metadata: {
        ...{ namespace, name: claim },
        labels: labelsOf(mysql, "server"),
        annotations: ownerOfData(mysql),
      },
      spec: {
        accessModes: ["ReadWriteOnce"],
        storageClassName: className,
        resources: { requests: { storage: "1Gi" } },
        volumeName: `volume-of-${claim}`,
      },
    });
    return this.client.patchStatus(PersistentVolumeClaim, made, {
      phase: "Bound",
      capacity: { storage: "1Gi" },
    });
  }

  /** Acts as the kubelet: the pod of a backup, and its termination message. */
  async makeBackupPod(name: string, job: string, message: string): Promise<void> {
    const labels = { ...labelsOf(await this.get(name), "backup"), [JOB_LABEL]: job };
    const containers = [{ name: "backup", image: "mariadb" }];
    const metadata = { namespace, name: `${job}-pod`, labels };
    const pod = await this.client.create(Pod, { metadata, spec: { containers } });
    const status = { name: "backup", image: "", imageID: "", ready: false, restartCount: 0 };
    const state = { terminated: { exitCode: 0, message } };
    await this.client.patchStatus(Pod, pod, { containerStatuses: [{ ...status, state }] });
  }

  /** Acts as the Job controller. */
  async endJob(name: string, result: "Complete" | "Failed", time: string): Promise<void> {
    const job = await this.client.get(Job, { namespace, name });
    const ended = { status: "True", lastTransitionTime: time, lastProbeTime: time } as const;
    const isGood = result === "Complete";
    await this.client.patchStatus(Job, job, {
      startTime: time,
      ...(isGood ? { completionTime: time, succeeded: 1 } : { failed: 1 }),
      conditions: [
        { ...ended, type: isGood ? "SuccessCriteriaMet" : "FailureTarget" },
        { ...ended, type: result },
      ],
    });
  }
}

const JOB_LABEL = "batch.kubernetes.io/job-name";

/** Sets up a scene for the tests of a file. */
export function useScene(): Scene {
  const scene = new Scene();
  beforeAll(() => scene.start());
  afterAll(() => scene.stop());
  return scene;
}
