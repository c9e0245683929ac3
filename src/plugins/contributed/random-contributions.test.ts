import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { emptyProject } from "../../../e2e/support/projects/empty-project.ts";
import { allow, requirePackage } from "./load-plugin.ts";
import { writePlugin } from "../../../e2e/support/plugins/plugin-package.ts";
import { planProjectChange } from "../plan-project.ts";
import type { Project } from "../../project/project.ts";
import { memoryTree, type Tree } from "../../scaffold/tree.ts";
import { TsbuilderError } from "../../shared/errors.ts";

// Whatever a plugin contributes: the plan has only its own new files and the lines that it may insert, or it is refused.

const key = "random.example.com/v1";
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tsbuilder-random-"));
  writePlugin(join(folder, "random"), {
    name: "random",
    code: `export default { key: "${key}", summary: "x", templates: "templates", init: () => globalThis.randomContribution() };`,
    files: {
      "templates/a/{{path}}.hbs": "{{word}}\n",
      "templates/b/docs/plain.md.hbs": "plain\n",
      "templates/c/broken.md.hbs": "{{#each}}",
    },
  });
  allow(requirePackage("./random", folder));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const step = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.constantFrom(
      "docs",
      "src",
      "config",
      "x.md",
      "main.ts",
      "a",
      "A",
      "b",
      "c",
      "d",
      "e.ts",
      "f.md",
      "g.yaml",
      "team.ts",
    ),
  },
  fc.constantFrom(
    "..",
    ".",
    "",
    "PROJECT",
    "project",
    ".tsbuilder",
    "owned.json",
    ".git",
    "node_modules",
    "vendor",
  ),
  fc.constantFrom(
    "Makefile",
    "package.json",
    "mine.md",
    "MINE.md",
    "C:",
    "a\\b",
    "a\0",
    "...",
    " ",
    "__proto__",
    "é",
  ),
  fc.string({ maxLength: 8 }),
);
const path = fc.array(step, { minLength: 1, maxLength: 4 }).map((steps) => steps.join("/"));
const text = fc.oneof(
  fc.constantFrom(
    "",
    "x\n",
    'import { a } from "./a.ts";',
    "setup(manager);",
    "- x.yaml",
    "a:\n- b",
    '"',
    "\uFEFFx",
    "// +tsbuilder:scaffold:setup\n",
    "await manager.start();",
    "}".repeat(9),
    "\r\n",
    "\u2028",
  ),
  fc.string({ maxLength: 40 }),
);
const nonsense = fc.oneof(fc.jsonValue(), fc.anything({ maxDepth: 2 }));
const mostly = (arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 80, arbitrary }, { weight: 1, arbitrary: nonsense });
const ownership = fc.constantFrom("yours", "generated", undefined);

const files = fc.array(
  mostly(fc.record({ path: mostly(path), content: mostly(text), ownership: mostly(ownership) })),
  {
    maxLength: 3,
  },
);
const parts = fc.array(
  mostly(
    fc.record({
      templates: mostly(fc.oneof(fc.constantFrom("a", "b", "c", ".", ".."), path)),
      context: mostly(fc.record({ path, word: text }, { requiredKeys: [] })),
      ownership,
    }),
  ),
  { maxLength: 2 },
);
const inserts = fc.array(
  mostly(
    fc.record({
      file: mostly(
        fc.oneof(fc.constantFrom("src/main.ts", "config/base/kustomization.yaml", "mine.md"), path),
      ),
      marker: mostly(fc.constantFrom("imports", "setup", "components", "none", "a.b")),
      text: mostly(text),
    }),
  ),
  { maxLength: 2 },
);
const contribution = mostly(
  fc.record({ files: mostly(files), parts: mostly(parts), inserts: mostly(inserts) }, { requiredKeys: [] }),
);

const project = { ...emptyProject, features: ["metrics"] } as const;
const packages = { runtime: "1", cluster: "1", simulation: "1", tsbuilder: "1" };
const use = { key, isInLayout: true, package: "./random", options: {}, resources: [] };

async function applied(
  tree: Tree,
  files: Record<string, string>,
  before: Project | undefined,
  after: Project,
  force: boolean,
) {
  const { changes } = await planProjectChange({
    folder,
    tree,
    before: before && { project: before, text: files["PROJECT"]! },
    after,
    packages,
    force,
  });
  const next = { ...files };
  for (const change of changes) {
    if (change.content === undefined) delete next[change.path];
    else next[change.path] = String(change.content);
  }
  return { changes, next };
}

test("a plan has nothing of a plugin but its own files and lines", async () => {
  const { next: plain } = await applied(memoryTree(), {}, undefined, project, false);
  const start: Record<string, string> = { ...plain, "mine.md": "mine\n", "docs/x.md": "mine, too\n" };
  await fc.assert(
    fc.asyncProperty(contribution, contribution, fc.boolean(), async (first, second, force) => {
      expect(await explainDamage(start, [first, second], force)).toEqual([]);
    }),
  );
});

/** Adds a plugin that contributes one thing and then another, and removes it. Returns what it did to the rest. */
async function explainDamage(
  start: Readonly<Record<string, string>>,
  contributions: readonly unknown[],
  force: boolean,
): Promise<string[]> {
  const damage: string[] = [];
  let files = { ...start };
  let before = project;
  for (const contributed of [...contributions, undefined]) {
    Object.assign(globalThis, { randomContribution: () => contributed });
    const after = contributed === undefined ? project : { ...project, plugins: [use] };
    try {
      const { changes, next } = await applied(memoryTree(files), files, before, after, force);
      damage.push(...changes.map(({ path }) => path).filter((path) => foreign.test(path)));
      [files, before] = [next, after];
    } catch (error) {
      if (!(error instanceof TsbuilderError) || !refusals.test(error.message)) damage.push(String(error));
    }
    damage.push(...changed(start, files, withoutLines));
  }
  // Nothing stays of a plugin that is gone.
  if (before === project) damage.push(...changed(start, files, (text) => text));
  return damage;
}

const foreign = /^\/|\\|(?:^|\/)\.\.?(?:\/|$)|^\.git\/|^(?:vendor|node_modules)\//u;
const refusals = /^plugin "|no longer has the line|conflict with your changes/u;

/** The user's files and ours that are not what they were. */
function changed(
  start: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>>,
  read: (text: string | undefined, was: string) => string | undefined,
): string[] {
  return Object.entries(start).flatMap(([path, was]) =>
    path === "PROJECT" || path.startsWith(".tsbuilder/") || read(files[path], was) === was
      ? []
      : [`${path} is now ${JSON.stringify(files[path])}`],
  );
}

/** A text without lines that were inserted into another; the other text if nothing of it is missing. */
function withoutLines(text: string | undefined, was: string): string | undefined {
  const rest = was.split("\n");
  for (const line of text?.split("\n") ?? []) if (line === rest[0]) rest.shift();
  return rest.length === 0 ? was : text;
}
