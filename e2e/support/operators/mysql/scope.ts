import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { Namespace, ServiceAccount } from "@tsbuilder/runtime/k8s/core/v1";
import { type ClusterRole, type PolicyRule, Role, RoleBinding } from "@tsbuilder/runtime/k8s/rbac/v1";
import { expect } from "vitest";
import { parse } from "yaml";
import { Maria } from "../../../golden/maria-operator/api/v1/maria_types.ts";
import { repository } from "../../source-imports.ts";
import type { RestartScenario } from "./restarts.ts";

/** An operator limited to one namespace. */
export const scopedScenario: RestartScenario = {
  row: "T32",
  title: "an operator of one namespace, with a Role, does all of its work there and nothing elsewhere",
  async run(context, { kubeconfig, folder }) {
    const { client, namespace } = context;
    const elsewhere = { namespace: `${namespace}-b`, name: "outside" };
    await client.create(Namespace, { metadata: { name: elsewhere.namespace } });
    const account = { namespace, name: "operator-of-one" };
    mkdirSync(join(folder, "scoped"), { recursive: true });
    const scoped = await context.environment.host.install({
      client,
      kubeconfig,
      folder: join(folder, "scoped"),
      account,
      project,
      install: async () => {
        const rules = readRules();
        await client.create(ServiceAccount, { metadata: account });
        await client.create(Role, { metadata: account, rules });
        const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: account.name };
        const subjects = [{ kind: "ServiceAccount", ...account }];
        await client.create(RoleBinding, { metadata: account, roleRef, subjects });
      },
    });
    const from = context.environment.gateway.requests.length;
    const operator = await scoped.start({
      server: context.environment.gateway.url,
      flags: [`--watch-namespaces=${namespace}`],
    });
    await client.create(Maria, { metadata: elsewhere, spec: {} });
    const storage = { className: "test-growing" };
    await context.createReady("db", { size: 2, backupSchedule: "@daily", storage });
    await context.change("db", { size: 1 });
    await context.settled("db");
    await context.change("db", { storage: { size: "2Gi" } });
    await context.eventually(async () => {
      const { spec } = await context.statefulSet("db");
      expect(spec?.volumeClaimTemplates?.[0]?.spec?.resources?.requests?.["storage"]).toBe("2Gi");
    });
    await context.settled("db");
    await context.wait(2000);
    const outside = context.environment.gateway.requests
      .slice(from)
      .filter(({ path, status }) => status === 403 || !path.includes(`/namespaces/${namespace}`))
      // StorageClasses are cluster-scoped. An operator that can't read them leaves the check to the server.
      .filter(({ path }) => !path.includes("/storageclasses/"));
    expect(outside.map(({ method, path, status }) => `${method} ${path} ${status}`)).toEqual([]);
    expect(operator.refused()).toEqual([]);
    expect(await client.find(StatefulSet, elsewhere)).toBeUndefined();
    await client.delete(Maria, elsewhere);
    await client.delete(Maria, context.key("db"));
    await operator.stop();
  },
};

const project = join(repository, "e2e/golden/maria-operator");

/** The generated permissions; with `init --namespaced` a Role holds them. */
export function readRules(): PolicyRule[] {
  const role = parse(readFileSync(join(project, "config/rbac/role.yaml"), "utf8")) as ClusterRole;
  return role.rules ?? [];
}
