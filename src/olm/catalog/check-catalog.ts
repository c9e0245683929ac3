import { parseSemver } from "@tsbuilder/apimachinery/semver";
import type { Tree } from "../../scaffold/tree.ts";
import type { Located } from "../located.ts";
import { sortFindings } from "../rule-finding.ts";
import { type Catalog, type CatalogFinding, finding, properties, readCatalog } from "./catalog.ts";
import { parseRange } from "../version-range.ts";

/** Checks a file-based catalog in a folder of a tree, by the rules of opm, which would not serve a catalog that breaks one. */
export function checkCatalog(tree: Tree, folder: string): CatalogFinding[] {
  const { catalog, findings } = readCatalog(tree, folder);
  return sortFindings([
    ...findings,
    ...checkBlobs(catalog),
    ...checkPackages(catalog),
    ...checkChannels(catalog),
    ...checkBundles(catalog),
  ]);
}

function* checkBlobs({ packages, channels, bundles, others }: Catalog): Iterable<CatalogFinding> {
  for (const blob of others) {
    if (blob.get("schema").text) continue;
    const message = "the document has no schema";
    yield finding("blob-schema", blob, message, "set schema: olm.package, olm.channel or olm.bundle");
  }
  const names = new Set(packages.map((one) => one.get("name").text));
  for (const blob of [...channels, ...bundles]) {
    const name = blob.get("package");
    if (name.text !== undefined && names.has(name.text)) continue;
    const message = `the catalog has no package ${JSON.stringify(name.value ?? null)}`;
    yield finding("package-missing", name, message, "create it with tsbuilder catalog init PACKAGE");
  }
}

function* checkPackages({ packages, channels }: Catalog): Iterable<CatalogFinding> {
  const seen = new Set<string | undefined>();
  for (const described of packages) {
    const name = described.get("name");
    if (!name.text || seen.has(name.text)) {
      const message = name.text ? `the package "${name.text}" is described twice` : "the package has no name";
      yield finding("package-duplicate", name, message, "describe each package once, by its name");
    }
    seen.add(name.text);
    const defaultChannel = described.get("defaultChannel");
    const ownChannels = channels.filter((channel) => isIn(channel, name.text));
    if (ownChannels.some((channel) => channel.get("name").value === defaultChannel.value)) continue;
    const message = `the package has no channel ${JSON.stringify(defaultChannel.value ?? null)}, which is its default`;
    const hint = "name one of its channels, or add a bundle to this one";
    yield finding("default-channel", defaultChannel, message, hint);
  }
}

/** Returns whether a channel or bundle is in a package. */
function isIn(blob: Located, name: string | undefined): boolean {
  return blob.get("package").text === name;
}

function* checkChannels({ channels, bundles }: Catalog): Iterable<CatalogFinding> {
  const seen = new Set<string>();
  for (const channel of channels) {
    const [name, packageName] = [channel.get("name"), channel.get("package").text];
    const id = `${packageName} ${name.text}`;
    if (!name.text || seen.has(id)) {
      const message = name.text ? `the channel "${name.text}" is described twice` : "the channel has no name";
      yield finding("channel-name", name, message, "describe each channel once, by its name");
    }
    seen.add(id);
    yield* checkChannel(channel);
    for (const entry of channel.get("entries").items.map((one) => one.get("name"))) {
      if (bundles.some((bundle) => isIn(bundle, packageName) && bundle.get("name").value === entry.value))
        continue;
      const message = `the catalog has no bundle ${JSON.stringify(entry.value ?? null)}`;
      yield finding("entry-bundle", entry, message, "add it with tsbuilder catalog add, or delete the entry");
    }
  }
}

/** Checks the entries of a channel, and the upgrades between them. */
function* checkChannel(channel: Located): Iterable<CatalogFinding> {
  const entries = new Map<string, Located>();
  const listed = channel.get("entries").items;
  if (listed.length === 0) {
    const message = `the channel "${channel.get("name").text}" has no entries`;
    yield finding("channel-empty", channel.get("entries"), message, "add a bundle: tsbuilder catalog add");
    return;
  }
  for (const entry of listed) {
    const name = entry.get("name");
    if (name.text === undefined || entries.has(name.text)) {
      const message =
        name.text === undefined ? "an entry has no name" : `"${name.text}" is in the channel twice`;
      yield finding("entry-duplicate", name, message, "list each bundle once");
      continue;
    }
    entries.set(name.text, entry);
    for (const skipped of entry.get("skips").items.filter((one) => !one.text)) {
      const message = `the name of a skipped bundle is ${skipped.value === "" ? "empty" : "not a text"}`;
      yield finding("entry-skips", skipped, message, "name it, or delete it");
    }
    const range = entry.get("skipRange");
    if (range.isMissing || range.value === "" || parseRange(range.text ?? "")) continue;
    const message = `skipRange ${JSON.stringify(range.value)} is not a range of versions`;
    yield finding("entry-skip-range", range, message, 'use one such as ">=1.0.0 <1.2.0"');
  }
  yield* checkUpgrades(channel, entries);
}

/** Checks the upgrades of a channel: it has one head, and each other entry leads to it by `replaces`, or is skipped. */
function* checkUpgrades(channel: Located, entries: ReadonlyMap<string, Located>): Iterable<CatalogFinding> {
  const skipped = new Set([...entries.values()].flatMap((entry) => entry.get("skips").texts));
  const replaced = new Set([...entries.values()].map((entry) => entry.get("replaces").text));
  const heads = [...entries.keys()].filter((name) => !skipped.has(name) && !replaced.has(name));
  // If there is a head, skipped entries may replace each other in a cycle.
  const starts = [...entries.keys()].filter((name) => heads.length !== 1 || !skipped.has(name));
  const cycle = findCycle(entries, starts);
  if (cycle !== undefined) {
    const message = `the upgrades form a cycle: ${cycle.join(" replaces ")}`;
    const hint = "each bundle replaces an earlier one";
    yield finding("channel-cycle", entries.get(cycle[0]!)!.get("replaces"), message, hint);
    return;
  }
  if (heads.length !== 1) {
    const message =
      heads.length === 0
        ? "every entry of the channel is replaced or skipped, so none is installed"
        : `the channel has several heads: ${heads.join(", ")}`;
    const hint =
      "set replaces or skips of the newest bundle, so that it alone is neither replaced nor skipped";
    yield finding("channel-head", channel.get("entries"), message, hint);
    return;
  }
  const reached = new Set<string>();
  for (
    let name: string | undefined = heads[0];
    name !== undefined;
    name = entries.get(name)?.get("replaces").text
  ) {
    reached.add(name);
  }
  for (const [name, entry] of entries) {
    if (reached.has(name) || skipped.has(name)) continue;
    const message = `no upgrade leads from "${name}" to the head "${heads[0]}"`;
    yield finding("channel-stranded", entry.get("name"), message, "have a later bundle replace or skip it");
  }
}

/** Returns the names on a cycle of replacements, the first one again at the end. */
function findCycle(entries: ReadonlyMap<string, Located>, starts: readonly string[]): string[] | undefined {
  const done = new Set<string>();
  for (const start of starts) {
    const path: string[] = [];
    for (
      let name: string | undefined = start;
      name !== undefined && entries.has(name) && !done.has(name);
      name = entries.get(name)!.get("replaces").text
    ) {
      if (path.includes(name)) return [...path.slice(path.indexOf(name)), name];
      path.push(name);
    }
    for (const name of path) done.add(name);
  }
  return undefined;
}

function* checkBundles({ channels, bundles }: Catalog): Iterable<CatalogFinding> {
  const names = new Set<string>();
  const versions = new Map<string, string | undefined>();
  for (const bundle of bundles) {
    const [name, packageName] = [bundle.get("name"), bundle.get("package").text];
    const id = `${packageName} ${name.text}`;
    if (!name.text || names.has(id)) {
      const message = name.text ? `the bundle "${name.text}" is described twice` : "the bundle has no name";
      yield finding("bundle-duplicate", name, message, "describe each bundle once, by its name");
      continue;
    }
    names.add(id);
    const entries = channels
      .filter((channel) => isIn(channel, packageName))
      .flatMap((channel) => channel.get("entries").items);
    if (!entries.some((entry) => entry.get("name").value === name.value)) {
      const message = `no channel has the bundle "${name.text}"`;
      yield finding("bundle-channel", name, message, "list it in the entries of a channel, or delete it");
    }
    if (!bundle.get("image").text) {
      const message = `the bundle "${name.text}" has no image`;
      yield finding("bundle-image", bundle.get("image"), message, "set the image that holds its files");
    }
    const version = versionOf(bundle);
    if (version?.text === undefined || !parseSemver(version.text)) {
      const message = `"${name.text}" has not exactly one property olm.package with its package and a semantic version`;
      const hint = "render the bundle again with tsbuilder catalog add";
      yield finding("bundle-package", version ?? bundle.get("properties"), message, hint);
      continue;
    }
    const sameVersion = versions.get(`${packageName} ${version.text}`);
    if (sameVersion !== undefined) {
      const message = `"${sameVersion}" has the version ${version.text}, too`;
      yield finding("bundle-version", version, message, "give each bundle a version of its own");
    }
    versions.set(`${packageName} ${version.text}`, name.text);
  }
}

/** Returns the version in the property of the bundle's own package; undefined unless there is exactly one such property. */
function versionOf(bundle: Located): Located | undefined {
  const [value, ...more] = bundle
    .get("properties")
    .items.filter((property) => property.get("type").value === properties.package)
    .map((property) => property.get("value"));
  if (!value || more.length > 0 || value.get("packageName").value !== bundle.get("package").value)
    return undefined;
  return value.get("version");
}
