import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { goldenHost } from "../../../../e2e/golden/golden-projects.ts";
import { goProject, writeFiles } from "../../../../e2e/support/operators/go-project.ts";
import { useProjectFolder } from "../../../../e2e/support/projects/project-folder.ts";
import { dispatch } from "../../start/main.ts";

const folder = useProjectFolder();
const { read, snapshot } = folder;

/** Writes a Go project to a folder of its own, whose module cache is empty. */
function source(changes: Readonly<Record<string, string>> = {}): string {
  const root = mkdtempSync(join(tmpdir(), "go-project-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  vi.stubEnv("GOMODCACHE", join(root, "no-cache"));
  onTestFinished(() => void vi.unstubAllEnvs());
  writeFiles(root, { ...goProject, ...changes });
  return root;
}

async function importFrom(root: string, ...flags: string[]): Promise<{ code: number; printed: string }> {
  const printed: string[] = [];
  const add = (text: string): void => void printed.push(text);
  const ui = { print: add, note: add, isInteractive: false };
  const code = await dispatch(["import", root, "--skip-install", ...flags], folder.root, ui, goldenHost);
  return { code, printed: printed.join("\n") };
}

/** A source of the Go project with a part of it replaced. */
function edited(path: string, from: string, to: string): Record<string, string> {
  const text = goProject[path]!;
  expect(text).toContain(from);
  return { [path]: text.replace(from, () => to) };
}

const types = "api/v1/shop_types.go";

describe("import", () => {
  test("makes a project whose manifests are those of the Go project", async () => {
    const { code, printed } = await importFrom(source());
    expect(printed).toContain("(1 CRD): CRDs, roles and webhooks are equal.");
    expect(code).toBe(0);
    const written = read("api/v1/shop_types.ts");
    expect(written).toMatch(/^\/\*\nCopyright \d{4} The shop authors\.\n\*\/\n/u);
    expect(written).toContain('export type Size = "Small" | "Large";');
    expect(written).toContain('/** SizeSmall is a corner shop. */\nexport const SizeSmall: Size = "Small";');
    expect(written).toContain(
      'export const Shop = defineKind<Shop>(groupVersion, { kind: "Shop", plural: "shops" });',
    );
    expect(read("src/types/internal/shared/owner.ts")).toContain(
      "  // Owner is a name, such as a@example.com. */\n",
    );
    expect(read("PROJECT")).toContain("manifests:\n  maxDescLen: 0\n");
  });

  test("leaves the logic of a controller to the person, with its markers and what it owns", async () => {
    const { printed } = await importFrom(source());
    const controller = read("src/controller/shop_controller.ts");
    expect(controller).toContain(
      "Move here what Reconcile does in internal/controller/shop_controller.go:23.",
    );
    expect(controller).toContain(
      "// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;update",
    );
    expect(controller).toContain('.named("shop").owns(Deployment).complete(reconciler)');
    expect(printed).toContain("In Go it watches Secret of k8s.io/api/core/v1: add .watches()");
  });

  test("carries a person's samples, roles and variables over, and names what it does not", async () => {
    const { printed } = await importFrom(source({ "config/extra/x.yaml": "a: b\n" }));
    expect(read("config/samples/store_v1_shop.yaml")).toContain("owner: ann");
    expect(read("config/rbac/kustomization.yaml")).toContain("- auditor_role.yaml");
    expect(read("config/environment/manager_patch.yaml")).toContain("value: EUR");
    expect(read("config/base/kustomization.yaml")).toContain("- ../environment");
    expect(printed).toContain('the argument "--verbose" is left out');
    expect(printed).toContain("config/extra: left out");
  });

  test("says at which line a manifest differs, and fails", async () => {
    const more = edited(types, "Minimum=0", "Minimum=1");
    const rbac = edited("config/rbac/role.yaml", "verbs: [get, list, watch]", "verbs: [get, list]");
    const { code, printed } = await importFrom(source({ ...more, ...rbac }));
    expect(printed).toMatch(/shops\.yaml:\d+: \S+\.replicas\.minimum: 0 in the Go project, 1 generated/u);
    expect(printed).toContain("config/rbac/role.yaml:1: generated only: ClusterRole watch /secrets");
    expect(code).toBe(1);
  });

  test("names a type without a counterpart, with its place, and writes the rest", async () => {
    const channel = edited(types, "Prices map[string]int64", "Prices chan int64");
    const { code, printed } = await importFrom(source(channel));
    expect(printed).toMatch(/api\/v1\/shop_types\.go:\d+: no type of TypeScript stands for chan int64/u);
    expect(printed).toContain("The types need a change before manifests can be generated:");
    expect(code).toBe(1);
    expect(existsSync(join(folder.root, "src/main.ts"))).toBe(true);
  });

  test("leaves a marker out that controller-gen ignores, and says so", async () => {
    const misspelt = edited(
      types,
      "// +kubebuilder:validation:Minimum=0",
      "// +kubebuilder:validation:Minimun=0",
    );
    const { printed } = await importFrom(source(misspelt));
    expect(printed).toContain(
      "a marker that controller-gen ignores is left out: +kubebuilder:validation:Minimun=0",
    );
    expect(read("api/v1/shop_types.ts")).toContain(
      "  /**\n   * Replicas of the shop.\n   */\n  replicas?: int32;\n",
    );
  });

  test("imports versions, conversions and webhooks of several groups", async () => {
    const v2 = goProject[types]!.replace("package v1", "package v2");
    const stored = edited(
      types,
      "// +kubebuilder:subresource",
      "// +kubebuilder:storageversion\n// +kubebuilder:subresource",
    );
    const project = goProject["PROJECT"]!.replace(
      "validation: true",
      "validation: true\n    conversion: true\n    spoke: [v2]",
    );
    const changes = {
      PROJECT: project,
      "api/v2/groupversion_info.go": goProject["api/v1/groupversion_info.go"]!.replaceAll("v1", "v2"),
      "api/v2/shop_types.go": v2,
      ...stored,
    };
    const { printed } = await importFrom(source(changes));
    expect(printed).toContain("PROJECT: v2 of Shop is not listed; it is imported, too");
    expect(read("src/webhook/v2/shop_conversion.ts")).toContain("as unknown as ConvertedObject<ShopHub>");
    expect(read("src/webhook/v1/shop_validator.ts")).toContain("failurePolicy=ignore");
    expect(printed).toContain(".spec.versions[1]: absent in the Go project");
  });

  test("shows what it would write with --dry-run", async () => {
    const { printed } = await importFrom(source(), "--dry-run");
    expect(printed).toContain("api/");
    expect(snapshot()).toEqual({});
  });

  test("refuses folders that are none of kubebuilder, or lie in each other", async () => {
    const versions = { PROJECT: goProject["PROJECT"]!.replace('version: "3"', 'version: "2"') };
    await expect(importFrom(source(versions))).rejects.toMatchObject({ code: "INVALID_SOURCE" });
    await expect(importFrom(join(folder.root, "missing"))).rejects.toMatchObject({ code: "INVALID_SOURCE" });
    mkdirSync(join(folder.root, ".git"));
    await expect(importFrom(folder.root)).rejects.toMatchObject({ code: "REFUSED" });
    await importFrom(source());
    await expect(importFrom(source())).rejects.toMatchObject({ code: "ALREADY_INITIALIZED" });
  });
});

describe("a hostile Go project", () => {
  test.each([
    ["a kind", { kind: "../../Evil" }],
    ["a version", { version: "v1/../../x" }],
    ["a group", { group: "store/../.." }],
    ["a domain", { domain: "example.com/../evil" }],
  ])("writes nowhere else by the name of %s", async (_, names) => {
    let project = goProject["PROJECT"]!;
    for (const [key, value] of Object.entries(names))
      project = project.replaceAll(
        new RegExp(`^( +)${key}: \\S+$`, "gmu"),
        `$1${key}: ${JSON.stringify(value)}`,
      );
    const result = await importFrom(source({ PROJECT: project })).catch(
      (error: unknown) => error as { code: string },
    );
    // Either a name is refused, or no type has it, so that nothing is written by it.
    expect([1, 0, "INVALID_PROJECT", "INVALID_NAME"]).toContain(result.code);
    const outside = Object.keys(snapshot()).filter((path) => path.includes("..") || /evil/iu.test(path));
    expect(outside).toEqual([]);
  });

  test("has no file read through a symbolic link", async () => {
    const root = source();
    const secret = mkdtempSync(join(tmpdir(), "secret-"));
    onTestFinished(() => rmSync(secret, { recursive: true }));
    writeFiles(secret, { "shared/key.go": goProject["internal/shared/owner.go"]! });
    rmSync(join(root, "internal"), { recursive: true });
    symlinkSync(secret, join(root, "internal"));
    rmSync(join(root, "config/samples/store_v1_shop.yaml"));
    symlinkSync(join(secret, "shared/key.go"), join(root, "config/samples/store_v1_shop.yaml"));
    const { printed } = await importFrom(root);
    expect(printed).toContain("example.com/shop/internal/shared.Owner, which is not on this machine");
    expect(printed).toContain("config/samples/store_v1_shop.yaml: left out: it is a symbolic link");
    expect(Object.values(snapshot()).join("")).not.toContain("a@example.com");
  });

  test("has no comment, marker or value end early in what is written", async () => {
    const comment = edited(types, "// Size of the shop.", "// Size */ evil() /* of\u2028evil() the shop.");
    const marker = edited(
      "internal/controller/shop_controller.go",
      "// +kubebuilder:rbac:groups=apps",
      "// +kubebuilder:rbac:groups=evil,resources=x,verbs=get\u2028evil()\n// +kubebuilder:rbac:groups=apps",
    );
    const value = edited("PROJECT", "projectName: shop", 'projectName: "a`${evil()}"');
    await expect(importFrom(source(value))).rejects.toMatchObject({ code: "INVALID_PROJECT" });
    await importFrom(source({ ...comment, ...marker }));
    expect(read("api/v1/shop_types.ts")).toContain("  // Size */ evil() /* of evil() the shop.\n");
    expect(read("src/controller/shop_controller.ts")).not.toContain("evil");
  });

  test("is not read on and on", async () => {
    const deep = edited(types, "Prices map[string]int64", `Prices ${"[]".repeat(100_000)}int64`);
    const { printed } = await importFrom(source(deep));
    expect(printed).toMatch(/shop_types\.go:\d+: left out: types are nested too deeply/u);
  });

  test.each([
    ["comments without an end", "Prices map[string]int64", "/* ".repeat(500_000)],
    ["types that stand for each other", "// ShopSpec is", "type A B\ntype B A\n// ShopSpec is"],
    ["a struct that embeds itself", "shared.Owner ", "ShopSpec "],
  ])("comes to an end with %s", async (_, from, to) => {
    const result = await importFrom(source(edited(types, from, to)));
    expect([0, 1]).toContain(result.code);
  });
});
