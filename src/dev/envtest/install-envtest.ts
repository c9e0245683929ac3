import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { parse } from "yaml";
import { TsbuilderError } from "../../shared/errors.ts";

/** The version to install, and from where. */
export interface EnvtestOptions {
  /** `1.34` or `1.34.1`. Default: the latest. */
  readonly version: string | undefined;
  readonly index: string;
  /** The folder with one subfolder for each version. */
  readonly folder: string;
  /** Use an installed version without contacting the server. */
  readonly isOffline: boolean;
  /** `linux-amd64` */
  readonly platform: string;
}

/** An installed version of the binaries. */
export interface InstalledEnvtest {
  readonly version: string;
  /** The folder of the binaries, for `KUBEBUILDER_ASSETS`. */
  readonly assets: string;
  /** True if they were just downloaded. */
  readonly isNew: boolean;
}

/** The Kubernetes project's index of its test binaries. */
export const officialIndex =
  "https://raw.githubusercontent.com/kubernetes-sigs/controller-tools/HEAD/envtest-releases.yaml";

/**
 * Ensures that kube-apiserver, etcd and kubectl of a version are installed on this machine. An exact version that is installed
 * needs no network. Throws if no version matches, or if a download fails or has another checksum than the index says.
 */
export async function installEnvtest(options: EnvtestOptions): Promise<InstalledEnvtest> {
  const { version: wanted, index, folder, platform } = options;
  const installed = installedVersions(folder, platform);
  const isExact = wanted !== undefined && installed.includes(wanted.replace(/^v/, ""));
  if (options.isOffline || isExact) {
    const version = chooseVersion(installed, wanted);
    if (version === undefined) throw notInstalled(wanted, folder, installed);
    return { version, assets: assetsFolder(folder, version, platform), isNew: false };
  }
  const archive = await findArchive(index, wanted, platform);
  const assets = assetsFolder(folder, archive.version, platform);
  const isNew = !installed.includes(archive.version);
  if (isNew) unpack(await download(archive), archive, folder, assets);
  return { version: archive.version, assets, isNew };
}

const programs = ["kube-apiserver", "etcd", "kubectl"] as const;

function installedVersions(folder: string, platform: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(`-${platform}`))
    .filter((name) => programs.every((program) => existsSync(join(folder, name, program))))
    .map((name) => name.slice(0, -platform.length - 1));
}

/** Chooses the version that is named in full, such as a pre-release, else the latest patch of `1.34`, else the latest of all. */
function chooseVersion(offered: readonly string[], wanted: string | undefined): string | undefined {
  const name = wanted?.replace(/^v/, "");
  if (name !== undefined && offered.includes(name)) return name;
  return offered
    .filter((version) => /^\d+\.\d+\.\d+$/.test(version))
    .filter((version) => name === undefined || version.startsWith(`${name}.`))
    .toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }))
    .at(-1);
}

function assetsFolder(folder: string, version: string, platform: string): string {
  return join(folder, `${version}-${platform}`);
}

function notInstalled(
  wanted: string | undefined,
  folder: string,
  installed: readonly string[],
): TsbuilderError {
  return new TsbuilderError(
    `${wanted ? `version ${wanted}` : "no version"} is ${wanted ? "not " : ""}installed in ${folder}`,
    {
      code: "NOT_FOUND",
      hint:
        installed.length > 0
          ? `installed: ${installed.join(", ")}; to download others, omit --offline`
          : "to download one, omit --offline",
    },
  );
}

/** An archive of binaries for one version and one platform. */
interface Archive {
  /** Without the leading `v`. */
  readonly version: string;
  readonly url: string;
  /** SHA-512, hexadecimal. */
  readonly hash: string;
}

/** Finds the archive of a version in the index at a URL; links in it may be relative to the index. */
async function findArchive(index: string, wanted: string | undefined, platform: string): Promise<Archive> {
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

/** The content of `envtest-releases.yaml`: versions with their archives by file name, each with hash and URL. */
interface ReleaseIndex {
  readonly releases?: Readonly<
    Record<string, Readonly<Record<string, { hash?: string; selfLink?: string }>>>
  >;
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

function notAnIndex(index: string): TsbuilderError {
  return new TsbuilderError(`${index} is not an index of envtest releases`, {
    code: "INVALID_ARGUMENT",
    hint: "use the URL of an envtest-releases.yaml: --index URL, or TSBUILDER_ENVTEST_INDEX",
  });
}

function archiveName(release: string, platform: string): string {
  return `envtest-${release}-${platform}.tar.gz`;
}

async function download({ url, hash }: Archive): Promise<Uint8Array> {
  const bytes = await fetchBytes(url);
  const actual = createHash("sha512").update(bytes).digest("hex");
  if (actual === hash.toLowerCase()) return bytes;
  throw new TsbuilderError(
    `${url} does not match the checksum in the index: its SHA-512 is ${actual.slice(0, 16)}...`,
    {
      code: "REFUSED",
      hint: "nothing was installed; download it again, or contact the mirror's maintainer",
    },
  );
}

/** Installs all binaries or none: they are written to a temporary folder that is then renamed. */
function unpack(bytes: Uint8Array, { url }: Archive, folder: string, assets: string): void {
  const files = readArchive(bytes);
  const missing = programs.find((program) => !files.has(program));
  if (missing) {
    throw new TsbuilderError(`${url} does not contain ${missing}`, {
      code: "NOT_FOUND",
      hint: "use another version or another index",
    });
  }
  mkdirSync(folder, { recursive: true });
  const temporary = mkdtempSync(join(folder, ".new-"));
  try {
    for (const program of programs)
      writeFileSync(join(temporary, program), files.get(program)!, { mode: 0o755 });
    rmSync(assets, { recursive: true, force: true });
    renameSync(temporary, assets);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** The size of a block of a tar archive. */
const blockSize = 512;

/** Reads the regular files of a gzipped tar archive by base name; folders are ignored. */
function readArchive(archive: Uint8Array): Map<string, Uint8Array> {
  const bytes = gunzipSync(archive);
  const files = new Map<string, Uint8Array>();
  for (let at = 0; at + blockSize <= bytes.length;) {
    // In ustar's header, the name begins at 0, the size in octal digits at 124, and the type of the entry is at 156.
    const header = bytes.subarray(at, at + blockSize);
    const name = readField(header.subarray(0, 100));
    if (name === "") break;
    const size = Number.parseInt(readField(header.subarray(124, 136)), 8);
    const type = String.fromCharCode(header[156]!);
    const start = at + blockSize;
    if (type === "0" || type === "\0") files.set(basename(name), bytes.subarray(start, start + size));
    at = start + Math.ceil(size / blockSize) * blockSize;
  }
  return files;
}

/** Reads a field of the header, which ends with a zero byte if it is shorter than its place. */
function readField(field: Buffer): string {
  const [text = ""] = field.toString("utf8").split("\0");
  return text.trim();
}

/** Downloads a file, with a helpful error if the server cannot be reached. */
async function fetchBytes(url: string): Promise<Uint8Array> {
  try {
    const response = await fetch(url);
    if (response.ok) return new Uint8Array(await response.arrayBuffer());
    throw new Error(`the server responded with ${response.status}`);
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    throw new TsbuilderError(`could not download ${url}: ${reason}`, {
      code: "TOOL_FAILED",
      hint: "use a mirror with --index URL or TSBUILDER_ENVTEST_INDEX, or an installed version with --offline",
      cause: error,
    });
  }
}
