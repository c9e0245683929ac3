import { describe, expect, it } from "vitest";
import { memoryTree } from "../../scaffold/tree.ts";
import { hasGrown, keepResults, restoreResults, listResults } from "./kept-results.ts";
import type { ManifestsPlan } from "../model/files.ts";
import { crdFolder, planManifests } from "../manifests.ts";
import type { GeneratorOptions } from "../model/options.ts";
import { type GeneratorCache, createCache } from "./cache.ts";

type Files = Record<string, string>;

const groupVersion = `// +groupName=apps.example.com
import type { GroupVersion } from "@tsbuilder/runtime";
export const groupVersion: GroupVersion = { group: "apps.example.com", version: "v1" };
`;

function kind(name: string, more = ""): string {
  return `import { type CustomResource, defineKind, type int32 } from "@tsbuilder/runtime";
import { groupVersion } from "./groupversion_info.ts";
import type { Size } from "./shared.ts";
export interface ${name}Spec {
  // +kubebuilder:validation:Minimum=1
  replicas?: int32;
  size: Size;
${more}}
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name=Size,type=string,JSONPath=.spec.size.name
export interface ${name} extends CustomResource<${name}Spec> {}
export const ${name} = defineKind<${name}>(groupVersion, { kind: "${name}", plural: "${name.toLowerCase()}s" });
`;
}

const project: Files = {
  "api/v1/groupversion_info.ts": groupVersion,
  "api/v1/shared.ts": "/** How large it is. */\nexport interface Size { name: string }\n",
  "api/v1/app_types.ts": kind("App"),
  "api/v1/web_types.ts": kind("Web"),
  "src/app_controller.ts":
    "// +kubebuilder:rbac:groups=apps.example.com,resources=apps,verbs=get;list\nexport {};\n",
};

/** A process: it restores what the one before kept, plans, writes, and keeps. */
class Commands {
  files: Files;
  #kept: Uint8Array | undefined;

  constructor(files: Files) {
    this.files = { ...files };
  }

  async run(options: GeneratorOptions = {}, code = "one") {
    const tree = memoryTree(this.files);
    const restored = this.#kept && restoreResults(this.#kept, code, crdFolder(tree, options), tree);
    const cache: GeneratorCache = restored ?? createCache();
    const before = listResults(cache);
    const plan = await planManifests(tree, { prune: true, ...options }, cache);
    const grown = hasGrown(cache, before);
    if (grown) this.#kept = keepResults(cache, code, tree, plan.diagnostics) ?? this.#kept;
    const fresh = await planManifests(tree, { prune: true, ...options });
    this.#write(plan);
    return { plan, fresh, made: [...cache.crds.keys()].sort(), grown };
  }

  #write({ changes }: ManifestsPlan): void {
    for (const { path, content } of changes) {
      if (content === undefined) delete this.files[path];
      else this.files[path] = content;
    }
  }
}

const app = "App.apps.example.com";

const web = "Web.apps.example.com";

const everything = [app, web];

async function afterOneRun(): Promise<Commands> {
  const commands = new Commands(project);
  expect((await commands.run()).made).toEqual(everything);
  return commands;
}

describe("a command after another one", () => {
  it("makes nothing if nothing has changed", async () => {
    const commands = await afterOneRun();
    const { plan, made, grown } = await commands.run();
    expect({ changes: plan.changes, made, grown }).toEqual({ changes: [], made: [], grown: false });
  });

  interface Edit {
    readonly of: string;
    readonly edit: (files: Files) => unknown;
    readonly made: readonly string[];
    readonly options?: GeneratorOptions;
  }

  const types = (name: string) => `api/v1/${name}_types.ts`;
  const shared = "api/v1/shared.ts";
  const crd = "config/crd/bases/apps.example.com_apps.yaml";
  const role = "// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get\n";
  const edits: readonly Edit[] = [
    { of: "a type", edit: (files) => (files[types("app")] = kind("App", "  name?: string;\n")), made: [app] },
    {
      of: "a type that several share",
      edit: (files) => (files[shared] = "export interface Size { name: string; other?: string }\n"),
      made: everything,
    },
    { of: "a comment", edit: (files) => (files[types("web")] = `// Hello.\n\n${kind("Web")}`), made: [web] },
    {
      of: "the group",
      edit: (files) =>
        (files["api/v1/groupversion_info.ts"] = groupVersion.replaceAll("apps.example", "web.example")),
      made: everything.map((name) => name.replace("apps.", "web.")),
    },
    {
      of: "a marker of the package",
      edit: (files) => (files["api/v1/doc.ts"] = "// +kubebuilder:validation:Optional\n"),
      made: everything,
    },
    {
      of: "a new kind",
      edit: (files) => (files[types("new")] = kind("New")),
      made: ["New.apps.example.com"],
    },
    { of: "a kind that is gone", edit: (files) => delete files[types("web")], made: [] },
    { of: "a role", edit: (files) => (files["src/app_controller.ts"] += role), made: [] },
    { of: "a CRD by hand", edit: (files) => (files[crd] += "# mine\n"), made: [app] },
    { of: "a CRD that is gone", edit: (files) => delete files[crd], made: [app] },
    {
      of: "a CRD's line ends",
      edit: (files) => (files[crd] = files[crd]!.replaceAll("\n", "\r\n")),
      made: [],
    },
    { of: "options", edit: () => undefined, made: everything, options: { maxDescLen: 0 } },
    {
      of: "the folder of CRDs",
      edit: () => undefined,
      made: everything,
      options: { output: { crd: "crds" } },
    },
  ];

  it.each(edits)(
    "plans what it would without one, after a change of $of",
    async ({ edit, made, options }) => {
      const commands = await afterOneRun();
      edit(commands.files);
      const result = await commands.run(options);
      expect(result.plan).toEqual(result.fresh);
      expect(result.made).toEqual(made);
      const again = await commands.run(options);
      expect(again.plan).toEqual(again.fresh);
      expect(again.plan.changes).toEqual([]);
      expect(again.made).toEqual([]);
    },
  );

  const notStatic = groupVersion.replace('"v1"', "process.env.VERSION");
  const lost = kind("Web")
    .replace("extends CustomResource<WebSpec> {}", "{ spec: WebSpec }")
    .replace(/export const.*\n/u, "");
  const refused =
    "export interface Size {\n  // +kubebuilder:default=x\n  // +kubebuilder:validation:MinLength=2\n  name: string;\n}\n";
  const findings: readonly (readonly [what: string, file: string, text: string, message: RegExp])[] = [
    ["syntax", types("app"), `${kind("App")}}`, /Declaration or statement expected/u],
    ["a shared constant", "api/v1/groupversion_info.ts", notStatic, /without running the code/u],
    ["markers of what is not a kind", types("web"), lost, /which is not a kind/u],
    ["a plural of two kinds", types("web"), kind("Web").replace('"webs"', '"apps"'), /have the same plural/u],
    ["what the server refuses", shared, refused, /the API server would reject this/u],
  ];

  it.each(findings)("finds what it would without one: %s", async (_, file, text, message) => {
    const commands = await afterOneRun();
    commands.files[file] = text;
    const { plan, fresh } = await commands.run();
    expect(plan).toEqual(fresh);
    expect(plan.diagnostics.map((one) => one.message).join("\n")).toMatch(message);
    const again = await commands.run();
    expect(again.plan).toEqual(again.fresh);
    expect(again.plan.diagnostics).toEqual(fresh.diagnostics);
    commands.files = { ...commands.files, ...project };
    const mended = await commands.run();
    expect(mended.plan).toEqual(mended.fresh);
    expect(mended.plan.diagnostics).toEqual([]);
  });

  it("makes again what is made from a file with a warning, and nothing else", async () => {
    const commands = await afterOneRun();
    const lost = "  size2?: int32; // +kubebuilder:validation:Minimum=1\n";
    commands.files[types("app")] = kind("App", lost);
    for (const made of [[app], [app], [app]]) {
      const { plan, fresh, made: again } = await commands.run();
      expect(plan).toEqual(fresh);
      expect(plan.diagnostics.map(({ message }) => message)).toEqual([
        "+kubebuilder:validation:Minimum has no effect behind code",
      ]);
      expect(again).toEqual(made);
    }
    // In a file that all are made from.
    commands.files[shared] =
      `${project[shared]}export type Other = string; // +kubebuilder:validation:MinLength=1\n`;
    for (const made of [everything, everything]) {
      const result = await commands.run();
      expect(result.plan).toEqual(result.fresh);
      expect(result.made).toEqual(made);
    }
  });

  it("takes nothing of other code, or of what is not a result", async () => {
    const commands = await afterOneRun();
    expect((await commands.run({}, "two")).made).toEqual(everything);
    expect(
      restoreResults(Buffer.from("nonsense"), "one", "config/crd/bases", memoryTree({})),
    ).toBeUndefined();
  });
});
