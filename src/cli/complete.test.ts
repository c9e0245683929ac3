import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { complete } from "./complete.ts";
import { completionScripts } from "./completion-scripts.ts";

const words = async (...typed: string[]): Promise<string[]> =>
  (await complete(typed)).map((line) => line.split("\t")[0]!);

test("complete() proposes commands, word by word", async () => {
  expect(await words("")).toEqual(expect.arrayContaining(["init", "create", "edit", "doctor"]));
  expect(await words("create", "")).toEqual(["api", "webhook"]);
});

test("complete() proposes the flags that are not there yet", async () => {
  expect(await words("create", "api", "--group", "apps", "--")).toEqual(
    expect.arrayContaining(["--version", "--kind", "--short-name"]),
  );
  expect(await words("create", "api", "--group", "apps", "--")).not.toContain("--group");
});

test("complete() proposes the values of a flag, and what is left of a list", async () => {
  expect(await words("init", "--license", "")).toEqual(["apache2", "copyright", "none"]);
  const left = await words("edit", "--enable", "prometheus,");
  expect(left).toContain("prometheus,metrics-tls");
  expect(left).not.toContain("prometheus,prometheus");
});

test("complete() proposes the words of a positional", async () => {
  expect(await words("completion", "")).toEqual(["bash", "zsh", "fish", "powershell"]);
});

test("the script for bash proposes what tsbuilder proposes", () => {
  const script = `
    tsbuilder() { printf 'api\\tadd a kind\\nwebhook\\tadd webhooks\\n'; }
    ${completionScripts.bash}
    COMP_WORDS=(tsbuilder create w); COMP_CWORD=2; _tsbuilder; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
  expect({ stdout, stderr }).toEqual({ stdout: "webhook\n", stderr: "" });
});
