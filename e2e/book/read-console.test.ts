import { expect, test } from "vitest";
import { readConsole } from "./read-console.ts";

test("commands are read from the prompts of console blocks, and nothing else", () => {
  const text = [
    "```console",
    "$ npx tsbuilder dev --samples",
    "applied",
    "$ helm install shop dist/chart \\",
    "    --create-namespace",
    `$ kubectl patch shop web -p '{"spec": {}}' | grep "a b" && true`,
    "```",
    "```sh",
    "$ ls",
    "```",
    "",
  ].join("\n");
  expect(readConsole("page.md", text)).toEqual([
    { at: "page.md:1", program: "tsbuilder", args: ["dev", "--samples"] },
    { at: "page.md:1", program: "helm", args: ["install", "shop", "dist/chart", "--create-namespace"] },
    { at: "page.md:1", program: "kubectl", args: ["patch", "shop", "web", "-p", '{"spec": {}}'] },
    { at: "page.md:1", program: "grep", args: ["a b"] },
    { at: "page.md:1", program: "true", args: [] },
  ]);
});
