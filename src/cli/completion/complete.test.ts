import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawn } from "@lydell/node-pty";
import { expect, test } from "vitest";
import { useProjectFolder } from "../../../e2e/support/projects/project-folder.ts";
import { complete } from "./complete.ts";
import { completionScripts } from "../commands/completion.ts";

const folder = useProjectFolder();
const words = async (...typed: string[]): Promise<string[]> =>
  (await complete(typed, folder.root)).map((line) => line.split("\t")[0]!);

test("complete() completes commands, word by word", async () => {
  expect(await words("")).toEqual(expect.arrayContaining(["init", "create", "edit", "doctor"]));
  expect(await words("create", "")).toEqual(["api", "webhook"]);
});

test("complete() offers flags that were not typed yet", async () => {
  expect(await words("create", "api", "--group", "apps", "--")).toEqual(
    expect.arrayContaining(["--version", "--kind", "--short-name"]),
  );
  expect(await words("create", "api", "--group", "apps", "--")).not.toContain("--group");
});

test("complete() offers the format of the output", async () => {
  expect(await words("doctor", "--")).toContain("--output");
  expect(await words("doctor", "--output", "")).toEqual(["text", "json"]);
  expect(await words("generate", "types", "-o", "")).toEqual(["text", "json"]);
  expect(await words("dev", "--output", "")).toEqual(["text", "json"]);
  expect(await words("run", "--")).not.toContain("--output");
});

test("complete() offers the values of a flag, and the rest of a list", async () => {
  expect(await words("init", "--license", "")).toEqual(["apache2", "copyright", "none"]);
  const left = await words("edit", "--enable", "prometheus,");
  expect(left).toContain("prometheus,metrics-tls");
  expect(left).not.toContain("prometheus,prometheus");
});

test("complete() offers the kinds of the project that fit what is typed", async () => {
  expect(await words("delete", "api", "--kind", "")).toEqual([]);
  await folder.initialize();
  await folder.call("create api --group apps --version v1 --kind Order --make=false");
  await folder.call("create api --group apps --version v2 --kind Order --controller=false --make=false");
  await folder.call("create api --group core --version v1 --kind Pod --resource=false --make=false");
  expect(await words("delete", "api", "--group", "")).toEqual(["apps", "core"]);
  expect(await words("delete", "api", "--group", "apps", "--kind", "")).toEqual(["Order"]);
  expect(await words("delete", "api", "--group=core", "--kind", "")).toEqual(["Pod"]);
  expect(await words("delete", "api", "--kind", "Order", "--version", "")).toEqual(["v1", "v2"]);
  const conversion = ["create", "webhook", "--kind", "Order", "--version", "v1", "--conversion"];
  expect(await words(...conversion, "--spoke", "")).toEqual(["v2"]);
  writeFileSync(join(folder.root, "PROJECT"), "a: [");
  expect(await words("delete", "api", "--kind", "")).toEqual([]);
});

test("complete() offers the values of a positional", async () => {
  expect(await words("completion", "")).toEqual([
    "bash",
    "zsh",
    "fish",
    "powershell",
    "--output",
    "--verbose",
  ]);
});

test("the script for bash offers what tsbuilder prints", () => {
  const script = `
    tsbuilder() { printf 'api\\tadd a kind\\nwebhook\\tadd webhooks\\n'; }
    ${completionScripts.bash}
    COMP_WORDS=(tsbuilder create w); COMP_CWORD=2; _tsbuilder; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
  expect({ stdout, stderr }).toEqual({ stdout: "webhook\n", stderr: "" });
});

const fish = "fish";
const zsh = "zsh";

/** Tests of a shell that is not installed are skipped, and say so. */
function isMissing(shell: string): boolean {
  const { error } = spawnSync(shell, ["--version"]);
  if (error) process.stderr.write(`skipped: completion in ${shell}, which is not installed\n`);
  return error !== undefined;
}

const standIn = String.raw`printf 'api\tadd a kind: with its types\nwebhook\tadd webhooks\n'`;

test.skipIf(isMissing(fish))("fish offers what tsbuilder prints, with descriptions", () => {
  const script = `
    function tsbuilder; ${standIn}; end
    ${completionScripts.fish}
    complete -C "tsbuilder create "`;
  const { stdout, stderr } = spawnSync(fish, ["--no-config", "-c", script], { encoding: "utf8" });
  expect({ stdout, stderr }).toEqual({
    stdout: "api\tadd a kind: with its types\nwebhook\tadd webhooks\n",
    stderr: "",
  });
});

test.skipIf(isMissing(zsh))("zsh offers what tsbuilder prints, and completes a word", async () => {
  const shell = spawn(zsh, ["-f", "-i"], { cols: 120, rows: 40 });
  try {
    let screen = "";
    shell.onData((text) => {
      screen += text;
    });
    const shows = async (text: RegExp): Promise<void> => {
      await expect.poll(() => screen).toMatch(text);
    };
    shell.write(`autoload -U compinit; compinit -u -D; tsbuilder() { ${standIn}; }\n`);
    shell.write(`${completionScripts.zsh}\n`);
    shell.write("echo re''ady\n");
    await shows(/ready/u);
    shell.write("tsbuilder create \t");
    await shows(/api +-- add a kind: with its types/u);
    shell.write("w\t");
    await shows(/ebhook/u);
  } finally {
    shell.kill();
  }
});
