import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TsbuilderError } from "../../shared/errors.ts";
import { chooseVersion } from "./choose-version.ts";
import { fetchBytes } from "./fetch-bytes.ts";
import { readArchive } from "./read-archive.ts";
import { type Archive, findArchive } from "./release-index.ts";

/** The Kubernetes project's index of its test binaries. */
export const officialIndex =
  "https://raw.githubusercontent.com/kubernetes-sigs/controller-tools/HEAD/envtest-releases.yaml";

const programs = ["kube-apiserver", "etcd", "kubectl"] as const;

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

/** Where the binaries are, and whether they were just downloaded. */
export interface InstalledEnvtest {
  readonly version: string;
  /** For `KUBEBUILDER_ASSETS`. */
  readonly assets: string;
  readonly isNew: boolean;
}

/** Ensures that kube-apiserver, etcd and kubectl of a version are installed on this machine. */
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
  const beside = mkdtempSync(join(folder, ".new-"));
  try {
    for (const program of programs)
      writeFileSync(join(beside, program), files.get(program)!, { mode: 0o755 });
    rmSync(assets, { recursive: true, force: true });
    renameSync(beside, assets);
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
}

function installedVersions(folder: string, platform: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(`-${platform}`))
    .filter((name) => programs.every((program) => existsSync(join(folder, name, program))))
    .map((name) => name.slice(0, -platform.length - 1));
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
