import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { licensesFile } from "../../shared/third-party-licenses.ts";
import { checkPackage } from "./check-package.ts";
import { readCli, readCreate, readLibraries } from "../own-sources.ts";
import { type Tarball, packReleases } from "../pack.ts";
import { readTarball } from "../tarball.ts";
import { type LockedPackage, type ReleasedPackage, describeRelease } from "./sbom.ts";
import { readNotes } from "./versions.ts";

/** The packages of a release, and the files beside them. */
export interface Release {
  /** The packages in the order in which they are published: dependencies come first. */
  readonly packages: readonly Tarball[];
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** The problems of the packages. With any, the release must not be published. */
  readonly problems: readonly string[];
}

/**
 * Packs a release from the output of `npm run build`. Its bytes depend only on the commit, the page of the repository and
 * Node's version.
 */
export function packRelease(root: string, version: string, page: string | undefined): Release {
  const sources = [...readLibraries(root), readCli(root, false), readCreate(root)];
  const packages = packReleases(sources, version, (directory) =>
    page === undefined ? {} : originOf(page, directory),
  );
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8");
  const texts = {
    "sbom.cdx.json": describeRelease(packages.map(describePackage), lock.packages),
    SHA256SUMS: packages.map(({ bytes, fileName }) => `${sha256(bytes)}  ${fileName}\n`).join(""),
    "NOTES.md": `${readNotes(changelog, version)}\n`,
  };
  return {
    packages,
    files: new Map<string, Uint8Array>([
      ...packages.map(({ fileName, bytes }) => [fileName, bytes] as const),
      ...Object.entries(texts).map(([name, text]) => [name, Buffer.from(text)] as const),
    ]),
    problems: packages.flatMap((one) => [...checkPackage(readTarball(one.bytes)), ...checkSize(one)]),
  };
}

/** Returns the page of the repository, for the packages' manifests. npm rejects provenance if it isn't the workflow's. */
export function findRepository(
  remote: string | undefined,
  { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name }: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const url = server && name ? `${server}/${name}` : (remote ?? "");
  const web = url.replace(/^(?:ssh:\/\/git@([^:/]+)(?::\d+)?\/|git@([^:/]+):)/u, "https://$1$2/");
  if (!web.startsWith("https://")) return undefined;
  const page = new URL(web);
  // A token in the address of the remote must not be published.
  page.username = "";
  page.password = "";
  return page.href.replace(/(?:\.git)?\/?$/u, "");
}

/** Returns the fields of a `package.json` that name the package's origin: the repository, and its folder there. */
export function originOf(page: string, directory: string): Readonly<Record<string, unknown>> {
  const inside = directory === "." ? {} : { directory };
  return {
    homepage: `${page}${directory === "." ? "" : `/tree/HEAD/${directory}`}#readme`,
    bugs: `${page}/issues`,
    repository: { type: "git", url: `git+${page}.git`, ...inside },
  };
}

/**
 * The largest sizes of packed packages in kilobytes, a fifth above those at the time of writing. A mistake, such as a
 * dependency in the bundle or a second copy of the tables, exceeds them at once. If you add that much on purpose, raise them.
 */
const sizeBudgets: Readonly<Record<string, number>> = {
  "@tsbuilder/apimachinery": 985,
  "@tsbuilder/runtime": 610,
  "@tsbuilder/cluster": 560,
  "@tsbuilder/simulation": 210,
  tsbuilder: 3000,
  "create-tsbuilder": 8,
};

/** Returns a sentence for a package that exceeds its size, or has no limit. */
export function checkSize({ name, bytes }: Pick<Tarball, "name" | "bytes">, budgets = sizeBudgets): string[] {
  const budget = budgets[name];
  if (budget === undefined) return [`${name}: has no budget in src/packaging/release/pack-release.ts`];
  const size = Math.ceil(bytes.length / 1000);
  return size <= budget ? [] : [`${name}: has ${size} kB packed, and may have ${budget}`];
}

export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

function describePackage({ name, version, bytes }: Tarball): ReleasedPackage {
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
    bundled: licenses.flatMap((text) => text.split("\n").filter((line) => label.test(line))),
  };
}

const label = /^\S+ \d+\.\d+\S* \(.+\)$/u;
