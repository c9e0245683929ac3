import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkPackage } from "./check-package.ts";
import {
  type Tarball,
  packReleases,
  readCli,
  readCreate,
  readLibraries,
} from "../../../src/packaging/pack.ts";
import { readTarball, sha256 } from "../../../src/packaging/tarball.ts";
import { type LockedPackage, describePackage, describeRelease } from "./sbom.ts";
import { readNotes } from "./versions.ts";

/** The packages of a release, and the files beside them. */
export interface Release {
  /** The packages in the order in which they are published: dependencies come first. */
  readonly packages: readonly Tarball[];
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** The problems of the packages. With any, the release must not be published. */
  readonly problems: readonly string[];
}

/** Packs a release from the output of `npm run build`. Equal commits make equal bytes, with the same page and Node. */
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
    problems: packages.flatMap((tgz) => [...checkPackage(readTarball(tgz.bytes)), ...checkSize(tgz)]),
  };
}

/** Returns the web page of the repository, for manifests. npm rejects provenance if it is not the page of the workflow. */
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
  const isRoot = directory === ".";
  return {
    homepage: `${page}${isRoot ? "" : `/tree/HEAD/${directory}`}#readme`,
    bugs: `${page}/issues`,
    repository: { type: "git", url: `git+${page}.git`, ...(!isRoot && { directory }) },
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
  "@tsbuilder/simulation": 360,
  tsbuilder: 3900,
  "create-tsbuilder": 8,
};

/** Returns a sentence for a package that exceeds its budget, or has none. */
export function checkSize({ name, bytes }: Pick<Tarball, "name" | "bytes">, budgets = sizeBudgets): string[] {
  const budget = budgets[name];
  if (budget === undefined) return [`${name}: has no budget in e2e/lab/release/pack-release.ts`];
  const size = Math.ceil(bytes.length / 1000);
  return size <= budget ? [] : [`${name}: has ${size} kB packed, and may have ${budget}`];
}
