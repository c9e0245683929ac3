import { type InProcessCluster, startInProcess } from "@tsbuilder/cluster";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Scenario, SimulatedOperator } from "../contract/index.ts";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { inside } from "../globals/environment.ts";
import { withVirtualGlobals } from "../globals/virtual-globals.ts";
import { Random } from "@tsbuilder/apimachinery/sample";

type StoredState = ReturnType<InProcessCluster["snapshot"]>;

/** The state of the cluster that every run of a scenario starts from. */
export interface Base {
  readonly state: StoredState;
  /** The keys of objects that every cluster has, by resource. */
  readonly system: ReadonlyMap<string, ReadonlySet<string>>;
}

/** The bearer token of users. */
export const userToken = "user";

/** The namespace of the operators and their leases. */
export const operatorNamespace = "default";

export function tokenOf({ name }: SimulatedOperator): string {
  return `operator-${name}`;
}

type User = NonNullable<Parameters<typeof startInProcess>[0]["tokens"]>[string];

/** Returns the users of all bearer tokens. */
export function tokensOf({ operators }: Scenario): { [token: string]: User } {
  const masters = ["system:masters", "system:authenticated"];
  const tokens: { [token: string]: User } = { [userToken]: { name: "user", groups: masters } };
  for (const operator of operators) {
    const { name, rules, program } = operator;
    const account = program?.account ?? { namespace: operatorNamespace, name };
    const accounts = ["system:serviceaccounts", "system:authenticated"];
    tokens[tokenOf(operator)] = {
      name: `system:serviceaccount:${account.namespace}:${account.name}`,
      groups: program
        ? [`system:serviceaccounts:${account.namespace}`, ...accounts]
        : rules
          ? accounts
          : masters,
    };
  }
  return tokens;
}

const basesByScenario = new Map<string, Promise<Base>>();

/** The number of bases that are kept, the most recently used ones. */
const mostBases = 8;

/** Returns the base of a scenario. Scenarios that differ only in steps and faults share one. */
export function baseOf(scenario: Scenario): Promise<Base> {
  const { operators, crds = [], objects = [] } = scenario;
  const processes = operators.map(({ name, rules }) => `${name} ${rules ? textOf(rules) : ""}`);
  const key = [...processes, ...crds.map(textOf), ...objects.map(textOf)].join("\n");
  const base = basesByScenario.get(key) ?? makeBase(scenario);
  basesByScenario.delete(key);
  basesByScenario.set(key, base);
  if (basesByScenario.size > mostBases) basesByScenario.delete(basesByScenario.keys().next().value!);
  return base;
}

const texts = new WeakMap<object, string>();

/** Returns the JSON of a part of a scenario, which is the same in many runs. */
function textOf(part: object): string {
  const text = texts.get(part) ?? JSON.stringify(part);
  texts.set(part, text);
  return text;
}

const { setImmediate: realImmediate } = globalThis;

/** Makes a base. Its time and randomness are fixed, since the uids of its objects appear in traces. */
function makeBase(scenario: Scenario): Promise<Base> {
  const clock = new FakeClock(Date.UTC(2029, 11, 31));
  const random = new Random(0).fork("base");
  const enqueue = (run: () => void): void => void realImmediate(run);
  return withVirtualGlobals(() =>
    inside({ who: "cluster", clock, random, isClosed: false, enqueue }, () => createBase(scenario, clock)),
  );
}

async function createBase({ operators, crds = [], objects = [] }: Scenario, clock: FakeClock): Promise<Base> {
  const problems: unknown[] = [];
  const cluster = await startInProcess({
    clock,
    tokens: tokensOf({ operators }),
    onError: (error) => problems.push(error),
  });
  // Modules take real time to load: if two controllers made their first writes at once, chance would decide which comes first.
  for (const resource of cluster.core.registry.all()) await resource.load?.();
  const create = async (object: KubernetesObject): Promise<void> => {
    const path = pathOf(cluster, object, { isCollection: true });
    const { status, body } = await cluster.handle({
      method: "POST",
      path,
      headers: { authorization: `Bearer ${userToken}`, "content-type": "application/json" },
      body: JSON.stringify(object),
    });
    if (status >= 300)
      throw new Error(`${object.kind} ${object.metadata.name} can't be created: ${body.toString()}`);
  };
  for (const object of [...crds, ...operators.flatMap(permissionsOf)]) await create(object);
  // The cluster publishes the groups of the CRDs in a later turn.
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  const system = new Map(
    [...cluster.snapshot().collections].map(([name, entries]) => [name, new Set(entries.keys())] as const),
  );
  for (const object of objects.toSorted(compareWebhooksLast)) await create(object);
  await cluster.stop();
  if (problems.length > 0) throw new AggregateError(problems, "the cluster could not be made");
  return { state: cluster.snapshot(), system };
}

/** Sorts configurations of webhooks last: no process answers them yet. */
function compareWebhooksLast(one: KubernetesObject, other: KubernetesObject): number {
  return Number(isWebhookConfiguration(one)) - Number(isWebhookConfiguration(other));
}

export function isWebhookConfiguration({ kind }: Pick<KubernetesObject, "kind">): boolean {
  return kind.endsWith("WebhookConfiguration");
}

/** The annotation by which ConfigMaps and Endpoints served as Leases before there were any. */
export const leaderAnnotation = "control-plane.alpha.kubernetes.io/leader";

/** Returns the role of an operator and its binding, with the permissions that every manager needs. */
export function permissionsOf({
  name,
  rules,
}: Pick<SimulatedOperator, "name" | "rules">): KubernetesObject[] {
  if (!rules) return [];
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const lease = { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["*"] };
  const events = { apiGroups: ["", "events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] };
  // The operator may have the name of a built-in role, such as `view`.
  const metadata = { name: `operator:${name}` };
  const role = { apiVersion, kind: "ClusterRole", metadata, rules: [...rules, lease, events] };
  const binding = {
    apiVersion,
    kind: "ClusterRoleBinding",
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", ...metadata },
    subjects: [{ kind: "ServiceAccount", name, namespace: operatorNamespace }],
  };
  return [role, binding];
}

/** Returns the path of an object, or of its collection. */
export function pathOf(
  { core }: InProcessCluster,
  { apiVersion, kind, metadata: { namespace = "default", name = "" } }: KubernetesObject,
  { isCollection = false } = {},
): string {
  const group = apiVersion.includes("/") ? apiVersion.split("/")[0]! : "";
  const resource = core.registry.findKind(group, kind);
  if (!resource) throw new Error(`no resource serves ${apiVersion} ${kind}; is its CRD in the scenario?`);
  const root = group === "" ? `/api/${apiVersion}` : `/apis/${apiVersion}`;
  const within = resource.namespaced ? `/namespaces/${namespace}` : "";
  return `${root}${within}/${resource.plural}${isCollection ? "" : `/${name}`}`;
}
