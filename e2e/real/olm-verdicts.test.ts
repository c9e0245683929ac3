import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import type { OptionalSet } from "../../src/olm/validate/rules.ts";
import { validateBundle } from "../../src/olm/validate/validate-bundle.ts";
import { everythingBelow, memoryTree } from "../../src/scaffold/tree.ts";
import { damages } from "../support/bundle-damages.ts";
import { applyDamage, randomDamage } from "../support/random-damages.ts";
import { replacedFiles } from "../support/replaced-bundle-files.ts";
import { bundleTexts, damage, rightBundle } from "../support/right-bundle.ts";
import { findOlmPrograms, moduleFolder } from "./olm-programs/build.ts";

// Bundles that are judged by our rules, and by the libraries of operator-sdk and opm: what they refuse, we refuse. The
// other way around it need not be, since they don't ask what API servers and OLM do with a bundle.

const found = findOlmPrograms();
if ("missing" in found) console.log(`left out: verdicts on bundles: ${found.missing}`);
const work = mkdtempSync(join(tmpdir(), "tsbuilder-verdicts-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

interface Verdict {
  readonly unreadable: string;
  readonly format: readonly string[];
  readonly findings: readonly { readonly level: string; readonly detail: string }[];
}

/** All that the libraries judge: they would ask registries for the platforms of images. */
const optional: OptionalSet[] = ["operatorhub", "capabilities", "categories", "good-practices", "community"];

type Texts = Readonly<Record<string, string>>;

/** What the libraries refuse each bundle for. */
function refusals(bundles: readonly Texts[]): string[][] {
  if ("missing" in found) return [];
  const root = mkdtempSync(join(work, "bundles-"));
  bundles.forEach((texts, index) => {
    for (const [path, text] of Object.entries(texts)) {
      const file = join(root, String(index), path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  });
  const input = bundles.map((_, index) => `${join(root, String(index), "bundle")}\n`).join("");
  const told = execFileSync(join(found.folder, "olmprograms"), ["judge"], {
    input,
    encoding: "utf8",
    maxBuffer: 2 ** 30,
    stdio: ["pipe", "pipe", "ignore"],
  });
  return told
    .trim()
    .split("\n")
    .map((line) => {
      const { unreadable, format, findings } = JSON.parse(line) as Verdict;
      const errors = findings.filter(({ level }) => level === "Error").map(({ detail }) => detail);
      return [...(unreadable === "" ? [] : [unreadable]), ...format, ...errors];
    });
}

/** The bundles that only the libraries refuse. */
async function onlyTheirs(bundles: Readonly<Record<string, Texts>>): Promise<Record<string, string[]>> {
  const names = Object.keys(bundles);
  const reasons = refusals(Object.values(bundles));
  const ours = await Promise.all(
    names.map((name) => validateBundle(memoryTree(bundles[name]), "bundle", { optional })),
  );
  const isOurs = (index: number): boolean => ours[index]!.some(({ severity }) => severity === "error");
  return Object.fromEntries(
    names.flatMap((name, index) =>
      reasons[index]!.length > 0 && !isOurs(index) ? [[name, reasons[index]!]] : [],
    ),
  );
}

/** The library's own examples, with the annotations that it does not ask for. */
function theirExamples(): Record<string, Texts> {
  const tree = everythingBelow(
    join(moduleFolder("github.com/operator-framework/api"), "pkg/validation/internal/testdata"),
  );
  const right = bundleTexts(rightBundle());
  const bundles: Record<string, Record<string, string>> = {};
  for (const path of tree.list("")) {
    const [, name, rest] = /^([^/]*bundle[^/]*|(?:deprecated|removed)_api[^/]*)\/(.*)$/u.exec(path) ?? [];
    if (name === undefined || rest === undefined) continue;
    const inside = /^(?:manifests|metadata|tests)\//u.test(rest) ? rest : `manifests/${rest}`;
    bundles[name] ??= Object.fromEntries(
      Object.entries(right).filter(
        ([file]) => file.startsWith("bundle/metadata/") || file.startsWith("bundle/tests/"),
      ),
    );
    bundles[name][`bundle/${inside}`] = tree.read(path)!;
  }
  return bundles;
}

describe.skipIf("missing" in found)("the libraries of operator-sdk and opm", () => {
  test("find nothing wrong with the right bundle", () => {
    expect(refusals([bundleTexts(rightBundle())])).toEqual([[]]);
  });

  test("refuse no damage that we take", async () => {
    const single = damages.map(([rule, file, path, value]) => {
      const files = rightBundle();
      damage(files, file, path, value);
      return [`${rule}: ${file} ${path} ${JSON.stringify(value)}`, bundleTexts(files)] as const;
    });
    const whole = replacedFiles.map(
      ([rule, file, content], index) =>
        [`${rule}: ${file} ${index}`, bundleTexts({ ...rightBundle(), [file]: content })] as const,
    );
    const bundles = Object.fromEntries([...single, ...whole]);

    expect(Object.keys(bundles).length).toBeGreaterThan(150);
    expect(await onlyTheirs(bundles)).toEqual({});
  });

  test("refuse none of their own examples that we take", async () => {
    const bundles = theirExamples();

    expect(Object.keys(bundles).length).toBeGreaterThan(10);
    expect(await onlyTheirs(bundles)).toEqual({});
  });

  test("refuse no random damage that we take", async () => {
    const cases = fc.sample(randomDamage, 200).map((one) => {
      const files = rightBundle();
      applyDamage(files, one);
      return [JSON.stringify(one), bundleTexts(files)] as const;
    });

    expect(await onlyTheirs(Object.fromEntries(cases))).toEqual({});
  });
});
