import { join } from "node:path";
import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { loadObjects } from "@tsbuilder/cluster/testing";
import type { PolicyRule } from "@tsbuilder/runtime/k8s/rbac/v1";
import type { Scenario, SimulatedOperator } from "../contract/index.ts";
import { operationsFor, type OperationsOptions } from "../operations/index.ts";
import type { Random } from "../random/index.ts";

/** What a project's test explores. The fields of a scenario add to it: other objects, controllers of the cluster, promises. */
export interface ProjectExploration extends Omit<Scenario, "operators" | "crds" | "steps" | "seed"> {
  /** The kind that users change. Its CRD, and those that it needs, are read from `config/crd/bases`. */
  readonly kind: Kind;
  /** The controller's own. What it may do is read from `config/rbac/role.yaml`. */
  readonly setup: SimulatedOperator["setup"];
  /** Adds the webhooks of the kind. When they are called is read from `config/webhook/manifests.yaml`. */
  readonly webhooks?: SimulatedOperator["setup"];
  readonly operations?: OperationsOptions;
  /** The project's folder. Default: the current one. */
  readonly folder?: string;
}

/** Makes scenarios of a project's controller: everything that the test leaves open is read from the project's manifests. */
export async function projectScenario({
  kind,
  setup,
  webhooks,
  operations = {},
  folder = ".",
  objects = [],
  ...scenario
}: ProjectExploration): Promise<(random: Random) => Scenario> {
  const crds = await load<Parameters<typeof operationsFor>[0] & KubernetesObject>(
    join(folder, "config/crd/bases"),
  );
  const crd = crds.find(({ metadata }) => metadata.name === `${kind.plural}.${kind.group}`);
  if (!crd)
    throw new TypeError(`config/crd/bases has no CRD of ${kind.kind}: npx tsbuilder manifests writes it`);
  const roles = await load<{ readonly rules?: readonly PolicyRule[] }>(join(folder, "config/rbac/role.yaml"));
  const rules = roles.flatMap((role) => role.rules ?? []);
  const draw = operationsFor(crd, operations);
  const configurations = webhooks ? await webhooksOf(kind, folder) : [];
  const { namespaces = ["other"] } = operations;
  return (random) => ({
    ...scenario,
    crds,
    operators: [{ name: kind.kind.toLowerCase(), setup: both(setup, webhooks), rules }],
    objects: [
      ...namespaces.filter((name) => name !== "default").map(namespaceOf),
      ...objects,
      ...configurations,
    ],
    steps: draw(random),
  });
}

function both(
  controllers: SimulatedOperator["setup"],
  webhooks: SimulatedOperator["setup"] = () => {},
): SimulatedOperator["setup"] {
  return async (manager) => {
    await controllers(manager);
    await webhooks(manager);
  };
}

interface WebhookConfiguration extends KubernetesObject {
  readonly webhooks?: ReadonlyArray<{
    readonly rules?: ReadonlyArray<{
      readonly apiGroups?: readonly string[];
      readonly resources?: readonly string[];
    }>;
  }>;
}

/** The webhooks that are called for a kind: nobody answers those of others. */
async function webhooksOf({ group, plural }: Kind, folder: string): Promise<WebhookConfiguration[]> {
  const all = await load<WebhookConfiguration>(join(folder, "config/webhook/manifests.yaml"));
  return all.map(({ webhooks = [], ...configuration }) => ({
    ...configuration,
    webhooks: webhooks.filter(({ rules = [] }) =>
      rules.some(
        ({ apiGroups = [], resources = [] }) => apiGroups.includes(group) && resources.includes(plural),
      ),
    ),
  }));
}

async function load<T>(path: string): Promise<T[]> {
  return (await loadObjects([path])) as unknown as T[];
}

function namespaceOf(name: string): KubernetesObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } };
}
