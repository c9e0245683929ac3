import type { Client } from "@tsbuilder/runtime";
import { ClusterRole, type PolicyRule } from "@tsbuilder/runtime/k8s/rbac/v1";
import { Maria } from "../../../golden/maria-operator/api/v1/maria_types.ts";
import { isWatch } from "../api-gateway.ts";
import type { InstalledOperator, RunningOperator } from "../operator-process.ts";
import type { ScenarioContext } from "./context.ts";
import { neededFor, withoutPermission } from "../permissions.ts";
import type { Scenario } from "./scenarios.ts";

/** An operator that is installed, and whose role can be changed. */
export interface Removal {
  readonly installed: InstalledOperator;
  readonly rules: readonly PolicyRule[];
  /** Tells the environment which operator runs. */
  readonly runs: (operator: RunningOperator) => void;
}

/** How a scenario ended without a permission. */
export interface WithoutPermission {
  readonly succeeded: boolean;
  /** True if the server refused what needs the permission. */
  readonly refused: boolean;
}

/** Runs a scenario with an operator whose role lacks one permission. */
export async function runWithout(
  permission: string,
  { run }: Scenario,
  context: ScenarioContext,
  { installed, rules, runs }: Removal,
): Promise<WithoutPermission> {
  const { client } = context;
  const { gateway } = context.environment;
  const from = gateway.requests.length;
  // A server that can't stream lists makes clients list.
  const resume = permission.startsWith("list ")
    ? gateway.refuseEach(
        { code: 400, reason: "BadRequest" },
        (request) => isWatch(request) && request.query.has("sendInitialEvents") && needs(request, permission),
      )
    : () => undefined;
  await setRules(client, withoutPermission(rules, permission));
  let operator: RunningOperator | undefined;
  let succeeded = true;
  try {
    operator = await installed.start({ server: gateway.url });
    runs(operator);
    await run(context);
  } catch {
    succeeded = false;
  } finally {
    resume();
    await setRules(client, rules);
    await operator?.stop();
    await clearNamespace(context);
  }
  const refused = gateway.requests
    .slice(from)
    .some((request) => request.status === 403 && needs(request, permission));
  return { succeeded, refused };
}

function needs(request: Parameters<typeof neededFor>[0], permission: string): boolean {
  return neededFor(request).includes(permission);
}

/** Changes the role that the operator was installed with. */
async function setRules(client: Client, rules: readonly PolicyRule[]): Promise<void> {
  const roles = await client.list(ClusterRole);
  const role = roles.find(({ metadata }) => metadata.name?.endsWith("manager-role"));
  await client.patch(ClusterRole, role!, { merge: { rules: [...rules] } });
}

/** Leaves nothing to reconcile for the next operator. */
export async function clearNamespace({ client, namespace }: ScenarioContext): Promise<void> {
  for (const maria of await client.list(Maria, { namespace })) {
    await client.patch(Maria, maria, { merge: { metadata: { finalizers: null } } });
    if (!maria.metadata.deletionTimestamp) await client.delete(Maria, maria);
  }
}
