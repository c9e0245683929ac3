import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "@tsbuilder/runtime/testing";
import { startTsbuilder } from "../../support/dev/dev-process.ts";
import { initProject } from "../../support/projects/init-project.ts";
import { plainEnvironment, run, type Shell } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";

// An agent finds AGENTS.md in a scaffolded project, whose commands run as they stand, and `tsbuilder mcp`.

const cli = join(repository, "bin/tsbuilder.js");
let work: string;
let project: Shell;

beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), "tsbuilder-agents-"));
  project = { folder: join(work, "shop"), env: { HOME: work } };
  mkdirSync(project.folder);
  await initProject(project);
  await run(project, "node", cli, "create", "api", "--group", "apps", "--version", "v1", "--kind", "Order");
});

afterAll(() => rmSync(work, { recursive: true, force: true }));

/** The commands of the table in AGENTS.md. */
const template = readFileSync(join(repository, "templates/typescript/init/project/AGENTS.md.hbs"), "utf8");
const documented = [...template.matchAll(/^\| `((?:npm|npx|tsbuilder) [^`]+)`/gmu)].map(
  ([, command]) => command!,
);

/** Commands that take too long for a test, or change the project, are run with less to do. */
const shortened: Readonly<Record<string, readonly string[]>> = {
  "npx --no-install tsbuilder test --explore": ["--time", "1s"],
  "tsbuilder upgrade": ["--dry-run"],
};

test("AGENTS.md has the commands that are shortened here", () => {
  expect(documented).toEqual(expect.arrayContaining([...Object.keys(shortened), "npm run manifests"]));
});

test.each(documented)("%s of AGENTS.md runs in a new project", async (command) => {
  const words = [...command.split(" "), ...(shortened[command] ?? [])];
  const [program = "", ...args] = words[0] === "tsbuilder" ? ["node", cli, ...words.slice(1)] : words;
  const { stdout, stderr } = await run(project, program, ...args);
  expect(stdout + stderr).not.toBe("");
});

test("mcp plans, applies, and reads what dev's cluster has and what its operator did", async () => {
  const agent = new Client({ name: "agent", version: "1" });
  const env = { ...plainEnvironment(), ...project.env } as Record<string, string>;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [cli, "mcp"],
    cwd: project.folder,
    env,
  });
  await agent.connect(transport);
  const call = async (name: string, args: object): Promise<Record<string, unknown>> =>
    (await agent.callTool({ name, arguments: { ...args } })).structuredContent as Record<string, unknown>;
  const dev = startTsbuilder(project, "dev", "--samples");
  try {
    await dev.sees("applied");
    expect(await call("objects", { kind: "order" })).toMatchObject({
      objects: [{ kind: "Order", metadata: { name: "order-sample" } }],
    });
    await eventually(async () =>
      expect(await call("reconciles", { request: "order-sample" })).toMatchObject({
        reconciles: expect.arrayContaining([
          expect.objectContaining({
            controller: "order",
            request: "default/order-sample",
            causes: expect.arrayContaining(["add of Order default/order-sample"]) as string[],
            outcome: "done",
          }),
        ]) as object[],
      }),
    );
    expect(await call("why", { kind: "order", name: "order-sample" })).toMatchObject({
      explanation: {
        object: "Order default/order-sample",
        tone: "good",
        causes: [],
        reconciles: expect.arrayContaining([expect.objectContaining({ outcome: "done" })]) as object[],
      },
    });
    const webhook = ["--group", "apps", "--version", "v1", "--kind", "Order", "--defaulting"];
    const { plan } = await call("plan", { command: "create webhook", args: webhook });
    expect(await call("apply", { plan })).toMatchObject({ exitCode: 0, written: true });
    expect(readFileSync(join(project.folder, "config/webhook/manifests.yaml"), "utf8")).toContain(
      "MutatingWebhookConfiguration",
    );
  } finally {
    expect(await dev.stop()).toBe(0);
    await agent.close();
  }
});
