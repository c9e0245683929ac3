import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";

/** A Go module on the disk. */
export interface GoModule {
  /** The folder of its sources, which are read-only. */
  readonly Dir: string;
  /** The path of its go.mod. */
  readonly GoMod: string;
}

interface DownloadOptions {
  /** The folder in which `go` runs: in a module without a version in the path, its go.mod decides. Default: outside any module. */
  readonly cwd?: string;
  /** A folder to download to, whose files can be removed, instead of Go's own cache. */
  readonly cache?: string;
}

/** Downloads a Go module, such as `sigs.k8s.io/crdify@v0.5.0`, unless Go's cache has it. Throws with the reason that `go` gives. */
export function downloadGoModule(module: string, { cwd = tmpdir(), cache }: DownloadOptions = {}): GoModule {
  const env = { ...process.env, ...(cache !== undefined && { GOMODCACHE: cache, GOFLAGS: "-modcacherw" }) };
  const { stdout, stderr, error } = spawnSync("go", ["mod", "download", "-json", module], {
    cwd,
    env,
    encoding: "utf8",
  });
  if (error) throw error;
  if (!stdout.startsWith("{")) throw new Error(stderr.trim());
  const downloaded = JSON.parse(stdout) as GoModule & { readonly Error?: string };
  if (downloaded.Error !== undefined) throw new Error(downloaded.Error);
  return downloaded;
}
