import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { type OptionalSet, type RuleName, rules } from "../../../src/olm/validate/rules.ts";
import { validateBundle } from "../../../src/olm/validate/validate-bundle.ts";
import { everythingBelow, memoryTree } from "../../../src/scaffold/tree.ts";
import { damages } from "../../support/olm/bundle-damages.ts";
import { applyDamage, randomDamage } from "../../support/olm/random-damages.ts";
import { replacedFiles } from "../../support/olm/replaced-bundle-files.ts";
import { bundleTexts, damage, rightBundle } from "../../support/olm/right-bundle.ts";
import { findOlmPrograms } from "./olm-programs/build.ts";

// Bundles that are judged by our rules, and by the libraries of operator-sdk and opm: what they refuse, we refuse. The
// other way around it need not be, since they don't ask what API servers and OLM do with a bundle.

const found = findOlmPrograms();
if ("missing" in found) console.log(`left out: verdicts on bundles: ${found.missing}`);
const work = mkdtempSync(join(tmpdir(), "tsbuilder-verdicts-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

interface Verdict {
  readonly unreadable: string;
  readonly format: readonly string[];
  readonly findings: readonly { readonly set: string; readonly level: string; readonly detail: string }[];
}

/** All that the libraries judge: they would ask registries for the platforms of images. */
const optional: OptionalSet[] = ["operatorhub", "capabilities", "categories", "good-practices", "community"];

/** Errors of their set of good practices, for which every bundle is refused here. */
const noDeployment = "unable to find a deployment to install in the CSV";

type Texts = Readonly<Record<string, string>>;

/** A set of rules, or the empty text for those of every bundle; and why it is broken. */
interface Refusal {
  readonly set: string;
  readonly reason: string;
}

/** The libraries' errors for each bundle. */
function refusals(bundles: readonly Texts[]): Refusal[][] {
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
      const always = [...(unreadable === "" ? [] : [unreadable]), ...format];
      return [
        ...always.map((reason) => ({ set: "", reason })),
        ...findings
          .filter(({ level }) => level === "Error" || level === "Panic")
          .map(({ set, detail }) => ({ set, reason: detail })),
      ];
    });
}

/** The rules that our judgement finds broken. */
async function brokenRules(texts: Texts): Promise<readonly RuleName[]> {
  const findings = await validateBundle(memoryTree(texts), "bundle", { optional });
  const errors = findings.filter(({ severity }) => severity === "error");
  return [...new Set(errors.map(({ rule }) => rule))].toSorted();
}

/** The sets that have rules of the libraries alone. */
const sameSets: readonly string[] = ["operatorhub", "capabilities", "categories"];

/** Errors in bundles that one side alone reports, set by set, and the sets by which the libraries refused any. */
async function compare(bundles: Readonly<Record<string, Texts>>): Promise<{
  readonly onlyTheirs: Readonly<Record<string, readonly Refusal[]>>;
  /** The rules of `sameSets` by which we refuse a bundle that the libraries have read and take. */
  readonly onlyOurs: Readonly<Record<string, readonly RuleName[]>>;
  readonly sets: readonly string[];
}> {
  const names = Object.keys(bundles);
  const theirs = refusals(Object.values(bundles));
  const broken = await Promise.all(names.map((name) => brokenRules(bundles[name]!)));
  const ours = broken.map((found) => new Set<string>(found.map((rule) => rules[rule].set ?? "")));
  const alone = theirs.map((reasons, index) => {
    const always = new Set(reasons.filter(({ set }) => set === "").map(({ reason }) => reason));
    // Some of their sets repeat what holds for every bundle.
    const isRepeated = ({ set, reason }: Refusal): boolean =>
      set !== "" && (always.has(reason) || (reason === noDeployment && ours[index]!.has("")));
    return reasons.filter((one) => !ours[index]!.has(one.set) && !isRepeated(one));
  });
  const oursAlone = broken.map((found, index) => {
    const theirSets = new Set(theirs[index]!.map(({ set }) => set));
    return theirSets.has("")
      ? []
      : found.filter((rule) => {
          const set = rules[rule].set ?? "";
          return sameSets.includes(set) && !theirSets.has(set);
        });
  });
  return {
    onlyTheirs: Object.fromEntries(
      names.flatMap((name, index) => (alone[index]!.length > 0 ? [[name, alone[index]!]] : [])),
    ),
    onlyOurs: Object.fromEntries(
      names.flatMap((name, index) => (oursAlone[index]!.length > 0 ? [[name, oursAlone[index]!]] : [])),
    ),
    sets: [...new Set(theirs.flatMap((reasons) => reasons.map(({ set }) => set)))].toSorted(),
  };
}

/** The library's own examples, with the annotations that it does not ask for. */
function theirExamples(): Record<string, Texts> {
  if ("missing" in found) return {};
  const tree = everythingBelow(found.examples);
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
    expect((await compare(bundles)).onlyTheirs).toEqual({});
  });

  test("refuse none of their own examples that we take", async () => {
    const bundles = theirExamples();

    const { onlyTheirs, sets } = await compare(bundles);
    expect(sets).toEqual(["", "capabilities", "categories", "community", "good-practices", "operatorhub"]);
    expect(onlyTheirs).toEqual({});
    const broken = Object.entries(bundles).map(async ([name, texts]) => [name, await brokenRules(texts)]);
    // Sets are compared: an error of ours hides all of theirs in the same set.
    const old = ["community-openshift", "csv-field", "owned-crd-missing"];
    expect(Object.fromEntries(await Promise.all(broken))).toEqual({
      bundle_with_deprecated_resources: [
        "community-openshift",
        "disruption-budget",
        "hub-icon",
        "object-kind",
        "one-object",
        "priority-class",
        "service-account-conflict",
      ],
      bundle_with_metadata: ["crd-invalid", "deployment-name", "hub-icon"],
      deprecated_api_1_25: ["hub-icon", "object-kind"],
      invalid_bundle: old,
      invalid_bundle_2: ["community-openshift", "crd-not-owned", "owned-crd-missing"],
      invalid_bundle_3: [
        "community-openshift",
        "crd-invalid",
        "csv-field",
        "install-strategy",
        "object-duplicate",
      ],
      invalid_bundle_operatorhub: [
        "community-openshift",
        "csv-field",
        "csv-version",
        "examples-kind",
        "hub-capabilities",
        "hub-categories",
        "hub-icon",
        "hub-links",
        "hub-maintainers",
        "hub-provider",
        "hub-version",
        "owned-crd-missing",
      ],
      invalid_bundle_sa: [
        "community-openshift",
        "csv-field",
        "object-namespace",
        "owned-crd-missing",
        "service-account-conflict",
      ],
      removed_api_1_25: ["hub-icon", "object-kind"],
      removed_api_1_26: ["hub-icon", "object-kind"],
      valid_bundle: old,
      valid_bundle_2: [
        "community-openshift",
        "crd-invalid",
        "crd-not-owned",
        "csv-field",
        "install-strategy",
        "owned-crd-missing",
      ],
      valid_bundle_custom_categories: [
        "community-openshift",
        "csv-field",
        "hub-categories",
        "owned-crd-missing",
      ],
      valid_bundle_v1: ["hub-icon", "service-account-conflict"],
      valid_bundle_v1beta1: old,
    });
  });

  test("refuse no random damage that we take", async () => {
    const cases = fc.sample(randomDamage, 200).map((one) => {
      const files = rightBundle();
      applyDamage(files, one);
      return [JSON.stringify(one), bundleTexts(files)] as const;
    });

    const { onlyTheirs, onlyOurs } = await compare(Object.fromEntries(cases));
    expect(onlyTheirs).toEqual({});
    expect(onlyOurs).toEqual({});
  });
});
