import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { drawTerminal } from "../../book/draw-terminal.ts";
import { installsTsbuilder, readSteps } from "../../book/read-steps.ts";
import { openDevScreen } from "../../support/dev/dev-screen.ts";
import { eventually } from "../../support/eventually.ts";
import { initProject } from "../../support/projects/init-project.ts";
import { run, type Shell, tryRun } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";

// The book's pictures of terminals show what the commands print. If one fails here, run `npm run lab -- pictures` and look at what git shows.

const cli = join(repository, "bin/tsbuilder.js");
const book = join(repository, "src/book");
let work: string;
let project: Shell;

beforeAll(async () => {
  // The screen is cut at its width before the folder's name is replaced.
  work = realpathSync(mkdtempSync("/tmp/shot-"));
  const folder = join(work, "shop-operator");
  mkdirSync(folder);
  project = { folder, env: { HOME: work } };
  await initProject(project);
  await run(project, "node", cli, "create", "api", "--group", "apps", "--version", "v1", "--kind", "Shop");
});

afterAll(() => rmSync(work, { recursive: true, force: true }));

test("the picture of a session (npm run lab -- pictures draws it) shows the quick start's commands, and the screen of dev", async () => {
  // With room for the warnings of a busy machine: what they push off the screen is not drawn.
  const terminal = openDevScreen(project, ["--samples"], { cols: 84, rows: 40 });
  try {
    await eventually(() => {
      expect(terminal.screen()).toContain("applied 1 sample");
      expect(terminal.screen()).toContain("> ✓ Shop default/shop-sample  Ready=True (Reconciled)");
      expect(terminal.screen()).toContain("info  Reconciled Shop");
      // Its own write of the status is the reason of the second.
      expect(terminal.screen()).toMatch(
        /^queue 0 {2}workers 0\/1 {2}\d+ reconciles {2}cache 1 object {2}memory \d+ MB$/m,
      );
    }, terminal.watch);
    const screen = terminal
      .colored()
      .replace(/127\.0\.0\.1:\d+/, "127.0.0.1:40787")
      .replace(/127\.0\.0\.1:\d+\/#[\w-]+/, "127.0.0.1:42941/#4jAYfQKuM3ckIJ55Zf420V")
      .replace(/\d+ reconciles/, "2 reconciles")
      .replace(work, "~")
      .replace(/memory \d+ MB/, "memory 66 MB")
      .replace(
        /· \S+ (shop reconciled \S+ in) [\d.]+ m?s: done[ \w,]*/,
        "· 10:00:00 $1 6 ms: done, 2 times in a row",
      )
      // The warnings that a busy machine gets.
      .replaceAll(/^\S*(?:\d\d:\d\d:\d\d warn|!) .*\n/gm, "")
      .replaceAll(/^\d\d:\d\d:\d\d/gm, "10:00:00")
      .replaceAll(/(?:.*(info {2}Reconciled Shop.*)\n)+/g, "10:00:00 2× $1\n")
      .replaceAll(/\n{3,}/g, "\n\n");
    const text = `${scaffolding()}$ tsbuilder dev --samples\n${screen}`;
    const title =
      "tsbuilder init and create api scaffold a project; tsbuilder dev runs it, and its sample becomes ready";
    await expect(drawTerminal(text, { title, columns: 84 })).toMatchFileSnapshot(
      join(book, "public/pictures/session.svg"),
    );
    terminal.type("q");
    await terminal.ended;
  } finally {
    terminal.kill();
  }
});

test("the picture of a story (npm run lab -- pictures draws it) shows what an exploring test finds in a controller that may create twice", async () => {
  makeMistake();
  await run(project, "node", cli, "manifests");
  const explored = await tryRun(project, "node", cli, "test", "--explore", "--seed", "20", "--time", "3m");
  const story = /Error: [a-z-]+: .*?^In your code:\n.*?$(?=\n\nThe whole trace)/ms.exec(
    stripVTControlCharacters(explored.stdout + explored.stderr),
  )?.[0];
  if (story === undefined) throw new Error(`no story was told: ${explored.stdout}${explored.stderr}`);
  const title =
    "The story of a failure: an operator meets a conflict after it created an object, and creates another";
  const text = `$ tsbuilder test --explore --time 10m\n…\n\u001B[31m${story.replace("\n", "\u001B[39m\n")}`;
  await expect(drawTerminal(text, { title, columns: 108 })).toMatchFileSnapshot(
    join(book, "public/pictures/story.svg"),
  );
});

/** The quick start's commands before it writes files, with their output. */
function scaffolding(): string {
  const steps = readSteps("quick-start.md", readFileSync(join(book, "quick-start.md"), "utf8"));
  const first = steps.slice(
    0,
    steps.findIndex(({ does }) => does !== "run"),
  );
  return first
    .map((step) =>
      step.does === "run" && !installsTsbuilder(step.command) ? `$ ${step.command}\n${step.shown ?? ""}` : "",
    )
    .join("");
}

/** Has the controller create an object under a new name, and remember that only afterwards. */
function makeMistake(): void {
  const path = join(project.folder, "src/controller/shop_controller.ts");
  const text = readFileSync(path, "utf8");
  const mistake = `if (!shop.status?.conditions?.length)
      await this.#client.create(ConfigMap, { metadata: { generateName: "shelf-" } }, { owner: shop });
`;
  writeFileSync(
    path,
    text
      .replace(
        "import { Shop }",
        'import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";\nimport { Shop }',
      )
      .replace(
        "/** Reconciles",
        "// +kubebuilder:rbac:groups=core,resources=configmaps,verbs=create\n\n/** Reconciles",
      )
      .replace(/\/\/ Add your logic here.*?\n\n/s, mistake),
  );
}
