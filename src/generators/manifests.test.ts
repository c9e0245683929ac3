import { describe, expect, it } from "vitest";
import { memoryTree } from "../scaffold/tree.ts";
import { planManifests } from "./manifests.ts";
import type { GeneratorOptions } from "./model/options.ts";

const groupVersion = `
import type { GroupVersion } from "@tsbuilder/runtime";
export const groupVersion: GroupVersion = { group: "apps.example.com", version: "v1" };
`;

const types = `
import { defineKind, type Condition, type CustomResource, type int32, type Quantity } from "@tsbuilder/runtime";
import { groupVersion } from "./groupversion_info.ts";

/** MySQLSpec is what the user asks for. */
export interface MySQLSpec {
  /** Major version of the server. */
  version: "8.0" | "8.4";
  /**
   * Number of servers: one primary, the rest replicas.
   * +kubebuilder:validation:Minimum=1
   * +kubebuilder:default=1
   */
  replicas?: int32;
  storage: Quantity;
}

export interface MySQLStatus {
  conditions?: Condition[];
}

/**
 * MySQL is a replicated MySQL server.
 * +kubebuilder:subresource:status
 */
export interface MySQL extends CustomResource<MySQLSpec, MySQLStatus> {}
export const MySQL = defineKind<MySQL>(groupVersion, { kind: "MySQL", plural: "mysqls" });
`;

const controller = `
// +kubebuilder:rbac:groups=apps.example.com,resources=mysqls,verbs=get;list;watch
export class MySQLReconciler {}
`;

const project = {
  "api/v1/groupversion_info.ts": groupVersion,
  "api/v1/mysql_types.ts": types,
  "src/controller/mysql_controller.ts": controller,
};

const crdPath = "config/crd/bases/apps.example.com_mysqls.yaml";

describe("planManifests()", () => {
  it("writes a CRD for each kind, and the role that the markers ask for", async () => {
    const plan = await planManifests(memoryTree(project));
    expect(plan.diagnostics).toEqual([]);
    expect(plan.changes.map(({ path }) => path)).toEqual([crdPath, "config/rbac/role.yaml"]);
    expect(plan.changes[0]?.content).toContain(`              replicas:
                default: 1
                description: 'Number of servers: one primary, the rest replicas.'
                format: int32
                minimum: 1
                type: integer
`);
  });

  it("changes nothing in a project that is up to date", async () => {
    const first = await planManifests(memoryTree(project));
    const written = Object.fromEntries(first.changes.map(({ path, content }) => [path, content ?? ""]));
    const second = await planManifests(memoryTree({ ...project, ...written }));
    expect(second.changes).toEqual([]);
  });

  it("collects all errors with their positions, and changes nothing", async () => {
    const broken = types.replace("Minimum=1", "Minimun=1").replace("storage: Quantity", "storage: number");
    const plan = await planManifests(memoryTree({ ...project, "api/v1/mysql_types.ts": broken }));
    expect(plan.changes).toEqual([]);
    expect(plan.diagnostics.map(({ at, message, hint }) => [at?.line, at?.column, message, hint])).toEqual([
      [
        11,
        6,
        'unknown marker "+kubebuilder:validation:Minimun"',
        "did you mean +kubebuilder:validation:Minimum?",
      ],
      [
        15,
        12,
        "a number may be fractional, which Kubernetes advises against",
        'use int32 or int64 from "@tsbuilder/runtime", or float64 if it must be fractional',
      ],
    ]);
    expect(plan.diagnostics[1]?.frame).toBe("15 |   storage: number;\n   |            ^");
  });

  it("finds CRDs without a kind, and deletes them with prune", async () => {
    const old = "config/crd/bases/apps.example.com_olds.yaml";
    const tree = memoryTree({ ...project, [old]: "---\nkind: CustomResourceDefinition\n" });
    expect((await planManifests(tree)).stale).toEqual([old]);
    const pruned = await planManifests(tree, { prune: true });
    expect(pruned.changes.at(-1)).toEqual({ path: old, content: undefined });
  });

  const readIn = async (files: Record<string, string>, options: GeneratorOptions) => {
    const { changes, diagnostics } = await planManifests(memoryTree(files), { prune: true, ...options });
    return { deleted: changes.filter(({ content }) => content === undefined), diagnostics };
  };

  it("deletes no CRD of a kind in a folder that was not read", async () => {
    const v1 = { "config/crd/bases/apps.example.com_olds.yaml": "---\nkind: CustomResourceDefinition\n" };
    for (const paths of [["api/v1"], ["./api/v1/"], ["src"], ["."], ["api/v1/mysql_types.ts"]])
      expect(await readIn({ ...project, "src/main.ts": "", ...v1 }, { paths })).toEqual({
        deleted: [],
        diagnostics: [],
      });
    const { "api/v1/mysql_types.ts": _, "api/v1/groupversion_info.ts": __, ...withoutApi } = project;
    const { deleted, diagnostics } = await readIn({ ...withoutApi, ...v1 }, {});
    expect(deleted).toEqual([]);
    expect(diagnostics).toMatchObject([{ severity: "error", message: /^the folder "api" does not exist/u }]);
  });

  it.each(["nope", "./nope", "api/v1/nope.ts", "./...", "../api"])("refuses to read %s", async (path) => {
    await expect(readIn(project, { paths: ["api", path] })).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: `the project has no file or folder "${path}"`,
    });
  });
});

it("planManifests() ignores the order of elements in a webhook's patch, as controller-gen does", async () => {
  const patch = {
    "$setElementOrder/matchConditions": [{ name: "two" }, { name: "one" }],
    matchConditions: [{ name: "one", expression: "true" }],
  };
  const webhook = `// +kubebuilder:webhook:path=/x,mutating=true,failurePolicy=fail,sideEffects=None,groups=a,resources=b,verbs=create,versions=v1,name=x.y.z,admissionReviewVersions=v1,patch=\`${JSON.stringify(patch)}\`\n`;
  const { changes, diagnostics } = await planManifests(memoryTree({ "src/webhook/x.ts": webhook }));
  expect(diagnostics).toEqual([]);
  expect(changes).toMatchObject([{ content: expect.stringContaining("name: one") as string }]);
});
