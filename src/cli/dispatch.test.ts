import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { goldenHost, run } from "../../e2e/golden/golden-projects.ts";
import { commands } from "./commands/index.ts";
import { dispatch } from "./dispatch.ts";
import { useProjectFolder } from "../../e2e/support/project-folder.ts";

const folder = useProjectFolder();
const { call, initialize } = folder;

describe("dispatch()", () => {
  test.each(["", "--help", "help"])("lists the commands for %j", async (line) => {
    const printed = await run(line === "" ? [] : [line], folder.root);
    for (const { name, summary } of commands) expect(printed).toMatch(new RegExp(`${name} +${summary}`));
  });

  test("lists the commands of a group", async () => {
    const printed = await call("create --help");
    expect(printed).toContain("create webhook");
    expect(printed).not.toContain("delete api");
  });

  test.each([
    ["creat api", `did you mean "tsbuilder create api"?`],
    ["create apis", `did you mean "tsbuilder create api"?`],
    ["inti", `did you mean "tsbuilder init"?`],
    ["frobnicate", "tsbuilder --help lists the commands"],
  ])("proposes what may have been meant by %j", async (line, hint) => {
    await expect(call(line)).rejects.toMatchObject({ code: "INVALID_ARGUMENT", hint });
  });

  test.each([
    ["init --domian example.com", `did you mean "--domain"?`],
    ["init --domain example.com --license gpl", "tsbuilder init --help tells its flags"],
    ["create api --kind", "tsbuilder create api --help tells its flags"],
    ["init --domain example.com --multigroup=perhaps", "type --multigroup or --multigroup=false"],
    ["init --domain example.com --repo github.com/x/y", "imports are relative"],
    ["init --domain example.com --plugins go/v4", "TypeScript and kustomize are built in"],
  ])("refuses %j with what to type next, and writes nothing", async (line, hint) => {
    await expect(call(line)).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      hint: expect.stringContaining(hint) as string,
    });
    expect(readdirSync(folder.root)).toEqual([]);
  });

  test("names the flags that are missing where nobody can be asked", async () => {
    await initialize();
    await expect(call("create api --group apps")).rejects.toMatchObject({
      message: "tsbuilder create api needs --version, --kind",
      hint: "add --version VERSION --kind KIND",
    });
  });

  test.each(commands.map((entry) => [entry.name, entry] as const))(
    "%s says in its file what the list says",
    async (_, entry) => {
      const command = await entry.load();
      expect(command.summary).toBe(entry.summary);
      expect(command.summary).not.toMatch(/\.$/);
    },
  );

  test("has every file of commands/ in its list", async () => {
    const files = readdirSync(new URL("commands", import.meta.url)).filter(
      (name) => name !== "index.ts" && !name.endsWith(".test.ts"),
    );
    expect(files.sort()).toEqual(commands.map(({ name }) => `${name.replaceAll(" ", "-")}.ts`).sort());
  });
});

test("a command finds its project from a folder below", async () => {
  await initialize();
  await dispatch(
    ["create", "api", "--group", "apps", "--version", "v1", "--kind", "Order"],
    join(folder.root, "src"),
    { print: () => undefined, note: () => undefined, isInteractive: false },
    goldenHost,
  );
  expect(existsSync(join(folder.root, "api/v1/order_types.ts"))).toBe(true);
});

test("a command outside of a project says how to start one", async () => {
  await expect(call("create api --group apps --version v1 --kind Order")).rejects.toMatchObject({
    code: "NOT_A_PROJECT",
    hint: expect.stringContaining("tsbuilder init") as string,
  });
});
