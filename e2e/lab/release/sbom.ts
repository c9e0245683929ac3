import { compareText } from "@tsbuilder/apimachinery/text";
import { licensesFile } from "../../../src/shared/third-party-licenses.ts";
import type { Tarball } from "../../../src/packaging/pack.ts";
import { readTarball, sha256 } from "../../../src/packaging/tarball.ts";

/** One of our packages in a release. */
interface ReleasedPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly sha256: string;
  readonly dependencies: readonly string[];
  /** Packages whose code is in its bundles, by the labels of the file with their licenses: `yaml 2.9.1 (ISC)`. */
  readonly bundled: readonly string[];
}

/** The fields of a lock file's entry that are read. */
export interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  /** Mostly binaries, of which npm installs the one for the machine. */
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly link?: boolean;
}

/**
 * Writes the bill of materials of a release in CycloneDX 1.5: our packages, the packages that npm installs with them in the
 * versions of the lock file, and bundled ones. `npm sbom --omit=dev` lacks bundled packages, and those that are development
 * dependencies of the repository, too. The text has no time and no random number: two releases of one commit are equal.
 */
export function describeRelease(
  released: readonly ReleasedPackage[],
  lock: Readonly<Record<string, LockedPackage>>,
): string {
  const ours = new Map(released.map(({ name, version }) => [name, `${name}@${version}`]));
  const installed = findInstalled(released, lock, ours);
  const bundled = new Map(released.flatMap((entry) => entry.bundled).map(readLabel));
  const components = new Map<string, object>();
  for (const [ref, component] of bundled) components.set(ref, component);
  for (const [ref, { component }] of installed) components.set(ref, component);
  for (const entry of released) components.set(ours.get(entry.name)!, ownComponent(entry));
  const refOf = (name: string): string => ours.get(name) ?? findLocked(name, lock).ref;
  const edges = [
    ...released.map(({ name, dependencies, bundled: labels }) => ({
      ref: ours.get(name)!,
      dependsOn: [...dependencies.map(refOf), ...labels.map((label) => readLabel(label)[0])],
    })),
    ...[...installed].map(([ref, { dependencies }]) => ({ ref, dependsOn: dependencies.map(refOf) })),
  ];
  const { version } = released[0]!;
  const document = {
    $schema: "http://cyclonedx.org/schema/bom-1.5.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: {
      component: { "bom-ref": "release", type: "application", name: "tsbuilder", version },
    },
    components: [...components].toSorted(([a], [b]) => compareText(a, b)).map(([, component]) => component),
    dependencies: [{ ref: "release", dependsOn: [...ours.values()] }, ...edges]
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: [...new Set(dependsOn)].toSorted(compareText) }))
      .toSorted((a, b) => compareText(a.ref, b.ref)),
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

/** A package that npm installs with ours. */
interface Installed {
  readonly component: object;
  readonly dependencies: readonly string[];
}

/** Finds the packages that npm installs with ours, in the versions that are tested here. */
function findInstalled(
  released: readonly ReleasedPackage[],
  lock: Readonly<Record<string, LockedPackage>>,
  ours: ReadonlyMap<string, string>,
): Map<string, Installed> {
  const installed = new Map<string, Installed>();
  const names = new Set(released.flatMap(({ dependencies }) => dependencies));
  // The loop over a Set also visits names that it adds.
  for (const name of names) {
    if (ours.has(name)) continue;
    const { ref, entry } = findLocked(name, lock);
    const dependencies = Object.keys({ ...entry.dependencies, ...entry.optionalDependencies });
    for (const dependency of dependencies) names.add(dependency);
    const component = toComponent(name, entry.version!, entry.license, entry.integrity);
    installed.set(ref, { component, dependencies });
  }
  return installed;
}

/** Returns the entry of a package in the lock file. Only the copy at the top of `node_modules` is known here. */
function findLocked(name: string, lock: Readonly<Record<string, LockedPackage>>) {
  const entry = lock[`node_modules/${name}`];
  if (entry?.version === undefined) throw new Error(`the lock file has no version of ${name}`);
  return { ref: `${name}@${entry.version}`, entry };
}

/** Reads the reference and component of a bundled package from its label. */
function readLabel(label: string): readonly [string, object] {
  const [, name, version, license] = /^(\S+) (\S+) \((.*)\)$/u.exec(label) ?? [];
  if (name === undefined || version === undefined)
    throw new Error(`"${label}" names no package with its version`);
  return [
    `${name}@${version}`,
    toComponent(name, version, license === "no license given" ? undefined : license),
  ];
}

function ownComponent({ name, version, license, sha256 }: ReleasedPackage): object {
  return { ...toComponent(name, version, license), hashes: [{ alg: "SHA-256", content: sha256 }] };
}

function toComponent(name: string, version: string, license?: string, integrity?: string): object {
  const sha512 = /^sha512-(.*)$/u.exec(integrity ?? "")?.[1];
  return {
    "bom-ref": `${name}@${version}`,
    type: "library",
    name,
    version,
    ...(license === undefined ? {} : { licenses: [{ expression: license }] }),
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    ...(sha512 === undefined
      ? {}
      : { hashes: [{ alg: "SHA-512", content: Buffer.from(sha512, "base64").toString("hex") }] }),
  };
}

/** A line of the file with the licenses of bundled packages. */
const bundledLabel = /^\S+ \d+\.\d+\S* \(.+\)$/u;

/** Reads the parts of a tarball that a bill of materials describes. */
export function describePackage({ name, version, bytes }: Tarball): ReleasedPackage {
  const texts = readTarball(bytes).map(
    ({ path, content }) => [path, Buffer.from(content).toString("utf8")] as const,
  );
  const manifest = JSON.parse(texts.find(([path]) => path === "package.json")![1]) as {
    readonly license: string;
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const licenses = texts.filter(([path]) => path.endsWith(licensesFile)).map(([, text]) => text);
  return {
    name,
    version,
    license: manifest.license,
    sha256: sha256(bytes),
    dependencies: Object.keys(manifest.dependencies),
    bundled: licenses.flatMap((text) => text.split("\n").filter((line) => bundledLabel.test(line))),
  };
}
