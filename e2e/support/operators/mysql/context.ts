import { randomBytes } from "node:crypto";
import {
  type Client,
  type Condition,
  findCondition,
  type Kind,
  type KubernetesObject,
  type NamespacedName,
  type Stored,
} from "@tsbuilder/runtime";
import { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { CronJob, Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { Namespace, PersistentVolumeClaim, Pod, Secret, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { Event } from "@tsbuilder/runtime/k8s/events/v1";
import { PodDisruptionBudget } from "@tsbuilder/runtime/k8s/policy/v1";
import { expect } from "vitest";
import {
  Maria,
  type MariaSpec,
  type MariaStatus,
} from "../../../golden/maria-operator/api/v1/maria_types.ts";
import { type ApiGateway, isWrite, type PassedRequest } from "../api-gateway.ts";
import type { DecideOutcome, PodOutcome } from "../../cluster/fake-kubelet.ts";
import type { OperatorHost } from "../operator-host.ts";
import type { RunningOperator } from "../operator-process.ts";
import type { PassingTime } from "../passing-time.ts";

/** The cluster and the operator under test, which all scenarios share. */
export interface Environment {
  readonly client: Client;
  readonly gateway: ApiGateway;
  readonly host: OperatorHost;
  readonly operator: () => RunningOperator;
  /** Sets the outcome of the pods of a namespace. */
  readonly decidePods: (namespace: string, decide: DecideOutcome) => void;
}

/** How long nothing may happen until a MySQL counts as quiet. */
const quietMilliseconds = 20_000;

/** The namespace of one scenario, and the requests, waits and reads that scenarios share. */
export class ScenarioContext {
  readonly namespace: string;
  readonly client: Client;
  readonly environment: Environment;

  constructor(environment: Environment, row: string) {
    this.environment = environment;
    this.client = environment.client;
    this.namespace = `${row.toLowerCase()}-${randomBytes(3).toString("hex")}`;
  }

  async open(): Promise<this> {
    await this.client.create(Namespace, { metadata: { name: this.namespace } });
    return this;
  }

  /** Waits until a check neither throws nor returns false; a running operator must stay up meanwhile. */
  eventually: PassingTime["eventually"] = (check, options) =>
    this.environment.host.time.eventually(check, { watched: this.environment.operator().watch, ...options });

  /** Lets this many milliseconds pass. */
  wait(milliseconds: number): Promise<void> {
    return this.environment.host.time.advance(milliseconds);
  }

  key(name: string): { namespace: string; name: string } {
    return { namespace: this.namespace, name };
  }

  create(name: string, spec: MariaSpec = {}): Promise<Stored<Maria>> {
    return this.client.create(Maria, { metadata: this.key(name), spec });
  }

  /** Creates a MySQL, and waits until all its servers are ready. */
  async createReady(name: string, spec: MariaSpec = {}): Promise<Stored<Maria>> {
    await this.create(name, spec);
    return this.settled(name);
  }

  /** Waits until the MySQL is available and nothing of it changes any more. */
  async settled(name: string): Promise<Stored<Maria>> {
    await this.until(name, "Available", "PrimaryReady");
    await this.until(name, "Progressing", "UpToDate");
    return this.get(name);
  }

  get(name: string): Promise<Stored<Maria>> {
    return this.client.get(Maria, this.key(name));
  }

  async status(name: string): Promise<MariaStatus> {
    return (await this.get(name)).status ?? {};
  }

  /** Merges fields into the spec; null removes a field. */
  change(name: string, spec: object): Promise<Stored<Maria>> {
    return this.client.patch(Maria, this.key(name), { merge: { spec } });
  }

  /** Deletes a MySQL, and waits until it is gone. */
  async remove(name: string): Promise<void> {
    await this.client.delete(Maria, this.key(name));
    await this.eventually(async () => {
      if (await this.find(Maria, name)) throw new Error(`${name} is still there`);
    });
  }

  async condition(name: string, type: string): Promise<Condition | undefined> {
    return findCondition((await this.status(name)).conditions, type);
  }

  /** Waits until a condition has the reason at the current generation, and returns the condition. */
  async until(name: string, type: string, reason: string): Promise<Condition> {
    return this.eventually(async () => checkCondition(await this.get(name), type, reason));
  }

  statefulSet(name: string): Promise<Stored<StatefulSet>> {
    return this.client.get(StatefulSet, this.key(name));
  }

  find<T extends KubernetesObject>(
    kind: Kind<T, NamespacedName>,
    name: string,
  ): Promise<Stored<T> | undefined> {
    return this.client.find(kind, this.key(name));
  }

  /** Pods of a MySQL's servers, by ordinal. */
  async pods(name: string): Promise<Stored<Pod>[]> {
    const labels = { "app.kubernetes.io/instance": name, "app.kubernetes.io/component": "server" };
    const pods = await this.client.list(Pod, { namespace: this.namespace, labels });
    return pods.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  /** Sets the outcome of the pods of this namespace. */
  decidePods(decide: (name: string, pod: Pod) => PodOutcome | undefined): void {
    this.environment.decidePods(this.namespace, (pod) => decide(pod.metadata.name ?? "", pod));
  }

  /** A file of the configuration that is mounted into the servers. */
  async file(name: string, file: string): Promise<string | undefined> {
    const data = (await this.client.get(Secret, this.key(`${name}-config`))).data?.[file];
    return data && Buffer.from(data, "base64").toString("utf8");
  }

  /** Events about a MySQL, by reason. */
  async events(name: string, reason: string): Promise<Event[]> {
    const events = await this.client.list(Event, { namespace: this.namespace });
    return events.filter((event) => event.reason === reason && event.regarding?.name === name);
  }

  /** The operator's requests in this namespace so far that may change something, except for its Events. */
  writes(): PassedRequest[] {
    return this.environment.gateway.requests.filter(
      (request) =>
        isWrite(request) &&
        request.path.includes(`/namespaces/${this.namespace}/`) &&
        !request.path.endsWith("/events"),
    );
  }

  /** The resource versions of all objects in this namespace. */
  async versions(): Promise<Record<string, string>> {
    const kinds = [
      Maria,
      StatefulSet,
      Service,
      Secret,
      PodDisruptionBudget,
      CronJob,
      Job,
      PersistentVolumeClaim,
    ];
    const lists = await Promise.all(
      (kinds as Kind[]).map(async (kind) =>
        (await this.client.list(kind, { namespace: this.namespace })).map(
          ({ metadata }) => [`${kind.kind} ${metadata.name}`, metadata.resourceVersion ?? ""] as const,
        ),
      ),
    );
    return Object.fromEntries(lists.flat());
  }

  /** Nothing is sent and nothing changes for twenty seconds. */
  async quiet(): Promise<void> {
    await this.eventually(() => expectQuiet(this, 1000));
    await expectQuiet(this, quietMilliseconds);
  }
}

function checkCondition({ metadata, status }: Maria, type: string, reason: string): Condition {
  const condition = findCondition(status?.conditions, type);
  expect({ [type]: condition?.reason }).toEqual({ [type]: reason });
  expect(condition?.observedGeneration).toBe(metadata.generation);
  return condition!;
}

async function expectQuiet(context: ScenarioContext, milliseconds: number): Promise<void> {
  const [versions, sent] = [await context.versions(), context.writes().length];
  await context.wait(milliseconds);
  expect(context.writes().slice(sent)).toEqual([]);
  expect(await context.versions()).toEqual(versions);
}
