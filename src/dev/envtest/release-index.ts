import { parse } from "yaml";
import { TsbuilderError } from "../../shared/errors.ts";
import { fetchBytes } from "./fetch-bytes.ts";
import { chooseVersion } from "./choose-version.ts";

/** An archive of binaries for one version and one platform. */
export interface Archive {
  /** Without the leading `v`. */
  readonly version: string;
  readonly url: string;
  /** SHA-512, hexadecimal. */
  readonly hash: string;
}

/** The content of `envtest-releases.yaml`: versions with their archives by file name, each with hash and URL. */
interface ReleaseIndex {
  readonly releases?: Readonly<
    Record<string, Readonly<Record<string, { hash?: string; selfLink?: string }>>>
  >;
}

/** Finds the archive of a version in the index at a URL; links in it may be relative to the index. */
export async function findArchive(
  index: string,
  wanted: string | undefined,
  platform: string,
): Promise<Archive> {
  const releases = await readReleases(index);
  const offered = Object.keys(releases)
    .filter((name) => archiveName(name, platform) in releases[name]!)
    .map((name) => name.slice(1));
  const version = chooseVersion(offered, wanted);
  if (version === undefined) {
    throw new TsbuilderError(`the index has no version ${wanted ?? ""} for ${platform}`.replace("  ", " "), {
      code: "NOT_FOUND",
      hint:
        offered.length > 0
          ? `the latest version in it is ${chooseVersion(offered, undefined)}`
          : `see ${index}`,
    });
  }
  const { hash, selfLink } = releases[`v${version}`]![archiveName(`v${version}`, platform)]!;
  if (hash && selfLink) return { version, hash, url: new URL(selfLink, index).href };
  throw notAnIndex(index);
}

async function readReleases(index: string): Promise<NonNullable<ReleaseIndex["releases"]>> {
  const text = Buffer.from(await fetchBytes(index)).toString("utf8");
  try {
    const { releases } = parse(text) as ReleaseIndex;
    if (releases) return releases;
  } catch {
    // A proxy or a login page responds with something that is not YAML.
  }
  throw notAnIndex(index);
}

function archiveName(release: string, platform: string): string {
  return `envtest-${release}-${platform}.tar.gz`;
}

function notAnIndex(index: string): TsbuilderError {
  return new TsbuilderError(`${index} is not an index of envtest releases`, {
    code: "INVALID_ARGUMENT",
    hint: "use the URL of an envtest-releases.yaml: --index URL, or TSBUILDER_ENVTEST_INDEX",
  });
}
