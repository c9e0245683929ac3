import { describe, expect, test } from "vitest";
import { goldenHost, run } from "../../../e2e/golden/golden-projects.ts";
import { commands } from "../commands/index.ts";
import { dispatch } from "./main.ts";
import { useProjectFolder } from "../../../e2e/support/projects/project-folder.ts";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";

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
    ["frobnicate", "run tsbuilder --help for a list of commands"],
    ["generate typs", `did you mean "tsbuilder generate types"?`],
    ["run bundel", `did you mean "tsbuilder run bundle"?`],
    ["version x", "run tsbuilder version --help for its flags"],
    ["explain FILE_CHANGED x", "run tsbuilder explain --help for its flags"],
    ["alpha", "run tsbuilder --help for a list of commands"],
    ["--versoin", `did you mean "tsbuilder --version"?`],
    ["--hlep create", `did you mean "tsbuilder --help"?`],
    ["alpha update", "use tsbuilder upgrade --branch: it merges what a newer tsbuilder scaffolds"],
    ["generate bundle", "use tsbuilder bundle"],
  ])("suggests a command for %j", async (line, hint) => {
    await expect(call(line)).rejects.toMatchObject({ code: "INVALID_ARGUMENT", hint });
  });

  test.each([
    ["init --domian example.com", `did you mean "--domain"?`],
    ["test src/x.test.ts", "comes after --: tsbuilder test -- ARGUMENTS"],
    ["init x", "run tsbuilder init --help for its flags"],
    ["create webhook --validation", `did you mean "--programmatic-validation"?`],
    ["init --domain example.com --license gpl", "run tsbuilder init --help for its flags"],
    ["create api --kind", "run tsbuilder create api --help for its flags"],
    ["push --image shop:v1", "name the image without a flag: tsbuilder push IMAGE"],
    ["load --image shop:v1", "name images without a flag: tsbuilder load IMAGE"],
    ["init --domain example.com --multigroup=perhaps", "use --multigroup or --multigroup=false"],
    ["init --domain example.com --plugins go/v4", "TypeScript and kustomize are built in"],
  ])("refuses %j with a hint, and writes nothing", async (line, hint) => {
    await expect(call(line)).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      hint: expect.stringContaining(hint) as string,
    });
    expect(readdirSync(folder.root)).toEqual([]);
  });

  test.each(["cluster start --kubeconfig x --port 99999", "dev --port 65536"])(
    "refuses the port of %j",
    async (line) => {
      await expect(call(line)).rejects.toMatchObject({
        hint: "use a number from 1 to 65535, for example 8080",
      });
      expect(readdirSync(folder.root)).toEqual([]);
    },
  );

  test.each(["--repo github.com/x/y", "--repo=github.com/x/y"])("goes on without %s", async (flag) => {
    expect(await call(`init ${flag} --domain example.com`)).toContain(
      "--repo is ignored: imports are relative",
    );
    expect(readdirSync(folder.root)).toContain("PROJECT");
  });

  test("names the missing flags without a terminal", async () => {
    await initialize();
    await expect(call("create api --group apps")).rejects.toMatchObject({
      message: "tsbuilder create api needs --version, --kind",
      hint: "add --version VERSION --kind KIND",
    });
  });

  test.each(commands.map((entry) => [entry.name, entry] as const))(
    "%s is exported by its file, and has a summary without a full stop",
    async (_, entry) => {
      expect(await entry.load()).toMatchObject({ run: expect.any(Function) as unknown });
      expect(entry.summary).not.toMatch(/\.$/);
    },
  );

  test("lists every command that a file in commands/ defines, and each file has the name of its commands", () => {
    const folder = new URL("../commands/", import.meta.url);
    const defined = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
      .flatMap((path) =>
        [
          ...readFileSync(new URL(path, folder), "utf8").matchAll(
            // A reserved word can't be the name of a constant.
            /^export (?:const (?=\w+ = defineCommand\()|\{ \w+ as )(\w+)/gmu,
          ),
        ].map(([, name]) => `${path} ${name}`),
      );
    const index = readFileSync(new URL("index.ts", folder), "utf8");
    const pathsByKey = new Map(
      [...index.matchAll(/(\w+): \(\) => import\("\.\/(.+)"\)/gu)].map(([, key, path]) => [key, path!]),
    );
    const paths = [...index.matchAll(/"(\w+)",?\s*\],\n/gu)].map(([, key]) => pathsByKey.get(key)!);
    const names = commands.map(({ name }) => name.replaceAll(" ", "-"));
    const listed = names.map(
      (name, i) => `${paths[i]} ${name.replaceAll(/-(\w)/gu, (_, letter: string) => letter.toUpperCase())}`,
    );
    expect(listed.toSorted()).toEqual(defined.toSorted());
    const files = paths.map((path) => basename(path, ".ts"));
    expect(names.filter((name, i) => !`${name}-`.startsWith(`${files[i]}-`))).toEqual([]);
  });
});

test("a command finds its project from a subfolder", async () => {
  await initialize();
  await dispatch(
    ["create", "api", "--group", "apps", "--version", "v1", "--kind", "Order"],
    join(folder.root, "src"),
    { print: () => undefined, note: () => undefined, isInteractive: false },
    goldenHost,
  );
  expect(existsSync(join(folder.root, "api/v1/order_types.ts"))).toBe(true);
});

test("a command outside of a project says how to initialize one", async () => {
  await expect(call("create api --group apps --version v1 --kind Order")).rejects.toMatchObject({
    code: "NOT_A_PROJECT",
    hint: expect.stringContaining("tsbuilder init") as string,
  });
});
