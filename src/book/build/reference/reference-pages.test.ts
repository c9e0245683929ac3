import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "../../../../e2e/support/source-imports.ts";
import { commands } from "../../../cli/commands/index.ts";
import { explainedCodes } from "../../../cli/commands/explain.ts";
import { markerHelp } from "../../../generators/markers/help.ts";
import { projectKeys } from "../../../project/keys.ts";
import { entries, readExports } from "./api-pages.ts";
import { anchorOf } from "./markdown.ts";
import { referencePages } from "./reference-pages.ts";

const symbols = readExports();
const pages = await referencePages(symbols);
const page = (name: string): string => pages.get(`reference/${name}.md`)!;
const chapters = (name: string): string =>
  [...pages].flatMap(([path, text]) => (path.startsWith(`reference/${name}/`) ? [text] : [])).join("\n");

test("every marker is described, and each link of the overview has one heading", () => {
  const headings = [...page("markers").matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading!));
  const links = [...page("markers").matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor!);
  expect(links.length).toBeGreaterThan(markerHelp().length);
  expect(links.filter((anchor) => headings.filter((other) => other === anchor).length !== 1)).toEqual([]);
});

test("a marker has its form, its places, its arguments and what it rejects", () => {
  const section = page("markers").split("### `+kubebuilder:subresource:scale`")[1]!;
  expect(section).toContain("| `specpath` | string, required | ");
  expect(section).toContain('- `+kubebuilder:subresource:scale is missing the argument "statuspath"`');
  expect(page("markers")).not.toMatch(/^```\w+ \w/m);
});

test("every error code is on the page", () => {
  const isShown = (code: string): boolean =>
    new RegExp(`^(## ${code}$|\\| \`${code}\` \\|)`, "m").test(page("errors"));
  expect(Object.keys(explainedCodes).filter((code) => !isShown(code))).toEqual([]);
});

test("every key of PROJECT is set by flags that there are", async () => {
  const words = Object.values(projectKeys).flatMap(({ setBy = "" }) => setBy.split(", ").filter(Boolean));
  const unknown: string[] = [];
  for (const line of words) {
    const [, name, flag] = /^([a-z ]+?)(?: --(.+))?$/.exec(line)!;
    const command = await commands.find((entry) => entry.name === name)?.load();
    if (!command || (flag !== undefined && !Object.hasOwn(command.flags, flag))) unknown.push(line);
  }
  expect(unknown).toEqual([]);
});

test("links between pages lead to pages", () => {
  const index = readFileSync(join(repository, "src/book/reference/index.md"), "utf8");
  const links = [...pages, ["reference/index.md", index] as const].flatMap(([from, text]) =>
    [...text.matchAll(/\]\(([\w/-]+\.md)/g)].map(([, path]) => join(dirname(from), path!)),
  );
  const targets = new Set(links);
  expect([...targets].filter((path) => !pages.has(path))).toEqual([]);
  expect([...pages.keys()].filter((path) => !targets.has(path))).toEqual([]);
});

test("blocks of all pages say their language", () => {
  const fences = [...pages].flatMap(([path, text]) =>
    [...text.matchAll(/^```(.*)$/gm)].map(([, language], i) =>
      `${path} ${i % 2 === 0 ? language : ""}`.trim(),
    ),
  );
  expect(fences.filter((fence, i) => i % 2 === 0 && !/ \w+$/.test(fence))).toEqual([]);
});

test("every entry point of our packages has a page", () => {
  const packages = ["", "src/runtime", "src/cluster", "src/simulation"].flatMap((folder) => {
    const text = readFileSync(join(repository, folder, "package.json"), "utf8");
    const { name, exports } = JSON.parse(text) as { name: string; exports: Record<string, object> };
    return Object.keys(exports).map((path) => name + path.slice(1));
  });
  const paged = entries
    .map(({ name }) => name)
    .filter((name) => !name.startsWith("@tsbuilder/apimachinery/"));
  expect(packages.filter((name) => !/\/(?:k8s\/\*|package\.json)$/.test(name)).sort()).toEqual(paged.sort());
});

test("everything that our packages export has a doc comment", () => {
  const exported = entries.flatMap(({ name: from, module }) =>
    symbols.exportsOf(module).map((symbol) => ({ ...symbol, from })),
  );
  expect(exported.length).toBeGreaterThan(600);
  expect(
    exported.filter(({ doc }) => doc === "").map(({ from, name, file }) => `${from} ${name}: ${file}`),
  ).toEqual([]);
});

test("a class is shown without bodies and private members, with the types that its code infers", () => {
  const [, manager] = page("api/runtime/manager").split("\n\n## Manager\n");
  const shown = manager!.slice(0, manager!.indexOf("\n\n## "));
  expect(shown).toContain("\n  webhookFor<T extends KubernetesObject>(kind: Kind<T>): WebhookBuilder<T>;\n");
  expect(shown).toContain("\n  /** The values of custom flags, besides the manager's own. */\n");
  expect(shown).toContain("Source: `src/runtime/manager/manager.ts`");
  expect(shown).not.toMatch(/#|return|private/);
  expect(page("api/runtime/controller")).toContain("\n    kind: Kind<Owned, OwnedKey>,\n");
});

test("a function is shown with its overloads alone, a constant with its type, an interface with its comments", () => {
  expect(page("api/generators")).toContain("```ts\nfunction ");
  expect(chapters("api/runtime")).not.toMatch(/^(?:export|async) /m);
  expect(page("api/cluster")).toContain(
    "interface TestClusterOptions extends ClusterOptions {\n  /** CRDs to install",
  );
  expect(chapters("api/apimachinery")).toMatch(/^const \w+: /m);
});

test("the overview of a module has each name once, with the first sentence of its comment", () => {
  const names = symbols.exportsOf("src/runtime/index.ts").map(({ name }) => name);
  const rows = [
    ...page("api/runtime").matchAll(/^\| \[`(\w+)`\]\(runtime\/\w+\.md#[\w-]+\) \| .+ \|$/gm),
  ].map(([, name]) => name);
  expect(rows).toEqual(names);
});

test("no page of the API has more exports than one can look through, and each export stands on one", () => {
  const long = [...pages].filter(([path, text]) => path.startsWith("reference/api/") && text.length > 60_000);
  expect(long.map(([path]) => path)).toEqual([]);
  const headings = [...chapters("api/runtime").matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
  const names = symbols.exportsOf("src/runtime/index.ts").map(({ name }) => name);
  expect(new Set(headings)).toEqual(new Set(names));
  expect(headings).toHaveLength(names.length);
});
