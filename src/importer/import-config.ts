// What a person wrote in the `config/` of a Go project: samples, further objects in `rbac`, the manager's environment. The rest is what
// kubebuilder scaffolds, which has its counterpart, or is named as left out.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "@tsbuilder/apimachinery/json";
import { stringify } from "yaml";
import { partKeys } from "../plugins/contract/plugin.ts";
import { type Project, type Resource, qualifiedGroup, sampleFile } from "../project/project.ts";
import { type Blueprint, type TextPart, emptyBlueprint, joinBlueprints } from "../scaffold/blueprint.ts";
import { readYaml } from "../shared/read-yaml.ts";
import { readSource } from "./go/modules.ts";

/** The person's own objects as parts and inserts, and what was left out. */
export function importConfig(root: string, project: Project): { blueprint: Blueprint; notes: string[] } {
  const notes: string[] = [];
  const own = project.resources.filter(({ origin }) => origin.type === "own");
  const samples = yamlFiles(root, "config/samples", notes);
  const blueprint = joinBlueprints(
    ...importSamples(samples, own),
    ...importRoles(yamlFiles(root, "config/rbac", notes), own),
    importEnvironment(root, notes),
  );
  notes.push(...listLeftOut(root));
  return { blueprint, notes };
}

interface YamlFile {
  readonly name: string;
  readonly text: string;
  readonly objects: readonly Readonly<Record<string, unknown>>[];
}

function yamlFiles(root: string, folder: string, notes: string[]): YamlFile[] {
  return namesIn(root, folder).flatMap((name): YamlFile[] => {
    const path = `${folder}/${name}`;
    if (!/^[\w.-]+\.ya?ml$/u.test(name) || name.startsWith("kustomization.")) return [];
    const text = readSource(join(root, path), (reason) => notes.push(`${path}: left out: ${reason}`));
    if (text === undefined) return [];
    try {
      return [{ name, text, objects: readYaml(path, text).filter(isObject) }];
    } catch (error) {
      notes.push(`${path}: left out: ${(error as Error).message}`);
      return [];
    }
  });
}

function namesIn(root: string, folder: string): string[] {
  try {
    return readdirSync(join(root, folder), { withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map(({ name }) => name)
      .sort();
  } catch {
    return [];
  }
}

/** The sample of each kind replaces that of a skeleton; further samples stand beside it. */
function importSamples(files: readonly YamlFile[], own: readonly Resource[]): Blueprint[] {
  const left = new Set(files);
  const first = own.map((resource) => {
    const apiVersion = `${qualifiedGroup(resource)}/${resource.version}`;
    const found = [...left].find(({ objects }) =>
      objects.some((object) => object["apiVersion"] === apiVersion && object["kind"] === resource.kind),
    );
    if (found === undefined) return emptyBlueprint;
    left.delete(found);
    return textPart(partKeys.sample(resource), `config/samples/${sampleFile(resource)}.yaml`, found.text);
  });
  const taken = new Set(own.map((resource) => `${sampleFile(resource)}.yaml`));
  return [
    ...first,
    ...[...left].filter(({ name }) => !taken.has(name)).map((file) => listedFile("samples", "samples", file)),
  ];
}

/** Files of `config/rbac` that kubebuilder scaffolds. */
const scaffoldedRoles =
  /^(?:role|role_binding|service_account|leader_election_role|leader_election_role_binding|metrics_(?:auth_role|auth_role_binding|reader_role)|auth_proxy_.*|.*_(?:admin|editor|viewer)_role)\.yaml$/u;

function importRoles(files: readonly YamlFile[], own: readonly Resource[]): Blueprint[] {
  return own.length === 0
    ? []
    : files
        .filter(({ name, objects }) => !scaffoldedRoles.test(name) && objects.length > 0)
        .map((file) => listedFile("rbac", "resources", file));
}

/** A file of a folder in `config/`, with its entry in the kustomization. */
function listedFile(folder: string, marker: string, { name, text }: YamlFile): Blueprint {
  const path = `config/${folder}/${name}`;
  const kustomization = `config/${folder}/kustomization.yaml`;
  const part = textPart(`import/${path}`, path, text);
  return { ...part, inserts: [{ file: kustomization, marker, text: `- ${name}` }] };
}

/** The variables of the manager's container become a patch, which a component adds. */
function importEnvironment(root: string, notes: string[]): Blueprint {
  const path = "config/manager/manager.yaml";
  const objects =
    yamlFiles(root, "config/manager", notes).find(({ name }) => name === "manager.yaml")?.objects ?? [];
  const deployment = objects.find(({ kind }) => kind === "Deployment");
  const container = containerOf(deployment);
  const list = (key: string): unknown[] =>
    Array.isArray(container?.[key]) ? (container[key] as unknown[]) : [];
  const env = list("env");
  const envFrom = list("envFrom");
  const known = new Set(["--leader-elect", "--leader-elect=true", "--health-probe-bind-address=:8081"]);
  for (const argument of list("args")
    .map(String)
    .filter((each) => !known.has(each)))
    notes.push(
      `${path}: the argument ${JSON.stringify(argument)} is left out: set it in config/manager/manager.yaml once src/main.ts has it`,
    );
  for (const key of ["volumeMounts", "resources"])
    if (
      container?.[key] !== undefined &&
      Object.keys(container[key] as object).length > 0 &&
      key === "volumeMounts"
    )
      notes.push(`${path}: ${key} of the manager are left out`);
  if (env.length === 0 && envFrom.length === 0) return emptyBlueprint;
  const variables = { ...(env.length > 0 && { env }), ...(envFrom.length > 0 && { envFrom }) };
  const patch = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "controller-manager", namespace: "system" },
    spec: { template: { spec: { containers: [{ name: "manager", ...variables }] } } },
  };
  const component = {
    apiVersion: "kustomize.config.k8s.io/v1alpha1",
    kind: "Component",
    patches: [{ path: "manager_patch.yaml" }],
  };
  const yaml = (value: object): string =>
    stringify(value, { lineWidth: 0, indentSeq: false, compat: "yaml-1.1" });
  return {
    ...joinBlueprints(
      textPart("import/environment", "config/environment/kustomization.yaml", yaml(component)),
      textPart("import/environment-patch", "config/environment/manager_patch.yaml", yaml(patch)),
    ),
    inserts: [{ file: "config/base/kustomization.yaml", marker: "components", text: "- ../environment" }],
  };
}

function containerOf(
  deployment: Readonly<Record<string, unknown>> | undefined,
): Readonly<Record<string, unknown>> | undefined {
  const at = (value: unknown, key: string): unknown =>
    isObject(value) ? (value as Record<string, unknown>)[key] : undefined;
  const containers = at(at(at(at(deployment, "spec"), "template"), "spec"), "containers");
  const [first] = Array.isArray(containers) ? containers.filter(isObject) : [];
  return first;
}

function textPart(key: string, path: string, content: string): Blueprint {
  const part: TextPart = { key, files: [{ template: path, path, content }] };
  return { ...emptyBlueprint, parts: [part] };
}

/** Folders of `config/` that kubebuilder scaffolds, or that the importer reads. */
const knownFolders = new Set(
  "certmanager crd default manager manifests network-policy prometheus rbac samples scorecard webhook".split(
    " ",
  ),
);

/** Folders that only the person can have made. */
function listLeftOut(root: string): string[] {
  try {
    return readdirSync(join(root, "config"), { withFileTypes: true })
      .filter(({ name }) => !knownFolders.has(name))
      .map(({ name }) => `config/${name}: left out: kubebuilder has no such folder`);
  } catch {
    return [];
  }
}
