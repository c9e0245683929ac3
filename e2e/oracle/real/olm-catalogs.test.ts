import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { addBundle, newPackage } from "../../../src/olm/catalog/edit-catalog.ts";
import { checkCatalog } from "../../../src/olm/catalog/check-catalog.ts";
import { renderBundle } from "../../../src/olm/catalog/render-bundle.ts";
import { readBundle } from "../../../src/olm/validate/bundle.ts";
import { writeYaml } from "../../../src/olm/bundle-format.ts";
import { Draft, everythingBelow, memoryTree } from "../../../src/scaffold/tree.ts";
import { goldenProjects, run as call } from "../../golden/golden-projects.ts";
import { useGoldenCopies } from "../../support/projects/golden-copies.ts";
import { bundleTexts, type BundleFiles, damage, rightBundle } from "../../support/olm/right-bundle.ts";
import { findOlmPrograms } from "./olm-programs/build.ts";

// Catalogs as opm's libraries see them: they render bundles, validate catalogs, and serve them.

const found = findOlmPrograms();
if ("missing" in found) console.log(`left out: catalogs by opm: ${found.missing}`);
const program = "missing" in found ? "" : join(found.folder, "olmprograms");
const { work: copies, missing } = useGoldenCopies(
  "bundles of golden projects rendered by opm",
  async (root) => {
    if (program === "") return;
    await call(["bundle", "--image", "registry.example.com/operator:v1.0.0"], root);
  },
);
const work = mkdtempSync(join(tmpdir(), "tsbuilder-catalogs-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

const image = "registry.example.com/bundle:v1";

type Texts = Readonly<Record<string, string>>;

function write(texts: Texts): string {
  const root = mkdtempSync(join(work, "files-"));
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** opm's error for each catalog; empty if it accepts it. */
function refusals(catalogs: readonly Texts[]): string[] {
  const input = catalogs.map((texts) => `${join(write(texts), "catalog")}\n`).join("");
  const told = execFileSync(program, ["catalogs"], {
    input,
    encoding: "utf8",
    stdio: ["pipe", "pipe", "ignore"],
  });
  return told
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as string);
}

/** A bundle as opm renders it, and as we do, each without an order of properties and images. */
function renderBoth(root: string): { readonly theirs: unknown; readonly ours: unknown } {
  const told = execFileSync(program, ["render", join(root, "bundle"), image], { encoding: "utf8" });
  const { bundle } = readBundle(everythingBelow(root), "bundle");
  const sorted = (blob: object): unknown => {
    const { properties, relatedImages, ...rest } = blob as Record<string, unknown[]>;
    const texts = (list: unknown[]): string[] => list.map((one) => JSON.stringify(sortKeys(one))).toSorted();
    return { ...rest, properties: texts(properties!), relatedImages: texts(relatedImages!) };
  };
  return { theirs: sorted(JSON.parse(told) as object), ours: sorted(renderBundle(bundle, image)) };
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, one]) => [key, sortKeys(one)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The right bundle with what a bundle may depend on, and promise. */
function fullBundle(): BundleFiles {
  const files = rightBundle();
  const csv = "manifests/shop-operator.clusterserviceversion.yaml";
  damage(files, csv, "spec customresourcedefinitions required", [
    { name: "carts.example.com", version: "v1", kind: "Cart" },
  ]);
  const range = { packageName: "cart-operator", version: ">=1.0.0" };
  const rule = { failureMessage: "no cart", cel: { rule: "true" } };
  return {
    ...files,
    "metadata/dependencies.yaml": {
      dependencies: [
        { type: "olm.gvk", value: { group: "example.com", version: "v1", kind: "Cart" } },
        { type: "olm.gvk", value: { group: "example.com", version: "v1", kind: "Till" } },
        { type: "olm.package", value: range },
        { type: "olm.constraint", value: rule },
      ],
    },
    "metadata/properties.yaml": {
      properties: [
        { type: "olm.gvk", value: { group: "apps.example.com", version: "v1", kind: "Shop" } },
        { type: "olm.maxOpenShiftVersion", value: "4.20" },
      ],
    },
  };
}

/** A channel of up to five versions, whose upgrades are anything. */
const randomEntries = fc.uniqueArray(
  fc.record(
    {
      name: fc.constantFrom("a.v1.0.0", "a.v1.1.0", "a.v1.2.0", "a.v2.0.0", "a.v3.0.0"),
      replaces: fc.constantFrom("a.v0.9.0", "a.v1.0.0", "a.v1.1.0", "a.v1.2.0", "a.v2.0.0"),
      skips: fc.array(fc.constantFrom("a.v1.0.0", "a.v1.1.0", "a.v1.2.0", ""), { maxLength: 2 }),
      skipRange: fc.constantFrom("<1.1.0", ">=1.0.0 <2.x", "", "1.x || 2.x"),
    },
    { requiredKeys: ["name"] },
  ),
  { maxLength: 5, selector: ({ name }) => name },
);

function catalogOf(entries: readonly { readonly name: string }[]): Texts {
  const bundles = entries.map(({ name }) => {
    const value = { packageName: "a", version: name.slice("a.v".length) };
    return { schema: "olm.bundle", name, package: "a", image, properties: [{ type: "olm.package", value }] };
  });
  const blobs = [
    { schema: "olm.package", name: "a", defaultChannel: "stable" },
    { schema: "olm.channel", package: "a", name: "stable", entries },
    ...bundles,
  ];
  return { "catalog/a/catalog.yaml": blobs.map((blob) => `---\n${writeYaml(blob)}`).join("") };
}

interface Served {
  readonly packages: readonly {
    readonly name: string;
    readonly defaultChannelName: string;
    readonly channels: readonly { readonly name: string; readonly csvName: string }[];
  }[];
  readonly bundles: readonly {
    readonly csvName: string;
    readonly channelName: string;
    readonly bundlePath: string;
    readonly replaces?: string;
  }[];
}

/** The contents of the catalog of a folder while it is served. */
async function serveAndAsk(folder: string): Promise<Served> {
  // Its temporary files outlive one that is killed.
  const env = { ...process.env, TMPDIR: work };
  const served = spawn(program, ["serve", folder], { env, stdio: ["pipe", "pipe", "ignore"] });
  const exit = once(served, "exit");
  try {
    const ended = exit.then(() => Promise.reject(new Error("it serves nothing")));
    const [line] = (await Promise.race([once(served.stdout, "data"), ended])) as [Buffer];
    const told = execFileSync(program, ["ask", JSON.parse(line.toString()) as string], { encoding: "utf8" });
    return JSON.parse(told) as Served;
  } finally {
    served.stdin.end();
    await exit;
  }
}

describe.skipIf("missing" in found)("opm", () => {
  test.skipIf(missing !== undefined).each(goldenProjects)("renders the bundle of %s as we do", (name) => {
    const { theirs, ours } = renderBoth(join(copies, name));

    expect(ours).toEqual(theirs);
  });

  test("renders dependencies and properties as we do", () => {
    const { theirs, ours } = renderBoth(write(bundleTexts(fullBundle())));

    expect(ours).toEqual(theirs);
  });

  test("takes a random channel if and only if we do", () => {
    const catalogs = fc.sample(randomEntries, 400).map(catalogOf);
    const theirs = refusals(catalogs);
    const isTaken = (texts: Texts): boolean =>
      checkCatalog(memoryTree(texts), "catalog").every(({ severity }) => severity !== "error");
    const differ = catalogs.flatMap((texts, index) =>
      isTaken(texts) === (theirs[index] === "") ? [] : [{ texts, theirs: theirs[index] }],
    );

    expect(theirs.filter((reason) => reason === "").length).toBeGreaterThan(20);
    expect(differ).toEqual([]);
  });

  test("serves a catalog of two versions, with their packages, channels and upgrades", async () => {
    const settings = {
      name: "shop-operator",
      defaultChannel: "stable",
      description: undefined,
      icon: undefined,
    };
    const draft = new Draft(memoryTree(newPackage("catalog", settings)));
    const former = rightBundle();
    const csv = "manifests/shop-operator.clusterserviceversion.yaml";
    damage(former, csv, "metadata name", "shop-operator.v1.0.0");
    damage(former, csv, "spec version", "1.0.0");
    damage(former, csv, "spec replaces", undefined);
    for (const files of [former, rightBundle()]) {
      const { bundle } = readBundle(memoryTree(bundleTexts(files)), "bundle");
      addBundle(draft, bundle, { folder: "catalog", channels: ["stable", "fast"], image });
    }
    const file = "catalog/shop-operator/catalog.yaml";
    const root = write({ [file]: draft.read(file)! });
    const { packages, bundles } = await serveAndAsk(join(root, "catalog"));

    expect(packages).toMatchObject([{ name: "shop-operator", defaultChannelName: "stable" }]);
    expect(packages[0]!.channels.map(({ name, csvName }) => `${name} ${csvName}`).toSorted()).toEqual([
      "fast shop-operator.v1.1.0",
      "stable shop-operator.v1.1.0",
    ]);
    const upgrades = bundles.map(
      ({ csvName, channelName, replaces }) => `${channelName} ${csvName} for ${replaces}`,
    );
    expect(upgrades.toSorted()).toEqual([
      "fast shop-operator.v1.0.0 for undefined",
      "fast shop-operator.v1.1.0 for shop-operator.v1.0.0",
      "stable shop-operator.v1.0.0 for undefined",
      "stable shop-operator.v1.1.0 for shop-operator.v1.0.0",
    ]);
    expect(bundles.map(({ bundlePath }) => bundlePath)).toEqual([image, image, image, image]);
  });
});
