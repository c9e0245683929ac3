import { describe, expect, it } from "vitest";
import { memoryTree } from "../../scaffold/tree.ts";
import type { ManifestsPlan } from "../model/files.ts";
import { planManifests } from "../manifests.ts";
import { createCache } from "./cache.ts";

const kind = (
  name: string,
  spec: string,
): string => `import { defineKind, type CustomResource } from "@tsbuilder/runtime";
import type { PodTemplateSpec } from "@tsbuilder/runtime/k8s/core/v1";
import type { Shared } from "../shared.ts";
import { groupVersion } from "./groupversion_info.ts";
export interface ${name} extends CustomResource<${spec}> {}
export const ${name} = defineKind<${name}>(groupVersion, { kind: "${name}", plural: "${name.toLowerCase()}s" });
`;

const project = {
  "api/v1/groupversion_info.ts":
    'import type { GroupVersion } from "@tsbuilder/runtime";\nexport const groupVersion: GroupVersion = { group: "example.com", version: "v1" };\n',
  "api/shared.ts": "export interface Shared {\n  name: string;\n}\n",
  "api/v1/one_types.ts": kind("One", "{ shared?: Shared }"),
  "api/v1/two_types.ts": kind("Two", "{ size?: string }"),
  "api/v1/three_types.ts": kind("Three", "{ template?: PodTemplateSpec }"),
  "src/controller.ts": "// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get\n",
};

/** Runs over one project after another with one cache, and compares the last run with one that has no memory. */
async function runInTurn(...projects: Readonly<Record<string, string>>[]): Promise<ManifestsPlan> {
  const cache = createCache();
  const plans = [];
  for (const files of projects) plans.push(await planManifests(memoryTree(files), {}, cache));
  const fresh = await planManifests(memoryTree(projects.at(-1)));
  expect(plans.at(-1)).toEqual(fresh);
  return fresh;
}

describe("a run with a cache returns the same as a run without one", () => {
  it("after no change, including warnings", async () => {
    const { diagnostics, changes } = await runInTurn(project, project);
    expect(diagnostics.map(({ severity }) => severity)).toEqual(["warning"]);
    expect(changes).toHaveLength(4);
  });

  it("after an edit of a kind", async () => {
    const { changes } = await runInTurn(project, {
      ...project,
      "api/v1/two_types.ts": kind("Two", "{ length?: string }"),
    });
    expect(changes.find(({ path }) => path.includes("twos"))?.content).toContain("length:");
  });

  it("after an edit of a type that a kind imports", async () => {
    const shared = project["api/shared.ts"].replace("name", "title");
    const { changes } = await runInTurn(project, { ...project, "api/shared.ts": shared });
    expect(changes.find(({ path }) => path.includes("ones"))?.content).toContain("title:");
  });

  it("after an edit that breaks a file, and one that fixes it", async () => {
    const broken = { ...project, "api/shared.ts": "export interface Shared {\n  name: Missing;\n}\n" };
    expect((await runInTurn(project, broken)).changes).toEqual([]);
    expect((await runInTurn(project, broken, broken)).diagnostics.map(({ severity }) => severity)).toContain(
      "error",
    );
    expect((await runInTurn(broken, project)).changes).toHaveLength(4);
  });

  it("after a marker for the whole version appears in another file", async () => {
    const optional = "// +kubebuilder:validation:Optional\n\nexport {};\n";
    const { changes } = await runInTurn(project, { ...project, "api/v1/doc.ts": optional });
    expect(changes).toHaveLength(4);
  });

  it("after a file is removed", async () => {
    const { "api/v1/two_types.ts": _, ...rest } = project;
    expect((await runInTurn(project, rest)).changes).toHaveLength(3);
  });

  it("after a module starts to augment another", async () => {
    const adding = 'declare module "../shared.ts" {\n  interface Shared { more?: string }\n}\nexport {};\n';
    const { changes } = await runInTurn(project, { ...project, "api/v1/more.ts": adding });
    expect(changes.find(({ path }) => path.includes("ones"))?.content).toContain("more:");
  });
});
