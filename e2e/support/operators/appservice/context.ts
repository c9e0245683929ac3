import { join } from "node:path";
import type { FakeClock } from "@tsbuilder/apimachinery/time";
import {
  type Client,
  createClient,
  findCondition,
  type Kind,
  loadConfig,
  type NamespacedName,
} from "@tsbuilder/runtime";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { HorizontalPodAutoscaler } from "@tsbuilder/runtime/k8s/autoscaling/v2";
import { ConfigMap, type Container, Namespace, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { Ingress } from "@tsbuilder/runtime/k8s/networking/v1";
import { PodDisruptionBudget } from "@tsbuilder/runtime/k8s/policy/v1";
import { expect } from "vitest";
import { AppService, type AppServiceSpec } from "../../../golden/app-operator/api/v1/appservice_types.ts";
import { Memcached } from "../../../golden/app-operator/api/v1/memcached_types.ts";
import { setupAppServiceController } from "../../../golden/app-operator/src/controller/appservice_controller.ts";
import { setupMemcachedController } from "../../../golden/app-operator/src/controller/memcached_controller.ts";
import { type ApiGateway, isWrite, type PassedRequest, startApiGateway } from "../api-gateway.ts";
import { type OperatorHost, operatorHost } from "../operator-host.ts";
import type { InstalledOperator, RunningOperator } from "../operator-process.ts";
import type { PassingTime } from "../passing-time.ts";
import { repository } from "../../source-imports.ts";

/** An object's namespace and name. */
export interface Key {
  readonly namespace: string;
  readonly name: string;
}

/** The kinds that the operator works with, except for Events. */
export const watchedKinds: readonly Kind[] = [
  AppService,
  Memcached,
  Deployment,
  Service,
  ConfigMap,
  Ingress,
  HorizontalPodAutoscaler,
  PodDisruptionBudget,
];

/**
 * The environment of scenarios: a cluster, and the operator with its ServiceAccount's token and exactly the generated
 * permissions. Every request of the operator is recorded.
 */
export class ScenarioContext {
  readonly client: Client;
  readonly kubeconfig: string;
  /** Where a scenario may write files. */
  readonly folder: string;
  readonly gateway: ApiGateway;
  readonly host: OperatorHost;
  readonly #installed: InstalledOperator;
  readonly #refused: string[] = [];
  /** Namespaces in which nothing may change once all scenarios have ended. */
  readonly quietNamespaces = new Set<string>();
  operator: RunningOperator;

  private constructor(
    place: Pick<ScenarioContext, "client" | "kubeconfig" | "folder" | "gateway" | "host">,
    installed: InstalledOperator,
    operator: RunningOperator,
  ) {
    this.client = place.client;
    this.kubeconfig = place.kubeconfig;
    this.folder = place.folder;
    this.gateway = place.gateway;
    this.host = place.host;
    this.#installed = installed;
    this.operator = operator;
  }

  static async open(kubeconfig: string, folder: string, clock?: FakeClock): Promise<ScenarioContext> {
    const client = createClient(await loadConfig({ kubeconfig, env: {} }), { fieldManager: "user" });
    const gateway = await startApiGateway(kubeconfig, clock);
    const host = operatorHost(clock, gateway, [setupAppServiceController, setupMemcachedController]);
    const project = join(repository, "e2e/golden/app-operator");
    const installed = await host.install({ client, kubeconfig, folder, project });
    const operator = await installed.start({ server: gateway.url });
    return new ScenarioContext({ client, kubeconfig, folder, gateway, host }, installed, operator);
  }

  /**
   * Waits until a check neither throws nor returns false; a running operator must stay up meanwhile. On a clock that
   * the test moves, the state must be reached within half a minute, unless a scenario sets another limit.
   */
  eventually: PassingTime["eventually"] = (check, options) =>
    this.host.time.eventually(check, { watched: this.operator.watch, within: 30_000, ...options });

  /** Lets this many milliseconds pass. */
  wait(milliseconds: number): Promise<void> {
    return this.host.time.advance(milliseconds);
  }

  async close(): Promise<void> {
    if (this.operator.isRunning) await this.stop();
    await this.gateway.close();
  }

  /** Requests that the operator had no permission for, in all its runs. */
  get refused(): readonly string[] {
    return [...this.#refused, ...this.operator.refused()].filter(
      (line) => !line.includes("being terminated"),
    );
  }

  async stop(): Promise<void> {
    this.#refused.push(...this.operator.refused());
    await this.operator.stop();
  }

  async start(): Promise<void> {
    this.operator = await this.#installed.start({ server: this.gateway.url });
  }

  /** Kills the operator, and starts it again. */
  async crash(): Promise<void> {
    this.#refused.push(...this.operator.refused());
    await this.operator.kill();
    await this.start();
  }

  async makeNamespace(name: string): Promise<string> {
    await this.client.create(Namespace, { metadata: { name } });
    return name;
  }

  async create(key: Key, spec: AppServiceSpec): Promise<AppService> {
    return this.client.create(AppService, { metadata: { ...key }, spec });
  }

  /** Creates an app, and waits until the operator has observed it. */
  async make(key: Key, spec: AppServiceSpec): Promise<AppService> {
    await this.create(key, spec);
    return this.observed(key);
  }

  /** Changes an app, and waits until the operator has observed that. */
  async follow(key: Key, spec: { [Field in keyof AppServiceSpec]?: unknown }): Promise<AppService> {
    await this.change(key, spec);
    return this.observed(key);
  }

  /** Changes an app as `kubectl patch` does. */
  async change(key: Key, spec: { [Field in keyof AppServiceSpec]?: unknown }): Promise<AppService> {
    return this.client.patch(AppService, key, { merge: { spec } });
  }

  /** The condition's status and reason, as `True/DeploymentAvailable`. */
  async condition(kind: typeof AppService | typeof Memcached, key: Key, type: string): Promise<string> {
    const { status } = await this.client.get<AppService | Memcached, NamespacedName>(kind, key);
    const condition = findCondition(status?.conditions, type);
    return `${condition?.status}/${condition?.reason}`;
  }

  /** Waits until a condition has a status and a reason, such as `True/DeploymentAvailable`. */
  async until(
    kind: typeof AppService | typeof Memcached,
    key: Key,
    type: string,
    expected: string,
  ): Promise<void> {
    await this.eventually(async () => expectEqual(await this.condition(kind, key, type), expected));
  }

  /** The first container of an app's pods. */
  async container(key: Key): Promise<Container> {
    const { spec } = await this.client.get(Deployment, key);
    return spec!.template.spec!.containers[0]!;
  }

  /** Waits until the operator has observed the app's current generation, and returns the app. */
  async observed(key: Key): Promise<AppService> {
    return this.eventually(async () => {
      const app = await this.client.get(AppService, key);
      return app.status?.observedGeneration === app.metadata.generation && app;
    });
  }

  /** Writes the status that the Deployment controller would write, for clusters without it. */
  async makeAvailable(key: Key): Promise<void> {
    const deployment = await this.client.get(Deployment, key);
    const replicas = deployment.spec?.replicas ?? 1;
    const time = "2026-01-01T00:00:00Z";
    await this.client.patchStatus(
      Deployment,
      deployment,
      {
        observedGeneration: deployment.metadata.generation,
        replicas,
        updatedReplicas: replicas,
        readyReplicas: replicas,
        availableReplicas: replicas,
        conditions: [
          {
            type: "Available",
            status: "True",
            reason: "MinimumReplicasAvailable",
            lastTransitionTime: time,
            lastUpdateTime: time,
          },
        ],
      },
      { optimisticLock: false },
    );
  }

  /** The operator's requests from now on that may change something. */
  writesFromNow(): () => PassedRequest[] {
    const from = this.gateway.requests.length;
    return () => this.gateway.requests.slice(from).filter(isWrite);
  }

  /** How many times a controller has reconciled since the operator started. */
  reconciles(controller: "appservice" | "memcached" = "appservice"): Promise<number> {
    return this.operator.metric("controller_runtime_reconcile_total", `controller="${controller}"`);
  }

  /** Waits until the operator's queues are empty. */
  async idle(): Promise<void> {
    await this.eventually(async () => expectEqual(await this.operator.metric("workqueue_depth"), 0));
  }

  /** Waits until the operator reconciles nothing for half a second. */
  async settled(): Promise<void> {
    await this.eventually(async () => {
      const before = await this.operator.metric("controller_runtime_reconcile_total");
      await this.wait(500);
      const after = await this.operator.metric("controller_runtime_reconcile_total");
      return after === before && (await this.operator.metric("workqueue_depth")) === 0;
    });
  }

  /** The resource versions of all objects in some namespaces that the operator may change. */
  async versions(namespaces: Iterable<string>): Promise<Record<string, string | undefined>> {
    const versions: Record<string, string | undefined> = {};
    for (const namespace of namespaces)
      for (const kind of watchedKinds)
        for (const { metadata } of await this.client.list(kind, { namespace }))
          versions[`${kind.kind} ${namespace}/${metadata.name}`] = metadata.resourceVersion;
    return versions;
  }
}

function expectEqual<T>(actual: T, expected: T): void {
  expect(actual).toBe(expected);
}

/** One scenario: its steps, and the state that they must lead to. */
export interface Scenario {
  /** The row of the README's table; T marks a scenario of both reference operators. */
  readonly id: string;
  readonly title: string;
  /** Runs in its own namespace. */
  readonly run: (context: ScenarioContext, namespace: string) => Promise<void>;
  /** True if nothing may change in the namespace at the end. Default: true. */
  readonly quiet?: boolean;
  /** True if it kills the operator, which then must be a separate process. */
  readonly kills?: boolean;
  /** Why it can't run here. */
  readonly missing?: string | undefined;
}
