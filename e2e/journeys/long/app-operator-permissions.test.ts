import { join } from "node:path";
import { loadObjects } from "@tsbuilder/cluster/testing";
import type { KubernetesObject, Manager } from "@tsbuilder/runtime";
import type { PolicyRule } from "@tsbuilder/runtime/k8s/rbac/v1";
import { type Scenario, simulate } from "@tsbuilder/simulation";
import { expect, test } from "vitest";
import { permissionsOf, withoutPermission } from "../../support/operators/permissions.ts";
import { repository } from "../../support/source-imports.ts";
import { setupAppServiceController } from "../../golden/app-operator/src/controller/appservice_controller.ts";
import { setupMemcachedController } from "../../golden/app-operator/src/controller/memcached_controller.ts";

// Each permission of the AppService and deploy-image templates is needed: without it, the server refuses a request.

const config = join(repository, "e2e/golden/app-operator/config");
const crds = await loadObjects([join(config, "crd/bases")]);
const [role] = (await loadObjects([join(config, "rbac/role.yaml")])) as unknown as { rules: PolicyRule[] }[];
const { rules } = role!;

/**
 * Permissions that no request of a simulation needs: lists, for servers that can't stream them; Events, which the removal test of the
 * MySQL operator covers; and what only a server with OwnerReferencesPermissionEnforcement asks for.
 */
const unseen = /^list |^\w+ events\.|^update \w+\/finalizers\./;

const permissions = permissionsOf(rules);

test("the role is enough for all that a spec configures", async () => {
  const { trace, rejected, leftovers } = await runWith(rules);
  expect({ refused: refusals(trace), rejected, leftovers }).toEqual({
    refused: [],
    rejected: [],
    leftovers: [],
  });
});

test.each(permissions.filter((permission) => !unseen.test(permission)))("needs %s", async (permission) => {
  const { trace } = await runWith(withoutPermission(rules, permission));
  expect(refusals(trace)).not.toEqual([]);
});

test("lists what it watches, and no more", () => {
  const of = (verb: string): string[] =>
    permissions.flatMap((each) => (each.startsWith(`${verb} `) ? [each.slice(verb.length)] : []));
  expect(of("list")).toEqual(of("watch"));
});

function refusals(trace: Awaited<ReturnType<typeof simulate>>["trace"]): string[] {
  return trace.flatMap((event) => (event.type === "request" && event.status === 403 ? [event.path] : []));
}

function runWith(granted: readonly PolicyRule[]) {
  const setup = (manager: Manager): void => {
    setupAppServiceController(manager);
    setupMemcachedController(manager);
  };
  const steps: Scenario["steps"] = [
    apply("AppService", {
      image: "nginx",
      replicas: 2,
      ports: [{ port: 80 }],
      config: { COLOR: "red" },
      ingress: { host: "shop.example.com" },
      resources: { requests: { cpu: "1" } },
      autoscaling: { minReplicas: 2, maxReplicas: 3 },
    }),
    apply("Memcached", {}),
    { do: "settle" },
    apply("AppService", { image: "nginx:2" }),
    apply("Memcached", { replicas: 2 }),
  ];
  return simulate({ crds, operators: [{ name: "apps", setup, rules: granted }], steps });
}

function apply(kind: string, spec: object) {
  const metadata = { namespace: "default", name: kind.toLowerCase() };
  const object: KubernetesObject & { readonly spec: object } = {
    apiVersion: "apps.example.com/v1",
    kind,
    metadata,
    spec,
  };
  return { do: "apply", object } as const;
}
