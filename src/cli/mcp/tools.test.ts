import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { goldenHost } from "../../../e2e/golden/golden-projects.ts";
import { useProjectFolder } from "../../../e2e/support/projects/project-folder.ts";
import { mcpServer } from "./tools.ts";
import { commandLine } from "../start/main.ts";

const folder = useProjectFolder();
const agent = new Client({ name: "agent", version: "1" });
let stop: () => Promise<void>;
beforeEach(async () => {
  const [here, there] = InMemoryTransport.createLinkedPair();
  const server = await mcpServer(folder.root, goldenHost, commandLine(goldenHost));
  await server.connect(there);
  await agent.connect(here);
  stop = async () => {
    await agent.close();
    await server.close();
  };
});
afterEach(() => stop());

async function call(name: string, args: object = {}): Promise<Record<string, unknown>> {
  const { structuredContent, isError } = await agent.callTool({ name, arguments: { ...args } });
  const answer = structuredContent as Record<string, unknown>;
  expect(isError).toBe(answer["exitCode"] !== 0);
  return answer;
}

const order = ["--group", "apps", "--version", "v1", "--kind", "Order", "--make=false"];
const planOrder = () => call("plan", { command: "create api", args: order });

describe("plan and apply", () => {
  test("write what was shown, and nothing before", async () => {
    await folder.initialize();
    const { plan, diff, changes } = await planOrder();
    expect(diff).toContain("+++ b/api/v1/order_types.ts");
    expect(existsSync(join(folder.root, "api"))).toBe(false);
    expect(await call("apply", { plan })).toMatchObject({ written: true, changes });
    expect(folder.read("api/v1/order_types.ts")).toContain("OrderSpec");
  });

  test("write nothing that was not shown", async () => {
    await folder.initialize();
    const before = folder.snapshot();
    expect(await call("apply", { plan: "create api" })).toMatchObject({
      error: { code: "REFUSED", hint: expect.stringContaining("plan first") as string },
    });
    expect(folder.snapshot()).toEqual(before);
  });

  test("show the new plan where the project has changed since", async () => {
    await folder.initialize();
    const { plan } = await planOrder();
    await folder.call("edit --multigroup");
    const before = folder.snapshot();
    const refused = await call("apply", { plan });
    expect(refused).toMatchObject({ error: { code: "FILE_CHANGED" }, written: false });
    expect(refused["diff"]).toContain("+++ b/api/apps/v1/order_types.ts");
    expect(folder.snapshot()).toEqual(before);
    expect(await call("apply", { plan: refused["plan"] })).toMatchObject({ written: true });
  });

  test.each([
    ["deploy", []],
    ["dev", []],
    ["constructor", []],
    ["create", ["api"]],
    ["create api", [...order, "--diff=false"]],
    ["create api", [...order, "--no-diff"]],
    ["create api", [...order, "--"]],
    ["manifests", ["--dry-run=false"]],
    ["create api", [...order, "--plugins", "./evil"]],
  ])("refuse %s with %j", async (command, args) => {
    await folder.initialize();
    const before = folder.snapshot();
    expect(await call("plan", { command, args })).toMatchObject({ error: { code: "REFUSED" } });
    expect(folder.snapshot()).toEqual(before);
  });

  test.each([
    ["--owner"],
    ["--multigroup", "--make=false", "--owner"],
    ["--multigroup", "--make=false", "-o"],
    ["--multigroup", "--make=false", "--output"],
    ["--multigroup", "--make=false", "--enable"],
  ])("show %s, whose last flag wants a value, and write nothing", async (...args) => {
    await folder.initialize();
    const before = folder.snapshot();
    expect(await call("plan", { command: "edit", args })).not.toHaveProperty("plan");
    expect(folder.snapshot()).toEqual(before);
  });

  test("report an invalid flag as the command line does", async () => {
    await folder.initialize();
    expect(await call("plan", { command: "create api", args: ["--knd", "Order"] })).toMatchObject({
      error: { code: "INVALID_ARGUMENT", hint: 'did you mean "--kind"?' },
    });
    expect(await call("plan", { command: "create api", args: ["--help"] })).toMatchObject({
      output: expect.arrayContaining(["Examples:"]) as string[],
    });
  });
});

describe("tools that only read", () => {
  test("say so, and leave the project alone", async () => {
    await folder.initialize();
    const before = folder.snapshot();
    const { tools } = await agent.listTools();
    const readers = tools.filter(({ annotations }) => annotations?.readOnlyHint);
    expect(
      tools.map(({ name }) => name).filter((name) => !readers.some((tool) => tool.name === name)),
    ).toEqual(["apply"]);
    expect(await call("help", { command: "create api" })).toMatchObject({ command: "create api" });
    expect((await call("help"))["output"]).toContainEqual(expect.stringContaining("Usage: tsbuilder "));
    expect((await call("doctor"))["findings"]).toContainEqual(
      expect.objectContaining({ subject: "node", state: "good" }),
    );
    expect(await call("explain", { code: "NOT_FOUND" })).toMatchObject({ codes: [{ code: "NOT_FOUND" }] });
    expect(((await call("explain"))["codes"] as object[]).length).toBeGreaterThan(30);
    expect((await call("markers", { containing: "Minimum" }))["markers"]).toContainEqual(
      expect.objectContaining({ name: "kubebuilder:validation:Minimum" }),
    );
    expect(folder.snapshot()).toEqual(before);
  });

  test.each(["dev", "create", "completion", "test"])("help with %s", async (command) => {
    expect((await call("help", { command }))["output"]).toContainEqual(
      expect.stringContaining(`tsbuilder ${command}`),
    );
  });

  test.each([
    "edit --multigroup --owner",
    "create api --plugins ./evil",
    "__complete create api",
    "help edit --x",
  ])("help with names only, not with %s", async (command) => {
    await folder.initialize();
    const before = folder.snapshot();
    expect(await call("help", { command })).toMatchObject({ error: { code: "REFUSED" } });
    expect(folder.snapshot()).toEqual(before);
  });

  test("say where no cluster runs", async () => {
    expect(await call("reconciles")).toMatchObject({
      error: { code: "CLUSTER_UNREACHABLE", hint: expect.stringContaining("tsbuilder dev") as string },
    });
    expect(await call("why", { kind: "pod", name: "a" })).toMatchObject({
      error: { code: "CLUSTER_UNREACHABLE", hint: expect.stringContaining("tsbuilder dev") as string },
    });
    expect(await call("objects", { kind: "pods" })).toMatchObject({
      error: { code: "CLUSTER_UNREACHABLE", hint: expect.stringContaining("tsbuilder dev") as string },
    });
  });

  test("report a damaged project as an error", async () => {
    await folder.initialize();
    writeFileSync(join(folder.root, "PROJECT"), "a: [");
    expect(await planOrder()).toMatchObject({ error: { code: "INVALID_PROJECT" } });
  });
});
