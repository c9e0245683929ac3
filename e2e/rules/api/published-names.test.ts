import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "../../support/source-imports.ts";

/** The names that a package exports, by name, with the first subpath that has each. */
function exportsOf(name: string): Map<string, string> {
  const report = readFileSync(join(repository, "src", name, "api-report.md"), "utf8");
  const sections = report.split(/^## /m).filter((section) => section.startsWith("."));
  const pattern =
    /^export (?:declare )?(?:abstract )?(?:interface|type|class|function|const|\{(?: type)?) (?:\w+ as )?(\w+)/gmu;
  return new Map(
    sections.toReversed().flatMap((section) => {
      const [subpath = ""] = section.split("\n", 1);
      return [...section.matchAll(pattern)].map(([, exported = ""]) => [exported, subpath] as const);
    }),
  );
}

const runtime = exportsOf("runtime");

test("the main entry of the runtime has few names: what operators write", () => {
  const main = [...runtime].filter(([, subpath]) => subpath === ".");
  expect(main.length).toBeLessThanOrEqual(130);
  expect(main.length).toBeGreaterThan(100);
});

test("no name of the runtime shadows a global of Node or of browsers", () => {
  const dom = readFileSync(join(repository, "node_modules/typescript/lib/lib.dom.d.ts"), "utf8");
  const declared = [...dom.matchAll(/^(?:declare var|declare function|interface|type) (\w+)/gmu)];
  const globals = new Set([...Object.getOwnPropertyNames(globalThis), ...declared.map(([, name]) => name)]);
  expect(globals).toContain("Request");
  expect([...runtime.keys()].filter((name) => globals.has(name))).toEqual([]);
});

/** Names that mean the same in both packages, or of which the second is only in expressions. */
const shared = ["Cluster", "WebhookCall", "Validator"];

test("no name has two meanings across packages", () => {
  const twice = ["cluster", "simulation", "apimachinery"].flatMap((name) =>
    [...exportsOf(name).keys()].filter((exported) => isOwnOfRuntime(exported)),
  );
  expect(twice.toSorted()).toEqual(shared.toSorted());
});

/** The runtime exports some names again that are apimachinery's: those mean the same. */
function isOwnOfRuntime(name: string): boolean {
  const report = readFileSync(join(repository, "src/runtime/api-report.md"), "utf8");
  return runtime.has(name) && !report.includes(`export { ${name} } from "@tsbuilder/apimachinery"`);
}
