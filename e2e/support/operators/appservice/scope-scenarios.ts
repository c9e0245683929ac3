import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Client, Kind } from "@tsbuilder/runtime";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { Service } from "@tsbuilder/runtime/k8s/core/v1";
import { expect } from "vitest";
import { setupAppServiceController } from "../../../golden/app-operator/src/controller/appservice_controller.ts";
import { AppService } from "../../../golden/app-operator/api/v1/appservice_types.ts";
import { parseManifest } from "../../../../src/ship/manifest.ts";
import { renderConfig } from "../../../../src/ship/render.ts";
import { run } from "../../../golden/golden-projects.ts";
import { findPrograms } from "../../kubectl-binaries.ts";
import { repository } from "../../source-imports.ts";
import type { Scenario, ScenarioContext } from "./context.ts";

const programs = findPrograms("33");
const missing = "missing" in programs ? programs.missing : undefined;

/** An operator limited to one namespace. */
export const scopeScenarios: readonly Scenario[] = [
  {
    id: "T32",
    title: "an operator of one namespace, with a Role, leaves the others alone",
    run: oneNamespace,
    missing,
  },
];

async function oneNamespace(context: ScenarioContext, namespace: string): Promise<void> {
  const inside = { namespace: await context.makeNamespace(`${namespace}-a`), name: "inside" };
  const outside = { namespace: await context.makeNamespace(`${namespace}-b`), name: "outside" };
  await context.stop();
  const project = await makeNamespacedProject(context.folder);
  const scoped = await context.host.install(
    {
      client: context.client,
      kubeconfig: context.kubeconfig,
      folder: context.folder,
      project,
      account: { namespace: inside.namespace, name: "scoped-operator-controller-manager" },
      install: (client) => installPermissions(client, project, inside.namespace),
    },
    [setupAppServiceController],
  );
  const operator = await scoped.start({
    server: context.gateway.url,
    flags: [`--watch-namespaces=${inside.namespace}`],
  });
  const from = context.gateway.requests.length;
  for (const key of [outside, inside]) await context.create(key, { image: "nginx", ports: [{ port: 80 }] });
  await context.eventually(async () => {
    await context.client.get(Deployment, inside);
    await context.client.get(Service, inside);
  });
  await operator.stop();
  expect(operator.refused()).toEqual([]);
  expect(await context.client.find(Deployment, outside)).toBeUndefined();
  const others = context.gateway.requests
    .slice(from)
    .filter(({ path, status }) => status === 403 || !path.includes(`/namespaces/${inside.namespace}/`));
  expect(others.map(({ method, path, status }) => `${method} ${path} ${status}`)).toEqual([]);
  // The cluster-wide operator would reconcile both from here.
  for (const key of [outside, inside])
    for (const kind of [AppService, Deployment, Service] as Kind[]) await context.client.delete(kind, key);
  await context.start();
}

/** The manifests of `init --namespaced`; the sources are those of the cluster-wide operator. */
async function makeNamespacedProject(folder: string): Promise<string> {
  const project = join(folder, "scoped-operator");
  mkdirSync(project, { recursive: true });
  symlinkSync(join(repository, "node_modules"), join(project, "node_modules"));
  await run(["init", "--domain", "example.com", "--namespaced", "--template", "appservice"], project);
  return project;
}

/** Applies what `deploy` would, except for the Deployment: the operator runs here. */
async function installPermissions(client: Client, project: string, namespace: string): Promise<void> {
  const path = process.env["PATH"];
  if ("kubectl" in programs) process.env["PATH"] = `${dirname(programs.kubectl)}:${path}`;
  const rendered = await renderConfig(project, "default", { namespace });
  process.env["PATH"] = path;
  const objects = parseManifest(rendered).filter(({ kind }) =>
    ["ServiceAccount", "Role", "RoleBinding"].includes(kind),
  );
  expect(objects.find(({ metadata }) => metadata.name === "scoped-operator-manager-role")?.kind).toBe("Role");
  for (const object of objects) await client.apply(await client.mapper.kindFor(object), object);
}
