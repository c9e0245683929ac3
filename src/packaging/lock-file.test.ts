import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repository } from "../../e2e/support/source-imports.ts";
import { packagesOf } from "../plugins/typescript/reference-templates.ts";
import type { Project } from "../project/project.ts";
import { lackingPackages, readLock } from "./check-lock.ts";
import { type LockedPackage, formatLock, lockVendored } from "./lock-file.ts";
import { readCli, readLibraries } from "./pack.ts";

/** Our packages as this repository has them. */
const manifests = [...readLibraries(repository), readCli(repository, false)].map(({ manifest }) => manifest);

const vendored = new Map(
  manifests.map(({ name }) => {
    const fileName = `${name.replace("@tsbuilder/", "tsbuilder-")}-0.1.0-dev.h1.tgz`;
    return [name, lockVendored({ name, version: "0.1.0-dev.h1", fileName, bytes: Buffer.from(name) })];
  }),
);
const released = new Map(
  manifests.map(({ name }): [string, LockedPackage] => [
    name,
    { version: "0.2.0", specifier: name === "tsbuilder" ? "0.2.0" : "^0.2.0", sibling: "^0.2.0" },
  ]),
);

const { mysql2 } = packagesOf({
  resources: [{ template: { name: "mysql" } }],
  features: [],
} as unknown as Project);

describe.each([
  ["an unreleased tsbuilder", vendored, {}],
  ["a released tsbuilder", released, {}],
  ["a released tsbuilder, with the template mysql", released, { mysql2 }],
])("the lock file of a project of %s", (_, own, further) => {
  const text = formatLock("npm", "shop", own, Object.keys(further));
  const { packages } = readLock(text)!;

  test("holds all that its packages need, on every system", () => {
    expect(lackingPackages({ packages })).toEqual([]);
    const systems = Object.values(packages).map((entry) => {
      const { os = [], cpu = [], libc = [] } = entry as Readonly<Record<string, string[]>>;
      return [...os, ...cpu, ...libc].join("-");
    });
    for (const system of [
      "linux-x64-glibc",
      "linux-x64-musl",
      "linux-arm64-glibc",
      "linux-arm64-musl",
      "darwin-x64",
      "darwin-arm64",
      "win32-x64",
      "win32-arm64",
    ])
      expect(systems.filter((one) => one === system).length).toBeGreaterThanOrEqual(1);
  });

  test("names no registry, and no package without its hash but ours", () => {
    expect(text).not.toMatch(/"resolved": "https?:/u);
    const unhashed = Object.entries(packages).filter(([, { integrity }]) => integrity === undefined);
    const ours = own === released ? manifests.map(({ name }) => `node_modules/${name}`) : [];
    expect(unhashed.map(([path]) => path).toSorted()).toEqual(["", ...ours].toSorted());
  });

  test("is of the dependencies that the template and our packages have: else npm run lab -- locks writes it anew", () => {
    const template = readFileSync(
      join(repository, "templates/typescript/init/package/package.json.hbs"),
      "utf8",
    );
    const filled = template.replaceAll(/"\{\{(\w+)Package\}\}"/gu, (_word, part: string) =>
      JSON.stringify(own.get(part === "tsbuilder" ? part : `@tsbuilder/${part}`)!.specifier),
    );
    const { dependencies, devDependencies } = JSON.parse(filled) as Record<string, object>;
    const all = { ...dependencies, ...further };
    expect(packages[""]).toMatchObject({ name: "shop", dependencies: all, devDependencies });
    for (const { name, dependencies: needed = {} } of manifests) {
      const expected = Object.entries(needed).map(([one, range]) => [one, own.get(one)?.sibling ?? range]);
      expect(packages[`node_modules/${name}`]).toMatchObject({
        version: own.get(name)!.version,
        dependencies: Object.fromEntries(expected) as object,
      });
    }
  });

  test("is written as npm writes it", () => {
    expect(text).toBe(`${JSON.stringify(JSON.parse(text), undefined, 2)}\n`);
    expect(text).not.toContain("{{");
    expect(JSON.parse(text)).toMatchObject({ name: "shop", version: "0.1.0", lockfileVersion: 3 });
  });
});

/** How each of the other package managers writes that the project asks for a package. */
const askedFor = {
  pnpm: (name: string, specifier: string) => `'?${name}'?:\\n +specifier: ${specifier}\\n`,
  yarn: (name: string, specifier: string) => `"?${name}"?: "npm:${specifier}"\\n`,
  bun: (name: string, specifier: string) => `"${name}": "${specifier}",\\n`,
};

describe.each([
  ["pnpm", []],
  ["yarn", []],
  ["bun", []],
  ["pnpm", ["mysql2"]],
  ["yarn", ["mysql2"]],
  ["bun", ["mysql2"]],
] as const)("the lock file of %s with %j", (manager, further) => {
  const text = formatLock(manager, "zoo", released, further);
  const npms = readLock(formatLock("npm", "zoo", released, further))!;
  const isLeftOut = (name: string): boolean => manager === "pnpm" && released.has(name);
  const missingIn = (patterns: readonly string[]): string[] =>
    patterns.filter((pattern) => !new RegExp(pattern, "u").test(text));

  test("has the tree that npm chose, without a registry and without words left", () => {
    expect(text).not.toMatch(/https?:\/\/127|\{\{/u);
    const tree = Object.entries(npms.packages)
      .filter(([path]) => path !== "")
      .map(([path, { version = "" }]) => ({ name: path.split("node_modules/").at(-1)!, version }))
      .filter(({ name }) => !isLeftOut(name))
      .map(({ name, version }) => `${name}@(?:npm:)?${version.replaceAll(".", "\\.")}['":]`);
    expect(tree.length).toBeGreaterThan(100);
    expect(missingIn(tree)).toEqual([]);
  });

  test("is of the dependencies of the template, but for those that pnpm has to add", () => {
    const { dependencies, devDependencies } = npms.packages[""]!;
    const asked = Object.entries({ ...dependencies, ...devDependencies })
      .filter(([name]) => !isLeftOut(name))
      .map(([name, specifier]) => askedFor[manager](name, specifier.replace("^", "\\^")));
    expect(asked.length).toBeGreaterThan(3);
    expect(missingIn(asked)).toEqual([]);
    expect([...released.keys()].filter((name) => text.includes(`${name}@`)).length).toBe(
      manager === "pnpm" ? 0 : released.size,
    );
  });
});

test("the entries of Yarn's are sorted, wherever the project's name belongs", () => {
  for (const name of ["a", "my-operator", "zoo"]) {
    const keys = formatLock("yarn", name, released).matchAll(/^"?([^\s#"_][^"\n]*)"?:$/gmu);
    const names = [...keys].map(([, key]) => key!);
    expect(names).toContain(`${name}@workspace:.`);
    expect(names).toEqual(names.toSorted());
  }
});
